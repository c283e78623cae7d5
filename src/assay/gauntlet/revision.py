"""The next version of a bar set: never an edit, always the old bars and one more, with its reason.

A revision is written as TOML, which is read back before it is given out, so that what was written
is what will be judged by.
"""

import re
from typing import Literal

from assay.digests import is_name
from assay.errors import SpecError
from assay.gauntlet.spec import Bar, BarSet, Control, Partition, Regression, parse_bars

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def next_version(version: str) -> str:
    """v4 after v3, mine-2 after mine-1, and `-2` behind a name without a number."""
    match = re.fullmatch(r"(.*?)(\d+)", version)
    return f"{version}-2" if match is None else f"{match[1]}{int(match[2]) + 1}"


def control_bar(identity: str, control: str, at_least: float, partitions: tuple[str, ...]) -> Bar:
    """A bar from `feature:NAME` (a margin over a feature), `surface` or `source` (an AUC)."""
    if not is_name(identity.lower()):
        raise SpecError(f"{identity!r:.80} cannot name a bar (letters, digits, . _ -)")
    kind, _, name = control.partition(":")
    if kind == "feature" and name:
        minus = Control(feature=name, direction="better")
        return Bar(id=identity, metric="auc", at_least=at_least, partitions=partitions, minus=minus)
    if control in ("surface", "lexical"):
        beyond: Literal["surface", "lexical"] = "surface" if control == "surface" else "lexical"
        return Bar(
            id=identity, metric="auc", at_least=at_least, partitions=partitions, beyond=beyond
        )
    if control == "source":
        return Bar(
            id=identity, metric="auc", at_least=at_least, partitions=partitions, within="source"
        )
    raise SpecError(
        f"control {control!r:.80}: expected feature:NAME, surface, lexical or source",
        hint="`assay methods` lists the features: oracle:NAME.",
    )


def revised_text(
    base: BarSet, bar: Bar, *, version: str, because: str, regression: Regression
) -> str:
    """The TOML of the next version."""
    if not because.strip():
        raise SpecError("a revision needs its reason", hint="Say it: `because=TEXT`.")
    lines = [
        f"task = {quoted(base.task)}",
        f"version = {quoted(version)}",
        f"supersedes = {quoted(base.version)}",
        f"because = {quoted(because.strip())}",
    ]
    if base.second is not None:
        lines.append(f"second = {quoted(base.second)}")
    for partition in base.partitions.values():
        lines += ["", *_partition_lines(partition)]
    for one in (*base.bars, bar):
        lines += ["", *_bar_lines(one)]
    for control in (*base.regressions, regression):
        lines += ["", *_regression_lines(control)]
    text = "\n".join(lines) + "\n"
    parse_bars(text.encode(), where=f"the revision {version}")
    return text


def _partition_lines(partition: Partition) -> list[str]:
    return [
        f"[partition.{quoted(partition.name)}]",
        f"positive = {quoted(partition.positive.text)}",
        f"negative = {quoted(partition.negative.text)}",
    ]


def _bar_lines(bar: Bar) -> list[str]:
    lines = ["[[bar]]", f"id = {quoted(bar.id)}", f"metric = {quoted(bar.metric)}"]
    if bar.partitions:
        lines.append(f"partitions = [{', '.join(map(quoted, bar.partitions))}]")
    lines.append(f"at_least = {bar.at_least!r}")
    if bar.of is not None:
        lines.append(f"of = {quoted(bar.of)}")
    if bar.minus is not None:
        feature, direction = quoted(bar.minus.feature), quoted(bar.minus.direction)
        lines.append(f"minus = {{ feature = {feature}, direction = {direction} }}")
    if bar.beyond is not None:
        lines.append(f"beyond = {quoted(bar.beyond)}")
    if bar.within is not None:
        lines.append(f"within = {quoted(bar.within)}")
    if bar.corpus != "main":
        lines.append(f"corpus = {quoted(bar.corpus)}")
    return lines


def _regression_lines(control: Regression) -> list[str]:
    return [
        "[[regression]]",
        f"method = {quoted(control.method)}",
        f"passes = [{', '.join(map(quoted, control.passes))}]",
        f"fails = [{', '.join(map(quoted, control.fails))}]",
    ]


def quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = (
        _ESCAPES.get(char, char if char.isprintable() else f"\\U{ord(char):08X}") for char in text
    )
    return f'"{"".join(escaped)}"'
