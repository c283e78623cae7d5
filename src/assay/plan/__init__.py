"""What is decided before anything runs."""
