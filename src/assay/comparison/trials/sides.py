"""Which pairs of trials can be compared yet, and what they are worth."""

from collections.abc import Sequence

from assay.comparison.judge.compare import compare
from assay.comparison.result import Comparison, ComparisonCaveat, Input
from assay.comparison.trials.journal import Progress
from assay.comparison.trials.schedule import MANY_INSTANCES, Pair
from assay.comparison.trials.spec import ARMS, TrialSpec
from assay.logs.trial import Trial

_MOST_VOID = 0.1
"""The share of void pairs over which there is no verdict: who is left out may not be chance."""
Sides = tuple[list[Trial], list[Trial]]


def ready_pairs(pairs: Sequence[Pair], progress: Progress, spec: TrialSpec) -> list[Pair]:
    """Whole pairs from the start on, in the planned order: whole instances, or whole rounds.

    Taking pairs as they happen to finish would favour quick ones.
    """
    found = []
    for pair in pairs:
        if not progress.whole(pair):
            break
        found.append(pair)
    part = spec.trials if len(spec.items) >= MANY_INSTANCES else len(spec.items)
    return found[: len(found) - len(found) % part]


def sides_of(
    spec: TrialSpec,
    pairs: Sequence[Pair],
    progress: Progress,
    *,
    artifact: str | None,
    scorer: str | None = None,
) -> Sides:
    """The trials of both arms, without void pairs."""
    counted = [pair for pair in pairs if progress.void(pair) is None]
    sides = tuple(
        [
            Trial(
                instance=pair.instance,
                trial=str(pair.trial),
                dimensions=progress.made[pair.number, arm].dimensions,
                harness=spec.harness,
                artifact=artifact if arm == "candidate" else None,
                crashed=progress.made[pair.number, arm].status == "crashed",
                scorer=scorer,
                stopped_on_verdict=spec.sequential,
            )
            for pair in counted
        ]
        for arm in ARMS
    )
    return sides[0], sides[1]


def can_compare(sides: Sides) -> bool:
    """Whether there are runs on both sides, and any of them has scores."""
    return all(sides) and not all(one.crashed for side in sides for one in side)


def compare_sides(
    spec: TrialSpec,
    sides: Sides,
    *,
    resamples: int,
    inputs: Sequence[Input] = (),
    void: int = 0,
) -> Comparison:
    """What the trials are worth; too many void pairs block a verdict."""
    caveats = []
    if void:
        share = void / (void + len(sides[0]))
        said = f"There are {void} beside {len(sides[0])} that count."
        caveats = [ComparisonCaveat(code="void-pairs", message=said, blocking=share > _MOST_VOID)]
    return compare(
        baseline=sides[0],
        candidate=sides[1],
        dimensions=spec.dimensions,
        policies=spec.policies,
        by="instance" if len(spec.items) >= MANY_INSTANCES else "run",
        sequential=spec.sequential,
        resamples=resamples,
        inputs=inputs,
        caveats=caveats,
    )
