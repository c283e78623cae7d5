"""One module a harness: recognise its log by content, and read it."""
