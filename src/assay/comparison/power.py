"""The power of a comparison: pairs for an effect, or the smallest effect that N pairs show.

It is the power of the rule that `compare` itself uses, not of a related test.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import msgspec

from assay.bounds import LARGEST_NUMBER, SMALLEST_ERROR, shown_number
from assay.comparison.spec import SMALLEST_SHARE
from assay.errors import SpecError
from assay.result import Result
from assay.stats.power import (
    MOST,
    effect_for,
    fewest_pairs,
    gate_pairs,
    pairs_for,
    share_pairs,
    share_power,
)
from assay.stats.quantiles import normal_quantile
from assay.wording import counted, percent

POWERS = (0.5, 0.8, 0.9, 0.95)
SIZES = (10, 20, 30, 50, 100, 200, 500)
RATES = (0.5, 0.7, 0.8, 0.9, 0.95)
_EXACT = 1_000
_ABOUT = "approximate, for continuous scores from 0 to 1 with normal differences; two-sided"


class PowerRow(msgspec.Struct, frozen=True, kw_only=True):
    """The effect that `pairs` show with this power; `rate` is the baseline's, if it matters."""

    pairs: int | None
    effect: float | None
    power: float
    rate: float | None = None


class Power(Result, frozen=True, kw_only=True):
    """The answer, and a table around it. `how` names the test that the figures are for.

    `correlation` is the assumed correlation of a pair's two runs; None if it does not matter.

    Example:
        >>> import assay
        >>> plan = assay.power(0.6, 0.8)
        >>> plan.pairs, plan.power
        (91, 0.8)
        >>> len(plan.to_rows()) > 3
        True
    """

    question: str
    pairs: int | None
    effect: float | None
    power: float
    level: float
    how: str
    table: tuple[PowerRow, ...]
    correlation: float | None = None

    @property
    def sentence(self) -> str:
        """The question and its answer."""
        if self.pairs is None:
            return f"{self.question}: no feasible number of pairs"
        if self.question.endswith("show"):
            effect = "nothing" if self.effect is None else f"{self.effect:+z.3f}"
            return f"{self.question}: {effect}, with {percent(self.power)} power"
        return f"{self.question}: {counted(self.pairs, 'pair')} for {percent(self.power)} power"

    @property
    def assumption(self) -> str | None:
        """The assumption about a pair's two runs; None if it does not matter."""
        if self.correlation is None:
            return None
        alike = f"correlated by {self.correlation:g}" if self.correlation else "uncorrelated"
        return f"assumed: the two runs of a pair are {alike}; with more correlation, fewer suffice"

    def to_rows(self) -> list[dict[str, Any]]:
        """The table around the answer."""
        rows: list[dict[str, Any]] = msgspec.to_builtins(self.table)
        return rows

    def lines(self) -> list[str]:
        """The answer and its assumptions."""
        how = f"{self.how}, level {percent(self.level)}"
        return [self.sentence, how, *([] if self.assumption is None else [self.assumption])]


def power_of_rates(
    before: float,
    after: float,
    *,
    correlation: float = 0.0,
    pairs: int | None = None,
    power: float = 0.8,
    level: float = 0.95,
    dimensions: int = 1,
) -> Power:
    """Pairs needed to show that one rate became another, or the power of a number of pairs."""
    up, down = moves(before, after, correlation)
    swapped = (up, down) if up >= down else (down, up)
    if before == after:
        raise SpecError("the two rates are the same: there is no effect to show")
    alpha = (1.0 - level) / dimensions
    needed = share_pairs(*swapped, alpha=alpha, power=power) if pairs is None else pairs
    return Power(
        question=f"a rate of {before:g} becomes {after:g}",
        pairs=needed,
        effect=after - before,
        power=power if pairs is None else _power(pairs, *swapped, alpha),
        level=level,
        how=_how(needed),
        table=tuple(
            PowerRow(pairs=size, effect=after - before, power=_power(size, *swapped, alpha))
            for size in _around(needed)
        ),
        correlation=correlation,
    )


def power_of_scores(
    effect: float,
    spread: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    dimensions: int = 1,
) -> Power:
    """Pairs needed to show a mean difference, given the standard deviation of the differences."""
    _check_scale(spread, effect)
    alpha = (1.0 - level) / dimensions

    def needed(chance: float) -> int | None:
        pairs = pairs_for(effect, spread, alpha=alpha, power=chance)
        return pairs if pairs <= MOST else None

    return Power(
        question=f"a mean difference of {effect:g} (standard deviation {spread:g})",
        pairs=needed(power),
        effect=effect,
        power=power,
        level=level,
        how=_ABOUT,
        table=tuple(
            PowerRow(pairs=needed(chance), effect=effect, power=chance) for chance in POWERS
        ),
    )


