"""Logs of ragas: `experiments/NAME.csv` beside `datasets/`, and saved results of `evaluate`.

A row of an experiment is a row of its dataset with added columns; those with numbers, or with pass
and fail, are metrics. A failed item has no row: the dataset shows how many there should be. Rows
are in the order in which they finished, and pair by the id of the dataset. A result of `evaluate`
has the columns of a sample (`user_input`, `response`) first, then its metrics. An empty score is an
unscored item. No file of ragas holds a mean.

An experiment can have any columns, so a file is recognised as one only if it is in `experiments`
and each of its rows is in a dataset beside it.
"""

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

from assay.errors import AssayError, SpecError, storage
from assay.logs.columns.metric_names import is_cost
from assay.logs.instance_names import named, numbered
from assay.logs.log import LogRun, Sample
from assay.logs.log_file import LogFile, fingerprint, number
from assay.tables.nested import Row
from assay.tables.rows import rows_of

_SUFFIXES = (".csv", ".jsonl")
_SAMPLE = frozenset(
    "user_input response reference retrieved_contexts reference_contexts retrieved_context_ids"
    " reference_context_ids multi_responses rubrics rubric persona_name query_style"
    " query_length reference_topics reference_tool_calls synthesizer_name".split()
)
_OLD_SAMPLE = frozenset("question answer contexts ground_truth ground_truths".split())
_OLD_METRICS = frozenset(
    "faithfulness answer_relevancy context_precision context_recall context_relevancy"
    " answer_correctness answer_similarity context_entity_recall harmfulness".split()
)
_OURS = frozenset({"instance", "trial"})
_ANSWERS = ("response", "output", "answer", "prediction", "generated_answer", "result")
_QUESTIONS = ("user_input", "question", "query", "input", "prompt")
_TARGETS = ("reference", "target", "ground_truth", "expected_output", "expected", "grading_notes")
_WORDS = {"pass": 1.0, "fail": 0.0, "true": 1.0, "false": 0.0}
_BLANK = frozenset({"", "nan", "none", "null"})


class _RagasDataset(NamedTuple):
    file: LogFile
    columns: Sequence[str]
    rows: Sequence[Row]


def recognise(file: LogFile) -> bool:
    """Whether a table is an experiment on a dataset beside it, or a result of `evaluate`."""
    if file.path.suffix.lower() not in _SUFFIXES:
        return False
    try:
        return _is_result(file) or _dataset(file) is not None
    except (AssayError, csv.Error):
        return False


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The one run of a table."""
    dataset = None if _is_result(file) else _dataset(file)
    rows = [row for _, row in rows_of(file.path, file.data)]
    columns = _columns(rows)
    known = _SAMPLE | _OLD_SAMPLE if dataset is None else frozenset(dataset.columns)
    added = [name for name in columns if name not in known and name not in _ANSWERS]
    numeric = [name for name in added if _is_numeric([row.get(name) for row in rows])]
    metrics = [name for name in numeric if not is_cost(name)]
    if not metrics:
        raise SpecError(f"{file}: no column of scores; the columns are {', '.join(columns[:12])}")
    names = _evaluated(rows) if dataset is None else _items(rows, dataset)
    notes = ["ragas stores no mean to compute again, and no errors"]
    if dataset is not None:
        notes.append(f"how many rows there should be is taken from {dataset.file.path.name}")
    return [
        LogRun(
            harness="ragas",
            task="evaluate" if dataset is None else dataset.file.path.stem,
            model=None if dataset is None else file.path.stem,
            scorer=", ".join(sorted(metrics)),
            samples=tuple(
                Sample(
                    instance=name,
                    trial=trial,
                    scores={metric: _score(row.get(metric)) for metric in metrics},
                    costs=_costs(row, numeric),
                    question=_picked(row, _QUESTIONS) if texts else None,
                    response=_picked(row, _ANSWERS) if texts else None,
                    target=_picked(row, _TARGETS) if texts else None,
                )
                for row, name, trial in zip(rows, names, numbered(names), strict=True)
            ),
            planned=None if dataset is None or _repeats(names) else len(dataset.rows),
            place=str(file),
            files=(file, *([] if dataset is None else [dataset.file])),
            notes=tuple(notes),
        )
    ]


def _header(file: LogFile) -> list[str]:
    """The columns of a table, from its first bytes."""
    if file.path.suffix.lower() == ".jsonl":
        return sorted(file.keys)
    head = file.head.decode("utf-8-sig", "replace")
    return next(csv.reader(io.StringIO(head, newline="")), [])


def _is_result(file: LogFile) -> bool:
    """Whether columns are those of a saved result: a sample's first, then its metrics."""
    header = _header(file)
    names = set(header)
    if names & _OURS or file.path.suffix.lower() != ".csv":
        return False
    if {"question", "contexts"} <= names and names & _OLD_METRICS:
        return True
    if "user_input" not in names or not names & {"response", "retrieved_contexts"}:
        return False
    leading = [name in _SAMPLE for name in header]
    return not all(leading) and leading == sorted(leading, reverse=True)


