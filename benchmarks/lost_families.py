"""Sides of 0/1 scores that lose runs, family by family, with the truth known.

Instances differ in difficulty, and both sides meet the same. A family says which of the runs that
were to be scored are lost, and how: *crashed*, *unscored* (no value), *without a trace* (no run).
What is lost depends on chance, on what would have come of it, or on the instance.

The rule stood before any of these was drawn. The families under `KEPT_BACK` were run only when the
code, the other families and the words about them stood. Three of those fool the rule: runs that
would have been right, and runs that are lost by what came of the other side.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay import Trial

How = Literal["crashed", "unscored", "without a trace"]
Bools = np.ndarray
Lost = Callable[[np.random.Generator, Bools, Bools, np.ndarray], tuple[Bools, Bools]]
"""Which runs each side loses, given what would have come of them and how hard instances are."""
SPREAD = 0.2
"""How far the chance of an instance lies off the mean, half of them over and half under it."""


@dataclass(frozen=True, kw_only=True)
class LostFamily:
    """Which runs are lost, and what is left of them."""

    lost: Lost
    how: How = "crashed"


def _none(like: Bools) -> Bools:
    return np.zeros(len(like), dtype=bool)


def _some(rng: np.random.Generator, among: Bools, share: float) -> Bools:
    return np.asarray(among & (rng.random(len(among)) < share))


def _stretch(rng: np.random.Generator, n: int) -> Bools:
    """A fifth of the instances in a row, as while a grader is down."""
    start = rng.integers(0, n - n // 5 + 1)
    places = np.arange(n)
    return (places >= start) & (places < start + n // 5)


ANY = 0.15
FAILED = 0.5
"""Shares that are lost: of all runs, and of those that would have failed."""
FAMILIES: dict[str, LostFamily] = {
    "candidate, at random": LostFamily(
        lost=lambda rng, ours, theirs, _: (_none(ours), _some(rng, theirs | True, ANY))
    ),
    "baseline, at random": LostFamily(
        lost=lambda rng, ours, theirs, _: (_some(rng, ours | True, ANY), _none(theirs))
    ),
    "candidate, where it would have failed": LostFamily(
        lost=lambda rng, ours, theirs, _: (_none(ours), _some(rng, ~theirs, FAILED))
    ),
    "baseline, where it would have failed": LostFamily(
        lost=lambda rng, ours, theirs, _: (_some(rng, ~ours, FAILED), _none(theirs))
    ),
    "both, where they would have failed": LostFamily(
        lost=lambda rng, ours, theirs, _: (_some(rng, ~ours, FAILED), _some(rng, ~theirs, FAILED))
    ),
    "grader outage, candidate": LostFamily(
        lost=lambda rng, ours, theirs, _: (_none(ours), _stretch(rng, len(theirs))), how="unscored"
    ),
}
KEPT_BACK: dict[str, LostFamily] = {
    "grader outage, both": LostFamily(
        lost=lambda rng, ours, theirs, _: (_stretch(rng, len(ours)), _stretch(rng, len(theirs))),
        how="unscored",
    ),
    "candidate, where it would have failed, without a trace": LostFamily(
        lost=lambda rng, ours, theirs, _: (_none(ours), _some(rng, ~theirs, FAILED)),
        how="without a trace",
    ),
    "candidate, where the baseline failed": LostFamily(
        lost=lambda rng, ours, _, __: (_none(ours), _some(rng, ~ours, FAILED))
    ),
    "both, on hard instances": LostFamily(
        lost=lambda rng, _, __, hard: (_some(rng, hard, 0.3), _some(rng, hard, 0.3))
    ),
    "candidate, where it would have been right": LostFamily(
        lost=lambda rng, ours, theirs, _: (_none(ours), _some(rng, theirs, 0.2))
    ),
    "baseline, where it would have been right": LostFamily(
        lost=lambda rng, ours, theirs, _: (_some(rng, ours, 0.2), _none(theirs))
    ),
}


def draw_lost(
    rng: np.random.Generator, family: LostFamily, n: int, move: tuple[float, float]
) -> tuple[list[Trial], list[Trial]]:
    """Both sides of n instances, without what the family loses."""
    hard = rng.permutation(n) < n // 2
    ease = np.where(hard, -SPREAD, SPREAD)
    ours, theirs = (rng.random(n) < np.clip(p + ease, 0.0, 1.0) for p in move)
    lost = family.lost(rng, ours, theirs, hard)
    return (
        list(_trials(ours, lost[0], family.how)),
        list(_trials(theirs, lost[1], family.how)),
    )


def _trials(right: Bools, lost: Bools, how: How) -> list[Trial]:
    made = []
    for place, (value, gone) in enumerate(zip(right.tolist(), lost.tolist(), strict=True)):
        if gone and how == "without a trace":
            continue
        values: dict[str, float | None] = {"right": None if gone else float(value)}
        crashed = gone and how == "crashed"
        made.append(
            Trial(instance=f"i{place}", dimensions={} if crashed else values, crashed=crashed)
        )
    return made
