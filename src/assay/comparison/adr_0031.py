"""The rule of Ariadne's ADR-0031, as published, for comparison with its verdicts.

Each side's mean of a dimension is compared exactly with the ideal: a change that reaches it is a
repair, one that leaves it a regression; otherwise the direction counts. With more trials an exact
ideal is rarer, so the rule gets worse with more evidence; docs/explanation/net-effect.md has the
figures.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from assay.comparison.spec import SOURCE_DIMENSIONS, Dimension
from assay.errors import IncomparableRuns, SpecError
from assay.logs.trial import UNNAMED, Trial
from assay.result import Result
from assay.wording import counted

FEW = 3
Move = Literal["repair", "regression", "improvement", "decline", "neutral"]


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """A dimension's means, and how it moved."""

    dimension: str
    baseline: float
    candidate: float
    delta: float
    verdict: Move


class SourceComparison(Result, frozen=True, kw_only=True):
    """The content of the source's `comparison.json`, key by key."""

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

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each dimension."""
        rows: list[dict[str, Any]] = msgspec.to_builtins(self.deltas)
        return rows

    def lines(self) -> list[str]:
        """The verdict, its counts, and the caveats."""
        counts = f"{counted(self.repairs, 'repair')}, {counted(self.regressions, 'regression')}"
        verdict = f"by the rule of ADR-0031: {self.verdict.upper()}"
        return [verdict, f"{counts}, net {self.net:+d}", *self.caveats[:2]]


def compare_adr_0031(
    baseline: Sequence[Trial],
    candidate: Sequence[Trial],
    dimensions: Sequence[Dimension] = SOURCE_DIMENSIONS,
) -> SourceComparison:
    """The source's verdict on these runs, all of which must be of one instance."""
    trials = (*baseline, *candidate)
    instances = {trial.instance for trial in trials}
    if len(instances) != 1 or not baseline or not candidate:
        raise IncomparableRuns(
            f"this rule compares runs of one instance, got {len(instances)} instances",
            hint="Compare several instances by Assay's own rule: leave out `rule=`.",
        )
    counting = [dimension for dimension in dimensions if dimension.counts]
    names = [dimension.name for dimension in counting]
    if not any(name in trial.dimensions for name in names for trial in trials):
        raise SpecError(
            f"no run has any of {', '.join(names)}",
            hint="Describe the columns in a plan: `config=PLAN`.",
        )
    moved = [_delta(dimension, baseline, candidate) for dimension in counting]
    deltas = [delta for delta in moved if delta is not None]
    moves = [delta.verdict for delta in deltas]
    repairs, regressions = moves.count("repair"), moves.count("regression")
    gated = {dimension.name for dimension in counting if dimension.gated}
    lost_gate = any(d.verdict == "regression" and d.dimension in gated for d in deltas)
    net = repairs - regressions
    verdict: Literal["ratify", "reject", "neutral"] = "ratify" if net > 0 else "neutral"
    if lost_gate or net < 0:
        verdict = "reject"
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
    """The means of the known values; the source ignores missing ones."""
    before, after = (_mean(side, dimension.name) for side in (baseline, candidate))
    if before is None or after is None:
        return None
    sign = -1.0 if dimension.better == "lower" else 1.0
    ideal = sign * (1.0 if dimension.ideal is None else dimension.ideal)
    was_short, is_short = sign * before < ideal, sign * after < ideal
    move: Move = "neutral"
    if was_short != is_short:
        move = "repair" if was_short else "regression"
    elif after != before:
        move = "improvement" if sign * after > sign * before else "decline"
    return Delta(
        dimension=dimension.name,
        baseline=before,
        candidate=after,
        delta=after - before,
        verdict=move,
    )


def _mean(side: Sequence[Trial], name: str) -> float | None:
    known = [value for trial in side if (value := trial.dimensions.get(name)) is not None]
    return sum(known) / len(known) if known else None


def _caveats(baseline: Sequence[Trial], candidate: Sequence[Trial]) -> tuple[str, ...]:
    caveats = []
    trials = (*baseline, *candidate)
    others = sorted({key for trial in trials for key in trial.harness})
    keys = [
        key
        for key in dict.fromkeys(("model", "profile", "params", *others))
        if len({trial.harness.get(key) for trial in trials}) > 1
    ]
    if keys:
        caveats.append(f"the harness differs between runs: {', '.join(keys)}")
    if trials[0].instance == UNNAMED:
        caveats.append("no run names its fixture; all are assumed to be of one instance")
    if min(len(baseline), len(candidate)) < FEW:
        caveats.append(
            f"fewer than {FEW} runs a side ({len(baseline)} and {len(candidate)}): an agent's"
            " scores vary, so paired trials are recommended"
        )
    return tuple(caveats)
