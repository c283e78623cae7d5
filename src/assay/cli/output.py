"""Print or store a verb's result, and exit with the code of its verdict."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from assay.errors import IntegrityError, StorageError, writable

if TYPE_CHECKING:
    from rich.console import Console

    from assay.gauntlet.result import Scorecard
    from assay.study.study import StudyFolder

Record = TypeVar("Record")
_NAMING = frozenset({"BOARD.md", "CALIBRATION.md"})
"""The pages that name unreadable submissions themselves."""


def print_json(record: object) -> None:
    """Print a record with stable keys; undecodable names are escaped."""
    from assay.digests import pretty_json

    try:
        data = pretty_json(record)
    except UnicodeEncodeError:
        import msgspec

        data = pretty_json(_writable(msgspec.to_builtins(record)))
    click.echo(data, nl=False)


def _writable(value: Any) -> Any:  # noqa: ANN401 - JSON is any of six types
    """A value in which every text can be encoded."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, dict):
        return {writable(str(key)): _writable(inner) for key, inner in value.items()}
    return [_writable(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def show(record: Record, draw: Callable[[Record, "Console"], None], *, as_json: bool) -> None:
    """Print a record as JSON, or draw it on the terminal.

    A closed pipe (`assay compare ... | head`) does not change the verdict or the exit code.
    """
    try:
        if as_json:
            print_json(record)
        else:
            from assay.report.terminal import console

            draw(record, console())
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except SystemExit:  # so rich says it, with the output discarded
        return


def discard_output() -> None:
    """Discard all further output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def leave(*, favourable: bool, intact: bool = True) -> NoReturn:
    """Exit with 0 on a favourable verdict and 1 on any other, after all output is written.

    Exit with 4 if integrity is broken.
    """
    sys.stdout.flush()
    sys.exit((0 if favourable else 1) if intact else IntegrityError.exit_code)


def show_scorecard(card: "Scorecard", *, caveats: bool, as_json: bool) -> NoReturn:
    """Print a scorecard, with every caveat or the first ones; exit 0 only on a PASS."""
    from assay.report.gauntlet import draw_scorecard
    from assay.report.terminal import EVERY_CAVEAT

    draw = partial(draw_scorecard, every_caveat=None if caveats else EVERY_CAVEAT)
    show(card, draw, as_json=as_json)
    leave(favourable=card.verdict.favourable)


def keep(run: Path, card: "Scorecard") -> None:
    """Store a scorecard with its run; warn if the folder is not writable."""
    from assay.gauntlet.store import keep_scorecard

    try:
        keep_scorecard(run, card)
    except StorageError as error:
        from assay.wording import printable

        click.echo(printable(f"The scorecard could not be stored: {error.message}"), err=True)


def show_page(
    study: "StudyFolder",
    page: str,
    make: Callable[["StudyFolder"], Record],
    draw: Callable[[Record, "Console"], None],
    *,
    markdown: bool,
    write: bool,
    as_json: bool,
) -> None:
    """Print a view of a study: as JSON, as Markdown, or drawn on the terminal.

    With `write`, write the page into the study and print the file's name.
    """
    from assay.report.study.views import view_text, write_view

    if write:
        place = os.path.relpath(write_view(study, page))
        if as_json:
            print_json({"wrote": place})
        else:
            click.echo(f"Wrote {place}.")
    elif markdown and not as_json:
        click.echo(view_text(study, page), nl=False)
    else:
        show(make(study), draw, as_json=as_json)
    check_shown(study, named=page in _NAMING and not (write or as_json))


def check_shown(study: "StudyFolder", *, named: bool = False) -> None:
    """Exit with 4 if a view leaves out unreadable submissions; they are named once."""
    from assay.report.study.board import unreadable_lines
    from assay.study.views import unreadable_of
    from assay.wording import printable

    lines = unreadable_lines(unreadable_of(study))
    for line in () if named else lines:
        click.echo(printable(line), err=True)
    if lines:
        leave(favourable=False, intact=False)
