"""`assay try`: run a method and judge it, without a seal."""

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

import click

from assay.api.methods import ITEM_SECONDS, LOAD_SECONDS, tried
from assay.benchmark.benchmark import TASKS
from assay.cli.model_options import recording_flags
from assay.cli.options import EXIT_CODES, PATH, caveats_flag, column_flags, json_flag, words_from
from assay.cli.output import keep, show_scorecard
from assay.cli.run_output import RunOutput
from assay.errors import AssayError, MethodError
from assay.gauntlet.load import DEFAULT_BARS
from assay.models.recording import recording_of
from assay.runs.result import RESOURCES

_DIGITS = 18
_TERMINATED = 128 + signal.SIGTERM


class _Terminated(KeyboardInterrupt):
    """Another program asked this one to end; the run is closed as if the user had."""


def _terminate(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - as signal wants
    raise _Terminated


def _limits(
    context: click.Context,  # noqa: ARG001 - click's signature
    option: click.Parameter,  # noqa: ARG001 - click's signature
    values: tuple[str, ...],
) -> dict[str, int | None]:
    limits: dict[str, int | None] = {}
    for value in values:
        name, _, number = value.partition("=")
        if name not in RESOURCES or not number.isdecimal() or len(number) > _DIGITS:
            known = ", ".join(RESOURCES)
            raise click.BadParameter(f"got {value!r:.80}, expected NAME=N, NAME one of {known}")
        limits[name] = int(number) or None
    return limits


@click.command("try", epilog=EXIT_CODES)
@click.argument("method")
@click.option(
    "--benchmark", default="darkcore", show_default=True, help="A bundled name, or a file."
)
@click.option("--second", metavar="NAME|FILE", help="The second corpus, if a bar needs one.")
@click.option(
    "--bars",
    help=f"A version, or a TOML file. Default: {DEFAULT_BARS}, or `plain` for data without the"
    " classes truth and folklore.",
)
@click.option("--task", type=click.Choice(TASKS), help="Default: by the method's parameters.")
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed of item order, folds and the method's random generators.",
)
@click.option("--save", type=PATH, help="Store the run in this new folder.")
@click.option("--keep-going", is_flag=True, help="Record items that fail, and continue.")
@click.option(
    "--item-seconds", default=ITEM_SECONDS, show_default=True, help="Seconds for one item."
)
@click.option(
    "--load-seconds", default=LOAD_SECONDS, show_default=True, help="Seconds to import or fit."
)
@click.option(
    "--limit",
    multiple=True,
    metavar="NAME=N",
    callback=_limits,
    help="A limit of each of its processes: memory_bytes (8 GiB), file_bytes (4 GiB), processes"
    " (4096), cpu_seconds (a day). 0 lifts it.",
)
@click.option(
    "--batch",
    type=int,
    metavar="N",
    help="Items at a time, for a method that takes lists. Default: 32.",
)
@click.option("--env", multiple=True, metavar="NAME", help="Pass this variable to the method.")
@recording_flags("Record the calls of a method over models here, and resume.")
@column_flags
@caveats_flag
@json_flag
def command(method: str, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Run a method on a benchmark and judge it.

    METHOD is a registered name (see `assay methods`), a method over models such as
    likelihood:local, file.py:function, or package.module:function. A function takes (question) or
    (question, response) and returns a score, a class, or a mapping with `score` and `class`; it may
    be async. A function of (questions, responses) gets lists and returns a list. The result is
    marked unsealed: nothing was predicted before the run.

    \b
    Examples:
      assay try oracle:word_length --bars v1
      assay try my_method.py:detect --benchmark answers.csv --response answer
      assay try likelihood:local --cassette calls.jsonl
    """
    output = RunOutput()
    with _advice(output):
        card = tried(
            method,
            flags["benchmark"],
            bars=flags["bars"],
            second=flags["second"],
            task=flags["task"],
            seed=flags["seed"],
            batch=flags["batch"],
            save=flags["save"],
            keep_going=flags["keep_going"],
            item_seconds=flags["item_seconds"],
            load_seconds=flags["load_seconds"],
            limit=flags["limit"],
            env=flags["env"],
            recording=recording_of(flags["cassette"], flags["mode"]),
            columns=words_from(flags),
            listener=output,
        )
    if flags["save"] is not None:
        keep(flags["save"], card)
    show_scorecard(card, caveats=flags["caveats"], as_json=flags["as_json"])


@contextmanager
def _advice(output: RunOutput) -> Iterator[None]:
    """Say where the outputs of an interrupted run are, also if it is ended by SIGTERM."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except AssayError as error:
        hint, kept = error.hint, _kept(output)
        if isinstance(error, MethodError):
            # Nothing is said of judging: with items that were never asked there is no verdict.
            kept = f"{output.kept}." if kept else (_nothing(output) if output.begun else None)
        error.hint = " ".join(filter(None, (hint, kept))) or None
        raise
    except KeyboardInterrupt as error:
        click.echo(f"\n{_kept(output) or _nothing(output)}", err=True)
        if isinstance(error, _Terminated):
            sys.exit(_TERMINATED)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
        output.close()


def _kept(output: RunOutput) -> str | None:
    """Where the outputs are, and the command that judges them."""
    if output.kept is None:
        return None
    return f"{output.kept}. Judge them: assay score {shlex.quote(str(output.folder))}"


def _nothing(output: RunOutput) -> str:
    return "" if output.made else "No output had been made."
