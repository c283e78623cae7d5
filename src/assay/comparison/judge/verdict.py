"""From evidence to a verdict and the reason for it."""

from collections.abc import Sequence

from assay.comparison.judge.effects import Evidence, Weighed
from assay.comparison.result import Change, Gate, NetVerdict
from assay.wording import counted

Decision = tuple[NetVerdict, str]


def decide(evidence: Evidence, *, strict_gates: bool) -> Decision:
    """The verdict that the evidence allows, and why."""
    if not evidence.dimensions or evidence.tilt is None:
        return NetVerdict.INCONCLUSIVE, "there is nothing to compare"
    if all(one.change is Change.EQUIVALENT for one in evidence.dimensions):
        return NetVerdict.NO_EFFECT, "every dimension is shown to be inside its margin"
    tilt, worse = evidence.tilt, evidence.worse
    gated = [one for one in worse if one.dimension.gated]
    if gated:
        return NetVerdict.REJECT, f"harm is shown on {_names(gated)}, which must not lose"
    if tilt.shown and tilt.value < 0.0:
        return NetVerdict.REJECT, "harm is shown on balance"
    tilts = tilt.shown and tilt.value > 0.0
    if not tilts and not evidence.better:
        if worse:
            return NetVerdict.INCONCLUSIVE, f"{_names(worse)} {_are(worse)} worse, the balance open"
        return NetVerdict.INCONCLUSIVE, "no effect is shown, and none is ruled out"
    if worse:
        return NetVerdict.INCONCLUSIVE, f"a trade: {_names(worse)} {_are(worse)} worse"
    doubtful = [one for one in evidence.dimensions if _is_doubtful(one, strict=strict_gates)]
    effect = _effect(evidence, tilts=tilts)
    if doubtful:
        return (
            NetVerdict.INCONCLUSIVE,
            f"{effect}, and {_names(doubtful)} may have lost more than the margin",
        )
    return NetVerdict.RATIFY, f"{effect}, and nothing is shown worse"


def _effect(evidence: Evidence, *, tilts: bool) -> str:
    better = _names(evidence.better)
    if tilts and better and len(evidence.dimensions) > 1:
        return f"a gain is shown on balance and in {better}"
    return f"a gain is shown in {better}" if better else "a gain is shown on balance"


def _is_doubtful(one: Weighed, *, strict: bool) -> bool:
    return one.gate is Gate.DOUBT or (strict and one.gate is Gate.SPOTLESS)


def _are(found: Sequence[Weighed]) -> str:
    return "is shown" if len(found) == 1 else "are shown"


def _names(found: Sequence[Weighed]) -> str:
    names = [one.dimension.name for one in found]
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {counted(len(names) - 3, 'other')}"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
