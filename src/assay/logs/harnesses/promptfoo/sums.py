"""The sums that promptfoo reports for a prompt under a provider, as means of its rows.

A named score is summed with the weight from its row. If all rows give it the same weight, the sum
divided by the weights is the mean of the rows. If weights differ, the sum is checked here, and
there is no mean. Assertions that compare answers change rows after they were summed.
"""

import math
from collections.abc import Sequence

from assay.errors import IntegrityError
from assay.logs.harnesses.promptfoo.evaluation import PromptfooRow, PromptSums
from assay.logs.log import ReportedMean
from assay.logs.log_file import number
from assay.logs.means import is_equal

_COMPARING = ("select-best", "max-score")


def tested(sums: PromptSums) -> int | None:
    """The number of rows."""
    if sums.test_pass_count is None or sums.test_fail_count is None:
        return None
    return sums.test_pass_count + sums.test_fail_count + (sums.test_error_count or 0)


def means_of(
    sums: PromptSums, rows: Sequence[PromptfooRow], place: str
) -> tuple[list[ReportedMean], list[str]]:
    """The means from the sums, and notes on metrics without a mean."""
    named = sums.named_scores or {}
    means: dict[str, float] = {}
    notes, unchecked = [], []
    if _comparing(rows):
        notes.append("pass and score not computed again: assertions compare answers")
    else:
        means |= _overall(sums)
    for metric, reported in named.items():
        means.pop(metric, None)
        total = number(reported)
        parts = _parts(rows, metric)
        if total is None or not parts:
            unchecked.append(metric)
            continue
        value = _weighted(sums, metric, total, parts)
        if value is not None:
            means[metric] = value
            continue
        _check_sum(total, parts, f"{place}: promptfoo reports a sum of {metric}")
        notes.append(f"{metric} has no mean, since its weights differ: its sum was computed again")
    if unchecked:
        notes.append(f"not computed again: {', '.join(unchecked)}")
    return [ReportedMean(metric=name, value=means[name], over="rows") for name in means], notes


def _overall(sums: PromptSums) -> dict[str, float]:
    passed, failed = sums.test_pass_count, sums.test_fail_count
    if passed is None or failed is None or not passed + failed:
        return {}
    means = {"pass": passed / (passed + failed)}
    if sums.score is not None:
        means["score"] = sums.score / (passed + failed)
    return means


def _comparing(rows: Sequence[PromptfooRow]) -> bool:
    return any(
        isinstance(assertion, dict) and assertion.get("type") in _COMPARING
        for row in rows
        for assertion in (row.test.assertions if isinstance(row.test.assertions, list) else ())
    )


def _parts(rows: Sequence[PromptfooRow], metric: str) -> list[tuple[float, float | None]]:
    """Each row's score and its weight, if it has one."""
    parts = []
    for row in rows:
        value = number((row.named_scores or {}).get(metric))
        if value is not None and not row.failed:
            weights = (row.grading_result and row.grading_result.named_score_weights) or {}
            parts.append((value, number(weights.get(metric))))
    return parts


def _weighted(
    sums: PromptSums, metric: str, total: float, parts: Sequence[tuple[float, float | None]]
) -> float | None:
    """The mean from a sum; None if the weights differ between rows."""
    weights = {weight for _, weight in parts}
    whole = number((sums.named_score_weights or {}).get(metric))
    if whole is None:
        return total / len(parts) if weights == {None} else None
    alike = len(weights) == 1 and (None not in weights or whole == len(parts))
    return total / whole if alike and whole > 0 else None


def _check_sum(total: float, parts: Sequence[tuple[float, float | None]], where: str) -> None:
    again = math.fsum(value if weight is None else value * weight for value, weight in parts)
    if not is_equal(total, again):
        raise IntegrityError(
            f"{where} of {total:.6g}, but its {len(parts)} rows give {again:.6g}",
            hint="Rows were lost or edited after the sum was computed."
            " Export the evaluation again.",
        )
