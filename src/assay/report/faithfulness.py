"""Faithfulness audits for people."""

from typing import TYPE_CHECKING

from assay.critic.faithfulness.result import (
    ControlRate,
    FaithfulnessAudit,
    FaithfulnessClaim,
    gate_line,
    saturation_line,
)
from assay.report.terminal import EVERY_CAVEAT, draw_caveats, marked, styled, table
from assay.study.graded_once.result import SealedExperiment
from assay.wording import as_flags, counted, interval

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 20
_STYLES = {"faithful": "bold green", "undecided": "yellow"}
_ABOUT = (
    "p_no: the probability that the judge rejects the claim, between its bounds; mass: the"
    " probability of YES and NO together; spread: the largest difference between two wordings."
)


def draw_faithfulness(
    audit: FaithfulnessAudit,
    out: "Console",
    *,
    every: bool = False,
    every_caveat: str | None = EVERY_CAVEAT,
) -> None:
    """The claims that are not as expected, or all; controls by kind, both gates, the verdict."""
    out.print(styled(f"{counted(audit.n, 'claim')} and controls, judged by {audit.model}"))
    out.print()
    odd = [each for each in audit.claims if each.said is not each.expected]
    shown = list(audit.claims) if every else (odd or list(audit.claims))[:_SHOWN]
    header = ("id", "kind", "judge", "p_no", "bounds", "mass", "spread", "predicted")
    out.print(table(header, [_claim(each) for each in shown], right="   r rr"))
    left = len(audit.claims) - len(shown)
    if left:
        out.print(styled(as_flags(f"and {left:,} more (`all=` shows every one)")))
    out.print(styled(_ABOUT, style="dim"))
    out.print()
    rates = [_rate(each) for each in audit.controls]
    kinds = ("controls", "rejected", "95 % interval", "accepted", "undecided")
    out.print(table(kinds, rates, right=" r rr"))
    out.print()
    for gate in audit.gates:
        out.print(styled(gate_line(gate)))
    out.print(styled(saturation_line(audit.saturation)))
    if audit.grades is not None:
        out.print(styled(str(audit.grades)))
    draw_caveats(audit.caveats, out, every=every_caveat)
    out.print()
    style = _STYLES.get(audit.verdict.value, "bold red")
    out.print(marked("verdict  ", audit.verdict.upper(), style, f"  {audit.because}"))


def _claim(each: FaithfulnessClaim) -> tuple[str, ...]:
    score = each.score
    kind = "paraphrase" if each.kind is None else each.kind.value
    said = "failed" if score.error is not None else "abstained" if score.abstained else each.said
    bounds = "" if score.low is None or score.high is None else interval(score.low, score.high)
    where = "" if each.predicted is None else each.predicted.where or "cannot be told"
    return (
        each.id,
        kind,
        said,
        "" if score.p_no is None else f"{score.p_no:.3f}",
        bounds,
        "" if score.mass is None else f"{score.mass:.2f}",
        "" if score.spread is None else f"{score.spread:.2f}",
        where,
    )


def _rate(each: ControlRate) -> tuple[str, ...]:
    ends = interval(each.rate.low, each.rate.high)
    share = f"{each.rejected} of {each.n}"
    return each.kind.value, share, ends, f"{each.accepted}", f"{each.undecided}"


def draw_sealed(sealed: SealedExperiment, out: "Console", *, verb: str) -> None:
    """What was sealed, and what comes next."""
    for line in sealed.lines():
        out.print(styled(line))
    again = f"assay {verb} grade {sealed.name}"
    out.print(styled(f"Commit the study. Then ask the model, once: {again}"))
