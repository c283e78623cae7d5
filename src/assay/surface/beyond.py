"""The beyond-surface AUC: a method's AUC from the part that the surface does not predict.

With x the surface features, y the label, s the method's scores as standardised normal scores,
p(x) the cross-fitted probability of the label and g(x) the cross-fitted prediction of the scores
themselves, without labels:

    u = y - p(x)        v = s - g(x)
    c = mean(u v) / (rms(u) sd(s))
    d^2 = c^2 / (mean(u^2) - c^2 var(y))
    AUC = Phi(sign(c) d / sqrt 2)

c is the correlation of the two residuals, d the distance of two normal classes with that
correlation. Removing the surface from both sides makes the error second-order: the product of the
error of p and the error of g (Robinson 1988; Chernozhukov et al. 2018). Dividing by the spread of
s, not of v, keeps a method that *is* surface from scoring by rounding noise.

Scores of a few levels are not two normal classes: for a flag with an AUC of .60 the formula gives
.69 or more even if the surface predicts nothing. So d is reduced by the factor by which it is too
large without any surface, and the result never exceeds the plain AUC.

Models miss functions whose parts predict nothing by themselves, so u and v are searched together
for tables of a few features (`surface/tables.py`); a table that is surely there is removed from
both.

The interval is a bootstrap over groups with the residuals fixed; the lower end uses the residuals
within the worst table that remains possible. This ignores that p and g would differ in another
sample, which matters with few records. So the ends are moved outwards, on the scale of d, by
1 + 18 / groups (docs/decisions/0011-surface-model.md, 0033-tables.md).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Codes, Floats
from assay.stats.auc import AucFit, fit
from assay.stats.estimate import Estimate
from assay.stats.quantiles import normal_quantile
from assay.surface.tables import Residuals, without_tables

DRAWS = 4000
_BLOCK_CELLS = 1 << 20
_PERFECT = 0.98
_ROUNDING = 1e-9
_STRETCH = 18.0
WIDEST = 0.3
"""With a wider interval than this, the data are unfit to measure a method."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Beyond:
    """A beyond-surface AUC and its bootstrap draws; `lowered` are those within the worst table.

    `share` is 1 - mean(v^2): the part of the scores' variance that the surface predicts. `plain` is
    the AUC of the scores themselves: near 1, where every bootstrap sample is as perfect as the
    whole, its lower bound also holds beyond the surface.
    """

    value: float
    drawn: Floats
    lowered: Floats
    share: float
    units: int
    plain: AucFit

    def interval(self, level: float) -> tuple[float, float]:
        """The two-sided interval at a level; the lower end also holds within the worst table."""
        return self._between(self.lowered, self.drawn, level)

    @property
    def unfit(self) -> bool:
        """Whether the interval is too wide from the sample alone, without any table."""
        low, high = self._between(self.drawn, self.drawn, 0.95)
        return high - low > WIDEST

    def _between(self, lower: Floats, upper: Floats, level: float) -> tuple[float, float]:
        tail = (1.0 - level) / 2.0
        ends = np.quantile(lower, tail), np.quantile(upper, 1.0 - tail)
        low, high = (self._stretched(float(end)) for end in ends)
        if self.value > _PERFECT:
            low = min(low, self.plain.interval(level=level)[0])
        if self.value < 1.0 - _PERFECT:
            high = max(high, self.plain.interval(level=level)[1])
        return min(low, self.value), max(high, self.value)

    def _stretched(self, end: float) -> float:
        """An end moved outwards on the scale of d; the fewer units, the further."""
        if not 0.0 < end < 1.0 or not 0.0 < self.value < 1.0:
            return end
        middle = normal_quantile(self.value)
        reach = normal_quantile(end) - middle
        return float(_phi(np.array([middle + reach * (1.0 + _STRETCH / self.units)]))[0])

    def estimate(self, *, level: float = 0.95) -> Estimate:
        """The AUC with its interval."""
        low, high = self.interval(level)
        how = f"beyond-surface AUC, percentile bootstrap, {self.drawn.size} draws" + (
            ", clustered by group" if self.plain.grouped else ""
        )
        return Estimate(value=self.value, low=low, high=high, level=level, n=self.plain.n, how=how)


def beyond_surface(
    *,
    features: Floats,
    label: NDArray[np.bool_],
    probability: Floats,
    scores: Floats,
    predicted: Floats,
    groups: NDArray[np.intp] | None,
    seed: int,
) -> Beyond:
    """The beyond-surface AUC of standardised scores, given the surface's predictions."""
    y = label.astype(np.float64)
    given = Residuals(
        label=y - probability, method=scores - predicted, of_label=probability, of_method=predicted
    )
    units = y.size if groups is None else int(groups.max()) + 1
    left, least = without_tables(features, given, units=units)
    sums, worst = (_sums(residuals, scores, y, groups) for residuals in (left, least))
    kinds = label.astype(np.intp)
    if groups is not None:
        positives = np.bincount(groups, y)
        # Groups with both classes are drawn among themselves, so that every draw has both.
        kinds = np.where(positives == 0, 0, np.where(positives == sums[:, 0], 1, 2))
    plain = fit(
        scores[label],
        scores[~label],
        groups=None if groups is None else (groups[label], groups[~label]),
    )
    scale = _excess(y, scores, float(plain.values[0]))
    drawn, lowered = (
        np.concatenate([_auc(block @ terms, scale) for block in blocks])
        for terms, blocks in (
            (sums, weights(kinds, draws=DRAWS, seed=seed)),
            (worst, weights(kinds, draws=DRAWS, seed=seed)),
        )
    )
    value = float(_auc(sums.sum(axis=0, keepdims=True), scale)[0])
    ends = sorted((0.5, float(plain.values[0])))
    return Beyond(
        value=min(max(value, ends[0]), ends[1]) if _same_side(value, plain) else value,
        drawn=drawn,
        lowered=lowered,
        share=max(0.0, 1.0 - left.raised * float(np.mean(left.method**2))) if scores.any() else 0.0,
        units=units,
        plain=plain,
    )


