"""What is kept on disk: the only reader, writer and clock for records."""
