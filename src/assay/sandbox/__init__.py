"""The only code that starts someone else's code, and watches what it opens."""