def value_of(u: Floats, v: Floats, scores: Floats, y: Floats) -> float:
    """The AUC without an interval, from given residuals."""
    plain = float(fit(scores[y > 0.0], scores[y == 0.0]).values[0])
    left = Residuals(label=u, method=v, of_label=y - u, of_method=scores - v)
    total = _sums(left, scores, y, None).sum(axis=0, keepdims=True)
    return float(_auc(total, _excess(y, scores, plain))[0])


def _sums(
    residuals: Residuals, scores: Floats, y: Floats, groups: NDArray[np.intp] | None
) -> Floats:
    """The terms of the formula for each record, or summed by group."""
    u, v, raised = residuals.label, residuals.method, residuals.raised
    terms = [np.ones(u.size), raised * u * v, raised * u * u, scores, scores * scores, y]
    if groups is not None:
        terms = [np.bincount(groups, term).astype(np.float64) for term in terms]
    return np.stack(terms, axis=1)


def _same_side(value: float, plain: AucFit) -> bool:
    """Whether the beyond-surface AUC and the plain AUC are on the same side of one half."""
    return (value - 0.5) * (float(plain.values[0]) - 0.5) > 0.0


def _excess(y: Floats, scores: Floats, plain: float) -> float:
    """The factor that reduces d: its value without a surface, over the formula's."""
    spread = float(scores.std() * y.std())
    c = abs(float(np.mean((y - y.mean()) * scores))) / spread if spread > 0.0 else 0.0
    if not 0.0 < c < 1.0 or not 0.0 < plain < 1.0:
        return 1.0
    formula = c / (float(y.std()) * math.sqrt(1.0 - c * c))
    return min(abs(normal_quantile(plain)) * math.sqrt(2.0) / formula, 1.0)


def weights(strata: Codes, *, draws: int, seed: int) -> Iterator[Floats]:
    """Blocks of bootstrap draws (draws x units): how often each unit was drawn.

    Each stratum keeps its number of units. The same seed gives the same draws.
    """
    members = [np.flatnonzero(strata == code) for code in np.unique(strata)]
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // strata.size)
    for start in range(0, draws, block):
        size = min(block, draws - start)
        drawn = np.empty((size, strata.size))
        for units in members:
            drawn[:, units] = _counts(rng, size, units.size)
        yield drawn


def _counts(rng: np.random.Generator, draws: int, size: int) -> Codes:
    """For each draw, how often each of `size` units occurs in `size` draws with replacement."""
    picked = rng.integers(0, size, size=(draws, size))
    picked += np.arange(draws)[:, None] * size
    return np.bincount(picked.ravel(), minlength=draws * size).reshape(draws, size)


def _auc(sums: Floats, scale: float) -> Floats:
    """The formula, from weighted sums over records, one row a draw; d is scaled."""
    means = sums[:, 1:] / sums[:, :1]
    uv, uu, s, ss, y = means.T
    # A draw may hold only equal records: then there is no ranking.
    spread = uu * np.maximum(ss - s * s, 0.0)
    c2 = np.divide(uv * uv, spread, out=np.zeros_like(uv), where=spread > _ROUNDING)
    room = uu - c2 * (y - y * y)
    d = np.sqrt(np.divide(c2, room, out=np.full_like(c2, np.inf), where=room > 0.0))
    d[c2 == 0.0] = 0.0
    return _phi(scale * np.sign(uv) * d / math.sqrt(2.0))


def _phi(z: Floats) -> Floats:
    """The normal distribution function."""
    return np.array([math.erfc(-x / math.sqrt(2.0)) / 2.0 for x in z.tolist()])


def widest_without_signal(label: NDArray[np.bool_], probability: Floats) -> float:
    """The width of the 95 % interval for a method without any signal.

    By the delta method at d = 0: c has a standard error of 1 / sqrt(n), so d has one of
    1 / (sqrt(n) rms(u)). The more of the label the surface predicts, the wider it is.
    """
    left = float(np.sum(np.square(label - probability)))
    if left <= 0.0:
        return 1.0
    at_zero = 1.0 / math.sqrt(2.0 * math.pi) / math.sqrt(2.0)
    return min(2.0 * normal_quantile(0.975) * at_zero / math.sqrt(left), 1.0)
