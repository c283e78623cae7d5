"""Draw a verification: every step, and its findings."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.terminal import styled
from assay.study.verify.procedure import StepOutcome, Verification
from assay.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

_STYLE = {
    StepOutcome.OK: "green",
    StepOutcome.NOTED: "yellow",
    StepOutcome.UNCHECKED: "yellow",
    StepOutcome.BREACH: "bold red",
}


def draw_verifications(studies: Sequence[Verification], out: "Console") -> None:
    """Draw a line for each study, with the steps of those that are not intact."""
    for study in studies:
        if study.intact:
            noted = [step.name for step in study.steps if step.outcome is StepOutcome.NOTED]
            beside = f" (noted: {', '.join(noted)})" if noted else ""
            out.print(styled(f"{study.folder}: intact, {counted(study.entries, 'entry')}{beside}"))
        else:
            draw_verification(study, out)
    broken = sum(not study.intact for study in studies)
    state = "all intact" if not broken else f"{broken} NOT intact"
    out.print(
        styled(f"{counted(len(studies), 'study')}, {state}." if studies else "No study here.")
    )


def draw_verification(made: Verification, out: "Console") -> None:
    """Draw a line for each step; if there is a breach, it is the last."""
    from assay.report.whole_commands import whole_lines

    named = max(len(f"{step.number}. {step.name}") for step in made.steps)
    ended = max(len(step.outcome.value) for step in made.steps)
    for step in made.steps:
        line = styled(f"{f'{step.number}. {step.name}':<{named}}  ")
        line.append(f"{step.outcome.value:<{ended}}", style=_STYLE[step.outcome])
        line.append(f"  {styled(step.found).plain}")
        for part in whole_lines(line, out.width, hanging=named + ended + 4):
            out.print(part, soft_wrap=True)
    out.print()
    out.print(styled(made.summary))
