"""`assay try`: run a method and judge it, without a seal."""

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from assay.benchmark.load import load_benchmark
from assay.benchmark.task import TASKS, Task
from assay.cli.options import EXIT_CODES, PATH, column_flags, columns_from, json_flag
from assay.cli.output import keep, show_scorecard
from assay.cli.run_output import RunOutput, kept_in
from assay.errors import AssayError, MethodError
from assay.gauntlet.load import DEFAULT_BARS
from assay.gauntlet.plans import judging_plans
from assay.runs.recording import close_run, record_run
from assay.runs.result import Limits
from assay.runs.store import RunFolder
from assay.runs.worker import default_task, start_worker

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
@click.option("--save", type=PATH, help="Keep the run in this new folder.")
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
    plans = judging_plans(benchmark, bars=flags["bars"], second=flags["second"])
    folder = None if flags["save"] is None else RunFolder(flags["save"])
    limits = Limits(item_seconds=flags["item_seconds"], load_seconds=flags["load_seconds"])
    output = RunOutput()
    started = start_worker(
        method,
        seed=flags["seed"],
        limits=limits,
        environment=flags["env"],
        on_print=output.printed,
    )
    # Imported while the worker boots: numpy takes as long.
    from assay.gauntlet.judge import check_judgeable, score

    with started as worker:
        task: Task = flags["task"] or default_task(worker, benchmark)
        plan = plans[task]
        if isinstance(plan, AssayError):
            raise plan
        check_judgeable(plan.benchmark, plan.bars)
        with _advice(output, flags):
            run = record_run(
                worker,
                plan.benchmark,
                folder,
                task=task,
                seed=flags["seed"],
                limits=limits,
                keep_going=flags["keep_going"],
                listener=output,
            )
    if folder is not None:
        close_run(run, folder)
    try:
        card = score(run, plan.benchmark, plan.bars)
    except AssayError as error:
        path = close_run(run, None) if folder is None else folder.path
        error.hint = " ".join(filter(None, (error.hint, kept_in(output.made, path))))
        raise
    if folder is not None:
        keep(folder.path, card)
    show_scorecard(card, as_json=flags["as_json"])


@contextmanager
def _advice(output: RunOutput, flags: dict[str, Any]) -> Iterator[None]:
    """Say where the outputs of an interrupted run are, and what may help."""
    try:
        yield
    except MethodError as error:
        kept = output.kept or "No output had been made."
        error.hint = " ".join(filter(None, (_remedy(error, output, flags), kept)))
        raise
    except KeyboardInterrupt:
        click.echo(f"\n{output.kept or 'No output had been made.'}", err=True)
        raise
    finally:
        output.close()


def _remedy(error: MethodError, output: RunOutput, flags: dict[str, Any]) -> str | None:
    missing = re.search(r"KeyError: '(\w+)'", error.message)
    if missing is not None and missing[1] in os.environ:
        return f"The method sees a clean environment; pass the variable: --env {missing[1]}."
    if output.asked and not flags["keep_going"]:
        return "--keep-going records such items and asks on."
    return None
