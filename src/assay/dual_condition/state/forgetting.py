"""Find what came from a benchmark's items in a state, and remove it.

A row came from an item if a field names the item, if a text or number anywhere in the row is the
item's id, or, always, if the row repeats the item's words (`item_traces`), whatever it is called.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.dual_condition.state.item_traces import ItemTraces
from assay.dual_condition.state.layers import Layer
from assay.dual_condition.state.rows import (
    Dropped,
    StateRow,
    drop_rows,
    kind_of_file,
    root_fields,
    rows_in,
    texts_in,
)
from assay.errors import SpecError

OWN_NAMES = frozenset({"", "key", "value"})
"""The values in rows that stand for "no name"."""


@dataclass(frozen=True, kw_only=True)
class Mentions:
    """The number of rows of a layer, of those that came from items, and the items."""

    rows: int
    from_items: int
    items: frozenset[str]


def mentions_of(folder: Path, files: Sequence[str], layer: Layer, traces: ItemTraces) -> Mentions:
    """What a layer's files hold of some items."""
    known = _Known(layer, traces, _row_texts(folder, files, layer))
    rows = hits = 0
    mentioned: set[str] = set()
    fields: dict[str, None] = {}
    found = _row_files(folder, files, layer)
    shared = _shared_fields(found)
    for path, kind in found:
        for row in rows_in(path, kind, known.items_of, fields=shared):
            named = known.items_of(row)
            rows += 1
            hits += bool(named)
            mentioned |= named
            fields |= dict.fromkeys(row)
    if rows and layer.provenance is not None and layer.provenance not in fields:
        listed = ", ".join(f"{name:.40}" for name in [*filter(None, fields)][:8])
        raise SpecError(
            f"no row of {files[0]} has the provenance field {layer.provenance!r:.60}",
            hint=f'They have {listed}. If nothing came from items: in_c = "keep".',
        )
    return Mentions(rows=rows, from_items=hits, items=frozenset(mentioned))


def forget(
    folder: Path, files: Sequence[str], layer: Layer, traces: ItemTraces
) -> dict[str, Dropped]:
    """Take out of a layer's files every row that came from these items; by file, what went."""
    known = _Known(layer, traces, _row_texts(folder, files, layer))
    found = _row_files(folder, files, layer)
    shared = _shared_fields(found)
    return {
        path.relative_to(folder).as_posix(): drop_rows(path, kind, known.items_of, fields=shared)
        for path, kind in found
    }


def _shared_fields(files: Sequence[tuple[Path, str]]) -> frozenset[str]:
    """The names of fields that JSON files share, where there are several."""
    paths = [path for path, kind in files if kind == "json"]
    return root_fields(paths) if len(paths) > 1 else frozenset()


def beside_database(name: str, files: Sequence[str]) -> bool:
    """Whether a file belongs to a database among these files."""
    return name.endswith(("-wal", "-shm", "-journal")) and name.rpartition("-")[0] in files


def _row_files(folder: Path, files: Sequence[str], layer: Layer) -> list[tuple[Path, str]]:
    row_files = []
    for name in files:
        if name.endswith("/") or beside_database(name, files):
            continue
        if not (folder / name).stat().st_size:
            continue
        kind = kind_of_file(folder / name)
        if kind is None or (kind == "lines" and not layer.match):
            raise SpecError(
                f"{name}: no way to find the parts that came from items",
                hint="JSONL, JSON and SQLite files have rows; for lines of text, add match; for"
                ' other files, set in_c = "initial" or "keep".',
            )
        row_files.append((folder / name, kind))
    return row_files


def _row_texts(folder: Path, files: Sequence[str], layer: Layer) -> list[str]:
    """All texts of a layer's rows."""
    return [
        text
        for path, kind in _row_files(folder, files, layer)
        for row in rows_in(path, kind)
        for text in all_texts(row)
    ]


def all_texts(row: StateRow) -> list[str]:
    """Every text of a row, and the names of its fields: a text may be a key."""
    return [*texts_in(row), *(name for name in row if name not in OWN_NAMES)]


class _Known:
    """Decides which items a row came from, by a layer's rules."""

    def __init__(self, layer: Layer, traces: ItemTraces, texts: Sequence[str]) -> None:
        self.field = layer.provenance
        self.by_id = "id" in layer.match
        self.traces = traces
        self.by_text = traces.of_texts(texts, short="text" in layer.match)

    def items_of(self, row: StateRow) -> set[str]:
        """The items that a row came from."""
        items: set[str] = set()
        texts = all_texts(row)
        if self.field is not None and self.field in row:
            items |= self.traces.ids & set(texts_in({"": row[self.field]}))
        if self.by_id:
            items |= self.traces.ids & set(texts)
        for text in texts:
            items |= self.by_text.get(text, frozenset())
        for value in row.values():
            if isinstance(value, bytes):
                items |= self.traces.of_bytes(value)
        return items
