"""The trials of both arms from the journal: which pairs are ready, and which are void."""

from collections.abc import Sequence
from itertools import takewhile

from assay.comparison.judge.pairing import MANY_INSTANCES
from assay.comparison.result import Comparison, Input
from assay.comparison.trials.journal import Progress
from assay.comparison.trials.judge import ArmTrials, compare_arms
from assay.comparison.trials.schedule import Pair
from assay.comparison.trials.spec import ARMS, TrialSpec
from assay.logs.trial import Trial


def ready_pairs(pairs: Sequence[Pair], progress: Progress, spec: TrialSpec) -> list[Pair]:
    """Complete pairs from the start, in the planned order: whole instances, or whole rounds.

    Taking pairs as they finish would favour fast ones.
    """
    whole = list(takewhile(progress.whole, pairs))
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
    arms: ArmTrials = ([], [])
    for pair in pairs:
        if progress.void(pair) is not None:
            continue
        for arm, trials in zip(ARMS, arms, strict=True):
            run = progress.made[pair.number, arm]
            trials.append(
                Trial(
                    instance=pair.instance,
                    trial=str(pair.trial),
                    dimensions=run.dimensions,
                    harness=spec.harness,
                    artifact=artifact if arm == "candidate" else None,
                    crashed=run.status == "crashed",
                    scorer=scorer,
                    stopped_on_verdict=spec.sequential,
                    drawn_order=pair.number,
                )
            )
    return arms


def compare_trials(
    spec: TrialSpec,
    arms: ArmTrials,
    *,
    resamples: int,
    inputs: Sequence[Input] = (),
    void: int = 0,
) -> Comparison:
    """Compare the arms by the spec's dimensions, policies and stopping rule."""
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
