"""How good the predictions were, for a terminal and for Markdown."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.escaping import markdown, markdown_table
from assay.report.terminal import styled, table
from assay.study.predictions.calibration import Calibration, Counts
from assay.wording import counted, percent

if TYPE_CHECKING:
    from rich.console import Console

_COUNTS = ("submission", "ranges inside", "outcome (given)", "likeliest", "directions")
_COVERAGE = ("stated", "hold", "95 % interval", "submissions")
_CURVE = ("given", "on average", "happened", "95 % interval")
_NOTHING = "No prediction has been graded yet."


def draw_calibration(made: Calibration, out: "Console") -> None:
    """Each submission's counts, coverage, the reliability curve, scores, and the lesson."""
    if not made.submissions:
        out.print(_NOTHING)
        return
    out.print(table(_COUNTS, map(_counts, made.submissions), right="lrlll"))
    for title, headers, rows in _tables(made):
        out.print()
        out.print(styled(title))
        out.print(table(headers, rows, right="rrlr"))
    out.print()
    for line in _scores(made):
        out.print(styled(line))
    for lesson in made.lessons:
        out.print(styled(lesson, style="bold"))


def calibration_markdown(study: str, made: Calibration) -> str:
    """The calibration as a Markdown page."""
    head = f"# How good the predictions of {markdown(study)} were\n"
    if not made.submissions:
        return f"{head}\n{_NOTHING}\n"
    parts = [head, markdown_table(_COUNTS, map(_counts, made.submissions))]
    for title, headers, rows in _tables(made):
        parts += [f"{markdown(title)}\n", markdown_table(headers, rows)]
    parts += [f"{markdown(line)}\n" for line in (*_scores(made), *made.lessons)]
    return "\n".join(parts)


def _counts(one: Counts) -> tuple[str, ...]:
    outcome = "-"
    if one.no_idea:
        outcome = f"{one.outcome or '-'} (no idea)"
    elif one.outcome is not None and one.probability is not None:
        outcome = f"{one.outcome} ({percent(one.probability)})"
    expected = "-" if one.expected is None or one.no_idea else "yes" if one.expected else "no"
    directions = f"{one.directions_held} of {one.directions}" if one.directions else "-"
    inside = f"{one.inside} of {one.ranges}" if one.ranges else "-"
    return one.submission, inside, outcome, expected, directions


def _tables(made: Calibration) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    rows: list[tuple[str, ...]]
    if made.coverage:
        rows = [
            (
                percent(one.level),
                f"{one.inside} of {one.total}",
                f"[{one.low:.2f}, {one.high:.2f}]",
                f"{one.submissions}",
            )
            for one in made.coverage
        ]
        missed = f"{counted(made.above, 'miss')} above, {made.below} below"
        yield f"Ranges ({missed})", _COVERAGE, rows
    if made.reliability:
        rows = [
            (
                f"{percent(one.at_least)} to {percent(one.below)}",
                percent(one.stated),
                f"{one.happened} of {one.total}",
                f"[{one.low:.2f}, {one.high:.2f}]",
            )
            for one in made.reliability
        ]
        yield "Outcomes: what was given such a probability, and how often it happened", _CURVE, rows


def _scores(made: Calibration) -> Iterator[str]:
    """Mean scores; for all of them less is better."""
    if made.interval_score is not None:
        yield f"interval score of the ranges  {made.interval_score:.3f}"
    if made.log_score is not None and made.log_score_of_no_idea is not None:
        yield (
            f"log score of the outcomes     {made.log_score:.3f}"
            f"  (having no idea: {made.log_score_of_no_idea:.3f}; less is better)"
        )
    if made.ranked_score is not None and made.ranked_score_of_no_idea is not None:
        yield (
            f"ranked score of the outcomes  {made.ranked_score:.3f}"
            f"  (having no idea: {made.ranked_score_of_no_idea:.3f}; less is better)"
        )
