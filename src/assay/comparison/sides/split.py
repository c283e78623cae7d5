"""Several sides in one file, told apart by a column."""

from assay.comparison.sides.side import Side
from assay.errors import SpecError
from assay.logs.trial_rows import MOST_SIDES
from assay.tables.nested import same_word
from assay.wording import as_column, did_you_mean, some


def split_side(side: Side, first: str | None) -> list[Side]:
    """The sides that a column separates, in file order, but `first` comes first."""
    values = list(dict.fromkeys(read.side for read in side.reads))
    if first is not None and first not in values:
        same = [value for value in values if value is not None and same_word(value, first)]
        if not same:
            names = [str(value) for value in values]
            raise SpecError(
                f"no side is named {first!r:.60}; there are {some(names)}",
                hint=did_you_mean(first, names),
            )
        first = same[0]
    if len(values) < 2:
        raise SpecError(
            f"all of it is one side, {values[0]}: there is nothing to compare it with",
            hint=_how_to_split(side),
        )
    values.sort(key=lambda value: value != first)
    return [
        Side(name=str(value), reads=tuple(read for read in side.reads if read.side == value))
        for value in values
    ]


def _how_to_split(side: Side) -> str:
    """The columns that may tell sides apart: those with a few values."""
    values: dict[str, set[str]] = {}
    for read in side.reads:
        for name, few in read.splitting.items():
            values.setdefault(name, set()).update(few)
        for trial in read.trials if read.described is not None else ():
            for name, value in trial.harness.items():
                values.setdefault(name, set()).add(value)
    names = [name for name, few in values.items() if 2 <= len(few) <= MOST_SIDES]
    if not names:
        return f"No other column has 2 to {MOST_SIDES} values. Name the files of both sides."
    known = some([f"{as_column(name)} ({len(values[name])})" for name in names], 8)
    return f"Columns with 2 to {MOST_SIDES} values: {known}. Name one: `by=COLUMN`."
