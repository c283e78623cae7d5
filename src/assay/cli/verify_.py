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
@click.option("--all", "every", is_flag=True, help="Every study below the folder [.].")
@click.option("--rerun", is_flag=True, help="Run every submission again and compare.")
@json_flag
def command(
    folders: tuple[Path, ...],
    checkpoints: tuple[Path, ...],
    keys: tuple[str, ...],
    since: str | None,
    every: bool,
    rerun: bool,
    as_json: bool,
) -> None:
    """Verify a study, step by step: chain, seals, outputs, scorecards, views.

    Everything is derived again from the stored bytes; no code of a submission is run (except with
    --rerun). In a hook or in CI, --all verifies every study of a repository, and misses one that
    was taken away.

    \b
    Examples:
      assay verify
      assay verify --checkpoint kept-elsewhere.txt
      assay verify --all --since origin/main
    """
    from assay.ledger.checkpoint import parse_checkpoint
    from assay.ledger.note import parse_verifier
    from assay.report.views import verify
    from assay.study.finding import find_studies
    from assay.study.folder import find_study
    from assay.study.verify.steps import Shown

    shown = Shown(
        checkpoints=tuple(parse_checkpoint(_bytes(path), where=str(path)) for path in checkpoints),
        keys=tuple(parse_verifier(text) for text in keys),
        since=since,
        rerun=rerun,
    )
    if every:
        below = [find_studies(folder, since=since) for folder in folders or (Path(),)]
        studies = {study.root: study for found in below for study in found}
    else:
        studies = {study.root: study for study in map(find_study, folders or (Path(),))}
    found = [verify(study, shown) for study in studies.values()]
    if as_json:
        from assay.report.records import as_json as written

        click.echo(written(found if every or len(found) > 1 else found[0]))
    else:
        from assay.report.terminal import console
        from assay.report.verification import draw_verification

        for one in found:
            draw_verification(one, console())
        if not found:
            click.echo("No study here.")
    sys.stdout.flush()
    sys.exit(0 if all(one.intact for one in found) else 4)


def _bytes(path: Path) -> bytes:
    with storage(path):
        return path.read_bytes()
