"""Check whether a benchmark has enough records for a method to pass a bar.

A bar requires a one-sided 95 % lower bound of the AUC of .70 or more. By the score interval, with
Hanley and McNeil's variance H, the bound is over .70 if the observed AUC is over
.70 + 1.645 sqrt(H(.70)); a method with true AUC a reaches that with 80 % probability if
a - 0.842 sqrt(H(a)) does. Records are assumed independent, so with groups more are needed.
"""

import math
from collections.abc import Callable

import numpy as np

from assay.confounding.lint.labelled_records import Records
from assay.confounding.result import Finding
from assay.stats.auc_interval import hanley_mcneil
from assay.stats.quantiles import normal_quantile

BAR, LEVEL, POWER = 0.70, 0.95, 0.80
RARE = 0.30
NOTABLE = 0.02
HOPELESS = 0.85
WANTED = 0.80


def auc_needed(positives: float, negatives: float) -> float | None:
    """The least true AUC that passes the bar with 80 % probability; None if none does."""
    if min(positives, negatives) < 1:
        return None
    bound = BAR + normal_quantile(LEVEL) * math.sqrt(hanley_mcneil(BAR, positives, negatives))
    if bound >= 1.0:
        return None
    low, high = BAR, 1.0
    for _ in range(40):
        middle = (low + high) / 2.0
        spread = math.sqrt(hanley_mcneil(middle, positives, negatives))
        if middle - normal_quantile(POWER) * spread >= bound:
            high = middle
        else:
            low = middle
    return high


def imbalance(records: Records) -> Finding | None:
    """A finding if one label is so rare that as many records, split evenly, would show more."""
    rare, common, name, other = _classes(records)
    if not _rarity_costs(rare, common):
        return None
    if not rare:
        return records.finding(
            "imbalance",
            range(common),
            message=f"All {common} records are {other}s, so no method can separate the labels.",
            remedy=f"Add {name}s.",
        )
    need, even = auc_needed(rare, common), _needed_evenly(rare, common)
    target = WANTED if need is None or need > WANTED else even + NOTABLE
    more = _least(lambda extra: _reaches(rare + extra, common, target), most=common - rare)
    return records.finding(
        "imbalance",
        np.flatnonzero(records.positive == (name == "positive")).tolist(),
        message=f"{rare} of {rare + common} records are {name}s: {_asks(need)}; "
        f"with labels split evenly, {even:.2f}.",
        remedy=_have_more(more, f"{name}s", need, target),
    )


def too_few(records: Records) -> Finding | None:
    """A finding if even a very good method would probably fail, and not because of imbalance."""
    rare, common, _, _ = _classes(records)
    if _reaches(rare, common, HOPELESS) or _rarity_costs(rare, common):
        return None
    return records.finding(
        "too-few",
        range(rare + common),
        message=f"Only {rare + common} records, {int(records.positive.sum())} of them positive: "
        f"{_asks(auc_needed(rare, common))}.",
        remedy=_have_evenly(),
    )


def _classes(records: Records) -> tuple[int, int, str, str]:
    """The sizes of the smaller and the larger class, and their names in that order."""
    ours = int(records.positive.sum())
    theirs = len(records.items) - ours
    if ours <= theirs:
        return ours, theirs, "positive", "negative"
    return theirs, ours, "negative", "positive"


def _rarity_costs(rare: int, common: int) -> bool:
    """Whether a rare label is the problem, not the number of records."""
    if not rare:
        return True
    need, even = auc_needed(rare, common), _needed_evenly(rare, common)
    return (
        rare < RARE * (rare + common)
        and even <= HOPELESS
        and (need is None or need > even + NOTABLE)
    )


def _needed_evenly(rare: int, common: int) -> float:
    """The AUC needed if the records were split evenly; infinite if none is enough."""
    need = auc_needed((rare + common) / 2.0, (rare + common) / 2.0)
    return math.inf if need is None else need


def _reaches(positives: float, negatives: float, target: float) -> bool:
    need = auc_needed(positives, negatives)
    return need is not None and need <= target


def _asks(need: float | None) -> str:
    if need is None:
        return f"no method can reach a lower bound of {BAR:.2f} on its AUC"
    return f"passing a bar of {BAR:.2f} four times in five takes a true AUC of {need:.2f}"


def _have_more(more: int | None, rare: str, need: float | None, target: float) -> str:
    """How many more of the rare label would do; no number if the AUC needed hardly moves."""
    if more is None:
        return _have_evenly()
    if need is not None and f"{need:.2f}" == f"{target:.2f}":
        return f"If you add records, add {rare}."
    return f"Add about {more} {rare}: then a true AUC of {target:.2f} is enough."


def _have_evenly() -> str:
    each = _least(lambda size: _reaches(size, size, WANTED), most=1_000_000)
    return f"Use about {each} records of each label: then a true AUC of {WANTED:.2f} is enough."


def _least(enough: Callable[[int], bool], *, most: int) -> int | None:
    """The least whole number up to `most` that is enough; None if none is."""
    if not enough(most):
        return None
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
