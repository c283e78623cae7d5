"""How a column of texts writes its numbers: plainly, as percentages, or with decimal commas.

Every reader of scores asks here, so that a file means the same to all of them. A column has one way
of writing for all its cells. If 52.4% stands beside 0.5, nothing says whether that is 50 % or half
a per cent, so the column is refused. A comma is a decimal comma only in a file whose cells are
separated by semicolons; elsewhere 1,234 may be a thousand.
"""

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal

from assay.errors import SpecError
from assay.logs.columns.cells import have_decimal_commas, is_blank, is_gap, is_number, parsed
from assay.tables.faults import Faults
from assay.wording import as_column

HOW_TO_WRITE = (
    "Write all as numbers (87% as 0.87, 8/10 as 0.8), or all as percentages. Decimal commas are"
    " read in files whose cells are separated by semicolons."
)
_PERCENTAGE = re.compile(r"([+-]?(?:[0-9]{1,300}(?:[.,][0-9]{0,300})?|[.,][0-9]{1,300}))\s*%")


@dataclass(frozen=True, kw_only=True)
class NumberForm:
    """How the cells of a column are written; an `example` of a percentage for the reader."""

    percent: bool = False
    comma: bool = False
    example: str = ""

    def value(self, text: str) -> float | None:
        """The number that a text writes in this form; None for a gap or another text."""
        written = text.strip()
        if self.percent:
            match = _PERCENTAGE.fullmatch(written)
            return None if match is None else _share(match[1])
        return parsed(written.replace(",", ".") if self.comma else written)

    @property
    def said(self) -> str:
        """The form in words; empty if numbers are written plainly."""
        if self.percent:
            return f"percentages, {self.example} is {self.value(self.example):g}"
        return "with decimal commas" if self.comma else ""


PLAIN = NumberForm()


def _share(points: str) -> float:
    """The share that a percentage is, exact in its digits: 52.4 is 0.524."""
    return float(Decimal(points.replace(",", ".")).scaleb(-2))


def number_form(
    place: str, name: str, cells: Collection[object], *, has_semicolons: Callable[[], bool]
) -> NumberForm:
    """How the cells of a column write their numbers; refuses percentages beside other numbers."""
    filled = [cell for cell in cells if not is_blank(cell)]
    percentages = [cell for cell in filled if is_percentage(cell)]
    if not percentages:
        comma = have_decimal_commas(filled) and has_semicolons()
        return NumberForm(comma=True) if comma else PLAIN
    others = [cell for cell in filled if not is_percentage(cell) and not is_gap(cell)]
    beside = [cell for cell in others if is_number(cell) or have_decimal_commas([cell])]
    if beside:
        raise SpecError(
            f"{place}: column {as_column(name)} holds both percentages, such as"
            f" {percentages[0]!r:.60}, and numbers without a percent sign, such as"
            f" {beside[0]!r:.60}",
            hint=HOW_TO_WRITE,
        )
    if others or (any("," in str(cell) for cell in percentages) and not has_semicolons()):
        return PLAIN
    return NumberForm(percent=True, example=str(percentages[0]).strip())


def read_numbers(
    place: str,
    name: str,
    cells: Collection[tuple[str, object]],
    *,
    has_semicolons: Callable[[], bool] = lambda: False,
    readings: dict[str, str] | None = None,
    faults: Faults | None = None,
) -> list[object]:
    """The scores of a column, each cell with its place: texts as numbers, blank ones as None.

    How texts were read is added to `readings`. All cells without a number are refused together,
    with the `faults` that were found before.
    """
    form = number_form(place, name, [cell for _, cell in cells], has_semicolons=has_semicolons)
    if form.said and readings is not None:
        readings[name] = form.said
    faults = Faults(place) if faults is None else faults
    found: list[object] = []
    for where, cell in cells:
        number: object = None if is_blank(cell) else cell
        if isinstance(number, str):
            number = form.value(number)
            if number is None or not math.isfinite(number):
                message = f"{where}, field {name!r:.60}: expected a finite number, got {cell!r:.60}"
                faults.add(SpecError(message, hint=HOW_TO_WRITE))
        found.append(number)
    faults.refuse()
    return found


def is_percentage(cell: object) -> bool:
    """Whether a cell is a text such as 52.4%."""
    return isinstance(cell, str) and _PERCENTAGE.fullmatch(cell.strip()) is not None
