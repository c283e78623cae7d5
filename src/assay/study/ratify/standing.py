"""Which ratifications stand: each one that was taken back takes the last before it with it."""

from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Step(Protocol):
    @property
    def kind(self) -> str: ...


AnyStep = TypeVar("AnyStep", bound=_Step)


def standing(steps: Iterable[AnyStep]) -> list[AnyStep]:
    """The ratifications that were not taken back, oldest first."""
    stack: list[AnyStep] = []
    for step in steps:
        if step.kind == "ratify":
            stack.append(step)
        elif stack:
            stack.pop()
    return stack
