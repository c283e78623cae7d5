"""A verification for people: every step, and what was found."""

from typing import TYPE_CHECKING

from assay.report.terminal import styled
from assay.study.verify.verification import Outcome, Verification

if TYPE_CHECKING:
    from rich.console import Console

_STYLE = {Outcome.OK: "green", Outcome.NOTED: "yellow", Outcome.BREACH: "bold red"}


def draw_verification(found: Verification, out: "Console") -> None:
    """A line a step; the last one is the breach, where there is one."""
    for step in found.steps:
        line = styled(f"{step.number}. {step.name:<18} ")
        line.append(f"{step.outcome.value:<7}", style=_STYLE[step.outcome])
        line.append_text(styled(f" {step.found}"))
        out.print(line)
    out.print()
    if found.intact:
        out.print(styled(f"{found.study} is intact: {found.entries} entries, root {found.root}"))
    else:
        out.print(styled(f"{found.study} is NOT intact: see step {len(found.steps)}."))
