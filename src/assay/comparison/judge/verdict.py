"""From evidence to a verdict and the reason for it."""

from collections.abc import Sequence

from assay.comparison.judge.effects import DimensionEffect, Evidence
from assay.comparison.result import Change, NetVerdict
from assay.wording import counted


def decide(evidence: Evidence, *, strict_gates: bool) -> tuple[NetVerdict, str]:
    """The verdict that the evidence allows, and why."""
    if not evidence.dimensions or evidence.tilt is None:
        return NetVerdict.INCONCLUSIVE, "there is nothing to compare"
    if all(effect.change is Change.EQUIVALENT for effect in evidence.dimensions):
        return NetVerdict.NO_EFFECT, "every dimension is shown to be inside its margin"
    tilt, worse = evidence.tilt, evidence.worse
    gated = [effect for effect in worse if effect.dimension.gated]
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
    doubtful = [effect for effect in evidence.dimensions if effect.in_doubt(strict=strict_gates)]
    gain = _gain(evidence, tilts=tilts)
    if doubtful:
        doubt = f"{gain}, and {_names(doubtful)} may have lost more than the margin"
        return NetVerdict.INCONCLUSIVE, doubt
    return NetVerdict.RATIFY, f"{gain}, and nothing is shown worse"


def _gain(evidence: Evidence, *, tilts: bool) -> str:
    better = _names(evidence.better)
    if tilts and better and len(evidence.dimensions) > 1:
        return f"a gain is shown on balance and in {better}"
    return f"a gain is shown in {better}" if better else "a gain is shown on balance"


def _are(effects: Sequence[DimensionEffect]) -> str:
    return "is shown" if len(effects) == 1 else "are shown"


def _names(effects: Sequence[DimensionEffect]) -> str:
    names = [effect.dimension.name for effect in effects]
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {counted(len(names) - 3, 'other')}"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
