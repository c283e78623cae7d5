"""`assay confounds`: what the surface of the data gives away."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.benchmark.benchmark import Benchmark, Columns
from assay.benchmark.load import load_benchmark, read_fields
from assay.cli.options import column_flags, columns_from, json_flag
from assay.cli.output import leave, show
from assay.cli.progress import progress
from assay.errors import SpecError

EXIT_CODES = (
    "Exit codes: 0 clean; 1 confounded, unfit or undecided, or a leak of the label; 2 bad usage or"
    " input; 4 integrity broken; 5 a feature of yours failed."
)


@click.command("confounds", epilog=EXIT_CODES)
@click.argument("file")
@click.option(
    "--scores",
    multiple=True,
    metavar="FILE|RUN",
    help="A method's scores: a file with `id` and `score`, a saved run, or a log. Repeatable.",
)
@click.option(
    "--score",
    "score_column",
    default="score",
    show_default=True,
    metavar="COLUMN",
    help="The column of --scores that holds the score; of a log, its metric.",
)
@click.option(
    "--scores-encoding",
    metavar="NAME",
    help="How --scores are encoded, where they are not UTF-8.",
)
@click.option(
    "--feature",
    "own_features",
    multiple=True,
    metavar="FILE.py:FUNCTION",
    help="A feature of your own: a function of `response`, `question` or both. Repeatable.",
)
@click.option(
    "--surface",
    type=click.Choice(["declared", "lexical"]),
    default="declared",
    show_default=True,
    help="What counts as surface: the features listed, or words and letters too.",
)
@click.option("--no-joint", is_flag=True, help="Each feature alone: faster, and no verdict.")
@click.option("--all", "every", is_flag=True, help="Show every feature.")
@column_flags
@json_flag
def command(file: str, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Find out what the surface of a benchmark gives away.

    FILE is JSONL, JSON, CSV, Parquet or Arrow, packed or not, a folder of shards, or - for standard
    input, with a question, perhaps a response, and a label; or the name of a bundled benchmark; or
    a log of an evaluation harness. The records of a log are its answers, labelled by a metric that
    is 0 or 1 (--label, where it has several); positive is 1, unless --positive says otherwise.

    Reports how far each feature that reads no meaning gets, how far all of
    them together get, what is left of each method once surface is held equal, and faults of the
    data. A saved run under several seeds is audited under each.

    \b
    Examples:
      assay confounds darkcore
      assay confounds answers.csv --response answer --label wrong --group question_id
      assay confounds answers.jsonl --scores judge.jsonl --scores runs/overlap
      assay confounds run.eval --label match --scores run.eval --score model_graded_qa
    """
    benchmark = load_benchmark(file, columns=columns_from(flags))
    how = {"column": flags["score_column"], "encoding": flags["scores_encoding"]}
    scores = _all_scores(flags["scores"], benchmark, how)
    from assay.confounding.judge import confounds, steps
    from assay.confounding.own_features import measure_feature
    from assay.report.confounding import draw_audit

    features = [measure_feature(reference, benchmark) for reference in flags["own_features"]]
    joint = not flags["no_joint"]
    total = steps(len(benchmark.items), methods=len(scores)) if joint else 1
    with progress("fitting", total) as advance:
        audit = confounds(
            benchmark,
            scores=scores,
            features=features,
            fields=read_fields(benchmark),
            joint=joint,
            surface=flags["surface"],
            on_step=advance,
        )
    show(audit, partial(draw_audit, every=flags["every"]), as_json=flags["as_json"])
    leave(favourable=audit.favourable)


def _all_scores(
    places: tuple[str, ...], benchmark: Benchmark, how: dict[str, Any]
) -> dict[str, dict[str, float]]:
    """Each method's scores, by a name that tells them apart."""
    by_name: dict[str, dict[str, float]] = {}
    for place in places:
        if places.count(place) > 1:
            raise SpecError(f"--scores {place} is given twice")
        name, found = _scores_at(Path(place), benchmark, how)
        for number, scores in enumerate(found, 1):
            seed = f", seed {number} of {len(found)}" if len(found) > 1 else ""
            by_name[f"{place if name + seed in by_name else name}{seed}"] = scores
    return by_name


def _scores_at(
    path: Path, benchmark: Benchmark, how: dict[str, Any]
) -> tuple[str, list[dict[str, float]]]:
    """The name of a method and its scores, under each seed: from a saved run, a log or a file."""
    from assay.logs.log_records import read_log_scores
    from assay.runs.store import HEAD

    if path.is_dir() and (path / HEAD).is_file():
        return _run_scores(path, benchmark)
    if path.exists():
        metric = None if how["column"] == "score" else how["column"]
        log = read_log_scores(path, ids=benchmark.all_ids, metric=metric)
        if log is not None:
            kept = {item.id for item in benchmark.items}
            found = [{k: v for k, v in one.items() if k in kept} for one in log.by_epoch]
            return f"{log.run.model or path.stem}, {log.metric}", found
    if path.is_dir():
        return _run_scores(path, benchmark)
    name, scores = _from_file(path, benchmark, how)
    return name, [scores]


def _from_file(
    path: Path, benchmark: Benchmark, how: dict[str, Any]
) -> tuple[str, dict[str, float]]:
    from assay.logs.scores import load_scores
    from assay.tables.forms import endings
    from assay.tables.source import shown

    columns = Columns() if benchmark.origin is None else benchmark.origin.columns
    try:
        scores = load_scores(
            path,
            ids=benchmark.all_ids,
            id_column=columns.id,
            by_line=columns.ids == "none",
            **how,
        )
    except SpecError as error:
        hint = error.hint or ""
        error.hint = hint.replace("`encoding=", "`scores_encoding=") or None
        raise
    kept = {item.id for item in benchmark.items}
    name = Path(shown(path)).name
    name = name.removesuffix("".join(endings(name)))
    return name, {item: score for item, score in scores.items() if item in kept}


def _run_scores(path: Path, benchmark: Benchmark) -> tuple[str, list[dict[str, float]]]:
    """The method of a saved run, and its scores under each seed.

    Not their mean, which is another method, nor the first alone, which its author may have chosen.
    """
    from assay.gauntlet.judge import checked_outputs
    from assay.runs.answers import score_of
    from assay.runs.store import load_run

    run = load_run(path)
    if run.task != "detection":
        raise SpecError(f"{path}: a run of {run.task}, which has no scores")
    whole = benchmark
    if run.benchmark.digest == benchmark.file_digest and not benchmark.renamed:
        origin = run.benchmark.origin
        if origin is not None:  # a run on all records of the file, some of them left out here
            whole = load_benchmark(origin.place, columns=origin.columns)
    if run.benchmark.digest != whole.digest:
        raise SpecError(
            f"{path}: a run on {run.benchmark.name} with another digest than {benchmark.name}",
            hint="Audit the very file that the method was run on, with the same records left out.",
        )
    if run.second is not None:
        raise SpecError(f"{path}: a run with a second corpus; audit one without")
    kept = {item.id for item in benchmark.items}
    return run.method, [
        {item: score_of(output) for item, output in outputs.items() if item in kept}
        for outputs in checked_outputs(run, whole)
    ]
