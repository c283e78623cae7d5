"""Groups that differ: in size, in their share of positives, and by effects with heavy tails.

A family says how large groups are, how the share of positives varies over them (a Beta law), what a
group adds to all of its scores, and how far share and effect go together (a normal copula). The
families held back were drawn once, when the rule stood. Those of `CHOOSING_LATER` had been held
back from two earlier rules, which did not hold on them.
"""

import math
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_GRID = 600


@dataclass(frozen=True, kw_only=True)
class GroupFamily:
    """How groups differ; `within` is the share of the variance that a group has in common."""

    sizes: str
    prevalence: tuple[float, float]
    effects: str
    correlation: float
    within: float

    def __str__(self) -> str:
        a, b = self.prevalence
        return (
            f"{self.sizes}, Beta({a:g}, {b:g}), {self.effects}, correlation {self.correlation:g},"
            f" {self.within:g} shared"
        )

    def draw(
        self, rng: np.random.Generator, *, auc: float, groups: int
    ) -> tuple[Floats, NDArray[np.bool_], NDArray[np.intp]]:
        """Scores, labels and groups; drawn again where a class is missing."""
        from scipy.special import ndtr  # slow to import

        shift = self._shift(auc)
        while True:
            hidden, other = rng.normal(size=(2, groups))
            group = np.repeat(np.arange(groups), self._sizes(rng, groups))
            label = rng.random(group.size) < self._share(hidden, other)[group]
            if 0 < label.sum() < label.size:
                break
        common = math.sqrt(self.within) * _effect(self.effects, ndtr(hidden))
        own = math.sqrt(1.0 - self.within) * rng.normal(size=group.size)
        return common[group] + own + shift * label, label, group

    def _sizes(self, rng: np.random.Generator, groups: int) -> NDArray[np.int64]:
        if self.sizes == "even":
            return np.full(groups, 8)
        if self.sizes == "geometric":
            return rng.geometric(1.0 / 8.0, groups)
        if self.sizes == "2 or 20":
            return np.where(rng.random(groups) < 0.5, 2, 20)
        if self.sizes == "Pareto":
            return np.minimum(2 + 3.0 * rng.pareto(1.5, groups), 200).astype(np.int64)
        if self.sizes == "1 or more":
            return 1 + rng.poisson(rng.exponential(5.0, groups))
        sizes = rng.integers(2, 21, groups)
        if self.sizes == "one of 30 %":
            sizes[0] = round(float(sizes[1:].sum()) * 3.0 / 7.0)
        return sizes

    def _share(self, hidden: Floats, other: Floats) -> Floats:
        """The share of positives of groups whose effects stand at these normal scores."""
        from scipy.special import betaincinv, ndtr

        own = math.sqrt(1.0 - self.correlation**2)
        return np.asarray(
            betaincinv(*self.prevalence, ndtr(self.correlation * hidden + own * other))
        )

    @cache  # noqa: B019 - a few dozen families, for as long as the script runs
    def _shift(self, auc: float) -> float:
        """How far apart the classes are for this AUC over groups without end, by bisection."""
        from scipy.special import ndtr, ndtri

        middles = (np.arange(_GRID) + 0.5) / _GRID
        effect, scores = _effect(self.effects, middles), ndtri(middles)
        positive = self._share(scores[:, None], scores[::3]).mean(axis=1)
        weights = positive / positive.sum(), (1.0 - positive) / (1.0 - positive).sum()
        apart = math.sqrt(self.within) * (effect[:, None] - effect)
        low, high = -30.0, 30.0
        for _ in range(40):
            middle = (low + high) / 2.0
            wins = ndtr((middle + apart) / math.sqrt(2.0 * (1.0 - self.within)))
            low, high = (middle, high) if weights[0] @ wins @ weights[1] < auc else (low, middle)
        return low


CHOOSING = tuple(
    GroupFamily(
        sizes=sizes, prevalence=(0.5, 0.5), effects=effects, correlation=correlation, within=0.7
    )
    for sizes, effects, correlation in product(
        ("2 to 20", "one of 30 %"), ("t3", "lognormal"), (0.0, 0.6)
    )
)
CHOOSING_LATER = tuple(
    GroupFamily(
        sizes=sizes,
        prevalence=prevalence,
        effects=effects,
        correlation=correlation,
        within=0.5 if prevalence == (2.0, 2.0) else 0.85,
    )
    for sizes, prevalence, effects, correlation in product(
        ("geometric", "even"), ((2.0, 2.0), (0.5, 1.5)), ("Laplace", "outlying"), (-0.6, 0.3)
    )
) + tuple(
    GroupFamily(
        sizes=sizes,
        prevalence=prevalence,
        effects=effects,
        correlation=correlation,
        within=0.6 if prevalence == (1.0, 1.0) else 0.8,
    )
    for sizes, prevalence, effects, correlation in product(
        ("2 or 20", "Pareto"),
        ((1.0, 1.0), (2.0, 6.0)),
        ("contaminated", "exponential"),
        (-0.8, 0.5),
    )
)
HELD_BACK = tuple(
    GroupFamily(
        sizes=sizes,
        prevalence=prevalence,
        effects=effects,
        correlation=correlation,
        within=0.6 if effects == "Gumbel" else 0.9,
    )
    for sizes, prevalence, effects, correlation in product(
        ("1 or more", "Pareto"), ((0.3, 0.3), (6.0, 2.0)), ("Gumbel", "Weibull"), (-0.7, 0.0, 0.7)
    )
)


def _effect(kind: str, at: Floats) -> Floats:
    """The quantiles of a law of group effects, with a mean of 0 and a variance of 1.

    `outlying`: normal, but one group in ten stands four standard deviations above the others.
    `contaminated`: normal, but one group in ten has five times the spread. `exponential`: skewed
    to below; `Weibull` (of shape .7) to above.
    """
    from scipy.special import ndtri, stdtrit

    if kind == "t3":
        return np.asarray(stdtrit(3.0, at) / math.sqrt(3.0))
    if kind == "lognormal":
        return np.asarray((np.exp(ndtri(at)) - math.exp(0.5)) / math.sqrt(math.e * (math.e - 1.0)))
    if kind == "Laplace":
        return np.where(at < 0.5, np.log(2.0 * at), -np.log(2.0 - 2.0 * at)) / math.sqrt(2.0)
    if kind == "exponential":
        return np.asarray(1.0 + np.log(at))
    if kind == "Gumbel":
        return np.asarray((-np.log(-np.log(at)) - 0.5772157) * math.sqrt(6.0) / math.pi)
    if kind == "Weibull":
        mean, square = math.gamma(1.0 + 1.0 / 0.7), math.gamma(1.0 + 2.0 / 0.7)
        return np.asarray(((-np.log1p(-at)) ** (1.0 / 0.7) - mean) / math.sqrt(square - mean**2))
    if kind == "contaminated":
        points, levels = _contaminated()
        return np.interp(at, levels, points) / math.sqrt(0.9 + 0.1 * 25.0)
    usual = at < 0.9
    scores = ndtri(np.where(usual, at / 0.9, (at - 0.9) / 0.1).clip(1e-12, 1.0 - 1e-12))
    return np.asarray((scores + 4.0 * ~usual - 0.4) / math.sqrt(1.0 + 16.0 * 0.09))


@cache
def _contaminated() -> tuple[Floats, Floats]:
    """The distribution function of a contaminated normal, at many points."""
    from scipy.special import ndtr

    points = np.linspace(-30.0, 30.0, 60_001)
    return points, 0.9 * ndtr(points) + 0.1 * ndtr(points / 5.0)
