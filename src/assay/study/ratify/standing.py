"""Which ratifications stand: each revert removes the last ratification before it."""

from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Step(Protocol):
    @property
    def kind(self) -> str: ...


AnyStep = TypeVar("AnyStep", bound=_Step)


def standing(steps: Iterable[AnyStep]) -> list[AnyStep]:
    """The ratifications that were not reverted, oldest first."""
    stack: list[AnyStep] = []
    for step in steps:
        if step.kind == "ratify":
            stack.append(step)
        elif stack:
            stack.pop()
    return stack
