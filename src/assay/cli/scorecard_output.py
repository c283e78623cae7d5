"""Keeping a scorecard, printing it, and leaving with its exit code."""

import sys
from pathlib import Path

import click

from assay.errors import StorageError
from assay.gauntlet.result import Scorecard, Verdict


def keep(run: Path, card: Scorecard) -> None:
    """Keep a scorecard beside its run; a folder that cannot be written to is only mentioned."""
    from assay.gauntlet.store import keep_scorecard

    try:
        keep_scorecard(run, card)
    except StorageError as error:
        from assay.report.terminal import printable

        click.echo(printable(f"The scorecard could not be kept: {error.message}"), err=True)


def show_scorecard(card: Scorecard, *, as_json: bool) -> None:
    """Print a scorecard for people or programs; exit 0 only on a PASS."""
    if as_json:
        from assay.report.json_output import as_json as written

        click.echo(written(card))
    else:
        from assay.report.terminal import console, draw_scorecard

        draw_scorecard(card, console())
    sys.stdout.flush()
    sys.exit(0 if card.verdict is Verdict.PASS else 1)
