"""One assertion for test suites: the candidate is not worse than the baseline."""

from collections.abc import Sequence
from pathlib import Path

from assay.comparison.collect import Request, compare_paths
from assay.comparison.result import WORSE, Comparison, Comparisons, Gate, NetVerdict
from assay.comparison.sides import SideReading
from assay.comparison.spec import Policy
from assay.errors import SpecError


def assert_no_regression(
    baseline: str | Path,
    candidate: str | Path,
    *,
    gated: str | Sequence[str] = (),
    task: str | None = None,
    where: str | None = None,
    missing: Policy | None = None,
    crashed: Policy | None = None,
    allow: Sequence[str] = (),
    seed: int = 0,
) -> Comparison | Comparisons:
    """Raise AssertionError where the candidate is shown to be worse, or nothing can be said.

    Each side is a path as `assay compare` takes it: a log, a folder of logs, a file of trials. A
    verdict of `reject`, a dimension that is shown worse and a comparison that is blocked fail. A
    dimension in `gated` must moreover be shown to have lost less than its margin. A loss that is
    too small to be shown passes; `assay power` says how small that is. `missing`, `crashed` and
    `allow` are as for `assay compare`. Returns the comparison.
    """
    gates = (gated,) if isinstance(gated, str) else tuple(gated)
    said = {"missing": missing, "crashed": crashed, "allow": tuple(allow)}
    request = Request(
        plan=None,
        gates=gates,
        policies={name: value for name, value in said.items() if value},
        task=task,
        seed=seed,
        reading=SideReading(where=where),
    )
    made = compare_paths([Path(baseline)], [Path(candidate)], request)
    found = [made] if isinstance(made, Comparison) else [pair.comparison for pair in made.pairs]
    if not found:
        raise SpecError("nothing was compared")
    faults = [fault for comparison in found for fault in _faults(comparison)]
    if faults:
        raise AssertionError("\n".join([*faults, str(made)]))
    return made


def _faults(comparison: Comparison) -> list[str]:
    """What keeps a comparison from showing no regression."""
    if comparison.blocked:
        return [f"{one.code}: {one.message}" for one in comparison.caveats if one.blocking]
    faults = [
        f"{one.name} became worse: {one.baseline:.3f} -> {one.candidate:.3f}"
        f" [{one.low:+.3f}, {one.high:+.3f}]"
        for one in comparison.dimensions
        if one.counts and one.cls in WORSE and one.baseline is not None
        and one.candidate is not None and one.low is not None and one.high is not None
    ]  # fmt: skip
    faults += [
        f"{one.name} is not shown to have lost less than {one.margin:g}"
        for one in comparison.dimensions
        if one.gate is Gate.DOUBT
    ]
    if comparison.verdict is NetVerdict.REJECT and not faults:
        faults = [comparison.because]
    return faults
