"""Is it the task, or the surface? The audit of a benchmark, and a subset that passes it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Unpack

from assay.api.columns import ColumnWords, columns_of
from assay.benchmark.benchmark import Benchmark
from assay.benchmark.load import load_benchmark, read_fields
from assay.benchmark.subset import KeptRecords, subset_bytes
from assay.confounding import balance as balancing
from assay.confounding import judge
from assay.confounding.balanced import Balanced
from assay.confounding.collect import ScoreColumn, method_scores, score_columns
from assay.confounding.matching.search import MOST_STEPS
from assay.confounding.own_features import measure_feature
from assay.confounding.result import ConfoundAudit
from assay.errors import SpecError, storage
from assay.files import write_new, write_whole
from assay.surface.crossfit import Step
from assay.surface.joint_model import Kind

OwnFeature = str | Callable[..., Any]
Progress = Callable[[str, int], AbstractContextManager[Step]]
"""Shows progress: takes a name and a number of steps, returns a callable to call per step."""


def _silent(what: str, total: int) -> AbstractContextManager[Step]:  # noqa: ARG001 - as Progress
    return nullcontext(lambda: None)


def confounds(
    data: object,
    *,
    scores: object = None,
    score: str | Sequence[str] | None = None,
    scores_encoding: str | None = None,
    feature: OwnFeature | Sequence[OwnFeature] = (),
    surface: Kind = "declared",
    joint: bool = True,
    **columns: Unpack[ColumnWords],
) -> ConfoundAudit:
    """Find out what the surface of a benchmark gives away.

    `data` is a Benchmark, or anything that `load_benchmark` takes, with the same words for its
    columns. Each surface feature is judged alone and all of them together, and the data are
    searched for faults.

    `scores` are those of methods: what is left of each once surface is held equal? Give a file, a
    saved run, a log or a Run; a dictionary of scores by record id, which may be texts such as
    "0.9"; one number a record, in their order, as a list or an array; a pandas series, or a frame
    of one column, by its index; rows or a frame with `id` and `score` (or the column that `score`
    names, or several). Several: a list of such, or a dictionary of them by name. `score` without
    `scores` names a column of the data themselves. A missing score (None, NaN) leaves its record
    out of that method's figures, and is counted.

    An index is never ignored. Its labels are the ids of the records, or those of their own frame,
    in any order. Records that are no pandas frame take 0 to n - 1 in order as their places. Where
    labels could pair in two ways, the scores are refused, and the error shows the code for each.

    `feature` is a feature of your own, or several:
    `file.py:function`, or a function of the response, the question or both, which then runs in this
    process. `surface="lexical"` counts words and letters as surface too. Without `joint` each
    feature is judged alone: faster, and no verdict.

    Example:
        >>> import assay
        >>> audit = assay.confounds("darkcore", joint=False)
        >>> audit.verdict == "undecided"
        True
        >>> best = max(audit.features, key=lambda feature: feature.auc)
        >>> best.name, round(best.auc, 2)
        ('question_overlap', 0.85)
    """
    return audit(
        data,
        scores=scores,
        score_columns=score_columns(score, scores_encoding),
        scores_encoding=scores_encoding,
        features=[feature] if isinstance(feature, str) or callable(feature) else feature,
        surface=surface,
        joint=joint,
        columns=columns,
    )


def audit(
    data: object,
    *,
    scores: object,
    score_columns: Sequence[ScoreColumn],
    features: Sequence[OwnFeature],
    surface: Kind,
    joint: bool,
    columns: ColumnWords,
    scores_encoding: str | None = None,
    progress: Progress = _silent,
) -> ConfoundAudit:
    """The audit, with progress shown."""
    benchmark = load_benchmark(data, columns=columns_of(columns))
    readings: dict[str, str] = {}
    by_method = method_scores(
        scores,
        benchmark,
        score_columns,
        encoding=scores_encoding,
        readings=readings,
    )
    measured = [measure_feature(own, benchmark) for own in features]
    total = judge.steps(len(benchmark.items), methods=len(by_method)) if joint else 1
    with progress("fitting", total) as step:
        return judge.confounds(
            benchmark,
            scores=by_method,
            readings=readings,
            features=measured,
            fields=read_fields(benchmark),
            joint=joint,
            surface=surface,
            on_step=step,
        )


def balance(
    data: object,
    *,
    out: str | Path | None = None,
    overwrite: bool = False,
    surface: Kind = "declared",
    seed: int = 0,
    shuffle_ids: bool = False,
    **columns: Unpack[ColumnWords],
) -> Balanced:
    """Take a subset whose surface does not predict the label.

    `data` is a Benchmark, or anything that `load_benchmark` takes, with the same words for its
    columns. Where a subset was found (`achieved`), `rows()` of the result gives its rows,
    `positions` their places in the input, counted from 0, and `records` their ids; without ids in
    the data, their numbers as texts, counted from 1. Where none was found, `rows()` and
    `positions` raise an error. `confounds` and the other functions take the result itself as their
    data. A search takes seconds, with thousands of records up to a minute.

    Whole groups are kept or dropped; if there is no balanced subset of whole groups, single records
    are chosen, and the result says so (`splits_groups`).

    If `out` names a new file, the subset is written there, in the form of the file that it was
    taken from; rows from memory as JSONL. With `overwrite` the file may exist. `surface` is what
    is balanced, `seed` decides which of equals is dropped. With `shuffle_ids` the file gets random
    ids in a random order, drawn by the seed (`new_ids`).

    Example:
        >>> import assay
        >>> balanced = assay.balance("minimal-pairs", out="balanced.jsonl")
        >>> balanced.achieved, balanced.verdict.value
        (True, 'clean')
        >>> assay.load_benchmark("balanced.jsonl").records == len(balanced.rows())
        True
        >>> assay.confounds(balanced, joint=False).n == balanced.kept
        True
    """
    return subset(
        data,
        out=out,
        overwrite=overwrite,
        surface=surface,
        seed=seed,
        shuffle_ids=shuffle_ids,
        columns=columns,
    )


def subset(
    data: object,
    *,
    out: str | Path | None,
    surface: Kind,
    seed: int,
    columns: ColumnWords,
    overwrite: bool = False,
    shuffle_ids: bool = False,
    progress: Progress = _silent,
) -> Balanced:
    """The balanced subset, with progress shown."""
    benchmark = load_benchmark(data, columns=columns_of(columns))
    path = None if out is None else Path(out)
    if path is not None:
        _check_writable(path, benchmark, overwrite=overwrite)
        subset_bytes(benchmark, (), path.name)  # refuses a form that cannot be written, at once
    with progress("fitting", MOST_STEPS) as step:
        made = balancing.balance(
            benchmark,
            surface=surface,
            seed=seed,
            shuffle_ids=shuffle_ids,
            is_written=path is not None,
            fields=read_fields(benchmark),
            on_step=step,
        )
    if path is not None and made.achieved:
        written = subset_bytes(benchmark, made.records, path.name, new_ids=made.new_ids)
        with storage(path):
            replaces = overwrite and path.exists()
        (write_whole if replaces else write_new)(path, written)
    if not made.achieved:
        return made
    positions = tuple(made.positions)
    return made.keeping(KeptRecords(whole=benchmark, positions=positions, what="balanced subset"))


def _check_writable(path: Path, benchmark: Benchmark, *, overwrite: bool) -> None:
    """Refuse a file that exists, unless it may be overwritten, and the file of the benchmark."""
    with storage(path):
        exists = path.exists()
        own = benchmark.origin is not None and str(path.resolve()) == benchmark.origin.place
    if exists and own:
        raise SpecError(
            f"{path} holds the records that the subset is taken from",
            hint="Name another file; the source is never overwritten.",
        )
    if exists and not overwrite:
        raise SpecError(
            f"{path} already exists",
            hint="Name another file, or replace this one: `overwrite=True`.",
        )
