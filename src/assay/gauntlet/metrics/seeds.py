"""Combine the parts of several seeds: their mean, with their spread in the interval."""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

from assay.gauntlet.metrics.metric import Part
from assay.stats.quantiles import t_quantile

HIGHEST = 1.0


def over_seeds(parts: Sequence[Part]) -> Part:
    """A bar on one partition, estimated under each of several seeds.

    Items and seeds are both samples. The uncertainty from the items is the average width of the
    intervals; that from the seeds is Student's t of their mean. They are independent, so their
    squares are added.
    """
    if len(parts) == 1:
        return parts[0]
    values = [part.estimate.value for part in parts]
    mean, error = fmean(values), stdev(values) / math.sqrt(len(values))

    def interval(level: float) -> tuple[float, float]:
        reach = error * t_quantile((1.0 + level) / 2.0, len(parts) - 1)
        low, high = (
            fmean(ends) for ends in zip(*(part.interval(level) for part in parts), strict=True)
        )
        return mean - math.hypot(mean - low, reach), min(
            mean + math.hypot(high - mean, reach), HIGHEST
        )

    first = parts[0].estimate
    low, high = interval(first.level)
    controls = [part.control for part in parts if part.control is not None]
    return replace(
        parts[0],
        estimate=replace(
            first, value=mean, low=low, high=high, how=f"{first.how}; mean over {len(parts)} seeds"
        ),
        interval=interval,
        control=fmean(controls) if controls else None,
        same_ranking=all(part.same_ranking for part in parts),
        idle_control=any(part.idle_control for part in parts),
        unfit=any(part.unfit for part in parts),
        rests_on_words=any(part.rests_on_words for part in parts),
    )
