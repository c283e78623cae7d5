"""`assay verify`: whether a study is what it says it is."""

import sys
from pathlib import Path

import click

from assay.cli.options import json_flag
from assay.errors import storage


@click.command("verify", epilog="Exit codes: 0 intact; 4 a breach, which the last step names.")
@click.argument("folders", metavar="[STUDY]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A checkpoint that was kept; the ledger must continue what it saw.",
)
@click.option("--key", "keys", multiple=True, help="Whose signature a checkpoint must bear.")
@click.option("--since", metavar="REV", help="Whose ledger this one must continue [HEAD].")
@click.option("--rerun", is_flag=True, help="Run every submission again and compare.")
@json_flag
def command(
    folders: tuple[Path, ...],
    checkpoints: tuple[Path, ...],
    keys: tuple[str, ...],
    since: str | None,
    rerun: bool,
    as_json: bool,
) -> None:
    """Verify a study, step by step: chain, seals, outputs, scorecards, views.

    Everything is derived again from the stored bytes; no code of a submission is run (except with
    --rerun). Several studies may be named, or files in them, as pre-commit does.

    \b
    Example:
      assay verify --checkpoint kept-elsewhere.txt
    """
    from assay.ledger.checkpoint import parse_checkpoint
    from assay.ledger.note import parse_verifier
    from assay.report.views import VIEWS
    from assay.study.folder import find_study
    from assay.study.verify.steps import Shown
    from assay.study.verify.verification import verify

    shown = Shown(
        checkpoints=tuple(parse_checkpoint(_bytes(path), where=str(path)) for path in checkpoints),
        keys=tuple(parse_verifier(text) for text in keys),
        since=since,
        rerun=rerun,
    )
    studies = {study.root: study for study in map(find_study, folders or (Path(),))}
    found = [verify(study, VIEWS, shown) for study in studies.values()]
    if as_json:
        from assay.report.records import as_json as written

        click.echo(written(found[0] if len(found) == 1 else found))
    else:
        from assay.report.terminal import console
        from assay.report.verification import draw_verification

        for one in found:
            draw_verification(one, console())
    sys.stdout.flush()
    sys.exit(0 if all(one.intact for one in found) else 4)


def _bytes(path: Path) -> bytes:
    with storage(path):
        return path.read_bytes()
