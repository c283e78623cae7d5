"""The gate: files that may not be committed as they are."""

import csv
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from assay.digests import decode_utf8, json_lines, parse_json
from assay.dual_condition.commit_gate import Fault, check_result, is_result
from assay.dual_condition.matrix import FORMAT
from assay.dual_condition.matrix_folder import matrix_in
from assay.dual_condition.store import MOST_BYTES, claims_to_be_one
from assay.errors import AssayError, SpecError
from assay.files import read_bounded
from assay.report.matrix import CSV_HEAD, WRITERS, Mark, folder_of, mark_of

ENDINGS = (*WRITERS, ".jsonl", ".ndjson")
"""How files end that may be results or matrices, in any case of letters."""

_SKIPPED = frozenset({".git", ".venv", "node_modules", "__pycache__"})


class Gated(msgspec.Struct, frozen=True, kw_only=True):
    """A file: what it is, and every reason to refuse it. What is neither is not ours to judge."""

    file: str
    kind: str | None
    faults: tuple[Fault, ...] = ()


def gate_file(path: Path, *, shown: str | None = None, within: Path | None = None) -> Gated:
    """Look at one file; a matrix of results that lie not `within` a folder is none of it."""
    name = shown or str(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        return Gated(file=name, kind=None)
    data = read_bounded(path, MOST_BYTES)
    if ending in (".md", ".csv"):
        text = data.decode("utf-8", "replace")
        mark = mark_of(text) if ending == ".md" else _csv_mark(text)
        if mark is None:
            return Gated(file=name, kind=None)
        return Gated(file=name, kind="matrix", faults=_compare(path, data, mark, within))
    return _gate_json(path, data, name, within)


def candidates(folder: Path, *, everywhere: bool = False) -> Iterable[Path]:
    """The files below a folder that may be results or matrices; links hold nothing themselves.

    Folders of tools are passed over, unless it is to be `everywhere`.
    """
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if everywhere or name not in _SKIPPED)
        for name in sorted(files):
            path = Path(place, name)
            if path.suffix.lower() in ENDINGS and path.is_file() and not path.is_symlink():
                yield path


def _gate_json(path: Path, data: bytes, name: str, within: Path | None) -> Gated:
    lined = path.suffix.lower() != ".json"
    if lined and not _claims(data):
        return Gated(file=name, kind=None)
    try:
        whole: Any = (
            [value for _, value in json_lines(data, where=name)]
            if lined
            else parse_json(decode_utf8(data, where=name), where=name)
        )
    except SpecError as error:
        if not _claims(data):
            return Gated(file=name, kind=None)
        said = error.message.removeprefix(name).lstrip(":, ")
        return Gated(file=name, kind="result", faults=(Fault(kind="unreadable", message=said),))
    if _is_matrix(whole):
        of = whole.get("matrix_of")
        mark = Mark(of=of if isinstance(of, str) else None)
        return Gated(file=name, kind="matrix", faults=_compare(path, data, mark, within))
    found = list(_results_in(whole, ""))
    faults = [
        msgspec.structs.replace(fault, message=f"{place}: {fault.message}") if place else fault
        for place, record in found
        for fault in check_result(record, where=name)
    ]
    return Gated(file=name, kind="result" if found else None, faults=tuple(faults))


def _claims(data: bytes) -> bool:
    return claims_to_be_one(data) or b'"matrix_of"' in data or FORMAT.encode() in data


def _results_in(value: object, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every result that a JSON value is or holds, and where in it."""
    if isinstance(value, dict):
        if is_result(value):
            yield place, value
            return
        for key, child in value.items():
            yield from _results_in(child, f"{place}.{key:.60}".lstrip("."))
    elif isinstance(value, list):
        for at, child in enumerate(value):
            yield from _results_in(child, f"{place}[{at}]")


def _is_matrix(whole: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether a JSON value is a matrix, or was one before somebody edited it."""
    if not isinstance(whole, dict):
        return False
    rows = whole.get("rows")
    first = rows[0] if isinstance(rows, list) and rows else None
    like = isinstance(first, dict) and {"artifact", "learning_contribution"} <= set(first)
    return whole.get("format") == FORMAT or "matrix_of" in whole or like


def _csv_mark(text: str) -> Mark | None:
    """The mark of a CSV file whose first line has most of a matrix's columns."""
    lines = text.lstrip("\ufeff").splitlines()[:2]
    try:
        head, row = (next(csv.reader([line]), []) for line in (*lines, "", "")[:2])
    except csv.Error:
        return None
    if 2 * len(set(head) & set(CSV_HEAD)) < len(CSV_HEAD):
        return None
    return Mark(of=row[-1] if len(row) == len(CSV_HEAD) else None)


def _compare(path: Path, data: bytes, mark: Mark, within: Path | None) -> tuple[Fault, ...]:
    """Make a matrix again and hold it against what is there."""
    said = _compared(path, data, mark, within)
    return () if said is None else (Fault(kind="matrix", message=said),)


def _compared(path: Path, data: bytes, mark: Mark, within: Path | None) -> str | None:
    if mark.of is None:
        return "it does not say of which results it is the matrix; write one: assay matrix --out"
    of = folder_of(mark.of)
    folder = path.parent / of
    if of.startswith("/") or (
        within is not None and not folder.resolve().is_relative_to(within.resolve())
    ):
        return f"it says to be made from {of!r}, which does not lie beside it"
    try:
        again = WRITERS[path.suffix.lower()](matrix_in(folder), of=of, history=mark.history)
    except AssayError as error:
        return f"it cannot be made again from {of!r}: {error.message}"
    except (OSError, ValueError) as error:
        return f"it cannot be made again from {of!r}: {error}"
    if again.encode() == data:
        return None
    line = _first_difference(again, data.decode("utf-8", "replace"))
    again_by = f"make it again: assay matrix {of} --out {path.name}"
    said = f"it is not what the results in {of!r} give (line {line}): edited, or out of date"
    return f"{said}; {again_by}"


def _first_difference(one: str, other: str) -> int:
    pairs = zip(one.split("\n"), other.split("\n"), strict=False)
    return next((at for at, (a, b) in enumerate(pairs, 1) if a != b), 1 + one.count("\n"))
