"""The system under test: what it is asked, how it is started, and which files it reaches."""
