"""Give the records of a written file new ids, in a new order.

Ids and order may tell the label: `q1-wrong`, or all positives first. Other columns stay as they
are. Without a column of ids only the order is new, since records are then named by their number.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import SpecError


@dataclass(frozen=True, kw_only=True)
class Renaming:
    """The column of ids, the ids in the order of the file, and the new ones in the new order."""

    column: str
    old: Sequence[str]
    new: Mapping[str, str]

    @property
    def order(self) -> list[int]:
        """The place in the file of each record in the new order."""
        place = {identity: number for number, identity in enumerate(self.old)}
        return [place[identity] for identity in self.new]

    def apply(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows in the new order, under new ids."""
        self.check(rows[0])
        return [
            {**rows[place], self.column: new} if self.column in rows[place] else rows[place]
            for place, new in zip(self.order, self.new.values(), strict=True)
        ]

    def check(self, names: Mapping[str, object]) -> None:
        """Refuse ids inside another column, which would stay."""
        if self.column not in names and "." in self.column:
            raise SpecError(
                f"the ids are inside another column, {self.column!r:.60}, and cannot be replaced",
                hint="Write the file without them, and balance that: `ids=none`.",
            )


def rename_records(data: bytes, form: str, renaming: Renaming, *, separator: str = ",") -> bytes:
    """A file of records, as `subset_bytes` writes it, with new ids in a new order."""
    match form:
        case "parquet":
            return _parquet(data, renaming)
        case "csv":
            return _csv(data, renaming, separator)
        case "json-array":
            rows = renaming.apply(json.loads(data))
            return ("[\n" + ",\n".join(map(_dumped, rows)) + "\n]\n").encode()
    rows = renaming.apply([json.loads(line) for line in data.split(b"\n") if line.strip()])
    return "".join(f"{_dumped(row)}\n" for row in rows).encode()


def _dumped(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _csv(data: bytes, renaming: Renaming, separator: str) -> bytes:
    import csv

    read = csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=separator)
    rows = renaming.apply(list(read))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(
        text,
        list(rows[0]),
        delimiter=separator,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if b"\r" in data else csv.QUOTE_MINIMAL,
    )
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _parquet(data: bytes, renaming: Renaming) -> bytes:
    import polars

    frame = polars.read_parquet(io.BytesIO(data))[renaming.order]
    renaming.check(dict.fromkeys(frame.columns))
    if renaming.column in frame.columns:
        new = polars.Series(renaming.column, list(renaming.new.values()))
        frame = frame.with_columns(new)
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()
