"""The rule of Ariadne's ADR-0031, as published: for comparison, and for those who had its verdicts.

Each side's mean of a dimension is held against the ideal, exactly: from below it to it is a repair,
from it to below a regression, and otherwise the direction is told. More trials make an exact ideal
rarer, so the rule gets worse with evidence; docs/explanation/net-effect.md has the figures.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from assay.comparison.judge.comparable import harness_of
from assay.comparison.spec import SOURCE_DIMENSIONS, Dimension
from assay.errors import IncomparableRuns, SpecError
from assay.logs.trial import Trial

FEW = 3
Move = Literal["repair", "regression", "improvement", "decline", "neutral"]


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """A dimension's means, and what became of it."""

    dimension: str
    baseline: float
    candidate: float
    delta: float
    verdict: Move


class SourceComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What the source's `comparison.json` holds, key by key."""

    verdict: Literal["ratify", "reject", "neutral"]
    repairs: int
    regressions: int
    net: int
    n_baseline: int
    n_candidate: int
    deltas: tuple[Delta, ...]
    caveats: tuple[str, ...]

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self.verdict == "ratify"


def compare_adr_0031(
    baseline: Sequence[Trial],
    candidate: Sequence[Trial],
    dimensions: Sequence[Dimension] = SOURCE_DIMENSIONS,
) -> SourceComparison:
    """The source's verdict on these runs, all of which must be of one instance."""
    instances = {one.instance for one in (*baseline, *candidate)}
    if len(instances) != 1 or not baseline or not candidate:
        raise IncomparableRuns(
            f"the rule compares runs of one instance, and these are of {len(instances)}",
            hint="Compare several instances by Assay's own rule: leave out `rule=`.",
        )
    counting = [one for one in dimensions if one.counts]
    if not any(one.name in run.dimensions for one in counting for run in (*baseline, *candidate)):
        raise SpecError(
            f"no run has any of {', '.join(one.name for one in counting)}",
            hint="Say what the columns are: `config=dims.toml`.",
        )
    deltas = [delta for one in counting if (delta := _delta(one, baseline, candidate)) is not None]
    moves = [delta.verdict for delta in deltas]
    repairs, regressions = moves.count("repair"), moves.count("regression")
    gated = {one.name for one in counting if one.gated}
    lost_gate = any(d.verdict == "regression" and d.dimension in gated for d in deltas)
    net = repairs - regressions
    verdict: Literal["ratify", "reject", "neutral"] = "neutral"
    if lost_gate or net < 0:
        verdict = "reject"
    elif net > 0:
        verdict = "ratify"
    return SourceComparison(
        verdict=verdict,
        repairs=repairs,
        regressions=regressions,
        net=net,
        n_baseline=len(baseline),
        n_candidate=len(candidate),
        deltas=tuple(deltas),
        caveats=_caveats(baseline, candidate),
    )


def _delta(
    dimension: Dimension, baseline: Sequence[Trial], candidate: Sequence[Trial]
) -> Delta | None:
    """The means of the values that are there; no word of those that are not, as in the source."""
    means = [_mean(side, dimension.name) for side in (baseline, candidate)]
    if means[0] is None or means[1] is None:
        return None
    before, after = means[0], means[1]
    ideal = 1.0 if dimension.ideal is None else dimension.ideal
    short = [
        value < ideal if dimension.better != "lower" else value > ideal for value in (before, after)
    ]
    gained = after > before if dimension.better != "lower" else after < before
    move: Move = "neutral"
    if short[0] and not short[1]:
        move = "repair"
    elif short[1] and not short[0]:
        move = "regression"
    elif after != before:
        move = "improvement" if gained else "decline"
    return Delta(
        dimension=dimension.name,
        baseline=before,
        candidate=after,
        delta=after - before,
        verdict=move,
    )


def _mean(side: Sequence[Trial], name: str) -> float | None:
    values = [one.dimensions.get(name) for one in side]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _caveats(baseline: Sequence[Trial], candidate: Sequence[Trial]) -> tuple[str, ...]:
    caveats = []
    ours, theirs = harness_of(baseline), harness_of(candidate)
    keys = [key for key in ("model", "profile", "params") if ours.get(key) != theirs.get(key)]
    keys += [
        key
        for key in sorted(ours.keys() | theirs.keys())
        if key not in ("model", "profile", "params") and ours.get(key) != theirs.get(key)
    ]
    if keys:
        caveats.append(f"the harness differs between the sides: {', '.join(keys)}")
    if min(len(baseline), len(candidate)) < FEW:
        caveats.append(
            f"fewer than {FEW} runs a side ({len(baseline)} and {len(candidate)}): what an agent"
            " scores varies, so paired trials are recommended"
        )
    return tuple(caveats)
