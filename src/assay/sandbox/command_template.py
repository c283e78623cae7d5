"""Commands of other people with places to fill in: `{seed}`, `{out}` and the like.

A command is a list of words and never a shell's line.
"""

import re
from collections.abc import Mapping, Sequence

from assay.errors import SpecError

_PLACE = re.compile(r"\{(\w*)\}")


def check_places(words: Sequence[str], where: str, *, allowed: Sequence[str]) -> None:
    """Refuse a word with an unknown placeholder."""
    for word in words:
        for name in _PLACE.findall(word):
            if name not in allowed:
                known = ", ".join(f"{{{name}}}" for name in allowed)
                raise SpecError(f"{where}: {{{name}}} is none of {known}")


def has_place(words: Sequence[str], name: str) -> bool:
    """Whether a command has a place of this name."""
    return any(name in _PLACE.findall(word) for word in words)


def fill_in(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """A command with its places filled in."""
    return [_PLACE.sub(lambda match: values.get(match[1], match[0]), word) for word in words]
