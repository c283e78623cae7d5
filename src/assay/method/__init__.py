"""The methods we ship, how a method is named, and which files it imports."""
