"""Store a scorecard, print it, and exit with the code of its verdict."""

from pathlib import Path
from typing import NoReturn

import click

from assay.cli.options import leave
from assay.errors import StorageError
from assay.gauntlet.result import Scorecard


def keep(run: Path, card: Scorecard) -> None:
    """Store a scorecard beside its run; a folder that cannot be written to gives a warning."""
    from assay.gauntlet.store import keep_scorecard

    try:
        keep_scorecard(run, card)
    except StorageError as error:
        from assay.report.terminal import printable

        click.echo(printable(f"The scorecard could not be kept: {error.message}"), err=True)


def show_scorecard(card: Scorecard, *, as_json: bool) -> NoReturn:
    """Print a scorecard for people or programs; exit 0 only on a PASS."""
    if as_json:
        from assay.report.json_output import as_json as written

        click.echo(written(card))
    else:
        from assay.report.terminal import console, draw_scorecard

        draw_scorecard(card, console())
    leave(favourable=card.verdict.favourable)
