"""Draw the result of an import on a terminal."""

from typing import TYPE_CHECKING

from assay.benchmark.corpora.result import Imported
from assay.report.terminal import styled
from assay.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

_FROM = {
    "given": "the corpus's own",
    "results": "from the samples' own `passed` fields; nothing was run",
    "executed": "from running the samples against their tests",
}


def draw_imported(imported: Imported, out: "Console") -> None:
    """Draw the number of items, what was left out and why, and the next step."""
    lines = [
        ("items", f"{imported.items:,} in {counted(imported.groups, 'group')}"),
        ("label 1", f"{imported.positives:,}"),
        ("label 0", f"{imported.negatives:,}"),
        ("labels", _FROM[imported.labels]),
    ]
    if imported.outcomes is not None:
        counts = (f"{name} {count:,}" for name, count in imported.outcomes.items() if count)
        lines.append(("outcomes", ", ".join(counts)))
    if imported.run is not None:
        run = imported.run
        each = f"at most {run.seconds:g} s and {run.memory >> 20:,} MiB each, without a network"
        lines.append(("run", f"Python {run.python}, {each} ({run.isolation})"))
    lines += [("left out", f"{count:,} x {why}") for why, count in imported.left_out.items()]
    if not imported.left_out:
        lines.append(("left out", "nothing"))
    for what, value in lines:
        out.print(styled(f"{what:<9} {value}"), soft_wrap=True)
    out.print()
    if not imported.positives or not imported.negatives:
        only = int(bool(imported.positives))
        out.print(styled(f"Every label is {only}: nothing can be measured on it."))
    for line in (
        f"Written to {imported.out}. Audit its surface:",
        f"  assay confounds {imported.out}",
    ):
        out.print(styled(line), soft_wrap=True)
