"""What happened. The only code that runs someone else's code."""
