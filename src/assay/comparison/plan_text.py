"""Lines of a plan to paste: what a file must say so that a column counts.

The ranges are proposals from the values there are. Only the user knows the lowest and the highest
possible value, and which direction is better.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence

from assay.logs.columns.metric_names import is_cost, is_fault, is_negated
from assay.wording import counted

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALES = (5, 7, 10, 100)
"""The highest values of usual scales."""
_FEW = 2
TO_FILL_IN = "?"
"""What stands for a value that only the user knows; a plan that still has it is refused."""


def shown_values(values: Sequence[float]) -> str:
    """The values of a column in a few words: 0 and 1, 1 to 5."""
    distinct = sorted(set(values))
    if not distinct:
        return "no value"
    if len(distinct) <= _FEW:
        return " and ".join(f"{value:g}" for value in distinct)
    return f"{distinct[0]:g} to {distinct[-1]:g}"


def are_shares(values: Sequence[float]) -> bool:
    """Whether all values are between 0 and 1."""
    return all(0.0 <= value <= 1.0 for value in values)


def likely_range(values: Sequence[float]) -> tuple[float, float]:
    """A range that holds the values: that of a usual scale, or with a generous bound."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0.0 and high <= 1.0:
        return 0.0, 1.0
    whole = all(float(value).is_integer() for value in set(values))
    for top in _SCALES:
        if low >= 0.0 and high <= top:
            starts_at_one = low >= 1.0 and (whole or top <= 10)
            return (1.0 if starts_at_one and top < 100 else 0.0), float(top)
    bound = generous_bound(max(abs(low), abs(high)))
    return (0.0 if low >= 0.0 else -bound), bound


def generous_bound(highest: float) -> float:
    """A round number of at least twice the highest value seen."""
    if highest <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(2.0 * highest))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= 2.0 * highest)


def header(name: str) -> str:
    """The table of a dimension: [dimensions.NAME], in quotes where TOML needs them."""
    return f"[{key(name)}]"


def key(name: str) -> str:
    """The dotted key of a dimension."""
    return f"dimensions.{_quoted(name)}"


def _quoted(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def range_line(values: Sequence[float]) -> str:
    """The range of a dimension, as a line of TOML."""
    low, high = likely_range(values)
    return f"range = [{low:g}, {high:.12g}]"


def direction_line(name: str) -> str:
    """The better end of a column that has none by its name; the user fills in that of a negation.

    Most columns without a direction are faults. Of `no_secrets_leaked` more may well be better.
    """
    if is_negated(name):
        return f'better = "{TO_FILL_IN}"  # fill in: "higher" or "lower"'
    return 'better = "lower"  # or "higher"'


def counting_lines(name: str, *, gated: bool = False, lower: bool = False) -> list[str]:
    """The lines that a column which counts without a plan needs in one, to count as before."""
    return [header(name), *["gated = true"] * gated, *['better = "lower"'] * lower]


def cost_lines(name: str) -> list[str]:
    """The lines with which a plan reports a cost as it is reported without one."""
    return [header(name), "counts = false", 'better = "lower"', "margin = 0"]


def on_one_line(tables: Mapping[str, Sequence[str]]) -> str:
    """Tables of dimensions as one line of TOML; comments are left out."""
    said = [
        f"{_quoted(name)} = {{{', '.join(line.partition('  #')[0] for line in lines[1:])}}}"
        for name, lines in tables.items()
    ]
    return f"dimensions = {{{', '.join(said)}}}"


def dimension_lines(name: str, values: Sequence[float], *, gated: bool = False) -> list[str]:
    """The lines that make a column count."""
    lines = [header(name)]
    if gated:
        lines.append("gated = true")
    if is_cost(name) or is_fault(name):
        lines.append(direction_line(name))
    if is_cost(name):
        return [*lines, *_cost_scale(values, gated=gated)]
    low, high = likely_range(values)
    if (low, high) != (0.0, 1.0):
        unbounded = high > max(_SCALES)
        told = "a bound that no run exceeds" if unbounded else "the lowest and the highest possible"
        lines.append(f"{range_line(values)}  # {told}")
        if unbounded:
            lines.append(f"margin = {high / 20.0:.12g}  # a difference that does not matter")
    return lines


def _cost_scale(values: Sequence[float], *, gated: bool) -> list[str]:
    """The range and the margin of a cost; the user fills in what a gate may lose."""
    if not values:
        return [
            f'range = "{TO_FILL_IN}"  # fill in: 0, and a bound that no run exceeds',
            f'margin = "{TO_FILL_IN}"  # fill in: a difference that does not matter',
        ]
    bound = generous_bound(max(map(abs, values)))
    mean = sum(values) / len(values)
    low = 0.0 if min(values) >= 0.0 else -bound
    lines = [f"range = [{low:g}, {bound:.12g}]  # a bound that no run exceeds"]
    if gated:
        told = f"how much more does not matter; the mean is {mean:.3g}"
        return [*lines, f'margin = "{TO_FILL_IN}"  # fill in: {told}']
    return [
        *lines,
        f"margin = {abs(mean or bound) / 20.0:.2g}  # a difference that does not matter",
    ]


def undirected_words(name: str) -> str:
    """Why a name gives a column no direction."""
    if is_negated(name):
        return "its name is negated, so it does not say which direction is better"
    return "by its name, more may be worse"


def column_lines(columns: Mapping[str, Sequence[float]], most: int = 12) -> list[str]:
    """The columns with their values, and why they are not known to be scores."""
    said = [
        f"{name:.60}: {shown_values(columns[name])}; {_why(name, columns[name])}"
        for name in list(columns)[:most]
    ]
    left = len(columns) - most
    return said if left <= 0 else [*said, f"and {counted(left, 'more column')}"]


def _why(name: str, values: Sequence[float]) -> str:
    if is_cost(name):
        return "by its name a cost"
    if is_fault(name):
        return undirected_words(name)
    return "no value" if are_shares(values) else "outside 0 to 1, so its range must be stated"


def plan_lines(columns: Mapping[str, Sequence[float]], most: int = 4) -> list[str]:
    """Lines of a plan in which the columns count, costs last."""
    order = sorted(columns, key=is_cost)
    chosen = [name for name in order if not is_cost(name)] or order
    return [line for name in chosen[:most] for line in dimension_lines(name, columns[name])]
