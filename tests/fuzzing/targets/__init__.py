"""The table of targets: what is read from outside, and how many inputs each is given."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzzing.campaign import Reader

SHORT = 500
"""The suite's own campaign is so many times shorter than that of `make stress`."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A reader that is made in a folder of its own, and its number of inputs at full length."""

    name: str
    inputs: int
    make: Callable[[Path], Reader]


TARGETS: dict[str, Target] = {}


def target(
    name: str, *, thousands: int
) -> Callable[[Callable[[Path], Reader]], Callable[[Path], Reader]]:
    """Enter a reader in the table."""

    def enter(make: Callable[[Path], Reader]) -> Callable[[Path], Reader]:
        assert name not in TARGETS
        TARGETS[name] = Target(name=name, inputs=1_000 * thousands, make=make)
        return make

    return enter
