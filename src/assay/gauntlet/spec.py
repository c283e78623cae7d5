"""Bars: the pass conditions of a task, fixed before anything runs, as data.

A bar is a metric on one or more partitions against a threshold. With `minus` it is the metric
less what a surface feature reaches on the same items (`raw` takes the feature's AUC as it is,
`better` the larger of it and its complement), and the threshold is the margin to beat it by. A
bar over several partitions is met only where it is met on each.

With `beyond = "surface"` the metric is the AUC of what all declared surface features together do
not predict; with `within = "source"` it is the AUC over pairs of one source, and the bar is asked
only of data with several sources.

A control bar ships the cheat that it was made against: a method that must pass the bars named in
`passes` and fail those in `fails`. The suite runs it.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.arguments import checked
from assay.benchmark.benchmark import Benchmark
from assay.benchmark.expression import Expression, parse_expression
from assay.benchmark.task import TASKS, Task
from assay.digests import decode_utf8, digest, is_name
from assay.errors import SpecError, storage

DEFAULT_BARS = "v3"
BUNDLED_BARS = Path(__file__).parent / "bundled"


class Control(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The surface feature whose AUC a bar takes off, and in which direction it is read."""

    feature: str
    direction: Literal["raw", "better"]


class Bar(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric against a threshold; `of` is the class whose F1 is meant."""

    id: str
    metric: Literal["auc", "f1", "accuracy"]
    at_least: float
    partitions: tuple[str, ...] = ()
    of: str | None = None
    minus: Control | None = None
    beyond: Literal["surface", "lexical"] | None = None
    within: Literal["source"] | None = None
    corpus: Literal["main", "second"] = "main"

    @property
    def measure(self) -> str:
        """What is measured, in words."""
        if self.minus is not None:
            return f"{self.metric} - {self.minus.feature}"
        if self.beyond is not None:
            return f"{self.metric} beyond {self.beyond}"
        return self.metric if self.within is None else f"{self.metric} within {self.within}"


class Partition(msgspec.Struct, frozen=True, kw_only=True):
    """Positives against negatives; items that satisfy neither expression are left out."""

    name: str
    positive: Expression
    negative: Expression


class Regression(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cheat that passes some bars and must fail others."""

    method: str
    passes: tuple[str, ...]
    fails: tuple[str, ...]


class BarSet(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a task's bars; never edited, only superseded."""

    task: Task
    version: str
    because: str
    digest: str
    bars: tuple[Bar, ...]
    partitions: Mapping[str, Partition]
    regressions: tuple[Regression, ...] = ()
    supersedes: str | None = None
    second: str | None = None

    @property
    def name(self) -> str:
        """Task and version together."""
        return f"{self.task}-{self.version}"


class _PartitionFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    positive: str
    negative: str


class _BarsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bars file as it is written. A key that nobody reads is refused: it would be no bar."""

    task: Task
    version: str
    because: str
    bar: tuple[Bar, ...]
    partition: dict[str, _PartitionFile] = {}
    regression: tuple[Regression, ...] = ()
    supersedes: str | None = None
    second: str | None = None


def bundled_versions(task: Task) -> list[str]:
    """The versions inside the package, in order of name."""
    return sorted(
        file.stem.removeprefix(f"{task}-") for file in BUNDLED_BARS.glob(f"{task}-*.toml")
    )


def fitting_bars(benchmark: Benchmark, task: Task) -> str:
    """The version to judge by where none is named: `plain` for data without our classes."""
    ours = {"truth", "folklore"} <= set(benchmark.classes)
    return DEFAULT_BARS if ours or task == "classification" else "plain"


@checked
def load_bars(version_or_path: str | Path, *, task: Task | None = None) -> BarSet:
    """A bundled version of a task's bars (detection unless told), or a TOML file."""
    wanted = task or "detection"
    if str(version_or_path) in bundled_versions(wanted):
        bundled = BUNDLED_BARS / f"{wanted}-{version_or_path}.toml"
        return parse_bars(bundled.read_bytes(), where=bundled.name)
    path = Path(version_or_path)
    with storage(path):
        there = path.is_file()
    if not there:
        others = [t for t in TASKS if str(version_or_path) in bundled_versions(t)]
        raise SpecError(
            f"no {wanted} bars {str(version_or_path)!r}: neither a bundled version"
            f" ({', '.join(bundled_versions(wanted))}) nor a file",
            hint=f"There are such bars for another task: `task={others[0]}`." if others else None,
        )
    with storage(path):
        data = path.read_bytes()
    bars = parse_bars(data, where=str(path))
    if task is not None and bars.task != task:
        raise SpecError(
            f"{path}: bars for {bars.task}, and the task is {task}",
            hint=f"Choose the task: `task={bars.task}`.",
        )
    return bars


def parse_bars(data: bytes, *, where: str) -> BarSet:
    """Bars from the bytes of a TOML file, every part checked."""
    try:
        raw: dict[str, Any] = tomllib.loads(decode_utf8(data, where=where))
        written = msgspec.convert(raw, _BarsFile)
    except (ValueError, RecursionError) as error:
        if isinstance(error, msgspec.ValidationError):
            hint = "docs/how-to/write-bars.md shows every key and its values."
            raise SpecError(f"{where}: {error}", hint=hint) from None
        raise SpecError(f"{where}: not TOML: {error}") from None
    _check(written, where)
    return BarSet(
        task=written.task,
        version=written.version,
        because=written.because,
        digest=digest(data),
        bars=written.bar,
        partitions={
            name: Partition(
                name=name,
                positive=parse_expression(part.positive),
                negative=parse_expression(part.negative),
            )
            for name, part in written.partition.items()
        },
        regressions=written.regression,
        supersedes=written.supersedes,
        second=written.second,
    )


def _check(written: _BarsFile, where: str) -> None:
    if not is_name(written.version):
        raise SpecError(f"{where}: version {written.version!r} is not a name (a-z, 0-9, . _ -)")
    if not written.bar:
        raise SpecError(f"{where}: no bars", hint="Add at least one [[bar]] table.")
    ids = [bar.id for bar in written.bar]
    for bar in written.bar:
        here = f"{where}: bar {bar.id}"
        if ids.count(bar.id) > 1:
            raise SpecError(f"{here} stands twice")
        _check_bar(bar, written, here)
    for control in written.regression:
        for unknown in set(control.passes + control.fails) - set(ids):
            raise SpecError(f"{where}: regression {control.method}: no bar {unknown}")


def _check_bar(bar: Bar, written: _BarsFile, here: str) -> None:
    if not -1.0 <= bar.at_least <= 1.0:
        raise SpecError(f"{here}: at_least = {bar.at_least}, expected a number from -1 to 1")
    if sum(one is not None for one in (bar.minus, bar.beyond, bar.within)) > 1:
        raise SpecError(f"{here}: minus, beyond and within exclude each other")
    if bar.metric == "auc":
        if written.task != "detection":
            raise SpecError(f"{here}: an AUC needs scores, and {written.task} gives classes")
        if not bar.partitions:
            raise SpecError(f"{here}: an AUC needs partitions = [...]")
        for name in bar.partitions:
            if name not in written.partition:
                raise SpecError(f"{here}: no partition {name!r}; add a [partition.{name}] table")
    else:
        if written.task != "classification":
            raise SpecError(f"{here}: {bar.metric} needs classes, and {written.task} gives scores")
        for key in ("partitions", "minus", "beyond", "within"):
            if getattr(bar, key):
                raise SpecError(f"{here}: {key} belongs to an AUC, not to {bar.metric}")
        if (bar.metric == "f1") is (bar.of is None):
            raise SpecError(f"{here}: `of` names the class of an F1, and belongs to nothing else")
    if bar.corpus == "second" and written.second is None:
        raise SpecError(f"{here}: asks for a second corpus, and the file names none")
