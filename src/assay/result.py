"""What every result can do: convert to a dictionary or rows, print, show in a notebook."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.errors import SpecError
from assay.wording import as_python, p_value, printable

_MOST_ROWS = 60
"""Rows of the table that a notebook shows; `to_rows` gives all of them."""
_MOST_OPEN_ROWS = 12
"""A longer table is folded, so that it does not push the verdict off the screen."""
_MOST_LINES = 18
_LONGEST_LINES = (400, 250, 160, 100)
_LONGEST = 2_000
"""The most characters of a printed result; names and reasons can come from untrusted files. If it
is longer, every line is cut at the next of these lengths."""


class Viewed:
    """Something with a text of a few lines (`lines`) and a table (`to_rows`)."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything, with the keys that the command prints as JSON."""
        made: dict[str, Any] = msgspec.to_builtins(self)
        return made

    def to_rows(self) -> list[dict[str, Any]]:
        """Its table, one flat dictionary a row: `pandas.DataFrame(result.to_rows())`."""
        raise NotImplementedError

    def rows_of(self, part: str) -> list[dict[str, Any]]:
        """The rows of one of its parts: `pandas.DataFrame(audit.rows_of("lint"))`."""
        parts = _parts(self)
        if part not in parts:
            raise SpecError(
                f"{type(self).__name__} has no part {part!r:.60} with rows",
                hint=f"Its parts: {', '.join(parts) or 'none'}.",
            )
        rows: list[dict[str, Any]] = msgspec.to_builtins(parts[part])
        return rows

    def lines(self) -> Sequence[str]:
        """A few lines of text; the first holds the verdict."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(self._shown_lines())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {_cut(as_python(printable(self.lines()[0])), 160)}>"

    def _shown_lines(self) -> list[str]:
        """The lines, safe to print: limited in length, parameters and commands as Python."""
        said = [as_python(printable(line)) for line in self.lines()[:_MOST_LINES]]
        lines = said
        for most in _LONGEST_LINES:
            lines = [_cut(line, most) for line in said]
            if sum(map(len, lines)) + len(lines) <= _LONGEST:
                break
        return lines

    def _repr_html_(self) -> str:
        """The lines and the rows, as a notebook shows them; every text is escaped."""
        first, *rest = self._shown_lines()
        said = [f"<p><strong>{_escaped(first)}</strong></p>"]
        said += [f"<p>{_escaped(line)}</p>" for line in rest]
        rows = self.to_rows()
        table = html_table(rows)
        if len(rows) > _MOST_OPEN_ROWS:
            table = f"<details><summary>table of {len(rows):,} rows</summary>{table}</details>"
        return "".join(["<div>", *said, table, "</div>"])


class Result(Viewed, msgspec.Struct, frozen=True, kw_only=True):
    """The base of every result."""


def _parts(result: object) -> dict[str, Sequence[object]]:
    """The fields that hold several records."""
    names: Sequence[str] = getattr(result, "__struct_fields__", ())
    values = {name: getattr(result, name) for name in names}
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, (tuple, list)) and all(isinstance(v, msgspec.Struct) for v in value)
    }


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def html_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a table: numbers to three places, small p-values as under a thousandth."""
    if not rows:
        return ""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{_escaped(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(_cell(name, row.get(name)) for name in names)}</tr>"
        for row in rows[:_MOST_ROWS]
    )
    more = len(rows) - _MOST_ROWS
    left = f"<p>and {more:,} more rows</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left}"


def _escaped(text: str) -> str:
    from html import escape  # only a notebook needs it

    return escape(text)


def _cell(name: str, value: object) -> str:
    """A cell of a table; notebooks align its text to the right, which numbers need."""
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f"<td>{_escaped(p_value(value) if name == 'p' else f'{value:z.3f}')}</td>"
    text = _escaped(_cut(str(value), _LONGEST_LINES[0]))
    return (
        f'<td style="text-align: left">{text}</td>'
        if isinstance(value, str)
        else f"<td>{text}</td>"
    )
