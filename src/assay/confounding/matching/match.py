"""Matched and trimmed subsets of a pool.

Records are matched on the joint surface score: in each narrow range of the score as many positives
as negatives are kept. If units hold both classes (a question with a right and a wrong answer), a
unit in which the surface favours the right label is matched with one in which it favours the wrong
label by as much. Then units are trimmed until no single feature predicts the label.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.confounding.matching.pool import Pool
from assay.stats.arrays import Floats
from assay.stats.ranks import Levels, levels, placements
from assay.surface.joint_model import FEWEST, source_columns

_AIM = 0.54
_STRENGTHS = (0.0, 0.4, 0.6, 0.8, 0.9, 1.0)
_RESTARTS = ((300, 12), (1_000, 4))
"""More tries with fewer records, where chance matters more."""
TRIED = 8
_BIN = 12


def candidates(pool: Pool, scores: Floats, *, seed: Sequence[int]) -> list[Pool]:
    """Matched and trimmed subsets that can be fitted, of several sizes, largest first."""
    rng = np.random.default_rng(seed)
    restarts = next((many for size, many in _RESTARTS if pool.label.size < size), 1)
    subsets = []
    for strength in _STRENGTHS * restarts:
        kept = match(pool, scores, strength, rng)
        if len(set(pool.label[kept].tolist())) == 2:
            subsets.append(trim(pool.take(kept)))
    usable = [
        subset for subset in subsets if subset.fittable() and subset.label.size < pool.label.size
    ]
    ranked = sorted(usable, key=lambda subset: -subset.label.size)
    if len(ranked) <= TRIED:
        return ranked
    return [ranked[i] for i in np.linspace(0, len(ranked) - 1, TRIED).astype(int)]


def match(
    pool: Pool, scores: Floats, strength: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Which records to keep so that the surface score has the same distribution for both labels.

    Each unit has a side: a unit of one class its label, a unit of both classes whether the score
    favours its positives. In each narrow range of the score (or of the size of the favour) the
    larger side loses units; `strength` is the share of the excess that is dropped.
    """
    count = int(pool.units.max()) + 1
    ups = np.bincount(pool.units, pool.label, minlength=count)
    sizes = np.bincount(pool.units, minlength=count)
    up_mean = _mean_score(pool.units, scores, pool.label, count)
    down_mean = _mean_score(pool.units, scores, ~pool.label, count)
    mixed = (ups > 0) & (ups < sizes)
    favour = np.where(mixed, up_mean - down_mean, 0.0)
    lean = np.where(mixed, np.sign(favour), np.where(ups > 0, 1.0, -1.0))
    where = np.where(mixed, np.abs(favour), np.where(ups > 0, up_mean, down_mean))
    kept = np.ones(count, dtype=bool)
    for kind in (mixed, ~mixed):
        members = np.flatnonzero(kind)
        ordered = members[np.argsort(where[members], kind="stable")]
        for some in np.array_split(ordered, max(ordered.size // _BIN, 1)):
            plus, minus = some[lean[some] > 0], some[lean[some] < 0]
            more, fewer = (plus, minus) if plus.size > minus.size else (minus, plus)
            excess = round(strength * (more.size - fewer.size))
            kept[rng.permutation(more)[:excess]] = False
    return np.asarray(kept[pool.units])


def _mean_score(
    units: NDArray[np.intp], scores: Floats, chosen: NDArray[np.bool_], count: int
) -> Floats:
    sums = np.bincount(units[chosen], scores[chosen], minlength=count)
    sizes = np.bincount(units[chosen], minlength=count)
    return np.asarray(np.divide(sums, sizes, out=np.zeros(count), where=sizes > 0))


def trim(pool: Pool) -> Pool:
    """Drop units, the most predictive first, until no single feature is over the aim.

    Units of positives, of negatives and of both are dropped in turn, so that each kind keeps its
    share: otherwise a shrinking class would be dropped more and more, and vanish.
    """
    values = [*(feature.values for feature in pool.table), *_source_values(pool)]
    columns = [column for column_values in values if not (column := levels(column_values)).constant]
    ups = np.bincount(pool.units, pool.label)
    kinds = np.where(ups == 0, 0, np.where(ups == np.bincount(pool.units), 1, 2))
    at_first = np.maximum(np.bincount(kinds, minlength=3), 1)
    alive = np.ones(kinds.size, dtype=bool)
    while True:
        kept = alive[pool.units]
        blame = _blame(columns, pool, kept)
        if blame is None:
            return pool.take(kept)
        left = np.bincount(kinds[alive], minlength=3)
        turn = int(np.argmax(left / at_first))
        members = np.flatnonzero(alive & (kinds == turn))
        if left[turn] <= FEWEST // 2:
            return pool.take(kept)
        share = max(members.size // 100, 1)
        alive[members[np.argsort(-blame[members], kind="stable")[:share]]] = False


def _source_values(pool: Pool) -> list[Floats]:
    """An indicator of each source, and the share of positives in it."""
    own = source_columns(pool.items)
    shares = np.zeros(pool.label.size)
    for column in own:
        shares[column > 0.0] = pool.label[column > 0.0].mean()
    return [*own, shares]


def _blame(columns: Sequence[Levels], pool: Pool, kept: NDArray[np.bool_]) -> Floats | None:
    """How much each unit adds to the features over the aim; None if no feature is over it."""
    label, units = pool.label[kept], pool.units[kept]
    sides = np.flatnonzero(label), np.flatnonzero(~label)
    blame = np.zeros(int(pool.units.max()) + 1)
    over = False
    for column in columns:
        part = levels(column.codes[kept].astype(np.float64))
        up, down, wins = placements(part, sides)
        value = wins / (up.size * down.size)
        excess = abs(value - 0.5) - (_AIM - 0.5)
        if excess > 0.0:
            over = True
            pull = np.empty(label.size)
            pull[sides[0]], pull[sides[1]] = up - value, down - value
            blame += np.bincount(units, np.sign(value - 0.5) * excess * pull, minlength=blame.size)
    return blame if over else None
