"""Which columns of a table are scores, how their cells are read, and why others are not read.

Columns of numbers are scores, and so are columns of one known pair of words (pass and fail). Not
scores, unless they are asked for by name: what was expected or answered, identifiers, the number of
a row (a column without a name, as pandas writes it, or one that counts the rows), and a counter of
repeated runs. A counter is known by its name, or because every instance has the same small numbers,
each once.
"""

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.errors import SpecError
from assay.logs.columns.cells import (
    have_decimal_commas,
    is_blank,
    is_number,
    pair_of,
    value_of,
)
from assay.logs.columns.metric_names import (
    is_cost,
    is_counter,
    is_expected,
    is_identifier,
    is_nameless,
)
from assay.logs.columns.number_texts import NumberForm, is_percentage, number_form
from assay.tables.nested import Row
from assay.wording import as_column, counted, some

COUNTER = "numbers the runs of an instance"
ROW_NUMBERS = "numbers the rows"
_FEWEST_ROWS = 10
"""From so many rows on, whole numbers that count them are no scores."""
_MOST_REPEATS = 100
_RARE = 1e-3
_MOST_WORDS = 4
_LONGEST_WORD = 20
_MOST_READ = 10_000


@dataclass(frozen=True, kw_only=True)
class ScoreColumns:
    """The columns to read; the pair of words of some, and how others write numbers as texts.

    `unread` are the columns that are left out, and why.
    """

    names: list[str] = field(default_factory=list)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    forms: dict[str, NumberForm] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)

    def converted(self, row: Row) -> Row:
        """A row with numbers in place of words, percentages and decimal commas."""
        if not self.pairs and not self.forms:
            return row
        changed: dict[str, object] = {}
        for name, pair in self.pairs.items():
            word = str(row.get(name) or "").strip().lower()
            if word in pair:
                changed[name] = float(word == pair[0])
        for name, form in self.forms.items():
            cell = row.get(name)
            changed[name] = form.value(cell) if isinstance(cell, str) else cell
        return {**row, **changed}


def score_columns(
    place: str,
    rows: Sequence[Row],
    candidates: Sequence[str],
    *,
    asked: Collection[str],
    groups: Sequence[Hashable],
    has_semicolons: Callable[[], bool],
) -> ScoreColumns:
    """Choose among the candidates; `asked` are read whatever their names, or refused.

    `groups` is the side and instance of each row.
    """
    found = ScoreColumns()
    for name in candidates:
        cells = [row.get(name) for row in rows]
        reason = None if name in asked else _reason(name, cells, groups)
        if reason is None:
            reason = _sort(place, name, cells, found, name in asked, has_semicolons)
        if reason is not None:
            found.unread[name] = reason
    return found


def _sort(
    place: str,
    name: str,
    cells: Sequence[object],
    found: ScoreColumns,
    is_asked: bool,
    has_semicolons: Callable[[], bool],
) -> str | None:
    """Add a column to those that are read, or give the reason why it is not."""
    if set(map(type, cells)) <= {float, int, bool}:  # the usual case
        found.names.append(name)
        return None
    values = [cell for cell in cells if not is_blank(cell)]
    words = [value for value in values if not is_number(value)]
    if not words:
        if values or is_asked:
            found.names.append(name)
        return None if values or is_asked else "empty"
    if (pair := pair_of(values)) is not None:
        found.pairs[name] = pair
    elif (form := number_form(place, name, values, has_semicolons=has_semicolons)).said:
        found.forms[name] = form
    elif is_asked:
        raise _no_numbers(place, name, values, words)
    elif 2 * len(words) <= len(values):
        raise SpecError(
            f"{place}: column {name!r:.60} holds both numbers and {words[0]!r:.60}",
            hint="Leave cells of missing values empty, or name the columns to read:"
            " `dimension=COLUMN`.",
        )
    else:
        return _words_said(words, has_commas=have_decimal_commas(values))
    found.names.append(name)
    return None


