"""`assay try`: run a method and judge it, without a seal."""

import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from assay.cli.options import EXIT_CODES, column_flags, columns_from, json_flag
from assay.errors import MethodError
from assay.evidence.process import Limits
from assay.evidence.record import Record, Run
from assay.evidence.run import Worker, collect, default_task, start_worker
from assay.plan.bars import DEFAULT_BARS, TASKS, Task, load_bars
from assay.plan.benchmark import Benchmark
from assay.study import Origin, RunFolder

_SECONDS = click.FloatRange(min=0, min_open=True, max=1e6)


@click.command("try", epilog=EXIT_CODES)
@click.argument("method")
@click.option(
    "--benchmark", default="darkcore", show_default=True, help="A bundled name, or a file."
)
@click.option("--second", metavar="NAME|FILE", help="The second corpus, where a bar asks for one.")
@click.option("--bars", default=DEFAULT_BARS, show_default=True, help="A version, or a TOML file.")
@click.option("--task", type=click.Choice(TASKS), help="Default: what the method's shape tells.")
@click.option("--seed", default=0, show_default=True, help="Order of items, folds, randomness.")
@click.option("--save", type=click.Path(path_type=Path), help="Keep the run in this new folder.")
@click.option("--keep-going", is_flag=True, help="Record items that fail and ask on.")
@click.option("--item-seconds", type=_SECONDS, default=30, show_default=True, help="For one item.")
@click.option(
    "--load-seconds", type=_SECONDS, default=60, show_default=True, help="To import, fit."
)
@click.option("--env", multiple=True, metavar="NAME", help="Pass this variable to the method.")
@column_flags
@json_flag
def command(method: str, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Run a method on a benchmark and judge it.

    METHOD is a registered name (see `assay methods`), file.py:function, or
    package.module:function. It takes (question) or (question, response) and returns a score, a
    class, or a mapping with `score` and `class`. The result is marked unsealed: nothing was
    predicted before it was seen.

    \b
    Examples:
      assay try oracle:word_length --bars v1
      assay try my_method.py:detect --benchmark answers.csv --response answer
    """
    seed = flags["seed"]
    limits = Limits(item_seconds=flags["item_seconds"], load_seconds=flags["load_seconds"])
    with start_worker(method, seed=seed, limits=limits, environment=flags["env"]) as worker:
        origin = Origin(
            benchmark=flags["benchmark"], second=flags["second"], columns=columns_from(flags)
        )
        benchmark = origin.load()
        task: Task = flags["task"] or default_task(worker, benchmark)
        bars = load_bars(flags["bars"], task=task)
        if benchmark.second is None and any(bar.corpus == "second" for bar in bars.bars):
            origin = Origin(benchmark=origin.benchmark, second=bars.second, columns=origin.columns)
            benchmark = origin.load()
        run = _run(worker, benchmark, task, origin, flags)
    from assay.cli.shown import show_scorecard
    from assay.judges.score import score

    show_scorecard(score(run, benchmark, bars), as_json=flags["as_json"])


def _run(
    worker: Worker, benchmark: Benchmark, task: Task, origin: Origin, flags: dict[str, Any]
) -> Run:
    """Run with progress; what was made before a failure is kept and its place named."""
    from assay.cli.progress import progress

    folder = None if flags["save"] is None else RunFolder(flags["save"], origin=origin)
    total = sum(1 for _ in benchmark.keyed_items())
    with progress("items", total) as advance:

        def keep(record: Record) -> None:
            if folder is not None:
                folder.add(record)
            advance()

        try:
            run = collect(
                worker,
                benchmark,
                task=task,
                seed=flags["seed"],
                keep_going=flags["keep_going"],
                on_record=keep,
            )
        except MethodError as error:
            error.hint = _kept(error.run, folder, origin)
            raise
    if folder is not None:
        folder.finish(run)
    return run


def _kept(run: Run | None, folder: RunFolder | None, origin: Origin) -> str:
    """Where the outputs of a run that failed are."""
    if run is None or not run.records:
        return "No output had been made."
    if folder is None:
        folder = RunFolder(Path(tempfile.mkdtemp(prefix="assay-")), origin=origin)
        for record in run.records:
            folder.add(record)
    folder.finish(run)
    made = sum(record.error is None for record in run.records)
    advice = "" if "--keep-going" in sys.argv else " --keep-going records such items and asks on."
    return f"{made} outputs made before it are kept in {folder.path}.{advice}"
