"""The power of a comparison, planned from a few existing runs."""

import math
from collections.abc import Collection, Sequence
from typing import Any

import msgspec
import numpy as np

from assay.comparison.judge.caveats import Notes
from assay.comparison.judge.comparable import assumed_dimensions, check_comparable
from assay.comparison.judge.lost_runs import with_lost_instances
from assay.comparison.judge.pairing import UnitChoice
from assay.comparison.judge.pairing import correlation as seen_correlation
from assay.comparison.judge.table import TrialTable, tabulate
from assay.comparison.power import moves
from assay.comparison.spec import Dimensions
from assay.errors import SpecError
from assay.logs.trial import Trial
from assay.result import Result
from assay.stats.power import MOST, pairs_for, share_pairs
from assay.wording import counted, percent, signed, some

_MOST_SAID = 4


class PilotRow(msgspec.Struct, frozen=True, kw_only=True):
    """A dimension of a pilot: its means, its spread, and the units that show an effect.

    `effect` is the one asked for, or the pilot's own; `correlation` is that of the two sides of a
    unit: measured, or assumed if there is only one side.
    """

    dimension: str
    units: int
    baseline: float
    candidate: float | None
    effect: float
    spread: float
    correlation: float
    pairs: int | None


class PilotPower(Result, frozen=True, kw_only=True):
    """The forecast of a pilot for each dimension; `unit` is what a pair consists of.

    `left_out` are the dimensions that no figure is for: those that decide no verdict (costs), and
    those without evidence of their own.
    """

    unit: str
    power: float
    level: float
    dimensions: tuple[PilotRow, ...]
    left_out: tuple[str, ...] = ()

    @property
    def units(self) -> str:
        """The name of the counted units."""
        return {"run": "runs a side", "pair": "pairs", "instance": "instances"}[self.unit]

    @property
    def basis(self) -> str:
        """The conditions of the figures, and the size of the pilot."""
        few = min(row.units for row in self.dimensions)
        words = f"{self.units} for {percent(self.power)} power, level {percent(self.level)}"
        return f"{words}, each dimension by itself; from a pilot of {few}"

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each dimension."""
        rows: list[dict[str, Any]] = msgspec.to_builtins(self.dimensions)
        return rows

    def lines(self) -> list[str]:
        """What each of the first dimensions needs, and the conditions."""
        said = [self._said(row) for row in self.dimensions[:_MOST_SAID]]
        left = len(self.dimensions) - len(said)
        said += [f"and {counted(left, 'more dimension')}"] if left else []
        return [*said, self.basis, *([self.others] if self.others else [])]

    @property
    def others(self) -> str:
        """Which dimensions no figure is for, and why; empty if there are none."""
        if not self.left_out:
            return ""
        why = "which decide no verdict, have no values, or say the same of both sides"
        return f"not planned for: {some(self.left_out)}, {why}"

    def _said(self, row: PilotRow) -> str:
        needs = (
            f"no number of {self.units} shows"
            if row.pairs is None
            else (f"about {row.pairs:,} {self.units} show")
        )
        return f"{row.dimension:.60}: {needs} an effect of {signed(row.effect)}"


def power_of_pilot(
    baseline: Sequence[Trial],
    candidate: Sequence[Trial] = (),
    *,
    dimensions: Dimensions | None = None,
    assumed: bool = False,
    effect: float | None = None,
    correlation: float = 0.0,
    power: float = 0.8,
    level: float = 0.95,
    unit: UnitChoice = "auto",
    lower: Collection[str] = (),
) -> PilotPower:
    """Units needed to show each dimension's effect, from a few runs of one side or of both.

    Without `effect` the pilot's own is used, which a small pilot estimates poorly. With one side
    only, its spread is used for both, with the given correlation. For dimensions in `lower`, less
    is better if no plan says otherwise. `assumed` says that the plan was taken from the columns.
    """
    if not candidate and effect is None:
        raise SpecError(
            "a pilot of one side has no effect to plan for", hint="Name one: `effect=E`."
        )
    notes = Notes()
    both: tuple[Sequence[Trial], Sequence[Trial]] = (baseline, candidate or baseline)
    plan = dimensions or assumed_dimensions(*both, (), notes, lower=lower)
    if candidate:
        check_comparable(*both, allow=("harness",), notes=notes)
        both = with_lost_instances(*both, notes)
    plan = msgspec.structs.replace(plan, missing="exclude", crashed="exclude")
    assumed = assumed or dimensions is None
    table = tabulate(*both, plan, notes, unit=unit, whole_pairs=True, assumed=assumed)
    alike = None if candidate else correlation
    rows = tuple(
        _pilot_row(table, index, effect, alike, power=power, alpha=1.0 - level)
        for index in range(len(table.counting))
        if table.kept.units > 1
    )
    if not rows:
        raise SpecError("a pilot needs at least two units to measure how they vary")
    return PilotPower(
        unit=table.kept.design.unit,
        power=power,
        level=level,
        dimensions=rows,
        left_out=tuple(
            each.name
            for each in plan.dimensions
            if each.name not in {row.dimension for row in rows}
        ),
    )


def _pilot_row(
    table: TrialTable,
    index: int,
    effect: float | None,
    assumed: float | None,
    *,
    power: float,
    alpha: float,
) -> PilotRow:
    """One dimension; `assumed` is the correlation of a pilot of one side."""
    dimension, kept = table.counting[index], table.kept
    columns = tuple(values[:, [index]] for values in table.values)
    if kept.design.unit == "run":
        first, second = (values[rows, 0] for values, rows in zip(columns, kept.rows, strict=True))
        alike, variance = 0.0, float(first.var(ddof=1)) + float(second.var(ddof=1))
    else:
        first, second = (side[:, 0] for side in kept.sides(*columns))
        alike = seen_correlation(first, second)
        variance = float((second - first).var(ddof=1))
    if assumed is not None:
        alike, variance = assumed, 2.0 * (1.0 - assumed) * float(first.var(ddof=1))
    up = dimension.better == "higher"
    turn = dimension.width if up else -dimension.width
    base = (dimension.range or (0.0, 1.0))[0 if up else 1]
    rate, spread = float(first.mean()), math.sqrt(variance)
    gain = float(second.mean()) - rate if effect is None else effect / turn
    shares = kept.design.unit != "instance" and bool(np.isin([*first, *second], (0.0, 1.0)).all())
    return PilotRow(
        dimension=dimension.name,
        units=kept.units,
        baseline=base + turn * rate,
        candidate=base + turn * float(second.mean()) if assumed is None else None,
        effect=turn * gain,
        spread=dimension.width * spread,
        correlation=alike,
        pairs=_pilot_pairs(gain, spread, rate, alike, shares, power, alpha),
    )


def _pilot_pairs(
    gain: float,
    spread: float,
    rate: float,
    correlation: float,
    shares: bool,
    power: float,
    alpha: float,
) -> int | None:
    if abs(gain) < 1e-9:
        return None
    if shares and 0.0 <= rate + gain <= 1.0:
        try:
            up, down = moves(rate, rate + gain, correlation)
        except SpecError:  # rates that cannot be so correlated
            up, down = moves(rate, rate + gain, 0.0)
        return share_pairs(max(up, down), min(up, down), alpha=alpha, power=power)
    if spread <= 0.0:
        return None
    pairs = pairs_for(gain, spread, alpha=alpha, power=power)
    return pairs if pairs <= MOST else None
