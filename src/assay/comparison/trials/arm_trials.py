"""The trials of both arms from the journal: which pairs are ready, and which are void."""

from collections.abc import Sequence

from assay.comparison.judge.pairing import MANY_INSTANCES
from assay.comparison.result import Comparison, Input
from assay.comparison.trials.journal import Progress
from assay.comparison.trials.judge import ArmTrials, compare_arms
from assay.comparison.trials.schedule import Pair
from assay.comparison.trials.spec import ARMS, TrialSpec
from assay.logs.trial import Trial


def ready_pairs(pairs: Sequence[Pair], progress: Progress, spec: TrialSpec) -> list[Pair]:
    """Whole pairs from the start on, in the planned order: whole instances, or whole rounds.

    Taking pairs as they happen to finish would favour quick ones.
    """
    whole = []
    for pair in pairs:
        if not progress.whole(pair):
            break
        whole.append(pair)
    part = spec.trials if len(spec.items) >= MANY_INSTANCES else len(spec.items)
    return whole[: len(whole) - len(whole) % part]


def arm_trials(
    spec: TrialSpec,
    pairs: Sequence[Pair],
    progress: Progress,
    *,
    artifact: str | None,
    scorer: str | None = None,
) -> ArmTrials:
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


def compare_trials(
    spec: TrialSpec,
    arms: ArmTrials,
    *,
    resamples: int,
    inputs: Sequence[Input] = (),
    void: int = 0,
) -> Comparison:
    """Compare the arms by what the spec says of dimensions, policies and stopping."""
    return compare_arms(
        arms,
        dimensions=spec.dimensions,
        policies=spec.policies,
        instances=len(spec.items),
        sequential=spec.sequential,
        resamples=resamples,
        inputs=inputs,
        void=void,
    )
