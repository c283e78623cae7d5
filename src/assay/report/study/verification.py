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
    from rich.table import Table

    steps = Table.grid(padding=(0, 2, 0, 0))
    for index in range(3):
        steps.add_column(no_wrap=index < 2, overflow="fold")
    for step in made.steps:
        name = styled(f"{step.number}. {step.name}")
        outcome = styled(step.outcome.value, style=_STYLE[step.outcome])
        steps.add_row(name, outcome, styled(step.found))
    out.print(steps)
    out.print()
    out.print(styled(made.summary))
