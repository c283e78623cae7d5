"""Draw a finished run: its verdicts, and the grade of its prediction."""

from typing import TYPE_CHECKING

from assay.report.gauntlet import draw_scorecard
from assay.report.terminal import styled, table
from assay.study.predictions.grade import Grade
from assay.study.predictions.spec import Prediction
from assay.study.submissions.run import Finished
from assay.wording import percent, printable

if TYPE_CHECKING:
    from rich.console import Console


def draw_finished(finished: Finished, out: "Console") -> None:
    """Draw the scorecard under the sealed bars, a line for each other version, and the grade."""
    again = f"assay score runs/{finished.submission} `caveats=True` shows them"
    for judgement in finished.judgements:
        if judgement.bars == finished.original:
            if judgement.scorecard is None:
                out.print(styled(f"{finished.submission}: no verdict. {judgement.error}"))
            else:
                draw_scorecard(judgement.scorecard, out, every_caveat=again)
    others = [judgement for judgement in finished.judgements if judgement.bars != finished.original]
    if others:
        out.print()
        for judgement in others:
            verdict = judgement.error or ""
            if judgement.scorecard is not None:
                point = judgement.scorecard.point
                verdict = f"{judgement.scorecard.verdict.upper()} {point.passed}/{point.total}"
            out.print(styled(f"under {judgement.bars}: {verdict}"))
    out.print()
    draw_grade(finished.grade, out)
    for each in finished.unreadable:
        out.print(styled(f"Not judged, unreadable: {each.submission}. {each.why}"))


def prediction_lines(prediction: Prediction) -> list[str]:
    """A line for each commitment."""
    if prediction.no_idea:
        return ["predicted: no idea"]
    lines = [
        f"{expected.metric} from {expected.low:g} to {expected.high:g} ({percent(expected.level)})"
        for expected in prediction.ranges
    ]
    if prediction.outcomes:
        lines.append(
            ", ".join(f"{name} {percent(share)}" for name, share in prediction.outcomes.items())
        )
    lines += [direction.text for direction in prediction.directions]
    return [f"predicted: {printable(line)}" for line in lines]


def draw_grade(grade: Grade, out: "Console") -> None:
    """Each commitment with its outcome."""
    if grade.no_idea:
        out.print(styled(grade.summary))
        return
    rows: list[tuple[str, ...]] = [
        (
            graded.metric,
            f"from {graded.low:.3f} to {graded.high:.3f} ({percent(graded.level)})",
            "-" if graded.value is None else f"{graded.value:.3f}",
            graded.where or "not graded",
        )
        for graded in grade.ranges
    ]
    outcome = grade.outcome
    if outcome is not None:
        shares = ", ".join(
            f"{name} {percent(share)}" for name, share in outcome.probabilities.items()
        )
        word = "the likeliest" if outcome.happened == outcome.expected else "not the likeliest"
        word = "several likeliest" if outcome.expected is None else word
        rows.append(("outcome", shares, outcome.happened, word))
    for direction in grade.directions:
        sides = [direction.left, direction.right]
        came = " and ".join("-" if side is None else f"{side:.3f}" for side in sides)
        word = {True: "held", False: "did not hold", None: "not graded"}[direction.held]
        rows.append(("direction", direction.text, came, word))
    if not rows:
        out.print(styled(grade.summary))
        return
    out.print(styled(f"{grade.summary}:"))
    out.print(table(("", "predicted", "came", ""), rows))
