"""What a running command opens, runs and connects to, as the kernel reports it."""
