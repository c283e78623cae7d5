"""How a step is read: what kind it is, what it claims, and how it can be checked cheaply."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

CheckResult = tuple[float, float]  # the share of checks that failed, and a softer doubt


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A step as the verifier understands it.

    `shape` is what the relay keeps base rates by. `key` and `claim` are what constraint memory
    files ("36 * 5", "180"); a step that has nothing to file there leaves them out. `check` makes so
    many cheap checks, drawn by chance: a verifier with a budget does not work everything out.
    """

    kind: str
    shape: str
    check: Callable[[Random, int], CheckResult]
    key: str | None = None
    claim: str | None = None


def share(failed: list[bool]) -> float:
    """The share of checks that failed; one half if there was nothing to check."""
    return sum(failed) / len(failed) if failed else 0.5
