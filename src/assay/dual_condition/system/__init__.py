"""The system under test: its items, its command, and the files it reaches."""
