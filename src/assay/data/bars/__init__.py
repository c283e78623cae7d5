"""One TOML file per version of the bars of a task."""
