"""What an import gave, for people."""

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


def draw_imported(found: Imported, out: "Console") -> None:
    """How many items there are, what was left out and why, and what to do next."""
    lines = [
        ("items", f"{found.items:,} in {counted(found.groups, 'group')}"),
        ("label 1", f"{found.positives:,}"),
        ("label 0", f"{found.negatives:,}"),
        ("labels", _FROM[found.labels]),
    ]
    if found.outcomes is not None:
        counts = (f"{name} {count:,}" for name, count in found.outcomes.items() if count)
        lines.append(("outcomes", ", ".join(counts)))
    if found.run is not None:
        mebibytes = found.run.memory >> 20
        run = found.run
        each = f"at most {run.seconds:g} s and {mebibytes:,} MiB each, without a network"
        lines.append(("run", f"Python {run.python}, {each} ({run.isolation})"))
    lines += [("left out", f"{count:,} x {why}") for why, count in found.left_out.items()]
    if not found.left_out:
        lines.append(("left out", "nothing"))
    for what, said in lines:
        out.print(styled(f"{what:<9} {said}"), soft_wrap=True)
    out.print()
    if not found.positives or not found.negatives:
        only = int(bool(found.positives))
        out.print(styled(f"Every label is {only}: nothing can be told apart in it."))
    out.print(styled(f"Written to {found.out}. See what its surface gives away:"), soft_wrap=True)
    out.print(styled(f"  assay confounds {found.out}"), soft_wrap=True)
