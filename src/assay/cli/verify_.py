"""`assay verify`: check that a study's records are complete and unchanged."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from assay.cli.options import PATH, json_flag
from assay.cli.output import show
from assay.errors import SpecError
from assay.wording import as_flags

if TYPE_CHECKING:
    from rich.console import Console

    from assay.study.verify.procedure import Verification

_EVERY = ""
"""The value of --rerun without an id."""


@click.command(
    "verify",
    epilog="Exit codes: 0 intact; 2 required data or history is missing; 4 a breach, which the last"
    " step names.",
)
@click.argument("folders", metavar="[STUDY]...", nargs=-1, type=PATH)
@click.option("--study", "more", multiple=True, type=PATH, help="Another study's folder.")
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    type=PATH,
    help="A checkpoint that you kept; the ledger must continue it.",
)
@click.option(
    "--key", "keys", multiple=True, help="A key that must have signed or cosigned each checkpoint."
)
@click.option(
    "--authority",
    "authorities",
    multiple=True,
    type=PATH,
    metavar="CERT.pem",
    help="The root certificate of the authority that every timestamp must come from.",
)
@click.option(
    "--since",
    metavar="REV",
    help="A revision whose ledger this one must continue, besides HEAD's.",
)
@click.option("--all", "every", is_flag=True, help="Every study below the folder [.].")
@click.option("--staged", is_flag=True, help="Check the staged files, not those in the folder.")
@click.option(
    "--rerun",
    multiple=True,
    is_flag=False,
    flag_value=_EVERY,
    metavar="[ID]",
    help="Run this submission again and compare; without an ID, all of them. Repeatable.",
)
@json_flag
def command(folders: tuple[Path, ...], **flags: Any) -> None:  # noqa: ANN401 - what click parsed
    """Verify a study: chain, seals, outputs, scorecards, views.

    Everything is derived again from the stored bytes. No code of a submission runs, except with
    --rerun, which stores nothing. In a hook or in CI, --all verifies every study of a repository,
    and reports one that was removed.

    \b
    Examples:
      assay verify
      assay verify --rerun 019
      assay verify --checkpoint kept-elsewhere.txt
      assay verify --authority authority-root.pem
      assay verify --all --since origin/main
    """
    from assay.cli.run_output import RunOutput

    output = RunOutput()
    try:
        verifications = _verified((*folders, *flags["more"]) or (Path(),), flags, output)
    finally:
        output.close()
    verifications = [_with_flags(verification) for verification in verifications]
    _show(verifications, every=flags["every"], as_json=flags["as_json"])
    sys.exit(max((verification.exit_code for verification in verifications), default=0))


def _verified(
    places: tuple[Path, ...],
    flags: dict[str, Any],
    output: Any,  # noqa: ANN401 - imported late
) -> "list[Verification]":
    from assay.api.study.verification import shown_from
    from assay.report.study.views import verify
    from assay.study.discover import checkout_of, find_studies, staged
    from assay.study.study import find_study

    reruns = flags["rerun"]
    shown = shown_from(
        checkpoint=flags["checkpoints"],
        key=flags["keys"],
        authority=flags["authorities"],
        since=flags["since"],
        rerun=True if _EVERY in reruns else reruns,
        listener=output,
    )
    verifications: list[Verification] = []
    with ExitStack() as stack:
        for place in places:
            if not place.exists():
                raise SpecError(f"there is no {str(place)!r}")
            if not (flags["staged"] or flags["every"]):
                verifications.append(verify(find_study(place), shown))
                continue
            tree = stack.enter_context(staged(place)) if flags["staged"] else checkout_of(place)
            below = find_studies(tree, since=shown.since)
            chosen = below.studies if flags["every"] else [find_study(tree.folder)]
            for study in chosen:
                repository = tree.repository_of(study)
                found = verify(study, shown, repository=repository, named=below.named)
                if repository is not None:  # which may be one within
                    found = replace(found, folder=tree.place_of(study.root))
                verifications.append(found)
    return verifications


def _with_flags(verification: "Verification") -> "Verification":
    """The findings and their remedies, with parameters spelled as flags."""
    steps = (replace(step, found=as_flags(step.found)) for step in verification.steps)
    return replace(verification, steps=tuple(steps))


def _show(verifications: "list[Verification]", *, every: bool, as_json: bool) -> None:
    from assay.report.study.verification import draw_verification, draw_verifications

    def draw(_: object, console: "Console") -> None:
        if every:
            draw_verifications(verifications, console)
        for verification in () if every else verifications:
            draw_verification(verification, console)

    single = not every and len(verifications) == 1
    show(verifications[0] if single else verifications, draw, as_json=as_json)
