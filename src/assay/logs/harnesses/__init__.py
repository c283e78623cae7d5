"""One module a harness: recognise its log by what is in it, and read it."""
