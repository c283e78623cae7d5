"""Situations with a known truth, from which the simulations draw."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NORMAL = NormalDist()
LEVELS = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, kw_only=True)
class Situation:
    """Two normal classes `auc` apart, as they are or cut into five levels."""

    auc: float
    n: int
    share_positive: float
    levels: bool

    @property
    def positives(self) -> int:
        """How many positives there are."""
        return round(self.n * self.share_positive)

    @property
    def negatives(self) -> int:
        """How many negatives there are."""
        return self.n - self.positives

    def draw(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Scores of the positives and of the negatives."""
        d = shift(self.auc, self.levels)
        above, below = rng.normal(d, 1.0, self.positives), rng.normal(0.0, 1.0, self.negatives)
        return (cut(above, d), cut(below, d)) if self.levels else (above, below)


def grid() -> Iterator[Situation]:
    """The 48 situations in which an AUC's interval must hold."""
    for auc in (0.5, 0.7, 0.9, 0.97):
        for n in (50, 108, 1000):
            for share in (0.5, 0.2):
                for levels in (False, True):
                    yield Situation(auc=auc, n=n, share_positive=share, levels=levels)


@cache
def shift(auc: float, levels: bool) -> float:
    """How far apart the classes' means are for this AUC, ties counted one half."""
    if not levels:
        return math.sqrt(2.0) * NORMAL.inv_cdf(auc)
    low, high = 0.0, 12.0
    for _ in range(80):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _levels_auc(middle) < auc else (low, middle)
    return low


@cache
def _cuts(d: float) -> tuple[float, ...]:
    """Where the equal mixture of both classes is cut into fifths."""

    def solve(q: float) -> float:
        low, high = -9.0, 9.0 + d
        for _ in range(80):
            x = (low + high) / 2.0
            low, high = (x, high) if NORMAL.cdf(x) + NORMAL.cdf(x - d) < 2 * q else (low, x)
        return low

    return tuple(solve(q) for q in LEVELS)


def _levels_auc(d: float) -> float:
    edges = (-math.inf, *_cuts(d), math.inf)
    pairs = list(pairwise(edges))
    below = [NORMAL.cdf(b) - NORMAL.cdf(a) for a, b in pairs]
    above = [NORMAL.cdf(b - d) - NORMAL.cdf(a - d) for a, b in pairs]
    return sum(p * (sum(below[:i]) + below[i] / 2.0) for i, p in enumerate(above))


def cut(scores: Floats, d: float) -> Floats:
    """Scores as five levels."""
    return np.searchsorted(_cuts(d), scores).astype(np.float64)


def draw_pair(
    rng: np.random.Generator,
    first: Situation,
    second_auc: float,
    correlation: float,
) -> tuple[Floats, Floats]:
    """Two methods on the same items, their scores correlated within each class."""
    d = (shift(first.auc, first.levels), shift(second_auc, first.levels))
    sides = []
    for size, positive in ((first.positives, 1.0), (first.negatives, 0.0)):
        shared, own = rng.normal(size=(2, size))
        both = np.stack([shared, correlation * shared + math.sqrt(1 - correlation**2) * own])
        both += positive * np.array(d)[:, None]
        if first.levels:
            both = np.stack([cut(row, far) for row, far in zip(both, d, strict=True)])
        sides.append(both)
    return sides[0], sides[1]


def draw_groups(
    rng: np.random.Generator,
    *,
    auc: float,
    groups: int,
    size: int,
    mixed: bool,
    uneven: bool,
    within: float = 0.5,
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.str_]]:
    """Scores, labels and groups; `within` is the share of variance that a group has in common.

    Mixed groups hold both classes by turns, others one class each. Uneven groups have `size`
    members on average, by an exponential law.
    """
    sizes = np.full(groups, size)
    if uneven:
        sizes = 1 + rng.exponential(size - 1, groups).astype(int)
    group = np.repeat(np.arange(groups), sizes)
    turn = np.arange(group.size) if mixed else group
    label = turn % 2 == 0
    common = rng.normal(0.0, math.sqrt(within), groups)[group]
    own = rng.normal(0.0, math.sqrt(1.0 - within), group.size)
    return common + own + label * shift(auc, False), label, group.astype(str)


def draw_odd(
    rng: np.random.Generator, *, shape: str, auc: float, positives: int, negatives: int
) -> tuple[Floats, Floats]:
    """Scores that are not two equal normal classes.

    `wide`: positives with three times the spread. `skewed`: exponential. `fallback`: a share of the
    positives below every negative (a method that gives up on them), the rest above.
    """
    if shape == "wide":
        d = math.sqrt(10.0) * NORMAL.inv_cdf(auc)
        return rng.normal(d, 3.0, positives), rng.normal(0.0, 1.0, negatives)
    if shape == "skewed":
        return rng.exponential(auc / (1.0 - auc), positives), rng.exponential(1.0, negatives)
    given_up = rng.random(positives) < 1.0 - auc
    return np.where(given_up, -10.0, 10.0) + rng.random(positives), rng.random(negatives)
