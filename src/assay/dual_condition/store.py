"""Result files on disk: read them, make their matrix, keep B's history, check them for commits."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec

from assay.digests import parse_object
from assay.dual_condition.commit_gate import Fault, is_result
from assay.dual_condition.committed_file import (
    ENDINGS,
    CheckedFile,
    check_contents,
    claims_to_be_result,
)
from assay.dual_condition.evidence import DualEvidence, Past
from assay.dual_condition.matrix import Mark, Matrix, matrix_of
from assay.dual_condition.result import EnteredResult
from assay.dual_condition.result_file import (
    DIGEST,
    EARLIER,
    FORMAT,
    headline_keys,
    result_digest,
)
from assay.errors import AssayError, DigestMismatch, SpecError, storage
from assay.files import read_bounded

MOST_BYTES = 1 << 30
RESULTS = "results"
"""The folder of results beside a spec, if no other is named."""
_MOST_PAST = 1000
_SKIPPED = frozenset({".git", ".venv", "node_modules", "__pycache__"})
MatrixWriters = Mapping[str, Callable[..., str]]
"""How a matrix is written, by the ending of the file."""
Standing = Callable[[Path, bytes], EnteredResult | None]
"""Finds the ledger entry of a result file, if one names it."""


def read_result(path: Path) -> Mapping[str, Any]:
    """A JSON object from a file."""
    return parse_object(read_bounded(path, MOST_BYTES), where=str(path))


def result_files(folder: Path) -> list[Path]:
    """The files of a folder that may be results, in order of name; hidden ones are skipped."""
    with storage(folder):
        if not folder.is_dir():
            raise SpecError(f"there is no folder {str(folder)!r}")
        files = [path for path in folder.glob("*.json") if path.is_file()]
    return sorted(path for path in files if not path.name.startswith("."))


def matrix_in(*folders: Path, standing: Standing | None = None) -> Matrix:
    """The matrix of all results in a folder, or in several; other JSON files are skipped."""
    results, entered = {}, {}
    for path in (path for folder in folders for path in result_files(folder)):
        name = path.name if len(folders) == 1 else path.as_posix()
        data = read_bounded(path, MOST_BYTES)
        try:
            record = parse_object(data, where=str(path))
        except SpecError:
            if claims_to_be_result(data):
                raise
            continue
        if is_result(record):
            results[name] = record
            entry = None if standing is None else standing(path, data)
            if entry is not None:
                entered[name] = entry
    if not results:
        places = ", ".join(map(str, folders))
        inner = next((folder / RESULTS for folder in folders if (folder / RESULTS).is_dir()), None)
        hint = "Make one: assay dual SPEC.toml" if inner is None else f"Did you mean {inner}?"
        raise SpecError(f"{places}: no dual-condition results", hint=hint)
    return matrix_of(results, entered)


def candidate_files(folder: Path, *, everywhere: bool = False) -> Iterator[Path]:
    """The files below a folder that may be results or matrices, without links.

    Folders of tools are skipped unless `everywhere`.
    """
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if everywhere or name not in _SKIPPED)
        for name in sorted(files):
            path = Path(place, name)
            if path.suffix.lower() in ENDINGS and path.is_file() and not path.is_symlink():
                yield path


def check_file(
    path: Path,
    *,
    writers: MatrixWriters,
    shown: str | None = None,
    within: Path | None = None,
    standing: Standing | None = None,
) -> CheckedFile:
    """Check one file; the results of a matrix must be `within` a folder, if one is given."""
    name, ending = shown or str(path), path.suffix.lower()
    if ending not in ENDINGS:
        return CheckedFile(file=name, kind=None)
    data = read_bounded(path, MOST_BYTES)

    def matrix_fault(mark: Mark) -> str | None:
        return _matrix_fault(path, data, mark, writers, within, standing)

    checked = check_contents(name, ending, data, matrix_fault=matrix_fault)
    if checked.kind != "result" or standing is None:
        return checked
    try:
        return msgspec.structs.replace(checked, entered=standing(path, data))
    except DigestMismatch as error:
        changed = Fault(kind="checksum", message=error.message.removeprefix(f"{path}: "))
        return msgspec.structs.replace(checked, faults=(*checked.faults, changed))


def _matrix_fault(
    path: Path,
    data: bytes,
    mark: Mark,
    writers: MatrixWriters,
    within: Path | None,
    standing: Standing | None,
) -> str | None:
    """How a matrix differs from what its results give; None if it does not."""
    of = unquote(str(mark.of))
    folder = path.parent / of
    if of.startswith("/") or (
        within is not None and not folder.resolve().is_relative_to(within.resolve())
    ):
        return f"it claims to be made from {of!r}, which is not beside it"
    try:
        matrix = matrix_in(folder, standing=standing)
        again = writers[path.suffix.lower()](matrix, of=of, history=mark.history)
    except AssayError as error:
        return f"it cannot be made again from {of!r}: {error.message}"
    except (OSError, ValueError) as error:
        return f"it cannot be made again from {of!r}: {error}"
    if again.encode() == data:
        return None
    line = _first_difference(again, data.decode("utf-8", "replace"))
    return (
        f"line {line} differs from what the results in {of!r} give: edited or out of date; make it"
        f" again: assay matrix {of} `out={path.name}`"
    )


def _first_difference(ours: str, theirs: str) -> int:
    pairs = zip(ours.split("\n"), theirs.split("\n"), strict=False)
    return next((at for at, (a, b) in enumerate(pairs, 1) if a != b), 1 + ours.count("\n"))


def earlier(path: Path, mark: str) -> Mapping[str, Any] | None:
    """The earlier result file of the same runs, if there is one."""
    with storage(path):
        if not path.is_file():
            return None
    try:
        record = read_result(path)
    except AssayError:
        return None
    same = record.get("reproducibility_checksum") == mark and isinstance(record.get("made"), str)
    return record if same and record.get(DIGEST) == result_digest(record) else None


def past_results(
    folder: Path, evidence: DualEvidence, *, before: str, mark: str, but: Path
) -> tuple[Past, ...]:
    """Condition B of every earlier result on the same corpus, system and metric, oldest first.

    A result carries its own past, so deleting an old result keeps its figures. `but` is the path of
    the new result: a file there is replaced, and counts only if it was not edited.
    """
    pasts: dict[str, Past] = {}
    for path in result_files(folder):
        try:
            record = read_result(path)
        except AssayError:
            continue
        if _is_of(record, evidence):
            if record.get(DIGEST) != result_digest(record):
                if path == but:
                    continue
                raise DigestMismatch(
                    f"{path}: its {DIGEST} does not match its contents, and B's history is in it",
                    hint="It was edited. Restore it; the finished runs are kept.",
                )
            for past in _pasts(record, evidence.metric):
                pasts.setdefault(past.checksum, past)
    pasts.pop(mark, None)
    kept = sorted(
        (past for past in pasts.values() if past.made < before), key=lambda past: past.made
    )
    return tuple(kept[-_MOST_PAST:])


def _is_of(record: Mapping[str, Any], evidence: DualEvidence) -> bool:
    inputs = record.get("inputs")
    return (
        record.get("format") in (FORMAT, *EARLIER)
        and record.get("corpus") == evidence.corpus
        and record.get("metric") == evidence.metric
        and record.get("system") == evidence.system
        and isinstance(inputs, dict)
        and inputs.get("benchmark_digest") == evidence.inputs.benchmark_digest
    )


def _pasts(record: Mapping[str, Any], metric: str) -> list[Past]:
    """B of a result, and of the results in its history."""
    pasts = []
    try:
        pasts += msgspec.convert(record.get("history", []), list[Past])
        key = headline_keys(metric)["b"]
        if record.get("row") == "reported":
            low, high = record[f"{key}_interval"]
            own = {"made": record["made"], "checksum": record["reproducibility_checksum"]}
            own |= {"value": record[key], "low": low, "high": high}
            pasts.append(msgspec.convert(own, Past))
    except (KeyError, TypeError, ValueError):
        pass
    return pasts
