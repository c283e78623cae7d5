"""How good the predictions were and which failed, for a terminal and for Markdown."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.report.escaping import markdown, markdown_table
from assay.report.study.board import NOT_VERIFIED, unreadable_lines
from assay.report.terminal import styled, table
from assay.study.predictions.calibration import UNGRADED, Calibration, Counts
from assay.study.predictions.falsified import NOTHING_FALSIFIED, Falsified, Revised
from assay.wording import counted, percent

if TYPE_CHECKING:
    from rich.console import Console

_COUNTS = ("submission", "ranges inside", "outcome (given)", "likeliest", "directions")
_COVERAGE = ("stated", "hold", "95 % interval", "submissions")
_CURVE = ("given", "on average", "happened", "95 % interval")
_HEADERS = ("no.", "submission", "predicted", "came", "revised")


def draw_calibration(made: Calibration, out: "Console") -> None:
    """Each submission's counts, coverage, the reliability curve, scores, and the lesson."""
    for line in unreadable_lines(made.unreadable):
        out.print(styled(line))
    if not made.submissions:
        out.print(UNGRADED)
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
    out.print(styled(NOT_VERIFIED, style="dim"))


def calibration_markdown(study: str, made: Calibration) -> str:
    """The calibration as a Markdown page."""
    lines = unreadable_lines(made.unreadable)
    head = f"# How good the predictions of {markdown(study)} were\n"
    head += "".join(f"\n{markdown(line)}\n" for line in lines)
    if not made.submissions:
        return f"{head}\n{UNGRADED}\n"
    parts = [head, markdown_table(_COUNTS, map(_counts, made.submissions))]
    for title, headers, rows in _tables(made):
        parts += [f"{markdown(title)}\n", markdown_table(headers, rows)]
    parts += [f"{markdown(line)}\n" for line in (*_scores(made), *made.lessons)]
    return "\n".join(parts)


def _counts(counts: Counts) -> tuple[str, ...]:
    outcome = "-"
    if counts.no_idea:
        outcome = f"{counts.outcome or '-'} (no idea)"
    elif counts.outcome is not None and counts.probability is not None:
        outcome = f"{counts.outcome} ({percent(counts.probability)})"
    known = counts.expected is not None and not counts.no_idea
    expected = "-" if not known else "yes" if counts.expected else "no"
    directions = f"{counts.directions_held} of {counts.directions}" if counts.directions else "-"
    inside = f"{counts.inside} of {counts.ranges}" if counts.ranges else "-"
    return counts.submission, inside, outcome, expected, directions


def _tables(made: Calibration) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    rows: list[tuple[str, ...]]
    if made.coverage:
        rows = [
            (
                percent(coverage.level),
                f"{coverage.inside} of {coverage.total}",
                f"[{coverage.low:.2f}, {coverage.high:.2f}]",
                f"{coverage.submissions}",
            )
            for coverage in made.coverage
        ]
        missed = f"{counted(made.above, 'miss')} above, {made.below} below"
        yield f"Ranges ({missed})", _COVERAGE, rows
    if made.reliability:
        rows = [
            (
                f"{percent(band.at_least)} to {percent(band.below)}",
                percent(band.stated),
                f"{band.happened} of {band.total}",
                f"[{band.low:.2f}, {band.high:.2f}]",
            )
            for band in made.reliability
        ]
        yield "Outcomes: what was given such a probability, and how often it happened", _CURVE, rows


def _scores(made: Calibration) -> Iterator[str]:
    """Mean scores; for all of them less is better."""
    if made.interval_score is not None:
        yield f"interval score of the ranges  {made.interval_score:.3f}"
    for title, score, of_no_idea in (
        ("log score of the outcomes     ", made.log_score, made.log_score_of_no_idea),
        ("ranked score of the outcomes  ", made.ranked_score, made.ranked_score_of_no_idea),
    ):
        if score is not None and of_no_idea is not None:
            yield f"{title}{score:.3f}  (having no idea: {of_no_idea:.3f}; less is better)"


def draw_falsified(entries: Sequence[Falsified], out: "Console") -> None:
    """Draw a line for each commitment that did not hold."""
    if not entries:
        out.print(NOTHING_FALSIFIED)
        return
    out.print(table(_HEADERS, map(_cells, entries), right="r"))
    out.print()
    out.print(styled(NOT_VERIFIED, style="dim"))


def falsified_markdown(study: str, entries: Sequence[Falsified]) -> str:
    """The list as a Markdown page."""
    head = f"# What turned out otherwise in {markdown(study)}\n\n"
    if not entries:
        return f"{head}{NOTHING_FALSIFIED}\n"
    return head + markdown_table(_HEADERS, map(_cells, entries))


def _cells(entry: Falsified) -> tuple[str, ...]:
    revised = "; ".join(_revised(version, entry.kind) for version in entry.revised)
    return f"{entry.number}", entry.submission, entry.predicted, entry.came, revised


def _revised(version: Revised, kind: str) -> str:
    """The version and its entry, with the reason if the bars themselves were falsified."""
    named = f"{version.version} (entry {version.entry})"
    return f"{named}: {version.because}" if kind == "bars" else named
