"""A subset of a benchmark: its rows, itself as a benchmark, and a file in the form of the first.

Lines of JSONL and elements of an array are kept byte for byte. Other forms (columns, an object
around an array, Arrow, a folder of shards) are written as JSONL.
"""

import io
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from assay.benchmark.benchmark import Benchmark, LeftOut
from assay.benchmark.load import read_again
from assay.benchmark.renaming import Renaming, rename_records
from assay.digests import digest
from assay.errors import SpecError
from assay.logs.log_records import LogRecords
from assay.tables.compressed import pack
from assay.tables.forms import PACKED, Form, endings, form_of
from assay.tables.json_rows import spans
from assay.tables.nested import Row
from assay.tables.rows import form_rows
from assay.tables.source import TableSource

_ENDINGS = {"jsonl": ".jsonl", "json-array": ".json", "parquet": ".parquet"}
_UNWRITTEN = {"json-object": "one JSON object around its records", "arrow": "Arrow"}
_SEPARATED = {"\t": ".tsv"}


@dataclass(frozen=True, kw_only=True)
class KeptRecords:
    """Some records of a benchmark, by their places among its rows, from 0.

    `what` is the name of the subset, such as `balanced subset`.
    """

    whole: Benchmark
    positions: tuple[int, ...]
    what: str

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the input, or of the items if there was no input, in order."""
        kept = set(self.positions)
        if self.whole.origin is None:
            return [row for place, row in enumerate(self.whole.to_rows()) if place in kept]
        source = read_again(self.whole)
        rows = source.rows(encoding=self.whole.origin.columns.encoding)
        return [dict(row) for place, (_, row) in enumerate(rows) if place in kept]

    def benchmark(self) -> Benchmark:
        """The subset as a benchmark: the other records are left out, and ids stay as they were."""
        kept, whole = set(self.positions), self.whole
        placed = list(zip(whole.rows, whole.items, strict=True))
        dropped = [(row, item) for row, item in placed if row not in kept]
        if not dropped:
            return whole
        more = (
            LeftOut(
                row=row, id=item.id, place=f"record {row + 1}", why=f"no place in the {self.what}"
            )
            for row, item in dropped
        )
        rows = " ".join(map(str, sorted(kept)))
        return replace(
            whole,
            name=f"{self.what} of {whole.name}",
            digest=digest(f"{whole.digest}\nkept {rows}\n".encode()),
            items=tuple(item for row, item in placed if row in kept),
            left_out=tuple(sorted((*whole.left_out, *more), key=lambda record: record.row)),
            file_digest=whole.file_digest or whole.digest,
        )


def subset_bytes(
    benchmark: Benchmark,
    ids: Collection[str],
    name: str,
    *,
    new_ids: Mapping[str, str] | None = None,
) -> bytes:
    """The records with these ids, from the file that a benchmark was read from.

    `name` is that of the new file, or its ending. `new_ids` replace the ids, in their own order.
    """
    source = read_again(benchmark)
    wanted = set(ids)
    keep = [False] * benchmark.records
    for row, item in zip(benchmark.rows, benchmark.items, strict=True):
        keep[row] = item.id in wanted
    columns = benchmark.origin.columns if benchmark.origin is not None else None
    encoding = None if columns is None else columns.encoding
    renaming = None
    if new_ids:
        kept = [item.id for item in benchmark.items if item.id in wanted]
        column = "id" if columns is None else columns.id or "id"
        renaming = Renaming(column=column, old=kept, new=new_ids)
    form = None
    if isinstance(source, TableSource) and not source.is_folder:
        form = form_of(*source.files[0], where=source.place, encoding=encoding)
    if isinstance(source, LogRecords) or form is None or form.name in _UNWRITTEN:
        what = "a log" if isinstance(source, LogRecords) else "a folder"
        what = what if form is None else _UNWRITTEN[form.name]
        why = f"{source.place} is {what}, so its subset is written as one JSON object a line"
        _check_name(name, (".jsonl",), why)
        data = _as_lines(source, keep, encoding)
        return data if renaming is None else rename_records(data, "jsonl", renaming)
    own = "".join(endings(source.files[0][0]))
    why = f"the records are in {own or _usual(form)}"
    if source.unit == "row":
        why = "rows in memory are written as one JSON object a line"
    _check_name(name, (own, _usual(form)), why)
    data = _written(form, source.place, keep)
    if renaming is not None:
        data = rename_records(data, form.name, renaming, separator=form.separator or ",")
    if encoding is not None:
        data = data.decode("utf-8").encode(encoding)
    return data if form.packed is None else pack(data, form.packed)


def _usual(form: Form) -> str:
    ending = _ENDINGS.get(form.name) or _SEPARATED.get(form.separator or ",", ".csv")
    return ending + next((end for end, kind in PACKED.items() if kind == form.packed), "")


def _check_name(name: str, allowed: Sequence[str], why: str) -> None:
    """Refuse an ending that does not match the form to be written."""
    got = name.lower() if name.startswith(".") else "".join(endings(name))
    if got not in allowed or not got:
        shown = next(filter(None, allowed))
        raise SpecError(
            f"{why}, but the new file {f'ends in {got!r}' if got else 'has no ending'}",
            hint=f"Give it the ending {shown}",
        )


def _written(form: Form, where: str, keep: Sequence[bool]) -> bytes:
    match form.name:
        case "parquet":
            return _parquet(form.data, keep)
        case "csv":
            return _csv(form, where, keep)
        case "json-array":
            kept = [
                text
                for (_, _, text), is_kept in zip(spans(form.data, where), keep, strict=True)
                if is_kept
            ]
            return ("[\n" + ",\n".join(kept) + "\n]\n").encode()
    lines = [line for line in form.data.split(b"\n") if line.strip()]
    return b"".join(line + b"\n" for line, kept in zip(lines, keep, strict=True) if kept)


def _csv(form: Form, where: str, keep: Sequence[bool]) -> bytes:
    import csv

    rows = [row for _, row in form_rows(form, where)]
    text = io.StringIO(newline="")
    odd = any("\r" in str(cell) for row in rows for cell in row.values())
    writer = csv.DictWriter(
        text,
        list(rows[0]),
        delimiter=form.separator or ",",
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL,
    )
    writer.writeheader()
    writer.writerows(row for row, kept in zip(rows, keep, strict=True) if kept)
    return text.getvalue().encode()


def _parquet(data: bytes, keep: Sequence[bool]) -> bytes:
    import polars

    out = io.BytesIO()
    frame = polars.read_parquet(io.BytesIO(data))
    frame.filter(polars.Series(keep, dtype=polars.Boolean)).write_parquet(out)
    return out.getvalue()


def _as_lines(
    source: TableSource | LogRecords, keep: Sequence[bool], encoding: str | None
) -> bytes:
    rows = source.rows(encoding=encoding)
    return b"".join(
        _line(row, place) for (place, row), kept in zip(rows, keep, strict=True) if kept
    )


def _line(row: Row, place: str) -> bytes:
    try:
        return json.dumps(_plain(row), ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise SpecError(
            f"{place}: cannot be written as JSON: {error}",
            hint="Take the subset from a Parquet file instead.",
        ) from None


def _plain(value: object) -> object:
    """A value for JSON: NaN becomes null, as on reading."""
    if isinstance(value, dict):
        return {key: _plain(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child) for child in value]
    return None if isinstance(value, float) and math.isnan(value) else value
