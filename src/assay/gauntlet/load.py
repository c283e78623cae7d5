"""Bars from files, and the bundled versions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.benchmark.benchmark import TASKS, Benchmark, Task
from assay.bounds import MAX_TOML_BYTES
from assay.digests import digest
from assay.errors import SpecError, storage
from assay.files import read_bounded
from assay.gauntlet.spec import BarSet, parse_bars
from assay.toml import toml_bytes
from assay.wording import did_you_mean

Bars = BarSet | str | Path | Mapping[str, Any]
"""Bars, or what they are loaded from: a version, a TOML file, a dictionary of its keys."""
DEFAULT_BARS = "v3"
BUNDLED_BARS = Path(__file__).parent / "bundled"


def bundled_versions(task: Task) -> list[str]:
    """The versions inside the package, in order of name."""
    return sorted(
        file.stem.removeprefix(f"{task}-") for file in BUNDLED_BARS.glob(f"{task}-*.toml")
    )


def read_bars(data: bytes, *, where: str, task: Task | None = None) -> BarSet:
    """Bars from the bytes of a file; the name of a bundled version is reserved for its bytes."""
    bars = parse_bars(data, where=where)
    bundled = BUNDLED_BARS / f"{bars.name}.toml"
    with storage(bundled):
        taken = bundled.is_file() and digest(bundled.read_bytes()) != bars.digest
    if taken:
        raise SpecError(
            f"{where}: {bars.name} is the name of bundled bars, but these bytes differ",
            hint="Give your bars their own version: version = NAME.",
        )
    if task is not None:
        check_task(bars, task, where)
    return bars


def fitting_bars(benchmark: Benchmark, task: Task) -> str:
    """The default version of the bars: `plain` for data without our classes."""
    ours = {"truth", "folklore"} <= set(benchmark.classes)
    return DEFAULT_BARS if ours or task == "classification" else "plain"


def bars_for(bars: Bars | None, benchmark: Benchmark, task: Task) -> BarSet:
    """Bars of a task, or those that fit; a BarSet as it is."""
    if isinstance(bars, BarSet):
        return bars
    return load_bars(bars or fitting_bars(benchmark, task), task=task)


def check_task(bars: BarSet, task: Task, where: str) -> None:
    """Refuse bars of another task."""
    if bars.task != task:
        raise SpecError(
            f"{where}: bars for {bars.task}, but the task is {task}",
            hint=f"Choose the task: `task={bars.task}`.",
        )


def load_bars(bars: str | Path | Mapping[str, Any], *, task: Task | None = None) -> BarSet:
    """Load bars: a bundled version (of detection by default), a TOML file, or a dictionary.

    A dictionary has the keys of the file.

    Example:
        >>> import assay
        >>> bars = assay.load_bars("v3")
        >>> bars.bars[0].metric, bars.bars[0].at_least
        ('auc', 0.7)
        >>> assay.load_bars("v3", task="classification").name
        'classification-v3'
        >>> mine = {"task": "detection", "version": "mine", "because": "It must beat chance."}
        >>> mine["partition"] = {"all": {"positive": "label == 1", "negative": "label == 0"}}
        >>> mine["bar"] = [{"id": "M1", "metric": "auc", "partitions": ["all"], "at_least": 0.6}]
        >>> assay.try_method("oracle:word_length", bars=assay.load_bars(mine)).bars_version
        'mine'
    """
    if isinstance(bars, Mapping):
        return read_bars(toml_bytes(bars, where="bars"), where="bars", task=task)
    of_task = task or "detection"
    if str(bars) in bundled_versions(of_task):
        bundled = BUNDLED_BARS / f"{of_task}-{bars}.toml"
        return parse_bars(bundled.read_bytes(), where=bundled.name)
    path = Path(bars)
    with storage(path):
        data = read_bounded(path, MAX_TOML_BYTES) if path.is_file() else None
    if data is None:
        others = [other for other in TASKS if str(bars) in bundled_versions(other)]
        raise SpecError(
            f"no {of_task} bars {str(bars)!r}: expected a file or a bundled version"
            f" ({', '.join(bundled_versions(of_task))})",
            hint=f"Another task has such bars: `task={others[0]}`."
            if others
            else did_you_mean(str(bars), bundled_versions(of_task)),
        )
    return read_bars(data, where=str(path), task=task)
