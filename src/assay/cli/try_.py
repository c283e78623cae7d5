"""`assay try`: run a method and judge it, without a seal."""

import math
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from assay.benchmark.benchmark import Benchmark
from assay.benchmark.load import load_benchmark
from assay.benchmark.task import TASKS, Task
from assay.cli.method_output import MethodOutput
from assay.cli.options import EXIT_CODES, column_flags, columns_from, json_flag
from assay.cli.progress import progress
from assay.cli.scorecard_output import keep, show_scorecard
from assay.errors import AssayError, MethodError
from assay.gauntlet.spec import DEFAULT_BARS, BarSet, fitting_bars, load_bars
from assay.runs.collect import collect
from assay.runs.result import Limits, Record, Run
from assay.runs.store import RunFolder
from assay.runs.worker import Worker, default_task, start_worker

_LONGEST = 7 * 24 * 3600.0


def _seconds(context: click.Context, option: click.Parameter, value: float) -> float:  # noqa: ARG001 - click's signature
    if not (math.isfinite(value) and 0.0 < value <= _LONGEST):
        raise click.BadParameter(f"got {value:g}, expected seconds over 0, and a week at most")
    return value


@click.command("try", epilog=EXIT_CODES)
@click.argument("method")
@click.option(
    "--benchmark", default="darkcore", show_default=True, help="A bundled name, or a file."
)
@click.option("--second", metavar="NAME|FILE", help="The second corpus, where a bar asks for one.")
@click.option(
    "--bars",
    help=f"A version, or a TOML file. Default: {DEFAULT_BARS}, or `plain` for data without the"
    " classes truth and folklore.",
)
@click.option("--task", type=click.Choice(TASKS), help="Default: what the method's shape tells.")
@click.option("--seed", default=0, show_default=True, help="Order of items, folds, randomness.")
@click.option("--save", type=click.Path(path_type=Path), help="Keep the run in this new folder.")
@click.option("--keep-going", is_flag=True, help="Record items that fail and ask on.")
@click.option(
    "--item-seconds", default=30.0, show_default=True, callback=_seconds, help="For one item."
)
@click.option(
    "--load-seconds", default=60.0, show_default=True, callback=_seconds, help="To import, or fit."
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
    # Everything is read before the method is: what it does to a file then changes nothing.
    benchmark = load_benchmark(flags["benchmark"], columns=columns_from(flags))
    plans = _plans(benchmark, flags)
    folder = None if flags["save"] is None else RunFolder(flags["save"])
    limits = Limits(item_seconds=flags["item_seconds"], load_seconds=flags["load_seconds"])
    printed = MethodOutput()
    started = start_worker(
        method, seed=flags["seed"], limits=limits, environment=flags["env"], on_print=printed.show
    )
    # Imported while the worker boots: numpy takes as long.
    from assay.gauntlet.judge import score
    from assay.gauntlet.parts import check_judgeable

    with started as worker:
        task: Task = flags["task"] or default_task(worker, benchmark)
        plan = plans[task]
        if isinstance(plan, AssayError):
            raise plan
        bars, benchmark = plan
        check_judgeable(benchmark, bars)
        try:
            run = _Trying(worker, benchmark, folder, flags).run(task, limits)
        finally:
            printed.end()
    try:
        card = score(run, benchmark, bars)
    except AssayError as error:
        error.hint = " ".join(filter(None, (error.hint, _keep(run, folder))))
        raise
    if folder is not None:
        keep(folder.path, card)
    show_scorecard(card, as_json=flags["as_json"])


def _plans(
    benchmark: Benchmark, flags: dict[str, Any]
) -> dict[Task, tuple[BarSet, Benchmark] | AssayError]:
    """Bars and data for each task the method may turn out to be for, or why there are none."""
    found: dict[Task, tuple[BarSet, Benchmark] | AssayError] = {}
    for task in TASKS:
        try:
            bars = load_bars(flags["bars"] or fitting_bars(benchmark, task), task=task)
            asked = any(bar.corpus == "second" for bar in bars.bars)
            second = flags["second"] or (bars.second if asked else None)
            if second is None:
                found[task] = bars, benchmark
            else:
                found[task] = bars, benchmark.with_second(load_benchmark(second))
        except AssayError as error:
            found[task] = error
    return found


class _Trying:
    """One run with progress; whatever ends it, what was made is kept and its place named."""

    def __init__(
        self, worker: Worker, benchmark: Benchmark, folder: RunFolder | None, flags: dict[str, Any]
    ) -> None:
        self.worker = worker
        self.benchmark = benchmark
        self.folder = folder
        self.flags = flags
        self.begun: Run | None = None
        self.records: list[Record] = []
        self.advance: Callable[[], None] = lambda: None

    def run(self, task: Task, limits: Limits) -> Run:
        """Every record to the folder as it comes."""
        total = sum(1 for _ in self.benchmark.keyed_items())
        with progress("items", total) as self.advance:
            try:
                made = collect(
                    self.worker,
                    self.benchmark,
                    task=task,
                    seed=self.flags["seed"],
                    limits=limits,
                    keep_going=self.flags["keep_going"],
                    on_start=self.start,
                    on_record=self.add,
                )
            except MethodError as error:
                error.hint = " ".join(filter(None, (self.advice(error), self.keep())))
                raise
            except KeyboardInterrupt:
                click.echo(f"\n{self.keep()}", err=True)
                raise
        if self.folder is not None:
            self.folder.finish(made)
        return made

    def start(self, run: Run) -> None:
        """Note what is about to run."""
        self.begun = run
        if self.folder is not None:
            self.folder.begin(run)

    def add(self, record: Record) -> None:
        """Keep one record."""
        self.records.append(record)
        if self.folder is not None:
            self.folder.add(record)
        self.advance()

    def keep(self) -> str:
        """Close an unfinished run, and say where it is."""
        if self.begun is None or not any(record.error is None for record in self.records):
            return "No output had been made."
        partial = replace(self.begun, printed=self.worker.printed, records=tuple(self.records))
        return _keep(partial, self.folder)

    def advice(self, error: MethodError) -> str | None:
        """What may help with this failure."""
        missing = re.search(r"KeyError: '(\w+)'", error.message)
        if missing is not None and missing[1] in os.environ:
            return f"The method sees a clean environment; pass the variable: --env {missing[1]}."
        if self.records and not self.flags["keep_going"]:
            return "--keep-going records such items and asks on."
        return None


def _keep(run: Run, folder: RunFolder | None) -> str:
    """Close a run's folder, making one where none was asked for."""
    if folder is None:
        folder = RunFolder(tempfile.mkdtemp(prefix="assay-"))
        folder.begin(run)
        for record in run.records:
            folder.add(record)
        folder.finish(run)
    elif not run.complete:
        folder.finish(run)
    made = sum(record.error is None for record in run.records)
    return f"The {made} outputs that were made are kept in {folder.path}"
