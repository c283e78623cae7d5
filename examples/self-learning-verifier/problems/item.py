"""What every generator yields."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class Item:
    """One step to judge. The label is 1 if the step is wrong."""

    id: str
    group: str
    question: str
    response: str
    label: int
    how: str  # how the step came about: "right", or the kind of slip

    def row(self) -> dict[str, Any]:
        """The item as a line of a benchmark."""
        return asdict(self)


def proposals(
    chance: Random, truth: Value, slips: Mapping[str, Value], *, right: float = 0.9
) -> list[tuple[str, Value]]:
    """Two different answers to one problem: mostly the right one and a slip, sometimes two slips.

    Some slips may be right after all. The label says, not the name.
    """
    names = sorted(slips)
    picked = [(name, slips[name]) for name in chance.sample(names, 2)]
    if picked[0][1] == picked[1][1]:
        picked.pop()
    if chance.random() < right and all(value != truth for _, value in picked):
        picked[-1] = ("right", truth)
    chance.shuffle(picked)
    return picked