def _dataset(file: LogFile) -> _RagasDataset | None:
    """The dataset beside an experiment that has all its rows; None if there is none."""
    folder = file.path.parent.parent / "datasets"
    if file.path.parent.name != "experiments":
        return None
    with storage(folder):
        paths = sorted(folder.glob(f"*{file.path.suffix}")) if folder.is_dir() else []
    header = set(_header(file))
    for path in paths:
        beside = LogFile(path)
        columns = _header(beside)
        if not columns or not set(columns) < header or header & _OURS:
            continue
        rows = [row for _, row in rows_of(path, beside.data)]
        known = {_cells(row, columns) for row in rows}
        if all(_cells(row, columns) in known for _, row in rows_of(file.path, file.data)):
            return _RagasDataset(beside, columns, rows)
    return None


def _cells(row: Row, columns: Sequence[str]) -> tuple[str, ...]:
    """Cells of a row as texts, independent of the spelling of numbers and missing values."""
    numbers = {name: _score(row.get(name)) for name in columns}
    return tuple(
        "" if _is_blank(row.get(name)) else str(row.get(name) if value is None else value)
        for name, value in numbers.items()
    )


def _items(rows: Sequence[Row], dataset: _RagasDataset) -> list[str]:
    """A name for each row, by the first column that is unique in the dataset."""
    for name in sorted(dataset.columns, key=lambda name: name != "id"):
        values = {str(row.get(name)) for row in dataset.rows}
        if len(values) == len(dataset.rows) and "" not in values:
            stored = {_cells(row, dataset.columns): row for row in dataset.rows}
            return [named(str(stored[_cells(row, dataset.columns)].get(name))) for row in rows]
    return [named(list(_cells(row, dataset.columns))) for row in rows]


def _evaluated(rows: Sequence[Row]) -> list[str]:
    """A name for each row of a result: its input, with its reference if an input has several."""
    references: dict[str, set[str]] = {}
    pairs = [(str(_picked(row, _QUESTIONS)), str(_picked(row, _TARGETS))) for row in rows]
    for question, reference in pairs:
        references.setdefault(question, set()).add(reference)
    return [
        named(question) if len(references[question]) == 1
        else f"{named(question)} @ {fingerprint(reference)}"
        for question, reference in pairs
    ]  # fmt: skip


def _repeats(names: Sequence[str]) -> bool:
    return len(set(names)) < len(names)


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _is_numeric(cells: Sequence[object]) -> bool:
    filled = [cell for cell in cells if not _is_blank(cell)]
    return bool(filled) and all(_score(cell) is not None for cell in filled)


def _is_blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in _BLANK)


def _score(cell: object) -> float | None:
    if not isinstance(cell, str):
        return number(cell)
    word = cell.strip().lower()
    if word in _WORDS:
        return _WORDS[word]
    try:
        return None if _is_blank(cell) or "_" in word else number(float(word))
    except ValueError:
        return None


def _costs(row: Row, numeric: Sequence[str]) -> dict[str, float]:
    found = {name: _score(row.get(name)) for name in numeric if is_cost(name)}
    return {name: value for name, value in found.items() if value is not None}


def _picked(row: Row, names: Sequence[str]) -> str | None:
    found = next((row[name] for name in names if name in row), None)
    return None if found is None else str(found)
