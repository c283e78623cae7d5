"""Critiques for people."""

from typing import TYPE_CHECKING

from assay.critic.asymmetry.result import Asymmetry, Measure, Quadrant
from assay.critic.result import AnswerScore, Critique, WordingResult, answer_lines
from assay.report.terminal import EVERY_CAVEAT, draw_caveats, styled, table
from assay.wording import as_flags, counted, interval, percent, some

if TYPE_CHECKING:
    from rich.console import Console

    from assay.stats.estimate import Estimate

_FEW = 8
_ABOUT = (
    "p_no: the probability that the model rejects the answer, between its bounds; mass: the"
    " probability of YES and NO together; spread: the largest difference between two wordings."
)


def draw_critique(
    made: Critique, out: "Console", *, every: bool = False, every_caveat: str | None = EVERY_CAVEAT
) -> None:
    """A critique: each wording, the answers most rejected, the AUC, and what to know."""
    if made.n == 1:
        for line in answer_lines(made.scores[0], made.model):
            out.print(styled(line))
        out.print(styled(_ABOUT, style="dim"))
        draw_caveats(made.caveats, out, every=every_caveat)
        return
    out.print(styled(f"{made.data}: {counted(made.n, 'answer')}, judged by {made.model}"))
    out.print()
    out.print(_wordings(made))
    out.print()
    _draw_scores(made, out, every=every)
    for line in _summary(made):
        out.print(styled(as_flags(line)))
    draw_caveats(made.caveats, out, every=every_caveat)


def _wordings(made: Critique) -> object:
    rows = [_row(each) for each in made.wordings]
    if len(rows) > 1:
        rows.append(("mean of them", *_auc(made.auc), f"{made.abstained:,}", ""))
    return table(("wording", "AUC", "95 % interval", "abstained", "mass"), rows, right=" r rr")


def _row(each: WordingResult) -> tuple[str, ...]:
    mass = "" if each.mass is None else f"{each.mass:.2f}"
    return (each.name, *_auc(each.auc), f"{each.abstained:,}", mass)


def _auc(found: "Estimate | None") -> tuple[str, str]:
    if found is None:
        return "", ""
    return f"{found.value:.3f}", interval(found.low, found.high)


def _draw_scores(made: Critique, out: "Console", *, every: bool) -> None:
    scored = [score for score in made.scores if score.p_no is not None]
    ranked = sorted(scored, key=lambda score: -(score.p_no or 0.0))
    shown = list(made.scores) if every else ranked[:_FEW]
    if not shown:
        return
    if not every:
        most = f"most rejected ({len(shown)} of {len(scored):,}; `all=` shows every one)"
        out.print(styled(as_flags(most)))
    header = ("id", "p_no", "bounds", "mass", "spread")
    out.print(table(header, [_scored(score) for score in shown], right=" r rr"))
    out.print(styled(_ABOUT, style="dim"))
    out.print()


def _scored(score: AnswerScore) -> tuple[str, ...]:
    if score.error is not None:
        return score.id, "failed", score.error[:60], "", ""
    given = "abstained" if score.p_no is None else f"{score.p_no:.3f}"
    bounds = "" if score.low is None or score.high is None else interval(score.low, score.high)
    mass = "" if score.mass is None else f"{score.mass:.2f}"
    return score.id, given, bounds, mass, "" if score.spread is None else f"{score.spread:.2f}"


def _summary(made: Critique) -> list[str]:
    scored = made.n - made.abstained - made.failed
    share = percent(scored / made.n)
    first = f"scored {scored:,} of {made.n:,} ({share}), {made.abstained:,} abstained"
    lines = [f"{first}, {made.failed:,} failed" if made.failed else first]
    if made.auc is not None:
        lines.append(f"AUC {made.auc}: 0.5 is chance; wrong answers should score higher")
    else:
        how = "" if made.labelled else ". `label=COLUMN` says which answers are wrong"
        lines.append(f"{made.why_no_auc}{how}")
    if made.cassette is not None:
        calls = made.cassette
        lines.append(f"calls {calls.asked:,} asked, {calls.replayed:,} replayed from {calls.file}")
    return lines


def draw_asymmetry(
    found: Asymmetry, out: "Console", *, every_caveat: str | None = EVERY_CAVEAT
) -> None:
    """The three measures side by side, and the items on which they disagree."""
    out.print(styled(f"{found.data}: {counted(found.n, 'misconception')}, asked of {found.model}"))
    out.print()
    header = ("measure", "asymmetric", "95 % interval", *_QUADRANTS.values(), "unclear")
    out.print(table(header, [_measure(each) for each in found.measures], right=" r rrrr"))
    out.print(styled(_ABOUT_QUADRANTS, style="dim"))
    for each in found.measures:
        out.print(styled(f"{each.name}: {each.about}", style="dim"))
    if found.disagreements:
        listed = some(found.disagreements)
        out.print(styled(f"v1 and v3 say opposite things of {listed}"))
    if found.grades is not None:
        out.print(styled(str(found.grades)))
    draw_caveats(found.caveats, out, every=every_caveat)


_QUADRANTS = {
    Quadrant.CONSISTENT_WRONG: "wrong",
    Quadrant.CONSISTENT_RIGHT: "right",
    Quadrant.NEITHER: "neither",
}
_ABOUT_QUADRANTS = (
    "asymmetric: affirms the misconception on its own and rejects it when shown; wrong: affirms and"
    " accepts; right: does not affirm, and rejects; neither: neither."
)


def _measure(each: Measure) -> tuple[str, ...]:
    counts = (f"{each.quadrants[quadrant]:,}" for quadrant in _QUADRANTS)
    rate = each.asymmetric
    return (
        each.name,
        f"{rate.value:.3f}",
        interval(rate.low, rate.high),
        *counts,
        f"{each.unclear:,}",
    )
