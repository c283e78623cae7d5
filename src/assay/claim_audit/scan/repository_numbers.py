"""The numbers that a repository's files hold, each with the checker that finds it.

Leaves of JSON files, row counts and column statistics of tables, and counts of files in folders.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.claim_audit.checkers.aggregates import numbers_in
from assay.claim_audit.checkers.chosen_rows import cells_in, rows_of
from assay.claim_audit.checkers.key_path import joined
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.tables.nested import as_word

MOST_BYTES = 4 << 20
_TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
_LOG = re.compile(r"results_.*\.json")
_MOST_COLUMNS = 50
_MOST_ROWS_COMPARED = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A number, the checker that finds it, and its arguments; `counts` files or rows."""

    value: int | float
    checker: str
    args: Mapping[str, str]
    counts: bool = False


class RepositoryNumbers:
    """The numbers of a repository; `too_large` counts the files that were not read."""

    def __init__(self, evidence: EvidenceReader) -> None:
        self.evidence = evidence
        self.too_large = 0

    def __iter__(self) -> Iterator[Found]:
        folders: Counter[tuple[str, str]] = Counter()
        parts = [name.rpartition("/") for name in self.evidence.known_files]
        logs = {folder for folder, _, file in parts if _LOG.fullmatch(file)}
        for name in self.evidence.known_files:
            if not name.isprintable():
                continue
            folder, _, file = name.rpartition("/")
            suffix = file[file.rfind(".") :] if "." in file else ""
            folders[folder, suffix] += 1
            if suffix != ".json" and suffix not in _TABLES:
                continue
            if file.startswith("samples_") and folder in logs:  # its metrics are those of the log
                continue
            if self.evidence.size(name) > MOST_BYTES:
                self.too_large += 1
                continue
            try:
                yield from self._of_json(name) if suffix == ".json" else self._of_table(name)
            except (Unverifiable, NotThere):
                continue
        for (folder, suffix), count in folders.items():
            pattern = f"{folder}/*{suffix}" if folder else f"*{suffix}"
            if suffix and not set(pattern[: -len(suffix) - 1]) & set("*?["):
                args = {"glob": pattern}
                checker = "directory_file_count_equals"
                yield Found(value=count, checker=checker, args=args, counts=True)

    def _of_json(self, name: str) -> Iterator[Found]:
        whole = self.evidence.json(name)
        if _holds_claims(whole):  # a claim is no evidence of itself
            return
        if _is_of_log(whole):
            yield from self._of_log(name, whole)
            return
        for key, value in _leaves(whole, ""):
            if key.isprintable() and key:
                args = {"path": name, "key_path": key}
                yield Found(value=value, checker="json_path_equals", args=args)

    def _of_log(self, name: str, whole: Mapping[str, Any]) -> Iterator[Found]:
        """The metrics of a harness's log, by the folder that holds it if that has no other."""
        folder = name.rpartition("/")[0]
        beside = [one for one in self.evidence.known_files if one.rpartition("/")[0] == folder]
        others = [one for one in beside if one.endswith(".json") and one != name]
        path = folder if folder and not others else name
        for task, own in whole["results"].items():
            metrics = own.items() if isinstance(own, dict) else ()
            for metric, value in metrics:
                if "," in metric and isinstance(value, (int, float)) and str(task).isprintable():
                    args = {"path": path, "task": str(task), "metric": metric}
                    yield Found(value=value, checker="log_metric_equals", args=args)

    def _of_table(self, name: str) -> Iterator[Found]:
        rows = rows_of(name, self.evidence)
        args = {"path": name, "statistic": "count"}
        yield Found(value=len(rows), checker="aggregate_equals", args=args, counts=True)
        for column in list(rows[0])[:_MOST_COLUMNS] if rows else ():
            if not column.isprintable():
                continue
            for what, value in _statistics(cells_in(rows, column), len(rows)).items():
                args = {"path": name, "statistic": what, "column": column}
                yield Found(value=value, checker="aggregate_equals", args=args)


def _holds_claims(value: Any) -> bool:  # noqa: ANN401 - JSON is any of six types
    """Whether a JSON file is a list of claims, or an audit of them."""
    rows = value.get("claims", value.get("claim")) if isinstance(value, dict) else value
    return (
        isinstance(rows, list)
        and bool(rows)
        and all(isinstance(row, dict) and "checker" in row for row in rows)
    )


def _is_of_log(value: Any) -> bool:  # noqa: ANN401 - JSON is any of six types
    """Whether a JSON file states the results of lm-evaluation-harness."""
    parts = ("results", "configs", "versions")
    return isinstance(value, dict) and all(isinstance(value.get(part), dict) for part in parts)


def _leaves(value: Any, key: str) -> Iterator[tuple[str, int | float]]:  # noqa: ANN401 - JSON is any of six types
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, joined(key, str(name)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{key}[{number}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield key, value


def _statistics(cells: list[object], rows: int) -> dict[str, int | float]:
    """What is proposed of a column: of numbers their mean and ends, and how many values differ."""
    numbers = numbers_in(cells)
    found: dict[str, int | float] = {}
    if numbers:
        mean = math.fsum(numbers) / len(numbers)
        found |= {"mean": mean, "min": min(numbers), "max": max(numbers)}
    if len(cells) <= _MOST_ROWS_COMPARED:
        distinct = len({as_word(cell) for cell in cells})
        found |= {"distinct": distinct} if 1 < distinct < rows else {}
    return found
