"""A verification for people: every step, and what was found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.terminal import marked, styled
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
    """A line a study; the steps only of one that is not intact."""
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
    """A line a step; the last one is the breach, where there is one."""
    for step in made.steps:
        outcome = f"{step.outcome.value:<9}"
        name = f"{step.number}. {step.name:<18} "
        out.print(marked(name, outcome, _STYLE[step.outcome], f" {step.found}"))
    out.print()
    out.print(styled(made.summary))
