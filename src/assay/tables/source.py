"""The source of rows: a file, a folder of shards, standard input or memory.

Standard input can be read once. Its bytes are kept, so that the same benchmark can be read again; a
second use in one command is refused.
"""

import sys
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from assay.bounds import MAX_FILE_BYTES
from assay.digests import digest, listing_digest
from assay.errors import SpecError, storage
from assay.files import read_bounded, read_parts
from assay.tables.faults import Faults
from assay.tables.forms import form_of
from assay.tables.json_rows import line_rows
from assay.tables.nested import PlacedRows
from assay.tables.rows import bounded, rows_of
from assay.tables.shards import shard_paths

STANDARD_INPUT = "-"
IN_MEMORY = "<memory>"
NO_PATHS = (STANDARD_INPUT, IN_MEMORY)
"""Places that are not paths: their data cannot be read again."""
_NAME = "standard input"
_read: list[tuple[object, bytes]] = []
"""The last stream that was read, and its bytes."""


@dataclass(frozen=True, kw_only=True)
class TableSource:
    """The bytes of one table: `place` is its name in messages, `files` are its parts in order.

    `unit` is what a line is called: rows in memory are written as lines. `index` are the labels of
    the rows of a frame, as `label_texts` gives them, and `levels` the names of its index, which is
    not read as columns.
    """

    place: str
    name: str
    files: tuple[tuple[str, bytes], ...]
    is_folder: bool = False
    unit: Literal["line", "row"] = "line"
    index: tuple[str, ...] | None = None
    levels: tuple[str, ...] = ()

    def how_to_read(self, column: str) -> str | None:
        """A hint on a column that is a level of the index; None if it is not."""
        if column not in self.levels:
            return None
        return f"{column!r:.60} is in the index, which is not read: give frame.reset_index()."

    @property
    def digest(self) -> str:
        """The digest of the bytes; of a folder, over the digests of its shards in order."""
        if not self.is_folder:
            return digest(self.files[0][1])
        return listing_digest("shards", (digest(data) for _, data in self.files))

    def has_semicolons(self, *, encoding: str | None = None) -> bool:
        """Whether it is a file of cells that are separated by semicolons."""
        if self.unit == "row":
            return False
        forms = (
            form_of(name, data, where=self.place, encoding=encoding) for name, data in self.files
        )
        return all(form.separator == ";" for form in forms)

    def rows(self, *, encoding: str | None = None, faults: Faults | None = None) -> PlacedRows:
        """Each row of the table with its place."""
        if not self.is_folder:
            name, data = self.files[0]
            if self.unit == "row":
                _refuse_encoding(self.place, encoding)
                rows = line_rows(data, self.place, faults=faults, unit="row", labels=self.index)
                return bounded(rows, self.place)
            return rows_of(Path(name), data, faults=faults, encoding=encoding, where=self.place)
        parts = (
            rows_of(
                Path(name), data, faults=faults, encoding=encoding, where=f"{self.place}, {name}"
            )
            for name, data in self.files
        )
        return bounded(chain.from_iterable(parts), self.place)


def _refuse_encoding(place: str, encoding: str | None) -> None:
    if encoding is not None:
        raise SpecError(
            f"{place}: in memory, where a text has no encoding",
            hint=f"Leave out `encoding={encoding:.60}`.",
        )


def shown(place: str | Path) -> str:
    """The name of a place in a message."""
    return _NAME if str(place) == STANDARD_INPUT else str(Path(place))


def read_table(place: str | Path, *, split: str | None = None, again: bool = False) -> TableSource:
    """Read a file, a folder or standard input; `again` reuses standard input's bytes."""
    if str(place) == STANDARD_INPUT:
        source = TableSource(place=_NAME, name=_NAME, files=((_NAME, _standard_input(again)),))
    else:
        path = Path(place)
        with storage(path):
            is_folder = path.is_dir()
        if is_folder:
            return _folder(path, split)
        source = TableSource(
            place=str(path),
            name=path.name,
            files=((path.name, read_bounded(path, MAX_FILE_BYTES)),),
        )
    if split is not None:
        raise SpecError(
            f"{source.place}: a single table has no splits",
            hint=f"Leave out `split={split:.60}`, or name a folder with splits.",
        )
    return source


def _folder(folder: Path, split: str | None) -> TableSource:
    files: list[tuple[str, bytes]] = []
    left = MAX_FILE_BYTES
    for name in shard_paths(folder, split=split):
        data = read_bounded(folder / name, MAX_FILE_BYTES)
        left -= len(data)
        if left < 0:
            raise SpecError(
                f"{folder}: more than {MAX_FILE_BYTES:,} bytes in all", hint="Take a part of it."
            )
        files.append((name, data))
    with storage(folder):
        name = folder.resolve().name
    return TableSource(place=str(folder), name=name, files=tuple(files), is_folder=True)


def _standard_input(again: bool) -> bytes:
    stream = sys.stdin
    if _read and _read[0][0] is stream:
        if again:
            return _read[0][1]
        raise SpecError(
            f"{_NAME} is named twice but can be read only once", hint="Name a file for one of them."
        )
    if stream is None or not hasattr(stream, "buffer"):
        raise SpecError(f"{_NAME} is closed", hint="Name a file, or pipe one: cat FILE | assay ...")
    if stream.isatty():
        raise SpecError(f"{_NAME} is a terminal", hint="Pipe a file: cat FILE | assay ...")
    with storage(_NAME):
        data = b"".join(read_parts(stream.buffer, MAX_FILE_BYTES + 1))
    if len(data) > MAX_FILE_BYTES:
        raise SpecError(f"{_NAME}: more than {MAX_FILE_BYTES:,} bytes")
    _read[:] = [(stream, data)]
    return data
