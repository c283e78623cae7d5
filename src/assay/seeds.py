"""Seeds for different purposes from one seed, so that knowing one tells nothing of another.

The order of items depends on the benchmark's bytes too: a method that guesses the seed (0, mostly)
still cannot work out where in the file an item stood, unless it knows the whole file already.
"""

import hashlib


def derive(seed: int, purpose: str, *context: str) -> int:
    """A seed for one purpose."""
    text = "\n".join([str(seed), purpose, *context])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
