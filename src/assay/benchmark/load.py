"""Benchmarks from files and from memory, and the bundled ones.

Columns are named by `Columns`; nothing is guessed beyond the default names, but an error lists the
columns that are there and the flag that names one. The digest is of the file's exact bytes, and of
what was left out of them.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from msgspec.structs import replace

from assay.benchmark.benchmark import (
    BUNDLED,
    BUNDLED_COLUMNS,
    FEWEST_QUESTIONS,
    Benchmark,
    Columns,
    Item,
    Origin,
)
from assay.benchmark.bundled import FOLDER
from assay.benchmark.draft import FIELDS, HowToRead
from assay.benchmark.records import ReadRecords, items_from_rows, no_hint
from assay.digests import digest
from assay.errors import SpecError, storage
from assay.files import how_to_find, named_path
from assay.logs.log_records import LogRecords, read_log_records
from assay.tables.faults import Faults
from assay.tables.json_rows import line_rows
from assay.tables.nested import PlacedRows, Row, dotted
from assay.tables.source import IN_MEMORY, STANDARD_INPUT, TableSource, read_table

_URL = re.compile(r"(?:https?|ftp|s3|gs|hf):/", re.IGNORECASE)
_DEEPEST_FIELD = 3


@runtime_checkable
class HoldsBenchmark(Protocol):
    """A result that holds a benchmark, such as a balanced subset."""

    def as_benchmark(self) -> Benchmark:
        """The benchmark."""


def load_benchmark(
    data: object,
    *,
    columns: Columns | None = None,
    second: object = None,
    label_optional: bool = False,
) -> Benchmark:
    """A bundled benchmark by name, a file, or rows in memory; one that is loaded is as it is.

    `second` is the corpus for cross-corpus bars. The columns named are those of `data`; a second
    corpus has the default names. `label_optional` is for what judges no method: records without a
    label are read, unless the columns say what the label is.
    """
    if isinstance(data, HoldsBenchmark):
        data = data.as_benchmark()
    if isinstance(data, Benchmark):
        benchmark = _as_loaded(data, columns or Columns())
    elif not isinstance(data, (str, os.PathLike)):
        benchmark = _from_memory(data, columns or Columns(), label_optional=label_optional)
    elif str(data) in BUNDLED:
        benchmark = _bundled(str(data), columns)
    else:
        benchmark = _from_file(str(data), columns or Columns(), label_optional=label_optional)
    return benchmark if second is None else benchmark.with_second(load_second(second))


def _as_loaded(benchmark: Benchmark, columns: Columns) -> Benchmark:
    if columns != Columns():
        raise SpecError(
            f"{benchmark.name} is loaded already, and its columns were named then",
            hint="Leave out the words that name columns, or load it again.",
        )
    return benchmark


def _bundled(name: str, columns: Columns | None) -> Benchmark:
    origin = Origin(place=name, columns=_bundled_columns(name, columns))
    data = (FOLDER / f"{name}.jsonl").read_bytes()
    return _build(name, line_rows(data, name), digest(data), origin, Faults(name))


def _from_memory(data: object, columns: Columns, *, label_optional: bool) -> Benchmark:
    from assay.tables.in_memory.table import table_in_memory

    source = table_in_memory(data, split=columns.split)
    columns = replace(columns, split=None)
    faults = Faults(source.place)
    rows = source.rows(encoding=columns.encoding, faults=faults)
    origin = Origin(place=IN_MEMORY, columns=columns)
    benchmark = _build(
        source.name,
        rows,
        source.digest,
        origin,
        faults,
        label_optional=label_optional,
        how_to_read=source.how_to_read,
    )
    return replace(benchmark, memory=source.files[0][1], index=source.index)


def _from_file(place: str, columns: Columns, *, label_optional: bool) -> Benchmark:
    source = _read(place, columns)
    labelled_by = None
    if isinstance(source, LogRecords):
        columns = replace(columns, label=source.metric)
        labelled_by = source.labelled_by
    origin = Origin(place=_absolute(place), columns=columns)
    faults = Faults(source.place)
    rows = source.rows(encoding=columns.encoding, faults=faults)
    return _build(
        source.name,
        rows,
        source.digest,
        origin,
        faults,
        labelled_by=labelled_by,
        label_optional=label_optional,
    )


def load_second(data: object) -> Benchmark:
    """A second corpus, which has the default columns and only records that can be used."""
    try:
        return load_benchmark(data)
    except SpecError as error:
        error.hint = "The columns and policies given are for the first file: mend the second."
        raise


def _bundled_columns(place: str, columns: Columns | None) -> Columns:
    """A bundled benchmark's columns are known; what is positive and negative may be said."""
    given = columns or Columns()
    if replace(given, positive=None, negative=None, unknown=None) != Columns():
        raise SpecError(
            f"{place} is bundled, and its columns are known",
            hint="Leave out what names columns.",
        )
    return replace(given, positive=given.positive or BUNDLED_COLUMNS.positive)


