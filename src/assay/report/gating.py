"""The gate: files that may not be committed as they are."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.digests import decode_utf8, parse_object
from assay.errors import AssayError, SpecError
from assay.evidence.trial import read_bounded
from assay.judges.dual.gate import Fault, check_result, is_result
from assay.judges.dual.matrix import FORMAT
from assay.report.matrix import CSV_HEAD, WRITERS, mark_of
from assay.study.dual_matrix import matrix_in
from assay.study.dual_results import MOST_BYTES

_ENDINGS = frozenset(WRITERS)
_SKIPPED = frozenset({".git", ".venv", "node_modules", "runs"})


class Gated(msgspec.Struct, frozen=True, kw_only=True):
    """A file: what it is, and every reason to refuse it. What is neither is not ours to judge."""

    file: str
    kind: str | None
    faults: tuple[Fault, ...] = ()


def gate_file(path: Path, *, shown: str | None = None) -> Gated:
    """Look at one file."""
    name = shown or str(path)
    if path.suffix not in _ENDINGS:
        return Gated(file=name, kind=None)
    data = read_bounded(path, MOST_BYTES)
    if path.suffix == ".json":
        return _gate_json(path, data, name)
    text = decode_utf8(data, where=name)
    mark = _mark_in(path, text)
    if mark is None:
        return Gated(file=name, kind=None)
    return Gated(file=name, kind="matrix", faults=tuple(_compare(path, data, *mark)))


def candidates(folder: Path) -> Iterable[Path]:
    """The files below a folder that may be results or matrices."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(files):
            if Path(name).suffix in _ENDINGS:
                yield Path(place, name)


def _gate_json(path: Path, data: bytes, name: str) -> Gated:
    try:
        record: Mapping[str, Any] = parse_object(data, where=name)
    except SpecError:
        if b'"condition_a_' not in data and b'"condition_b_' not in data:
            return Gated(file=name, kind=None)
        raise
    if record.get("format") == FORMAT:
        of = record.get("matrix_of")
        faults = _compare(path, data, str(of), history=False)
        return Gated(file=name, kind="matrix", faults=tuple(faults))
    if not is_result(record):
        return Gated(file=name, kind=None)
    return Gated(file=name, kind="result", faults=tuple(check_result(record, where=name)))


def _mark_in(path: Path, text: str) -> tuple[str, bool] | None:
    """Of which folder a file says it is the matrix, and whether with the history."""
    if path.suffix == ".md":
        return mark_of(text)
    first, _, rest = text.partition("\n")
    if first != ",".join(CSV_HEAD):
        return None
    import csv

    row = next(csv.reader([rest.partition("\n")[0]]), [])
    return (row[-1] if row else "", False)


def _compare(path: Path, data: bytes, of: str, history: bool) -> list[Fault]:
    """Make a matrix again and hold it against what is there."""
    folder = path.parent / of
    try:
        again = WRITERS[path.suffix](matrix_in(folder), of=of, history=history)
    except AssayError as error:
        said = f"it cannot be made again from {of!r}: {error.message}"
        return [Fault(kind="matrix", message=said)]
    if again.encode() == data:
        return []
    line = _first_difference(again, data.decode("utf-8", "replace"))
    said = f"it is not what the results in {of!r} give (line {line}): edited, or out of date"
    return [Fault(kind="matrix", message=said)]


def _first_difference(one: str, other: str) -> int:
    pairs = zip(one.splitlines(), other.splitlines(), strict=False)
    return next((at for at, (a, b) in enumerate(pairs, 1) if a != b), 1 + one.count("\n"))
