"""Does the change help more than it hurts? Reads scores, and never computes one."""
