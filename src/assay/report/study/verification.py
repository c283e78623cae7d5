"""A verification for people: every step, and what was found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.terminal import styled
from assay.study.verify.verification import StepOutcome, Verification
from assay.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

_STYLE = {
    StepOutcome.OK: "green",
    StepOutcome.NOTED: "yellow",
    StepOutcome.UNCHECKED: "yellow",
    StepOutcome.BREACH: "bold red",
}


def draw_verifications(found: Sequence[Verification], out: "Console") -> None:
    """A line a study; the steps only of one that is not intact."""
    for one in found:
        if one.intact:
            noted = [step.name for step in one.steps if step.outcome is StepOutcome.NOTED]
            beside = f" (noted: {', '.join(noted)})" if noted else ""
            out.print(styled(f"{one.folder}: intact, {counted(one.entries, 'entry')}{beside}"))
        else:
            draw_verification(one, out)
    broken = sum(not one.intact for one in found)
    said = "all intact" if not broken else f"{broken} NOT intact"
    out.print(styled(f"{counted(len(found), 'study')}, {said}." if found else "No study here."))


def draw_verification(found: Verification, out: "Console") -> None:
    """A line a step; the last one is the breach, where there is one."""
    for step in found.steps:
        line = styled(f"{step.number}. {step.name:<18} ")
        line.append(f"{step.outcome.value:<9}", style=_STYLE[step.outcome])
        line.append_text(styled(f" {step.found}"))
        out.print(line)
    out.print()
    entries = counted(found.entries, "entry")
    if found.intact:
        out.print(styled(f"{found.study} is intact: {entries}, root {found.root}"))
    elif found.steps[-1].outcome is StepOutcome.UNCHECKED:
        out.print(styled(f"{found.study} cannot be verified here: see step {len(found.steps)}."))
    else:
        out.print(styled(f"{found.study} is NOT intact: see step {len(found.steps)}."))
