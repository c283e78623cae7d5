"""Bars: the pass conditions of a task, fixed before anything runs, as data.

A control bar comes with the cheat that it stops: a method that must pass the bars in `passes` and
fail those in `fails`. The test suite runs it.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.benchmark.benchmark import Task
from assay.benchmark.expression import parse_expression
from assay.digests import digest, is_name
from assay.errors import SpecError
from assay.gauntlet.bar import Bar, Partition
from assay.gauntlet.metrics.table import check_bar, metric_of
from assay.result import Result
from assay.toml import key_hint, read_toml
from assay.wording import counted


class Regression(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cheat that passes some bars and must fail others."""

    method: str
    passes: tuple[str, ...]
    fails: tuple[str, ...]


class BarSet(Result, frozen=True, kw_only=True):
    """One version of a task's bars; never edited, only superseded.

    `drops` names the bars of the superseded version that were changed or left out.

    Example:
        >>> import assay
        >>> bars = assay.load_bars("v3")
        >>> bars.task, [bar.id for bar in bars.bars]
        ('detection', ['D1', 'D2', 'D3', 'D4'])
    """

    task: Task
    version: str
    because: str
    digest: str
    bars: tuple[Bar, ...]
    partitions: Mapping[str, Partition]
    regressions: tuple[Regression, ...] = ()
    supersedes: str | None = None
    drops: tuple[str, ...] = ()
    second: str | None = None

    @property
    def name(self) -> str:
        """Task and version together."""
        return f"{self.task}-{self.version}"

    def to_dict(self) -> dict[str, Any]:
        """All of it, partitions as they are written."""
        return {
            "task": self.task,
            "version": self.version,
            "supersedes": self.supersedes,
            "drops": list(self.drops),
            "because": self.because,
            "digest": self.digest,
            "partitions": {
                name: {"positive": part.positive.text, "negative": part.negative.text}
                for name, part in self.partitions.items()
            },
            "bars": msgspec.to_builtins(self.bars),
            "regressions": msgspec.to_builtins(self.regressions),
            "second": self.second,
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each bar."""
        return [
            {
                "bar": bar.id,
                "asks for": metric_of(bar).asks(bar),
                "metric": bar.metric,
                "at_least": bar.at_least,
                "on": bar.on,
            }
            for bar in self.bars
        ]

    def lines(self) -> list[str]:
        """The version, its reason, and what each bar asks for."""
        asked = [f"{bar.id}: {metric_of(bar).asks(bar)}, on {bar.on}" for bar in self.bars[:6]]
        more = len(self.bars) - len(asked)
        asked += [f"and {counted(more, 'more bar')}"] if more else []
        return [f"{self.name}: {self.because}", *asked, self.digest]


class _PartitionFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    positive: str
    negative: str


class _BarsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The form of a bars file. An unknown key is refused: it would have no effect."""

    task: Task
    version: str
    because: str
    bar: tuple[Bar, ...]
    partition: dict[str, _PartitionFile] = {}
    regression: tuple[Regression, ...] = ()
    supersedes: str | None = None
    drops: tuple[str, ...] = ()
    second: str | None = None


def parse_bars(data: bytes, *, where: str) -> BarSet:
    """Bars from the bytes of a TOML file, every part checked."""
    try:
        written = msgspec.convert(read_toml(data, where=where), _BarsFile)
    except msgspec.ValidationError as error:
        hint = key_hint(error, _BarsFile, "`assay bars show v3` shows bars that are bundled.")
        raise SpecError(f"{where}: {error}", hint=hint) from None
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
        drops=written.drops,
        second=written.second,
    )


def _check(written: _BarsFile, where: str) -> None:
    if not is_name(written.version):
        raise SpecError(f"{where}: version {written.version!r} is not a name (a-z, 0-9, . _ -)")
    if not written.bar:
        raise SpecError(f"{where}: no bars", hint="Add at least one [[bar]] table.")
    ids = [bar.id for bar in written.bar]
    for bar in written.bar:
        if ids.count(bar.id) > 1:
            raise SpecError(f"{where}: bar {bar.id} occurs twice")
        _check_bar(bar, written, where)
    for control in written.regression:
        for unknown in set(control.passes + control.fails) - set(ids):
            raise SpecError(f"{where}: regression {control.method}: no bar {unknown}")


def _check_bar(bar: Bar, written: _BarsFile, where: str) -> None:
    here = f"{where}: bar {bar.id}"
    if not -1.0 <= bar.at_least <= 1.0:
        raise SpecError(f"{here}: at_least = {bar.at_least}, expected a number from -1 to 1")
    try:
        check_bar(bar, written.task, written.partition)
    except SpecError as error:
        raise SpecError(f"{where}: {error.message}", hint=error.hint) from None
    if bar.corpus == "second" and written.second is None:
        raise SpecError(f"{here}: needs a second corpus, but the file names none")
