"""Values in the repository that a number of the text may come from.

An index of numbers: leaves of JSON files, row counts and column statistics of tables, and counts of
files in folders. A value that matches at the printed precision is a candidate. So is a count that
nearly matches, which often reveals a mistake: "13 files match, the text says ten".
"""

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Literal

import msgspec

from assay.claim_audit.agreement import number_of
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.claim_audit.printed_numbers import Printed
from assay.claim_audit.scan.mentions import Mention
from assay.errors import AssayError
from assay.tables.source import read_table

_MOST_LEAVES = 200_000
_MOST_BYTES = 4 << 20
_TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
_MOST_SHOWN = 3
_SPECIFIC = 3
"""With this many significant digits, a match is hardly a coincidence."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A checker that could cover a number, the value it finds, and how well that matches."""

    checker: str
    args: Mapping[str, Any]
    value: float | int
    match: Literal["equal", "near"]


class NumberIndex:
    """The numbers of a repository, by value."""

    def __init__(self, evidence: EvidenceReader) -> None:
        self._leaves: list[tuple[Decimal, str, Mapping[str, Any]]] = []
        for value, checker, args in _numbers_of(evidence):
            number = number_of(value)
            if number is not None:
                self._leaves.append((number, checker, args))
            if len(self._leaves) >= _MOST_LEAVES:
                break

    def candidates(self, mention: Mention) -> list[Candidate]:
        """What could cover a number: equal values first, then counts that are nearly the same."""
        printed = mention.printed
        if printed is None:
            return []
        equal = [leaf for leaf in self._leaves if printed.admits(leaf[0])]
        near = [] if equal else [leaf for leaf in self._leaves if _is_near(printed, leaf)]
        ordered = sorted(
            equal or near, key=lambda leaf: (not _shares(mention, leaf[2]), str(leaf[2]))
        )
        if len(ordered) > _MOST_SHOWN and _digits(printed) < _SPECIFIC:
            ordered = [leaf for leaf in ordered if _shares(mention, leaf[2])]
        kind: Literal["equal", "near"] = "equal" if equal else "near"
        return [
            Candidate(checker=checker, args=args, value=_plain(value), match=kind)
            for value, checker, args in ordered[:_MOST_SHOWN]
        ]


def _numbers_of(evidence: EvidenceReader) -> Iterator[tuple[Any, str, Mapping[str, Any]]]:
    folders: dict[tuple[str, str], int] = {}
    for name in evidence.known_files:
        folder, _, file = name.rpartition("/")
        suffix = file[file.rfind(".") :] if "." in file else ""
        folders[folder, suffix] = folders.get((folder, suffix), 0) + 1
        try:
            if evidence.path(name).stat().st_size > _MOST_BYTES:
                continue
            if suffix == ".json":
                for key, value in _leaves(evidence.json(name), ""):
                    yield value, "json_path_equals", {"path": name, "key_path": key}
            elif suffix in _TABLES:
                yield from _table_numbers(name, evidence)
        except (Unverifiable, NotThere, AssayError, OSError):
            continue
    for (folder, suffix), count in folders.items():
        pattern = f"{folder}/*{suffix}" if folder else f"*{suffix}"
        if suffix:
            yield count, "directory_file_count_equals", {"glob": pattern}


def _leaves(value: Any, key: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON is any of six types
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{key}[{number}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield key, value


def _table_numbers(
    name: str, evidence: EvidenceReader
) -> Iterator[tuple[Any, str, Mapping[str, Any]]]:
    rows = [row for _, row in read_table(evidence.path(name)).rows()]
    yield len(rows), "aggregate_equals", {"path": name, "statistic": "count"}
    for column in list(rows[0])[:50] if rows else ():
        numbers = [number_of(row.get(column)) for row in rows]
        known = [float(number) for number in numbers if number is not None]
        if len(known) < len(rows) or not all(map(math.isfinite, known)):
            continue
        found = {"mean": math.fsum(known) / len(known), "min": min(known), "max": max(known)}
        for what, value in found.items():
            yield value, "aggregate_equals", {"path": name, "statistic": what, "column": column}


def _is_near(printed: Printed, leaf: tuple[Decimal, str, Mapping[str, Any]]) -> bool:
    """Whether a count of files or rows is off by a little."""
    value, checker, args = leaf
    counts = checker == "directory_file_count_equals" or args.get("statistic") == "count"
    if not counts or printed.last_place != 1 or printed.value < 3:
        return False
    return abs(value - printed.value) <= max(Decimal(3), printed.value * Decimal("0.3"))


def _shares(mention: Mention, args: Mapping[str, Any]) -> bool:
    """Whether a word of the sentence occurs in the candidate's place."""
    place = " ".join(str(value) for value in args.values()).lower()
    words = {word.strip(".,;:()`*").lower().rstrip("s") for word in mention.sentence.split()}
    return any(len(word) > 3 and word in place for word in words)


def _digits(printed: Printed) -> int:
    return len(printed.value.normalize().as_tuple().digits)


def _plain(value: Decimal) -> float | int:
    return int(value) if value == value.to_integral_value() else float(value)
