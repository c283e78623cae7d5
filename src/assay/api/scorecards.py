"""Judge a finished run, or scores that are there already, under any bars."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from assay.api.columns import ColumnWords, columns_of, named_columns
from assay.benchmark.load import load_benchmark
from assay.confounding.collect import method_scores, score_columns
from assay.errors import SpecError, storage
from assay.gauntlet import rejudge
from assay.gauntlet.result import Scorecard
from assay.gauntlet.spec import BarSet
from assay.runs.result import Run
from assay.runs.store import HEAD
from assay.study.locate import study_root
from assay.wording import some


def score(
    run: object,
    benchmark: object = None,
    bars: BarSet | str | Path | Mapping[str, Any] | None = None,
    *,
    second: object = None,
    score: str | None = None,
    **columns: Unpack[ColumnWords],
) -> Scorecard:
    """Judge a run, or scores that you have, under any bars; nothing is run, and nothing is written.

    `run` is a Run, the folder of a saved one, a log of an evaluation harness, or the scores of a
    method. `bars` are a version (`"v3"`), a TOML file, a dictionary of its keys or a BarSet; by
    default those that fit the data.

    The data of a run are read again from the same place and must have the same digest. If they
    moved, or a saved run was made on data in memory, pass their new place or the data themselves (a
    Benchmark, rows or a frame) as `benchmark` and `second`.

    Scores are given as `confounds` takes them (a file, a dictionary by record id, one number a
    record as a list, array or series, rows or a frame with `id` and `score`), with the records of
    `benchmark`; or as a column `score` of data that hold both: `score(frame, score="judge")`. A
    missing score leaves its record unscored. The scorecard says that no run was observed.

    The scores of a log are its metric `score`. They are judged on the records of `benchmark`, or on
    the log's own answers, which the metric `label` calls right (1) or wrong (0). The other words
    name columns, as in `load_benchmark`.

    Example:
        >>> import assay
        >>> run = assay.run("oracle:word_length", "darkcore")
        >>> assay.score(run, bars="v1").point.verdict == "pass"
        True
        >>> assay.score(run, bars="v3").point.verdict == "fail"
        True
        >>> rows = [{"question": f"q{n}", "label": n % 2} for n in range(40)]
        >>> assay.score([n % 2 + n / 50 for n in range(40)], rows, "plain").verdict.value
        'pass'
    """
    if isinstance(run, Run):
        _refuse_column(score, "the run")
        return rejudge.judge_again(
            run, bars, benchmark=benchmark, second=second, columns=named_columns(columns)
        )[1]
    if not isinstance(run, (str, Path)):
        return _judge_scores(run, benchmark, bars, second=second, score=score, columns=columns)
    path = Path(run)
    if rejudge.is_scored_log(path):
        _refuse_second(second)
        named = columns_of(columns)
        return rejudge.judge_log(path, bars, benchmark=benchmark, columns=named, metric=score)
    if _is_scores(path):
        return _judge_scores(path, benchmark, bars, second=second, score=score, columns=columns)
    _refuse_column(score, str(run))
    root = study_root(path)
    if root is not None:
        raise SpecError(
            f"{run} is inside a study, which judges its own results",
            hint=f'Judge it there: `assay.Study.open("{root}").score("{run}")`.',
        )
    return rejudge.judge_again(
        path, bars, benchmark=benchmark, second=second, columns=named_columns(columns)
    )[1]


def _is_scores(path: Path) -> bool:
    """Whether a path is a file, which holds scores; runs are folders."""
    with storage(path):
        return path.is_file() and path.name != HEAD


def _judge_scores(
    scores: object,
    benchmark: object,
    bars: BarSet | str | Path | Mapping[str, Any] | None,
    *,
    second: object,
    score: str | None,
    columns: ColumnWords,
) -> Scorecard:
    """Scores judged on the records of a benchmark, or a column of scores on its own records."""
    _refuse_second(second)
    if not isinstance(scores, (Path, Iterable)):
        raise SpecError(
            f"score() got {type(scores).__name__}, expected a Run, the path of a stored one, or"
            " scores",
            hint="Scores are a file, a list, an array, a series, a frame, or a dictionary by"
            " record id.",
        )
    where = str(scores) if isinstance(scores, Path) else f"these scores ({type(scores).__name__})"
    if benchmark is None and score is None:
        raise SpecError(
            f"{where}: which records do they score?",
            hint="Name the records: `benchmark=FILE`. If they are in the same data, name the column"
            " that holds the scores: `score=COLUMN`. A stored run is a folder:"
            " assay try METHOD `save=DIR`",
        )
    data = load_benchmark(scores if benchmark is None else benchmark, columns=columns_of(columns))
    readings: dict[str, str] = {}
    by_name = method_scores(
        None if benchmark is None else scores,
        data,
        score_columns(score, None),
        readings=readings,
    )
    if len(by_name) != 1:
        raise SpecError(
            f"{where}: the scores of {len(by_name)} methods, {some(list(by_name))}; a scorecard"
            " judges one",
            hint="Give the scores of one, or name its column: `score=COLUMN`.",
        )
    ((name, by_id),) = by_name.items()
    return rejudge.judge_scores(name, by_id, data, bars, read_as=readings.get(name, ""))


def _refuse_second(second: object) -> None:
    if second is not None:
        raise SpecError(
            "scores that are given are not of a second corpus", hint="Leave out `second=`."
        )


def _refuse_column(score: str | None, where: str) -> None:
    """A run has its own scores."""
    if score is not None:
        raise SpecError(
            f"{where}: a run has its own scores; `score=` is for a log, or for data with scores",
            hint="Leave it out. Scores in a file are judged on the records of `benchmark=FILE`.",
        )
