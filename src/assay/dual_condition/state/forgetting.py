"""What of a state came from the items of a benchmark, and the state without it.

By a field of its rows that names the item; by an item's id, which a text or a number anywhere in
a row may be; or by its words: a text of the row is an item's question, or question and response
together, or has nearly their words (nine tenths of all that either has), or holds the question. The
last two take five words or more: "yes" is no trace of an item that asks "Yes?".
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.benchmark.benchmark import Item
from assay.dual_condition.state.layers import Layer
from assay.dual_condition.state.rows import StateRow, drop_rows, kind_of_file, rows_in, texts_in
from assay.errors import SpecError

_LONG = 5
_OWN_NAMES = frozenset({"", "key", "value"})  # what rows call what has no name


@dataclass(frozen=True, kw_only=True)
class Mentions:
    """Of one layer: its rows, those that came from items, and from which."""

    rows: int
    from_items: int
    items: frozenset[str]


def mentions_of(
    folder: Path, files: Sequence[str], layer: Layer, items: Sequence[Item]
) -> Mentions:
    """What a layer's files hold of some items."""
    known = _Known(layer, items, _texts(folder, files, layer))
    rows = hits = 0
    mentioned: set[str] = set()
    fields: dict[str, None] = {}
    for path, kind in _row_files(folder, files):
        for row in rows_in(path, kind):
            named = known.items_of(row)
            rows += 1
            hits += bool(named)
            mentioned |= named
            fields |= dict.fromkeys(row)
    if rows and layer.provenance is not None and layer.provenance not in fields:
        listed = ", ".join(f"{name:.40}" for name in [*filter(None, fields)][:8])
        raise SpecError(
            f"no row of {files[0]} has the field {layer.provenance!r:.60}, which is to name items",
            hint=f'They have {listed}. Where nothing came from items: in_c = "keep".',
        )
    return Mentions(rows=rows, from_items=hits, items=frozenset(mentioned))


def forget(folder: Path, files: Sequence[str], layer: Layer, items: Sequence[Item]) -> int:
    """Take out of a layer's files every row that came from these items; how many there were."""
    known = _Known(layer, items, _texts(folder, files, layer))
    return sum(
        drop_rows(path, kind, lambda row: bool(known.items_of(row)))
        for path, kind in _row_files(folder, files)
    )


def _row_files(folder: Path, files: Sequence[str]) -> list[tuple[Path, str]]:
    row_files = []
    for name in files:
        beside = name.endswith(("-wal", "-shm", "-journal"))
        if name.endswith("/") or (beside and name.rpartition("-")[0] in files):
            continue
        if not (folder / name).stat().st_size:
            continue
        kind = kind_of_file(folder / name)
        if kind is None:
            raise SpecError(
                f"nothing tells what of {name} came from which item",
                hint="jsonl, json and SQLite files have rows that can be told apart; for others say"
                ' in_c = "initial" or "keep".',
            )
        row_files.append((folder / name, kind))
    return row_files


def _texts(folder: Path, files: Sequence[str], layer: Layer) -> list[str]:
    """All texts of a layer's rows, where they are to be compared with the items'."""
    if "text" not in layer.match:
        return []
    return [
        text
        for path, kind in _row_files(folder, files)
        for row in rows_in(path, kind)
        for text in texts_in(row)
    ]


class _Known:
    """Which items a row came from, by a layer's rules."""

    def __init__(self, layer: Layer, items: Sequence[Item], texts: Sequence[str]) -> None:
        self.field = layer.provenance
        self.ids = frozenset(item.id for item in items)
        self.by_id = "id" in layer.match
        self.by_text = _by_text(items, texts) if "text" in layer.match else {}

    def items_of(self, row: StateRow) -> set[str]:
        """The items that a row came from."""
        items: set[str] = set()
        if self.field is not None and self.field in row:
            items |= self.ids & set(texts_in({"": row[self.field]}))
        if self.by_id:
            items |= self.ids & (set(texts_in(row)) | set(row) - _OWN_NAMES)
        if self.by_text:
            for text in texts_in(row):
                items |= self.by_text.get(text, frozenset())
        return items


def _by_text(items: Sequence[Item], texts: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """For each text of the state that repeats items' words, those items."""
    from assay.surface.near_duplicates import normalised  # with numpy, which not all need

    distinct = list(dict.fromkeys(texts))
    plain = normalised(distinct)
    questions = normalised([item.question for item in items])
    whole = normalised([f"{item.question} {item.response or ''}" for item in items])
    exact: dict[str, set[str]] = defaultdict(set)
    starts: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for item, *texts_of in zip(items, questions, whole, strict=True):
        for words in filter(None, texts_of):
            exact[words].add(item.id)
        if _is_long(texts_of[0]):
            starts[tuple(texts_of[0].split()[:_LONG])].append((texts_of[0], item.id))
    alike = _alike(plain, exact)
    by_text = {}
    for text, words in zip(distinct, plain, strict=True):
        named = exact.get(words) or alike.get(words, set()) | _contained(words, starts)
        if named:
            by_text[text] = frozenset(named)
    return by_text


def _is_long(text: str) -> bool:
    return text.count(" ") + 1 >= _LONG


def _alike(texts: Sequence[str], exact: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """For each long text the items that have nearly its words."""
    from assay.surface.near_duplicates import families

    ours, theirs = (list(filter(_is_long, dict.fromkeys(some))) for some in (texts, exact))
    codes = families([*ours, *theirs]).tolist()
    owners: dict[int, set[str]] = defaultdict(set)
    for words, code in zip(theirs, codes[len(ours) :], strict=True):
        owners[code] |= exact[words]
    return {
        text: owners[code]
        for text, code in zip(ours, codes[: len(ours)], strict=True)
        if code in owners
    }


def _contained(text: str, starts: Mapping[tuple[str, ...], Sequence[tuple[str, str]]]) -> set[str]:
    """The items whose question stands in a text, word by word."""
    words = text.split()
    items = set()
    for place in range(len(words) - _LONG + 1):
        for question, item in starts.get(tuple(words[place : place + _LONG]), ()):
            size = question.count(" ") + 1
            if " ".join(words[place : place + size]) == question:
                items.add(item)
    return items
