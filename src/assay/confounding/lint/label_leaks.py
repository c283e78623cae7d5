"""Find identifiers and side columns that give the label away."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.confounding.lint.categories import SURE, category_auc, optimistic_auc
from assay.confounding.lint.column_readings import Column, Reading
from assay.confounding.lint.labelled_records import Records, quoted
from assay.confounding.result import Finding
from assay.stats.arrays import Floats
from assay.stats.auc import auc

GIVEN_AWAY = 0.95


def id_leak(records: Records) -> Finding | None:
    """A finding if the ids predict nearly every label."""
    if not _can_tell(records):
        return None
    ids: list[object] = [item.id for item in records.items]
    return _leak(records, ids, "the id", "Shuffle the records and give them random ids.")


def _can_tell(records: Records) -> bool:
    return records.both_classes and SURE * records.chance <= GIVEN_AWAY - 0.5


def label_leaks(records: Records, fields: Mapping[str, Sequence[object]]) -> list[Finding]:
    """A finding for the id and for each field that predicts nearly every label."""
    if not _can_tell(records):
        return []
    leaks = [id_leak(records)]
    for name, values in fields.items():
        remedy = "Drop this field, or hide it from every method under test."
        leaks.append(_leak(records, values, f"the field {quoted(str(name))}", remedy))
    return [leak for leak in leaks if leak is not None]


def _leak(records: Records, values: Sequence[object], column: str, remedy: str) -> Finding | None:
    read = Column(values)
    for reading in read.readings():
        if len(reading.names) < 2 or optimistic_auc(reading.codes, records) < GIVEN_AWAY:
            continue
        value = category_auc(reading.codes, records)
        if value >= GIVEN_AWAY:
            telling, how = _by_category(records, reading, read, column)
            right = "it gets"
            break
    else:
        order = read.order()
        value = _order_auc(records, order)
        if max(value, 1.0 - value) < GIVEN_AWAY:
            return None
        telling, how = _by_order(records, order, value, column)
        right = "one cutoff gets"
    places = np.flatnonzero(telling).tolist()
    return records.finding(
        "label-leak",
        places,
        message=f"{how} (AUC {max(value, 1.0 - value):.2f}; {right} {len(places):,} of"
        f" {len(records.items):,} right).",
        remedy=remedy,
    )


def _by_category(
    records: Records, reading: Reading, read: Column, column: str
) -> tuple[NDArray[np.bool_], str]:
    """The records whose category predicts their label, and each label's strongest category."""
    sizes = np.bincount(reading.codes)
    ours = np.bincount(reading.codes, weights=records.positive)
    excess = ours - sizes * records.positive.mean()
    telling = ((excess > 0)[reading.codes] == records.positive) & (sizes[reading.codes] > 1)
    best1, best0 = int(np.argmax(excess)), int(np.argmin(excess))
    how = (
        f"The {reading.what} of {column} predicts the label: {quoted(reading.names[best1])} marks "
        f"positives, {quoted(reading.names[best0])} negatives"
    )
    if reading.what not in ("value", "presence"):
        example = int(np.flatnonzero(records.positive & (reading.codes == best1))[0])
        how += f", as in {quoted(read.distinct[read.codes[example]])}"
    return telling, how


def _order_auc(records: Records, order: Floats) -> float:
    """The AUC of an order; one half if too few records have a position in it."""
    known = ~np.isnan(order)
    above, below = order[known & records.positive], order[known & ~records.positive]
    if known.sum() < order.size / 2 or not above.size or not below.size:
        return 0.5
    return auc(above, below)


def _by_order(
    records: Records, order: Floats, value: float, column: str
) -> tuple[NDArray[np.bool_], str]:
    """The records that the best cut of the order classifies correctly."""
    known = ~np.isnan(order)
    high = records.positive if value >= 0.5 else ~records.positive
    levels, codes = np.unique(order[known], return_inverse=True)
    up = np.bincount(codes, weights=high[known], minlength=levels.size)
    down = np.bincount(codes, weights=~high[known], minlength=levels.size)
    cut = levels[int(np.argmax(np.cumsum(down) - np.cumsum(up)))]
    telling = known & np.where(high, order > cut, order <= cut)
    where = "last" if value >= 0.5 else "first"
    return telling, f"In order of {column}, positives come {where}"
