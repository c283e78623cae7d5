"""The scan: numbers of a text without a claim, and candidates for one."""
