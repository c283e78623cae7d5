"""One assertion for test suites: the candidate is not worse than the baseline."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.api.comparison import compare
from assay.comparison.adr_0031 import SourceComparison
from assay.comparison.result import WORSE, Comparison, Comparisons, Gate, NetVerdict
from assay.comparison.spec import Policy


def assert_no_regression(
    baseline: object,
    candidate: object,
    *,
    gate: str | Sequence[str] = (),
    config: str | Path | Mapping[str, Any] | None = None,
    task: str | None = None,
    where: str | None = None,
    missing: Policy | None = None,
    crashed: Policy | None = None,
    allow: str | Sequence[str] = (),
    instance: str | None = None,
    trial: str | None = None,
    dimension: str | Sequence[str] = (),
    seed: int = 0,
) -> Comparison | Comparisons:
    """Raise AssertionError if the candidate is shown to be worse, or the comparison is blocked.

    For test suites. Fails on a verdict of `reject`, on a dimension that is shown worse, and on a
    blocked comparison. A loss that is too small to be shown passes; `power` says how small that is.

    Args:
        baseline: runs without the change: a path, rows, a frame, or trials, as for `compare`.
        candidate: runs with the change.
        gate: a dimension, or several, that must not lose more than its margin: if one may have,
            the test fails. `compare` says when a gate passes.
        config: dimensions, gates and margins: a TOML file, or a dictionary, as for `compare`.
        task: compare only this task, if logs hold several.
        where: read only rows or logs such as `split == "test"`.
        missing: what to do with missing values, `fail` or `exclude`, as for `compare`.
        crashed: what to do with crashed runs, `fail` or `exclude`, as for `compare`.
        allow: `harness`, if the harness differs on purpose, or `scale`, as for `compare`.
        instance: the column that names a row's instance.
        trial: the column that numbers repeated runs of an instance.
        dimension: read only this column, or these.
        seed: of the random sign flips, if there are too many to try all.

    Returns the comparison.

    Example:
        >>> import assay
        >>> before = [{"instance": f"q{n}", "correct": n % 3 != 1} for n in range(60)]
        >>> assay.assert_no_regression(before, [dict(row) for row in before]).verdict.value
        'inconclusive'
        >>> worse = [{"instance": f"q{n}", "correct": n % 3 == 0} for n in range(60)]
        >>> try:
        ...     assay.assert_no_regression(before, worse)
        ... except AssertionError as error:
        ...     print(str(error).splitlines()[0])
        correct became worse: 0.667 -> 0.333 [-0.452, -0.194]

    """
    made = compare(
        baseline,
        candidate,
        gate=gate,
        config=config,
        task=task,
        where=where,
        missing=missing,
        crashed=crashed,
        allow=allow,
        instance=instance,
        trial=trial,
        dimension=dimension,
        seed=seed,
    )
    assert not isinstance(made, SourceComparison)  # noqa: S101 - only another rule gives one
    found = [made] if isinstance(made, Comparison) else [pair.comparison for pair in made.pairs]
    faults = [fault for comparison in found for fault in _faults(comparison)]
    if faults:
        raise AssertionError("\n".join([*faults, str(made)]))
    return made


def _faults(comparison: Comparison) -> list[str]:
    """The reasons to fail, if any."""
    if comparison.blocked:
        return [f"{one.code}: {one.message}" for one in comparison.caveats if one.blocking]
    faults = [
        f"{one.name} became worse: {one.baseline:.3f} -> {one.candidate:.3f}"
        f" [{one.low:+z.3f}, {one.high:+z.3f}]"
        for one in comparison.dimensions
        if one.counts and one.cls in WORSE and one.baseline is not None
        and one.candidate is not None and one.low is not None and one.high is not None
    ]  # fmt: skip
    faults += [
        f"{one.name} may have lost more than its margin of {one.margin:g}"
        for one in comparison.dimensions
        if one.gate is Gate.DOUBT
    ]
    if comparison.verdict is NetVerdict.REJECT and not faults:
        faults = [comparison.because]
    return faults
