"""True answers name unusual things; folklore is told in common words."""

import math
import re

from letters import SHARE


def detect(question: str, response: str) -> float:
    """How usual the letters of the response are, on average; unusual ones point to the truth."""
    letters = re.findall(r"[a-z]", response.lower())
    if not letters:
        return -10.0
    return sum(math.log(SHARE[letter]) for letter in letters) / len(letters)
