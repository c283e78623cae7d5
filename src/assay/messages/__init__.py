"""Parts of messages: plans as Python, and faults of keys in plain words."""
