"""Check a file that is about to be committed.

Dual-condition results and matrices of `assay matrix` are checked; every other file passes.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from assay.digests import decode_utf8, json_lines, parse_json
from assay.dual_condition.commit_gate import (
    Fault,
    blocked_row,
    check_result,
    is_result,
    undecided_split,
)
from assay.dual_condition.matrix import FORMAT as MATRIX
from assay.dual_condition.matrix import Mark, mark_in_csv, mark_in_json, mark_in_markdown
from assay.dual_condition.result import EnteredResult
from assay.errors import SpecError
from assay.result import Result
from assay.wording import counted

ENDINGS = (".md", ".csv", ".json", ".jsonl", ".ndjson")
"""The endings of files that may be results or matrices, in upper or lower case."""
SELF_CONSISTENT = "it agrees with itself, but nothing shows that its scores were measured"
"""All that can be shown for a result without a ledger entry: it may be invented."""
MatrixFault = Callable[[Mark], str | None]
"""Makes the marked matrix again; returns how the file differs from it."""


class CheckedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file, its kind, faults and notes; `kind` is None for any other file.

    `blocked` counts its results whose row is blocked, which agree with themselves and have no
    numbers. `entered` is the entry that its run made in the ledger of a study.
    """

    file: str
    kind: str | None
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    blocked: int = 0
    entered: EnteredResult | None = None

    @property
    def shows(self) -> str | None:
        """What is shown for a file that is not refused, if anything."""
        if self.faults or self.kind is None:
            return None
        if self.kind == "matrix":
            return "it is what its results give"
        if self.entered is None:
            return SELF_CONSISTENT
        return (
            f"it agrees with itself and matches entry {self.entered.entry} of the study"
            f" {self.entered.study}: assay verify"
        )


class GateReport(Result, frozen=True, kw_only=True):
    """The files that are results or matrices, each with its faults."""

    files: tuple[CheckedFile, ...]

    @property
    def exit_code(self) -> int:
        """0 if nothing is refused, else the exit code of the most serious fault."""
        return max((fault.exit_code for file in self.files for fault in file.faults), default=0)

    @property
    def summary(self) -> str:
        """How many files are in order, and how many are refused."""
        if not self.files:
            return "no dual-condition results or matrices here"
        refused = sum(bool(file.faults) for file in self.files)
        passed = f"{counted(len(self.files) - refused, 'file')} in order"
        blocked = sum(file.blocked for file in self.files if not file.faults)
        if blocked:
            passed += f" ({counted(blocked, 'row')} blocked)"
        return passed + (f", {refused} refused" if refused else "")

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each file."""
        return [
            {
                "file": file.file,
                "kind": file.kind,
                "refused": bool(file.faults),
                "blocked": file.blocked,
                "faults": "; ".join(fault.message for fault in file.faults) or None,
                "shows": file.shows,
            }
            for file in self.files
        ]

    def lines(self) -> list[str]:
        """How many are refused, the first faults, and which rows are blocked."""
        faults = [
            f"{file.file:.80}: {fault.kind}: {fault.message}"
            for file in self.files
            for fault in file.faults
        ]
        notes = [f"{file.file:.80}: {file.notes[0]}" for file in self.files if file.blocked]
        return [self.summary, *faults[:5], *notes[:5]]


def check_contents(
    name: str, ending: str, data: bytes, *, matrix_fault: MatrixFault
) -> CheckedFile:
    """Check a file by its bytes; if it is a matrix, it is made again to compare."""
    if ending not in ENDINGS:
        return CheckedFile(file=name, kind=None)
    if ending not in (".md", ".csv"):
        return _check_json(name, ending, data, matrix_fault)
    text = data.decode("utf-8", "replace")
    mark = mark_in_markdown(text) if ending == ".md" else mark_in_csv(text)
    return CheckedFile(file=name, kind=None) if mark is None else _matrix(name, mark, matrix_fault)


def claims_to_be_result(data: bytes) -> bool:
    """Whether the bytes of a file look like a result, valid JSON or not."""
    return any(sign in data for sign in (b'"condition_a_', b'"condition_b_', b"assay-dual/"))


def _check_json(name: str, ending: str, data: bytes, matrix_fault: MatrixFault) -> CheckedFile:
    lined = ending != ".json"
    claims = claims_to_be_result(data) or b'"matrix_of"' in data or MATRIX.encode() in data
    if lined and not claims:
        return CheckedFile(file=name, kind=None)
    try:
        whole: Any = (
            [value for _, value in json_lines(data, where=name)]
            if lined
            else parse_json(decode_utf8(data, where=name), where=name)
        )
    except SpecError as error:
        if not claims:
            return CheckedFile(file=name, kind=None)
        message = error.message.removeprefix(name).lstrip(":, ")
        fault = Fault(kind="unreadable", message=message)
        return CheckedFile(file=name, kind="result", faults=(fault,))
    mark = mark_in_json(whole)
    if mark is not None:
        return _matrix(name, mark, matrix_fault)
    results = list(_results_in(whole, ""))
    faults = [
        msgspec.structs.replace(fault, message=f"{place}: {fault.message}") if place else fault
        for place, record in results
        for fault in check_result(record, where=name)
    ]
    blocked = [note for _, record in results if (note := blocked_row(record)) is not None]
    undecided = [note for _, record in results if (note := undecided_split(record)) is not None]
    return CheckedFile(
        file=name,
        kind="result" if results else None,
        faults=tuple(faults),
        notes=(*blocked, *undecided),
        blocked=len(blocked),
    )


def _matrix(name: str, mark: Mark, matrix_fault: MatrixFault) -> CheckedFile:
    message = (
        "it does not name its folder of results; write it again: assay matrix `out=`"
        if mark.of is None
        else matrix_fault(mark)
    )
    faults = () if message is None else (Fault(kind="matrix", message=message),)
    return CheckedFile(file=name, kind="matrix", faults=faults)


def _results_in(value: object, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every result in a JSON value, with its place."""
    if isinstance(value, dict):
        if is_result(value):
            yield place, value
            return
        for key, child in value.items():
            yield from _results_in(child, f"{place}.{key:.60}".lstrip("."))
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from _results_in(child, f"{place}[{number}]")
