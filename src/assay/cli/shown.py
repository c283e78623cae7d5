"""Printing a scorecard and leaving with its exit code."""

import sys

import click

from assay.judges.scorecard import Scorecard, Verdict


def show_scorecard(card: Scorecard, *, as_json: bool) -> None:
    """Print a scorecard for people or programs; exit 0 only on a PASS."""
    if as_json:
        from assay.report.records import as_json as written

        click.echo(written(card))
    else:
        from assay.report.terminal import console, draw_scorecard

        draw_scorecard(card, console())
    sys.stdout.flush()
    sys.exit(0 if card.verdict is Verdict.PASS else 1)
