"""The scores of methods on a benchmark: from files, logs, saved runs, or memory.

A method has one name, and one set of scores for each seed or epoch: not their mean, which would be
another method, nor only the first, which its author may have chosen.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

from assay.benchmark.benchmark import Benchmark, Columns
from assay.benchmark.load import load_benchmark, read_again, read_fields
from assay.confounding.pairing import Labels
from assay.confounding.score_values import (
    column_by_index,
    is_array,
    is_cell,
    scores_by_label,
    scores_in_array,
    scores_in_order,
)
from assay.errors import SpecError, storage
from assay.files import named_path
from assay.gauntlet.judge import checked_outputs
from assay.logs.columns.number_texts import read_numbers
from assay.logs.log_records import read_log_scores
from assay.logs.scores import load_scores
from assay.runs.answers import score_of
from assay.runs.result import Run
from assay.runs.store import HEAD, load_run
from assay.tables.forms import endings
from assay.tables.in_memory.index import labels_of
from assay.tables.in_memory.table import table_in_memory
from assay.tables.in_memory.values import label_texts
from assay.tables.nested import dotted, listed_names, with_paths
from assay.tables.source import NO_PATHS, TableSource, shown

Scores = dict[str, float]
"""A method's scores by record id."""


@dataclass(frozen=True, kw_only=True)
class ScoreColumn:
    """Which column holds the scores (of a log, its metric), and how files of them are encoded."""

    name: str = "score"
    encoding: str | None = None


def score_columns(
    names: str | Sequence[str] | None, encoding: str | None
) -> tuple[ScoreColumn, ...]:
    """The columns that were named, one or several, of files in one encoding; none if none was."""
    listed = [names] if isinstance(names, str) else names or ()
    return tuple(ScoreColumn(name=name, encoding=encoding) for name in listed)


