"""The expression that selects rows or logs, and refuses values that never occur.

`flagged != Tru` would keep every row of a column of booleans, so a value that no row has is
refused, with a list of existing values. The value may occur on one side only, so the check comes
after everything was read.
"""

from collections.abc import Mapping

from assay.benchmark.expression import FieldTest, parse_expression
from assay.errors import SpecError
from assay.tables.nested import number_in, same_word, values_present

_MOST_WORDS = 1_000


class WhereFilter:
    """An expression, and which of its values occurred in each field."""

    def __init__(self, text: str) -> None:
        self._expression = parse_expression(text, fields=None)
        tests = dict.fromkeys(part for every in self._expression.any_of for part in every)
        self._unmet: dict[FieldTest, None] = {part: None for part in tests if part.value}
        self._present: dict[str, set[str]] = {name: set() for name in self.fields}

    @property
    def text(self) -> str:
        """What was written."""
        return self._expression.text

    @property
    def fields(self) -> list[str]:
        """The fields it asks about."""
        return self._expression.fields

    def values_of(self, field: str) -> list[str]:
        """What it compares a field with."""
        return self._expression.values_of(field)

    def holds(self, record: Mapping[str, str | None]) -> bool:
        """Whether a row or log is read; notes which values it has."""
        for part in list(self._unmet):
            word = record.get(part.field) or ""
            if _is_met(part, word):
                del self._unmet[part]
            elif len(self._present[part.field]) < _MOST_WORDS:
                self._present[part.field].add(word)
        return self._expression.holds(record)

    def chooses(self, known: Mapping[str, str]) -> bool:
        """Whether a log is read, by its settings."""
        missing = [name for name in self.fields if name not in known]
        if missing:
            raise SpecError(
                f"`where=`: no {missing[0]!r:.60} in a log; there are {', '.join(known)}",
                hint="A log is read or skipped as a whole, by its settings. To choose among its"
                " samples, save them as rows.",
            )
        return self.holds(known)

    def refuse_unmet(self) -> None:
        """Refuse values that never occurred."""
        for part in self._unmet:
            held = values_present(part.field, self._present[part.field], [part.value])
            wanted = "a number" if part.orders else f"{part.value!r:.60}"
            raise SpecError(
                f"`where={self.text:.80}`: no row or log has {wanted} as {part.field}",
                hint=held if held.endswith("?") else f"{held}.",
            )


def _is_met(part: FieldTest, word: str) -> bool:
    """Whether a word shows that a comparison has something to compare with."""
    return number_in(word) is not None if part.orders else same_word(word, part.value)