def _reason(name: str, cells: Sequence[object], groups: Sequence[Hashable]) -> str | None:
    """Why a column that was not asked for is no score, if its name or its shape says so."""
    if is_expected(name):
        return "by its name what was expected or answered"
    if is_identifier(name):
        return "by its name an identifier"
    if is_nameless(name):
        return ROW_NUMBERS
    numbers = [value_of(cell) for cell in cells if not is_blank(cell)]
    if not numbers or not all(_is_whole(number) for number in numbers):
        return None
    if len(numbers) == len(cells) and _numbers_rows(numbers) and not is_cost(name):
        return ROW_NUMBERS
    if is_counter(name) or (len(numbers) == len(cells) and _counts(numbers, groups)):
        return COUNTER
    return None


def _is_whole(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    return isinstance(number, int) or (math.isfinite(number) and number.is_integer())


def _numbers_rows(numbers: Sequence[float]) -> bool:
    """Whether the rows are counted: 0, 1, 2, ... from the first to the last."""
    begun = numbers[0] in (0, 1) and len(numbers) >= _FEWEST_ROWS
    return begun and all(number == numbers[0] + place for place, number in enumerate(numbers))


def _counts(numbers: Sequence[float], groups: Sequence[Hashable]) -> bool:
    """Whether every instance has the same small numbers, each once, as scores would only rarely."""
    runs: dict[Hashable, list[float]] = {}
    for number, group in zip(numbers, groups, strict=True):
        runs.setdefault(group, []).append(number)
    first = sorted(next(iter(runs.values())))
    size = len(first)
    if not 2 <= size <= _MOST_REPEATS or first[0] not in (0, 1):
        return False
    if first != [first[0] + step for step in range(size)]:
        return False
    if any(sorted(each) != first for each in runs.values()):
        return False
    orders = 1 if all(each == first for each in runs.values()) else math.factorial(size)
    return len(runs) * (math.log(orders) - size * math.log(size)) <= math.log(_RARE)


def _no_numbers(
    place: str, name: str, values: Sequence[object], words: Sequence[object]
) -> SpecError:
    """The one error for all cells of a column that are not numbers."""
    cells = f"{len(words):,} of {counted(len(values), 'cell')}"
    return SpecError(
        f"{place}: column {as_column(name)}: expected numbers, got {words[0]!r:.60}; {cells}"
        f" {'holds' if len(words) == 1 else 'hold'} no number",
        hint="Write the scores as numbers (87% as 0.87), or as one pair of words: pass and fail,"
        " yes and no, true and false, correct and incorrect. Leave cells of missing values empty.",
    )


def _words_said(words: Sequence[object], *, has_commas: bool) -> str:
    """The values of a column, if they are a few short words."""
    if has_commas or all(map(is_percentage, words[:_MOST_READ])):
        return f"numbers with a comma: such as {words[0]!r:.60}"
    few = list(dict.fromkeys(str(word) for word in words[:_MOST_READ]))
    if len(few) <= _MOST_WORDS and all(len(word) <= _LONGEST_WORD for word in few):
        return f"words: {', '.join(few)}"
    return "text"


def read_as(scores: ScoreColumns) -> dict[str, str]:
    """How the texts of a column were read as numbers, in words."""
    said = {name: f"{pair[0]} is 1, {pair[1]} is 0" for name, pair in scores.pairs.items()}
    return said | {name: form.said for name, form in scores.forms.items()}


def unread_words(unread: Mapping[str, str]) -> str:
    """The columns that are not read, by reason, and what the user can do about it."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in unread.items():
        by_reason.setdefault(reason, []).append(f"{name:.60}" or "a column without a name")
    said = []
    for reason, names in by_reason.items():
        more = f"; `trial={names[0]}` pairs runs by it" if reason == COUNTER else ""
        said.append(f"{some(names, 8)} ({reason}{more})")
    if any(reason.startswith("words: ") for reason in by_reason):
        said.append(
            "words are scores only in pairs such as pass and fail, or yes and no; for others,"
            " write 1 and 0"
        )
    if any(reason.startswith("numbers with a comma") for reason in by_reason):
        said.append("decimal commas are read in files whose cells are separated by semicolons")
    return "; ".join(said)
