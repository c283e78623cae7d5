"""Whether the trials of both arms can be compared, and their comparison."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.comparison.judge.compare import compare
from assay.comparison.judge.pairing import MANY_INSTANCES
from assay.comparison.result import Comparison, ComparisonCaveat, Input
from assay.comparison.spec import Dimensions
from assay.logs.trial import Trial

MOST_VOID = 0.1
"""With a larger share of void pairs there is no verdict: they may not be void by chance."""
ArmTrials = tuple[list[Trial], list[Trial]]


def can_compare(arms: ArmTrials) -> bool:
    """Whether both arms have runs, and any run has scores."""
    return all(arms) and not all(trial.crashed for arm in arms for trial in arm)


def compare_arms(
    arms: ArmTrials,
    *,
    dimensions: Dimensions | None,
    policies: Mapping[str, Any],
    instances: int,
    sequential: bool,
    resamples: int,
    inputs: Sequence[Input] = (),
    void: int = 0,
) -> Comparison:
    """Compare the trials of `instances` instances; too many void pairs block a verdict."""
    caveats = []
    if void:
        share = void / (void + len(arms[0]))
        counts = f"{void} are void; {len(arms[0])} count."
        caveats = [ComparisonCaveat(code="void-pairs", message=counts, blocking=share > MOST_VOID)]
    return compare(
        baseline=arms[0],
        candidate=arms[1],
        dimensions=dimensions,
        policies=policies,
        unit="instance" if instances >= MANY_INSTANCES else "run",
        sequential=sequential,
        resamples=resamples,
        inputs=inputs,
        caveats=caveats,
    )
