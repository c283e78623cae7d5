"""Compare dimensions that decide nothing: costs, and columns of unknown direction.

They have no range, so their intervals are Student's, and each p-value is its own. Runs without a
value are left out of that dimension, as its `n` shows. A sequential comparison reports them without
a test.
"""

import numpy as np
from msgspec.structs import replace

from assay.comparison.judge.effects import stratum_means
from assay.comparison.judge.rescale import empty_result
from assay.comparison.judge.table import TrialTable
from assay.comparison.result import Change, DimensionResult, Settings
from assay.stats import differences
from assay.stats.permutation import flip_signs, shuffle_labels


def compare_costs(table: TrialTable, settings: Settings) -> list[DimensionResult]:
    """Each of them on both sides."""
    return [_cost(table, index, settings) for index in range(len(table.others))]


def _cost(table: TrialTable, index: int, settings: Settings) -> DimensionResult:
    dimension = table.others[index]
    columns = tuple(values[:, [index]] for values in table.raw)
    present = [
        rows & ~np.isnan(values[:, 0]) for rows, values in zip(table.included, columns, strict=True)
    ]
    kept = table.kept.design.keep(present[0], present[1])
    if not kept.units:
        return empty_result(dimension)
    how = {"draws": settings.resamples, "seed": settings.seed}
    if kept.design.unit == "run":
        values, flags, strata = kept.stacked(*columns)
        difference = differences.unpaired(values[:, 0], flags, strata, ends=None)
        resampled = shuffle_labels(values, flags, strata, **how)
        means = [float(side[0]) for side in stratum_means(values, flags, strata)]
    else:
        first, second = kept.sides(*columns)
        difference = differences.paired((second - first)[:, 0], reach=None)
        first_even, second_even = kept.evened().sides(*columns)
        resampled = flip_signs(second_even - first_even, **how)
        means = [float(first.mean()), float(second.mean())]
    delta = means[1] - means[0] if difference is None else difference.value
    described = replace(
        empty_result(dimension, kept.units), baseline=means[0], candidate=means[1], delta=delta
    )
    if settings.sequential:  # a test of fixed size is not valid under looking
        return described
    p = float(resampled.p_values()[0])
    low, high = (None, None) if difference is None else difference.interval(settings.level)
    change = None
    if dimension.better is not None:
        # Differences that are all the same have no interval, and only the p-value to be rare by.
        apart = delta != 0.0 if low is None or high is None else low > 0.0 or high < 0.0
        shown = apart and p <= 1.0 - settings.level
        gained = delta < 0.0 if dimension.better == "lower" else delta > 0.0
        change = (Change.IMPROVEMENT if gained else Change.DECLINE) if shown else Change.UNCLEAR
    return replace(described, low=low, high=high, p=p, cls=change)