def read_fields(benchmark: Benchmark) -> dict[str, list[object]]:
    """The columns of a benchmark's file that are none of its own, a value a record.

    What is nested has its dotted name, such as `meta.id`: it can give the label away as well. A
    bundled benchmark and one put together from items have none.
    """
    origin = benchmark.origin
    if origin is None or origin.place in BUNDLED:
        return {}
    source = read_again(benchmark)
    own = {FIELDS.get(field, field) for field in Item.__struct_fields__}
    own |= {getattr(origin.columns, field) for field in Item.__struct_fields__}
    lists = {name.partition(".")[0] for name in dotted(own)}  # of which one element is a column
    if origin.columns.ids == "none":
        own.discard(origin.columns.id or "id")
    places = {row: place for place, row in enumerate(benchmark.rows)}
    fields: dict[str, list[object]] = {}
    for number, (_, row) in enumerate(source.rows(encoding=origin.columns.encoding)):
        for name, value in _leaves(row) if number in places else ():
            if value is None or (name in lists and isinstance(value, list)):
                continue
            if name not in own:
                values = fields.setdefault(name, [None] * len(benchmark.items))
                values[places[number]] = value
    return fields


def _leaves(
    row: Row, before: str = "", deepest: int = _DEEPEST_FIELD
) -> Iterator[tuple[str, object]]:
    """The values of a row by their dotted names; lists, and what is very deep, as they are."""
    for name, value in row.items():
        if isinstance(value, dict) and value and deepest:
            yield from _leaves(value, f"{before}{name}.", deepest - 1)
        else:
            yield f"{before}{name}", value


def read_again(benchmark: Benchmark) -> TableSource | LogRecords:
    """The file that a benchmark was read from, which must still be what it was."""
    origin = benchmark.origin
    if origin is None or (origin.place == IN_MEMORY and benchmark.memory is None):
        raise SpecError(f"{benchmark.name} was made in memory and has no file to take records from")
    if benchmark.memory is not None:
        from assay.tables.in_memory.table import memory_table

        return memory_table(benchmark.name, benchmark.memory, index=benchmark.index)
    if origin.place in BUNDLED:
        source: TableSource | LogRecords = read_table(FOLDER / f"{origin.place}.jsonl")
    else:
        source = _source(origin.place, origin.columns, again=True)
    benchmark.check_file(source.digest)
    return source


def _absolute(place: str) -> str:
    if place == STANDARD_INPUT:
        return place
    with storage(place):
        return str(Path(place).resolve())


def _read(place: str, columns: Columns) -> TableSource | LogRecords:
    if place != STANDARD_INPUT:
        path = named_path(place, "data")
        with storage(place):
            there, readable = path.exists(), path.is_file() or path.is_dir()
        if not there and _URL.match(place):
            raise SpecError(
                f"{place:.200} is a URL, and nothing is fetched",
                hint="Download it first: curl -LO URL",
            )
        if not there:
            raise SpecError(
                f"no benchmark {place!r}: neither a bundled name ({', '.join(BUNDLED)}) nor a file",
                hint=how_to_find(path, BUNDLED),
            )
        if not readable:
            raise SpecError(f"{place}: not a regular file")
        if not Path(_absolute(place)).name.isprintable():
            raise SpecError(f"{place!a}: a file name must be UTF-8 and printable")
    return _source(place, columns)


def _source(place: str, columns: Columns, *, again: bool = False) -> TableSource | LogRecords:
    """The rows of a file, or the records of a log, unless the question of its rows is named."""
    if place != STANDARD_INPUT and columns.question == Columns().question:
        with storage(place):
            found = read_log_records(Path(place), label=columns.label, task=columns.split)
        if found is not None:
            return found
    elif Path(place).suffix == ".eval":
        raise SpecError(
            f"{place}: a log, whose questions are known",
            hint=f"Leave out `question={columns.question:.60}`.",
        )
    return read_table(place, split=columns.split, again=again)


def _build(
    name: str,
    rows: PlacedRows,
    file_digest: str,
    origin: Origin,
    faults: Faults,
    *,
    labelled_by: str | None = None,
    label_optional: bool = False,
    how_to_read: HowToRead = no_hint,
) -> Benchmark:
    read = items_from_rows(
        rows,
        origin.columns,
        faults,
        skip_unlabelled=labelled_by is not None,
        label_optional=label_optional,
        how_to_read=how_to_read,
    )
    items = read.items
    grouping: Literal["named", "question"] | None = "named"
    if not any(item.group is not None for item in items):
        items, grouping = _by_question(items)
    return Benchmark(
        name=name,
        digest=_identity(file_digest, read, origin.columns),
        items=items,
        grouping=grouping,
        origin=origin,
        left_out=read.left_out,
        renamed=read.renamed,
        file_digest=file_digest,
        labelled_by=labelled_by,
    )


def _identity(file_digest: str, read: ReadRecords, columns: Columns) -> str:
    """The digest of what was read: the file's own, unless records were left out or renamed."""
    if not read.left_out and not read.renamed:
        return file_digest
    ids = columns.ids if read.renamed else None
    rows = " ".join(str(record.row) for record in read.left_out)
    return digest(f"{file_digest}\nids {ids}\nleft out {rows}\n".encode())


def _by_question(
    items: tuple[Item, ...],
) -> tuple[tuple[Item, ...], Literal["question"] | None]:
    """Group equal questions: several answers to one question are not independent."""
    places: dict[str, int] = {}
    for item in items:
        places.setdefault(item.question, len(places) + 1)
    if len(places) == len(items) or len(places) < FEWEST_QUESTIONS:
        return items, None
    grouped = (replace(item, group=f"question {places[item.question]}") for item in items)
    return tuple(grouped), "question"
