"""Whether a study is what it says it is."""
