"""Check the mean that a harness reports against its rows.

Five harnesses use five denominators for the same answers, and one was seen to store 27 of 40 rows
beside a correct mean. A log is refused if its rows do not give its own mean.
"""

import math
from collections.abc import Iterable

from assay.errors import IntegrityError
from assay.logs.log import LogRun, Over, ReportedMean, Sample

_TOLERANCE = 1e-9


def mean_of(samples: Iterable[Sample], metric: str, over: Over) -> float | None:
    """The mean of a metric over scored samples, or over instances with scored samples."""
    values: dict[str, list[float]] = {}
    for sample in samples:
        value = sample.scores.get(metric)
        if value is not None:
            values.setdefault(sample.instance, []).append(value)
    if over == "rows":
        means = [value for group in values.values() for value in group]
    else:
        means = [math.fsum(group) / len(group) for group in values.values()]
    return math.fsum(means) / len(means) if means else None


def check_means(run: LogRun) -> None:
    """Refuse a log whose rows do not give the means that it reports."""
    for reported in run.means:
        again = mean_of(run.samples, reported.metric, reported.over)
        if again is None or not is_equal(again, reported.value):
            raise IntegrityError(
                f"{run.place}: {_contradiction(run, reported, again)}",
                hint="Rows were lost or edited after the mean was computed, or Assay does not know"
                " how the harness averages. Export the log again.",
            )


def _contradiction(run: LogRun, reported: ReportedMean, again: float | None) -> str:
    scored = sum(sample.scores.get(reported.metric) is not None for sample in run.samples)
    got = "no row has a score" if again is None else f"its {scored} scored rows give {again:.6g}"
    return f"{run.harness} reports {reported.metric} {reported.value:.6g}, but {got}"


def is_equal(first: float, second: float) -> bool:
    """Whether two means are equal up to rounding."""
    return math.isclose(first, second, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
