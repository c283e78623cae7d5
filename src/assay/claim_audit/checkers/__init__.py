"""What can look: each checker reads one kind of evidence."""