def smallest_effect(
    pairs: int,
    *,
    spread: float | None = None,
    rates: Sequence[float] = RATES,
    power: float = 0.8,
    level: float = 0.95,
    dimensions: int = 1,
) -> Power:
    """The smallest effect that a number of pairs shows, of scores or of rates."""
    alpha = (1.0 - level) / dimensions
    if spread is not None:
        _check_scale(spread)
        shown = {p: effect_for(pairs, spread, alpha=alpha, power=p) for p in (*POWERS, power)}
        rows = [PowerRow(pairs=pairs, effect=shown[chance], power=chance) for chance in POWERS]
        effect: float | None = shown[power]
        begin, how = f"a standard deviation of {spread:g}", _ABOUT
    else:
        gains = [_smallest_gain(pairs, rate, alpha, power) for rate in rates]
        rows = [
            PowerRow(pairs=pairs, effect=gain, power=power, rate=rate)
            for rate, gain in zip(rates, gains, strict=True)
        ]
        effect, begin, how = rows[0].effect, f"a rate of {rates[0]:g} before", _how(pairs)
    if pairs < fewest_pairs(alpha):
        effect = None
    return Power(
        question=f"with {begin}, what do {pairs} pairs show",
        pairs=pairs,
        effect=effect,
        power=power,
        level=level,
        how=how,
        table=tuple(rows),
        correlation=None if spread is not None else 0.0,
    )


def pairs_for_gate(
    rate: float,
    margin: float,
    *,
    after: float | None = None,
    correlation: float = 0.0,
    power: float = 0.8,
    level: float = 0.95,
) -> Power:
    """Pairs needed to show that a gated rate lost less than the margin."""
    after = rate if after is None else after
    if not SMALLEST_SHARE <= margin < 1.0:
        raise SpecError(f"a margin of {shown_number(margin)}: expected {SMALLEST_SHARE:g} to 1")
    if after - rate + margin <= 0.0:
        raise SpecError(f"a loss of {rate - after:g} is not inside a margin of {margin:g}")
    up, down = moves(rate, after, correlation)

    def needed(chance: float) -> int:
        return gate_pairs(up, down, margin=margin, alpha=1.0 - level, power=chance)

    return Power(
        question=f"a gated rate of {rate:g} that becomes {after:g} loses less than {margin:g}",
        pairs=needed(power),
        effect=after - rate,
        power=power,
        level=level,
        how="by the bound for paired 0/1 scores, one-sided; approximate over 250 pairs",
        table=tuple(
            PowerRow(pairs=needed(chance), effect=after - rate, power=chance) for chance in POWERS
        ),
        correlation=correlation,
    )


def _check_scale(spread: float, effect: float = 0.0) -> None:
    """Refuse an impossible spread or effect."""
    for name, size in (("spread", spread), ("effect", abs(effect) or spread)):
        if not SMALLEST_ERROR <= size <= LARGEST_NUMBER:
            raise SpecError(
                f"{name} {shown_number(size)}: expected {SMALLEST_ERROR:g} to {LARGEST_NUMBER:g}"
            )


def moves(before: float, after: float, correlation: float) -> tuple[float, float]:
    """The shares of pairs that go up and down, from both rates and their correlation."""
    for rate in (before, after):
        if not 0.0 <= rate <= 1.0:
            raise SpecError(
                f"a rate of {rate:g}: expected a number from 0 to 1", hint="Write 80 % as 0.8."
            )
    together = correlation * math.sqrt(before * (1.0 - before) * after * (1.0 - after))
    up, down = after * (1.0 - before) - together, before * (1.0 - after) - together
    if up < -1e-12 or down < -1e-12 or up + down > 1.0 + 1e-12:
        raise SpecError(
            f"rates of {before:g} and {after:g} cannot have a correlation of {correlation:g}"
        )
    return max(up, 0.0), max(down, 0.0)


def _smallest_gain(pairs: int, rate: float, alpha: float, power: float) -> float | None:
    """The smallest gain over a rate that a number of pairs shows; None if even 1 is too little."""
    if _power(pairs, *moves(rate, 1.0, 0.0), alpha) < power:
        return None
    low, high = rate, 1.0
    for _ in range(40):
        middle = (low + high) / 2.0
        enough = _power(pairs, *moves(rate, middle, 0.0), alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high - rate


def _how(pairs: int | None) -> str:
    exact = pairs is not None and pairs <= _EXACT
    return f"{'exact' if exact else 'approximate'}, sign-flip test of paired 0/1 scores; two-sided"


def _power(pairs: int, up: float, down: float, alpha: float) -> float:
    """The power of the sign flips: exact for few pairs, else approximate."""
    if pairs <= _EXACT:
        return float(share_power(pairs, up, down, alpha=alpha))  # not numpy's, for JSON
    spread = math.sqrt(max(up + down - (up - down) ** 2, 0.0))
    if spread <= 0.0:
        return 1.0
    return NormalDist().cdf(
        (up - down) * math.sqrt(pairs) / spread - normal_quantile(1.0 - alpha / 2.0)
    )


def _around(needed: int | None) -> Sequence[int]:
    top = MOST if needed is None else max(4 * needed, 20)
    return sorted({*(size for size in SIZES if size <= top), *([needed] if needed else [])})
