"""Every Eval Ever, a common form of logs: read and written."""
