"""What is sealed as files before anything is looked at, and graded once."""
