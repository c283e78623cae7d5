"""Studies on disk: the only reader, writer and clock for their records."""
