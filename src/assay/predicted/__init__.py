"""What is stated before a value is known."""
