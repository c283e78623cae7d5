"""Find what a state still holds of the items after everything from them was removed.

Every file is searched: its rows if it has rows, its whole text, the runs of text in binary data,
and its name. Values that cannot be searched are counted: numbers and digest-like words in rows that
neither name their source nor hold a text; and binary data, four bytes to a value. A file that B has
too adds nothing to a difference: its values are not counted, and its binary data, such as a model,
are not searched.
"""

import mmap
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

from assay.dual_condition.evidence import ItemTrace, Remains, UnreadableFile
from assay.dual_condition.state.forgetting import all_texts, beside_database
from assay.dual_condition.state.item_traces import ItemTraces, looks_like_digest
from assay.dual_condition.state.layers import Layer
from assay.dual_condition.state.rows import StateRow, kind_of_file, plain_text, rows_in, texts_in
from assay.errors import SpecError, storage

_TEXT = re.compile(rb"(?:[\t\n\r\x20-\x7e]|[\xc2-\xf4][\x80-\xbf]{1,3}){12,}")
_WIDE = re.compile(rb"(?:[\x20-\x7e]\x00){12,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_TOKENS = re.compile(r"[\s,;:|=()\[\]{}\"']+")
_WORDS_TO_LOOK_UP = 3
_VALUE_BYTES = 4
_COUNTED = 256


def remains_of(
    folder: Path,
    layers: Mapping[str, Layer],
    traces: ItemTraces,
    *,
    in_b: Set[str],
    rewritten: Set[str],
) -> Remains:
    """What the files of a folder hold of some items; opening a database changes it.

    `layers` has the layer of each file that belongs to one; `in_b` are files that B has with the
    same bytes, `rewritten` those that the user's command has changed.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in paths]
    found, unreadable = [], []
    for path, name in zip(paths, names, strict=True):
        with storage(path):
            rows = _rows(path, within_database=beside_database(name, names))
            bytes_too = rows is not None or name not in in_b
            mentioned = _mentioned(path, name, rows, traces, bytes_too=bytes_too)
            values = 0 if name in in_b else _values(path, rows, layers.get(name), traces)
        if mentioned:
            found.append(ItemTrace(file=name, items=len(mentioned), example=min(mentioned)))
        if values:
            file = UnreadableFile(file=name, values=values, rewritten=name in rewritten)
            unreadable.append(file)
    return Remains(files=len(paths), traces=tuple(found), unreadable=tuple(unreadable))


def _rows(path: Path, *, within_database: bool) -> list[StateRow] | None:
    """The rows of a file; None for binary data. A broken file is read as lines."""
    if within_database or not path.stat().st_size:
        return []
    kind = kind_of_file(path)
    if kind is None:
        return None
    try:
        return list(rows_in(path, kind))
    except SpecError:
        text = plain_text(path.read_bytes())
        return None if text is None else [{"value": line} for line in text.splitlines()]


def _mentioned(
    path: Path, name: str, rows: Sequence[StateRow] | None, traces: ItemTraces, *, bytes_too: bool
) -> set[str]:
    """The items with traces in a file's name, rows or bytes."""
    texts = [text for row in rows or () for text in all_texts(row)]
    texts += [name, *Path(name).parts, Path(name).stem]
    items = {item for named in traces.of_texts(texts).values() for item in named}
    for row in rows or ():
        for value in row.values():
            items |= traces.of_bytes(value) if isinstance(value, bytes) else set()
    for passage in _passages(path) if bytes_too else ():
        items |= traces.in_passage(passage)
    return items


def _passages(path: Path) -> Iterator[str]:
    """The runs of text in a file's bytes; all of it if the file is a text."""
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for match in _TEXT.finditer(data):
            text = match[0].decode("utf-8", "replace")
            yield text
            if len(text) < _COUNTED:
                yield text[1:]  # what stands before a text in other formats is its length, a byte
        for match in _WIDE.finditer(data):
            yield match[0].decode("utf-16-le")


def _values(
    path: Path, rows: Sequence[StateRow] | None, layer: Layer | None, traces: ItemTraces
) -> int:
    """How many values of a file cannot be searched; equal rows count once."""
    if rows is None:
        return -(-path.stat().st_size // _VALUE_BYTES)
    known: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = tuple(all_texts(row))
        if key not in known:
            known[key] = _values_of(row, key, layer, traces)
    return sum(known.values())


def _values_of(row: StateRow, texts: Sequence[str], layer: Layer | None, traces: ItemTraces) -> int:
    if any(sum(map(_is_word, text.split())) >= _WORDS_TO_LOOK_UP for text in texts):
        return 0
    own = row.get(layer.provenance) if layer is not None and layer.provenance is not None else None
    by_id = layer is not None and "id" in layer.match
    named = set(texts_in({"": own})) - {""}
    tokens = [
        token
        for text in texts_in(row)
        if text not in named
        for token in filter(None, _TOKENS.split(text))
    ]
    digests = 0 if traces.ids_are_digests else sum(map(looks_like_digest, tokens))
    if named or by_id:
        return digests
    blobs = [value for value in row.values() if isinstance(value, bytes) and not _is_text(value)]
    sizes = (-(-len(value) // _VALUE_BYTES) for value in blobs)
    short = any(traces.is_short_text(text) for text in texts)
    return digests + sum(map(_is_number, tokens)) + sum(sizes) + short


def _is_word(token: str) -> bool:
    return _WORD.search(token) is not None and not looks_like_digest(token)


def _is_text(value: bytes) -> bool:
    return plain_text(value) is not None


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True
