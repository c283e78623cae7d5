"""What turned out otherwise, for a terminal and for Markdown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.escaping import markdown, markdown_table
from assay.report.terminal import table
from assay.study.predictions.falsified import Falsified, Revised

if TYPE_CHECKING:
    from rich.console import Console

_HEADERS = ("", "submission", "predicted", "came", "revised")


def draw_falsified(entries: Sequence[Falsified], out: "Console") -> None:
    """A line a commitment that did not hold."""
    if not entries:
        out.print("Nothing that was predicted has turned out otherwise yet.")
        return
    out.print(table(_HEADERS, map(_cells, entries), right="r"))


def falsified_markdown(study: str, entries: Sequence[Falsified]) -> str:
    """The list as a Markdown page."""
    head = f"# What turned out otherwise in {markdown(study)}\n\n"
    if not entries:
        return f"{head}Nothing that was predicted has turned out otherwise yet.\n"
    return head + markdown_table(("no.", *_HEADERS[1:]), map(_cells, entries))


def _cells(entry: Falsified) -> tuple[str, ...]:
    revised = "; ".join(_revised(version, entry.kind) for version in entry.revised)
    return f"{entry.number}", entry.submission, entry.predicted, entry.came, revised


def _revised(version: Revised, kind: str) -> str:
    """The version and its entry; the reason stands where the bars themselves were falsified."""
    named = f"{version.version} (entry {version.entry})"
    return f"{named}: {version.because}" if kind == "bars" else named