def method_scores(
    sources: object,
    benchmark: Benchmark,
    columns: Sequence[ScoreColumn] = (),
    *,
    encoding: str | None = None,
    readings: dict[str, str] | None = None,
) -> dict[str, Scores]:
    """The scores of each method by its name, with the seed if there are several.

    With several columns each is a method, called by the name of its column.

    `sources` are a path, a run, scores by id, numbers in the order of the records, an array, a
    series, rows or a frame; or several of these, in a list or by name. Without sources, columns
    that are named are those of the benchmark's own rows. `encoding` is that of files if no column
    is named. How texts were read as numbers is added to `readings`, by method.
    """
    readings = {} if readings is None else readings
    if columns and (sources is None or (isinstance(sources, (list, tuple)) and not sources)):
        sources = _of_the_data(benchmark, columns, readings)
        columns = () if isinstance(sources, dict) else columns
    columns = columns or (ScoreColumn(encoding=encoding),)
    names = [column.name for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise SpecError(f"`score={name}` is given twice")
    by_name: dict[str, Scores] = {}
    listed = list(_listed(sources, benchmark, names))
    for given, source in listed:
        for column in columns[:1] if _is_run(source) else columns:
            told: dict[str, str] = {}
            name, found = _scores_of(source, benchmark, column, told)
            if given is not None:
                name = given
            if len(columns) > 1 and not _is_run(source):
                named = given is not None or len(listed) > 1
                name = f"{name}, {column.name}" if named else column.name
            if given is None or name in by_name:
                name = _free(name, source, len(found), by_name)
            readings.update((name, said) for said in told.values())
            for number, scores in enumerate(found, 1):
                by_name[_under_seed(name, number, len(found))] = scores
    return by_name


def _of_the_data(
    benchmark: Benchmark, columns: Sequence[ScoreColumn], readings: dict[str, str]
) -> object:
    """The benchmark's own log, or the named columns of its rows, by name."""
    if benchmark.labelled_by is not None and benchmark.origin is not None:
        return benchmark.origin.place
    return {column.name: _own_column(column.name, benchmark, readings) for column in columns}


def _is_run(source: object) -> bool:
    """Whether a source is a run, whose scores are in no column."""
    if isinstance(source, (str, PathLike)):
        path = named_path(Path(source), "scores")
        with storage(path):
            return (path / HEAD).is_file()
    return isinstance(source, Run)


def _under_seed(name: str, number: int, seeds: int) -> str:
    return f"{name}, seed {number} of {seeds}" if seeds > 1 else name


def _free(name: str, source: object, seeds: int, taken: Mapping[str, Scores]) -> str:
    """A unique name: the whole path of a file, or a number appended."""
    if _under_seed(name, 1, seeds) not in taken:
        return name
    if isinstance(source, (str, PathLike)):
        return str(source)
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
    return next(free for free in numbered if _under_seed(free, 1, seeds) not in taken)


def _listed(
    sources: object, benchmark: Benchmark, names: Sequence[str]
) -> Iterable[tuple[str | None, object]]:
    """Each source with the name that it is given, if any."""
    if sources is None or (isinstance(sources, (Mapping, list, tuple)) and not sources):
        return ()
    if isinstance(sources, Mapping):
        if _is_numbers(sources.values()) or _is_by_id(sources, benchmark):
            return ((None, sources),)
        if any(_is_column(sources.get(name), sources, benchmark) for name in names):
            return ((None, sources),)
        return ((str(name), source) for name, source in sources.items())
    if isinstance(sources, (list, tuple)):
        if _is_numbers(sources) or all(isinstance(source, Mapping) for source in sources):
            return ((None, sources),)
        paths = [str(source) for source in sources if isinstance(source, (str, PathLike))]
        for path in paths:
            if paths.count(path) > 1:
                raise SpecError(f"`scores={path}` is given twice")
        return ((None, source) for source in sources)
    return ((None, sources),)


def _is_column(values: object, table: Mapping[object, object], benchmark: Benchmark) -> bool:
    """Whether values are a column of a table with ids, and not the scores of one method."""
    ids = _columns(benchmark).id or "id"
    return isinstance(values, Sequence) or (is_array(values) and ids in table)


def _is_numbers(values: Iterable[object]) -> bool:
    return all(value is None or isinstance(value, Real) for value in values)


def _is_by_id(sources: Mapping[object, object], benchmark: Benchmark) -> bool:
    """Whether texts by name are scores by record id, as `csv` reads them, and not paths."""
    if not all(is_cell(value) for value in sources.values()):
        return False
    ids = set(benchmark.all_ids)
    return any(str(name) in ids for name in sources)


def _scores_of(
    source: object,
    benchmark: Benchmark,
    column: ScoreColumn,
    readings: dict[str, str],
) -> tuple[str, list[Scores]]:
    """The name of a method and its scores, under each seed."""
    if isinstance(source, Run):
        return _run_scores(source, "the run", benchmark)
    if isinstance(source, (str, PathLike)):
        return _scores_at(Path(source), benchmark, column, readings)
    by_id = _by_id(source, benchmark, readings)
    name = "scores"
    if by_id is None:
        table = table_in_memory(source)
        name = table.name if column.name == ScoreColumn.name else column.name
        table = replace(table, place="the scores")
        rows = [row for _, row in table.rows()] if table.index is not None else []
        found = column_by_index(rows, column.name, _id_columns(benchmark)) if rows else None
        labels = _labels(labels_of(source), "frame")
        if found is None or labels is None:
            return name, [_table_scores(table, benchmark, column, readings)]
        name = name if found[0] == column.name else found[0]
        by_id = scores_by_label(found[1], labels, benchmark, readings)
    pairs = [{"id": str(record), column.name: value} for record, value in by_id.items()]
    table = table_in_memory(pairs, name="scores")
    scores = load_scores(table, ids=benchmark.all_ids, column=column.name, id_column="id")
    return name, [_kept(scores, benchmark)]


def _labels(labels: Sequence[object] | None, kind: str) -> Labels | None:
    """The labels of an index; None if there is none."""
    if labels is None:
        return None
    return Labels(values=labels, texts=label_texts(labels), kind=kind)


def _id_columns(benchmark: Benchmark) -> tuple[str, ...]:
    """The columns that may hold the ids of scores."""
    return tuple(dict.fromkeys((_columns(benchmark).id or "id", "id")))


def _by_id(
    source: object, benchmark: Benchmark, readings: dict[str, str]
) -> Mapping[Any, object] | None:
    """Scores by id, or one a record in order, as scores by id; None for rows."""
    if is_array(source):
        labels = _labels(labels_of(source), type(source).__name__)
        return scores_in_array(source, labels, benchmark, readings)
    if isinstance(source, Mapping) and all(map(is_cell, source.values())):
        keys = Labels(
            values=list(source), texts=label_texts(list(source)), kind="dict", are_names=True
        )
        return scores_by_label(list(source.values()), keys, benchmark, readings)
    if isinstance(source, (list, tuple)) and source and all(map(is_cell, source)):
        return scores_in_order(source, benchmark, readings)
    return None


def _own_column(name: str, benchmark: Benchmark, readings: dict[str, str]) -> list[object]:
    """The scores in a column of the benchmark's own rows, one a record."""
    columns = _columns(benchmark)
    rows = benchmark.to_rows()
    places = [f"record {place}" for place in range(1, len(rows) + 1)]
    table: TableSource | None = None
    if benchmark.origin is not None:
        source = read_again(benchmark)
        table = source if isinstance(source, TableSource) else None
        placed = list(source.rows(encoding=columns.encoding))
        places = [place for place, _ in placed]
        rows = [dict(with_paths(row, dotted([name]))) for _, row in placed]
    if not any(name in row for row in rows):
        raise SpecError(
            f"{benchmark.name}: no column {name!r:.60} to take scores from; the columns are"
            f" {listed_names(rows[0])}",
            hint="Scores in another place: `scores=FILE`. Scores in a column of the data:"
            " `score=COLUMN`.",
        )
    return read_numbers(
        benchmark.name,
        name,
        [(place, row.get(name)) for place, row in zip(places, rows, strict=True)],
        has_semicolons=lambda: (
            table is not None and table.has_semicolons(encoding=columns.encoding)
        ),
        readings=readings,
    )


def _scores_at(
    path: Path, benchmark: Benchmark, column: ScoreColumn, readings: dict[str, str]
) -> tuple[str, list[Scores]]:
    """A method's scores from a saved run, a log or a file."""
    with storage(path):
        is_run, there, is_folder = (path / HEAD).is_file(), path.exists(), path.is_dir()
    if not there and str(path) in read_fields(benchmark):
        raise SpecError(
            f"no scores at {str(path)!r}: expected a file or a run folder",
            hint=f"It is a column of the data. Name it so: `score={path}`, without `scores=`.",
        )
    if there and not is_run:
        metric = None if column.name == ScoreColumn.name else column.name
        log = read_log_scores(path, ids=benchmark.all_ids, metric=metric)
        if log is not None:
            found = [_kept(one, benchmark) for one in log.by_epoch]
            return f"{log.run.model or path.stem}, {log.metric}", found
    if is_folder:
        return _run_scores(load_run(path), str(path), benchmark)
    name = Path(shown(path)).name
    name = name.removesuffix("".join(endings(name)))
    return name, [_table_scores(path, benchmark, column, readings)]


def _table_scores(
    source: Path | TableSource,
    benchmark: Benchmark,
    column: ScoreColumn,
    readings: dict[str, str],
) -> Scores:
    columns = _columns(benchmark)
    try:
        scores = load_scores(
            source,
            ids=benchmark.all_ids,
            column=column.name,
            id_column=columns.id,
            by_line=columns.ids == "none",
            encoding=column.encoding,
            readings=readings,
        )
    except SpecError as error:
        hint = error.hint or ""
        error.hint = hint.replace("`encoding=", "`scores_encoding=") or None
        raise
    return _kept(scores, benchmark)


def _columns(benchmark: Benchmark) -> Columns:
    return Columns() if benchmark.origin is None else benchmark.origin.columns


def _kept(scores: Mapping[str, float], benchmark: Benchmark) -> Scores:
    """The scores of records that were not left out."""
    kept = {item.id for item in benchmark.items}
    return {item: score for item, score in scores.items() if item in kept}


def _run_scores(run: Run, where: str, benchmark: Benchmark) -> tuple[str, list[Scores]]:
    """The method of a run, and its scores under each seed."""
    if run.task != "detection":
        raise SpecError(f"{where}: a run of {run.task}, which has no scores")
    whole = benchmark
    if run.benchmark.digest == benchmark.file_digest and not benchmark.renamed:
        origin = run.benchmark.origin
        if origin is not None and origin.place not in NO_PATHS:
            # a run on all records of the file, some of them left out here
            whole = load_benchmark(origin.place, columns=origin.columns)
    if run.benchmark.digest != whole.digest:
        raise SpecError(
            f"{where}: a run on {run.benchmark.name} with another digest than {benchmark.name}",
            hint="Audit the file that the method was run on, with the same records left out.",
        )
    if run.second is not None:
        raise SpecError(f"{where}: a run with a second corpus; audit one without")
    by_seed = checked_outputs(run, whole)
    return run.method, [
        _kept({item: score_of(output) for item, output in outputs.items()}, benchmark)
        for outputs in by_seed
    ]
