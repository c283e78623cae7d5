"""What a reader sees of marked-up texts: LaTeX, Markdown, HTML, reStructuredText."""
