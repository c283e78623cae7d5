"""`assay verify`: whether a study is what it says it is."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import json_flag
from assay.errors import SpecError, storage

if TYPE_CHECKING:
    from assay.study.verify.verification import Verification


@click.command(
    "verify",
    epilog="Exit codes: 0 intact; 2 something needed is not here; 4 a breach, which the last step"
    " names.",
)
@click.argument("folders", metavar="[STUDY]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--study",
    "more",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Another study's folder.",
)
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A checkpoint that was kept; the ledger must continue what it saw.",
)
@click.option("--key", "keys", multiple=True, help="Whose signature a checkpoint must bear.")
@click.option(
    "--since",
    metavar="REV",
    help="A revision whose ledger this one must continue, as it must HEAD's.",
)
@click.option("--all", "every", is_flag=True, help="Every study below the folder [.].")
@click.option("--staged", is_flag=True, help="What is about to be committed, not what lies here.")
@click.option("--rerun", is_flag=True, help="Run every submission again and compare.")
@json_flag
def command(folders: tuple[Path, ...], **flags: Any) -> None:  # noqa: ANN401 - what click parsed
    """Verify a study, step by step: chain, seals, outputs, scorecards, views.

    Everything is derived again from the stored bytes; no code of a submission is run (except with
    --rerun). In a hook or in CI, --all verifies every study of a repository, and reports one that
    was taken away.

    \b
    Examples:
      assay verify
      assay verify --checkpoint kept-elsewhere.txt
      assay verify --all --since origin/main
    """
    from assay.ledger.checkpoint import parse_checkpoint
    from assay.ledger.note import parse_verifier
    from assay.report.study.views import verify
    from assay.study.discover import checkout_of, find_studies, staged
    from assay.study.study import find_study
    from assay.study.verify.steps import Shown

    shown = Shown(
        checkpoints=tuple(
            parse_checkpoint(_bytes(path), where=str(path)) for path in flags["checkpoints"]
        ),
        keys=tuple(parse_verifier(text) for text in flags["keys"]),
        since=flags["since"],
        rerun=flags["rerun"],
    )
    places = (*folders, *flags["more"]) or (Path(),)
    found: list[Verification] = []
    with ExitStack() as stack:
        for place in places:
            if not place.exists():
                raise SpecError(f"there is no {str(place)!r}")
            if not (flags["staged"] or flags["every"]):
                found.append(verify(find_study(place), shown))
                continue
            tree = stack.enter_context(staged(place)) if flags["staged"] else checkout_of(place)
            below = find_studies(tree, since=shown.since)
            chosen = below if flags["every"] else [find_study(tree.folder)]
            found += [verify(one, shown, repository=tree.repository_of(one)) for one in chosen]
    _show(found, every=flags["every"], as_json=flags["as_json"])
    worst = {step.outcome.value for one in found for step in one.steps[-1:]}
    sys.exit(4 if "breach" in worst else 2 if "unchecked" in worst else 0)


def _show(found: "list[Verification]", *, every: bool, as_json: bool) -> None:
    if as_json:
        from assay.report.json_output import as_json as written

        click.echo(written(found if every or len(found) > 1 else found[0]))
    else:
        from assay.report.study.verification import draw_verification, draw_verifications
        from assay.report.terminal import console

        if every:
            draw_verifications(found, console())
        for one in () if every else found:
            draw_verification(one, console())
    sys.stdout.flush()


def _bytes(path: Path) -> bytes:
    with storage(path):
        return path.read_bytes()
