"""Run methods on a benchmark, judge them, and list the bundled ones."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack

import msgspec

from assay.api.arguments import words
from assay.api.columns import ColumnWords, columns_of
from assay.benchmark.benchmark import Task
from assay.benchmark.load import load_benchmark
from assay.bounds import shown_number
from assay.errors import BadOutput, MethodError, SpecError
from assay.gauntlet import collect as gauntlet
from assay.gauntlet.result import Scorecard
from assay.gauntlet.spec import BarSet
from assay.models.recording import Recording, recording_of
from assay.result import Result
from assay.runs.collect import Listener, close_run, collect
from assay.runs.result import RESOURCES, Limits, Run, batch_size
from assay.runs.store import RunFolder
from assay.runs.worker import Method, default_task, start_worker
from assay.sandbox.environment import missing_variable
from assay.wording import some

_LONGEST = 7 * 24 * 3600.0
ITEM_SECONDS = Limits().item_seconds
LOAD_SECONDS = Limits().load_seconds


def try_method(
    method: Method,
    benchmark: object = "darkcore",
    *,
    bars: BarSet | str | Path | Mapping[str, Any] | None = None,
    second: object = None,
    task: Task | None = None,
    seed: int = 0,
    save: str | Path | None = None,
    keep_going: bool = False,
    item_seconds: float = ITEM_SECONDS,
    load_seconds: float = LOAD_SECONDS,
    limit: Mapping[str, int | None] | None = None,
    env: str | Sequence[str] = (),
    batch: int | None = None,
    cassette: str | Path | None = None,
    mode: str = "auto",
    **columns: Unpack[ColumnWords],
) -> Scorecard:
    """Run a method on a benchmark and judge it.

    `method` is a bundled name (see `methods`), `file.py:function` or `package.module:function`,
    which runs in its own process; or a function or a learner. That runs in this process, without
    isolation: a crash ends the interpreter, nothing stops it if it hangs, and the scorecard says
    so. It takes (question), (response) or both, by these names or in this order, and returns a
    score, a class, or a mapping with `score` and `class`. A single parameter named `answer`,
    `completion`, `output`, `reply` or `text` gets the response. A learner has `fit(examples)`,
    which returns such a function; an example is a dictionary with `question`, `response` and
    `target` (0 or 1, or the class). `benchmark` is a Benchmark, or anything that `load_benchmark`
    takes, with the same parameters for its columns.

    `bars` are a version, a TOML file, a dictionary of its keys or a BarSet; by default those that
    fit the data. `second` is the second corpus, if a bar needs one; by default the one that the
    bars name. `task` is `detection` or `classification`; by default it depends on the method's
    parameters. `save` is a new folder for the run and its scorecard. `keep_going` records items
    that fail and continues. `batch` is the batch size for a method that takes batches.

    `item_seconds` and `load_seconds` are deadlines; `limit` bounds each process of the method by
    `memory_bytes`, `cpu_seconds`, `processes` or `file_bytes` (None lifts a limit); `env` is the
    name of a variable that is passed to it, or several names. All of these are for a method in a
    process of its own. `cassette` is a file that records the calls of a method over models, such as
    `likelihood:local`, and `mode` where replies come from, as in `critique`; the run names both.

    Example:
        >>> import assay
        >>> card = assay.try_method("oracle:word_length", "darkcore", bars="v3")
        >>> card.verdict == "fail"
        True
        >>> def shouts(question, response):
        ...     return response.count("!")
        >>> assay.try_method(shouts, bars="v1").isolation
        'trusted'
    """
    card = tried(
        method,
        benchmark,
        bars=bars,
        second=second,
        task=task,
        seed=seed,
        save=save,
        keep_going=keep_going,
        item_seconds=item_seconds,
        load_seconds=load_seconds,
        limit=limit,
        env=words(env),
        batch=batch,
        recording=recording_of(cassette, mode),
        columns=columns,
    )
    if save is not None:
        from assay.gauntlet.store import keep_scorecard

        keep_scorecard(Path(save), card)
    return card


def tried(
    method: Method,
    benchmark: object,
    *,
    bars: BarSet | str | Path | Mapping[str, Any] | None,
    second: object,
    task: Task | None,
    seed: int,
    save: str | Path | None,
    keep_going: bool,
    item_seconds: float,
    load_seconds: float,
    limit: Mapping[str, int | None] | None,
    env: Sequence[str],
    batch: int | None,
    recording: Recording | None,
    columns: ColumnWords,
    listener: Listener | None = None,
) -> Scorecard:
    """A method tried, its run heard by a listener; the scorecard is not kept."""
    with _advice(method, env, keep_going=keep_going):
        return gauntlet.try_method(
            method,
            load_benchmark(benchmark, columns=columns_of(columns)),
            bars=bars,
            second=second,
            task=task,
            seed=seed,
            limits=_limits(method, item_seconds, load_seconds, limit),
            environment=env,
            keep_going=keep_going,
            batch=batch,
            save=None if save is None else Path(save),
            recording=recording,
            listener=listener,
        )


@contextmanager
def _advice(method: Method, passed: Sequence[str], *, keep_going: bool) -> Iterator[None]:
    """Say what may help a method that failed: a variable it lacks, or to ask on."""
    try:
        yield
    except MethodError as error:
        isolated = isinstance(method, str)
        lacks = missing_variable(error.message, passed) if isolated else None
        ask_on = None if keep_going else _way_on(error)
        error.hint = lacks or " ".join(filter(None, (error.hint, ask_on))) or None
        raise


def _way_on(error: MethodError) -> str | None:
    """How a run goes on in spite of an item that failed; None if no item did."""
    made: Run | None = error.run
    if made is None or not made.records or made.records[-1].error is None:
        return None  # it failed before it was asked, such as a learner in its `fit`
    if not isinstance(error, BadOutput):
        return "`keep_going=True` records such items and asks on."
    is_class = made.task == "detection" and re.search(r"got '.*' as score", error.message)
    answer = "A score is a number; to judge classes: `task=classification`. " if is_class else ""
    return (
        f'{answer}Where it has no answer, let it return {{"abstain": "the reason"}}, or record such'
        " items and ask on: `keep_going=True`."
    )


def run(
    method: Method,
    benchmark: object = "darkcore",
    *,
    second: object = None,
    task: Task | None = None,
    seed: int = 0,
    save: str | Path | None = None,
    keep_going: bool = False,
    item_seconds: float = ITEM_SECONDS,
    load_seconds: float = LOAD_SECONDS,
    limit: Mapping[str, int | None] | None = None,
    env: str | Sequence[str] = (),
    batch: int | None = None,
    cassette: str | Path | None = None,
    mode: str = "auto",
    **columns: Unpack[ColumnWords],
) -> Run:
    """Ask a method about every item of a benchmark, without judging it.

    The parameters are those of `try_method`. Stops at the first item that fails and raises its
    MethodError, whose `run` holds the outputs so far; with `keep_going` it records the failure
    and continues.

    Example:
        >>> import assay
        >>> run = assay.run("token-overlap", "darkcore")
        >>> len(run.records), run.complete
        (108, True)
        >>> assay.score(run, bars="v1").bars_version
        'v1'
    """
    batch_size(batch)
    data = load_benchmark(benchmark, columns=columns_of(columns), second=second)
    folder = None if save is None else RunFolder(save)
    limits = _limits(method, item_seconds, load_seconds, limit)
    passed = words(env)
    with (
        _advice(method, passed, keep_going=keep_going),
        start_worker(
            method,
            seed=seed,
            limits=limits,
            environment=passed,
            recording=recording_of(cassette, mode),
        ) as worker,
    ):
        made = collect(
            worker,
            data,
            folder,
            task=task or default_task(worker, data),
            seed=seed,
            limits=limits or Limits(),
            keep_going=keep_going,
            batch=batch,
        )
    if folder is not None:
        close_run(made, folder)
    return made.placed(data)


def _limits(
    method: Method,
    item_seconds: float,
    load_seconds: float,
    limit: Mapping[str, int | None] | None,
) -> Limits | None:
    """The limits of a method; None for a callable, which cannot be limited."""
    for name, value in (("item_seconds", item_seconds), ("load_seconds", load_seconds)):
        if not (math.isfinite(value) and 0.0 < value <= _LONGEST):
            raise SpecError(
                f"`{name}={shown_number(value)}`: expected seconds over 0, at most a week"
            )
    for name in limit or ():
        if name not in RESOURCES:
            raise SpecError(f"`limit={name}`: no such limit; there are {', '.join(RESOURCES)}")
    most = {name: number or None for name, number in (limit or {}).items()}
    seconds = {"item_seconds": float(item_seconds), "load_seconds": float(load_seconds)}
    limits = msgspec.structs.replace(Limits(), **seconds, **most)
    return None if not isinstance(method, str) and limits == Limits() else limits


class BundledMethod(msgspec.Struct, frozen=True, kw_only=True):
    """A bundled method: its name, its class, its tasks, and a description.

    A method over models is listed with places for them: `likelihood:MODEL`.
    """

    name: str
    method_class: str
    tasks: tuple[Task, ...]
    about: str


class BundledMethods(Result, frozen=True, kw_only=True):
    """The bundled methods."""

    methods: tuple[BundledMethod, ...]

    def __iter__(self) -> Iterator[BundledMethod]:
        return iter(self.methods)

    def __len__(self) -> int:
        return len(self.methods)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each method."""
        return [{**msgspec.structs.asdict(each), "tasks": ", ".join(each.tasks)} for each in self]

    def lines(self) -> Sequence[str]:
        """The number of methods and their names, with only a few of the oracles."""
        oracles = [each.name for each in self if each.name.startswith("oracle:")]
        others = [each.name for each in self if not each.name.startswith("oracle:")]
        plain = [name for name in oracles if not name.endswith(":inverse")]
        return (
            f"{len(self)} bundled methods",
            ", ".join(others),
            f"{len(plain)} surface oracles, each with an inverse (oracle:word_length:inverse):"
            f" {some(plain)}",
        )


def methods() -> BundledMethods:
    """List the bundled methods, which `try_method` and `run` take by name.

    Example:
        >>> import assay
        >>> "tfidf:word" in [method.name for method in assay.methods()]
        True
    """
    from assay.method.registry import listed

    return BundledMethods(
        methods=tuple(
            BundledMethod(
                name=name, method_class=each.method_class, tasks=each.tasks, about=each.about
            )
            for name, each in listed().items()
        )
    )
