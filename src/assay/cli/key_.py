"""`assay key`: keys that sign checkpoints."""

import os
from pathlib import Path

import click

from assay.cli.nouns import Noun
from assay.cli.options import PATH, json_flag
from assay.cli.output import print_json
from assay.errors import SpecError, storage


@click.group("key", cls=Noun)
def command() -> None:
    """Make a key that signs checkpoints, or show its public half.

    \b
    Examples:
      assay key new ~/.assay-key --name example.org/me
      assay key show ~/.assay-key
    """


@command.command("new")
@click.argument("file", type=PATH)
@click.option("--name", required=True, help="The owner's name, unique to you, such as a domain.")
@json_flag
def new(file: Path, name: str, as_json: bool) -> None:
    """Make a new key; keep the file secret.

    \b
    Example:
      assay key new ~/.assay-key --name example.org/me
    """
    from assay.ledger.note import new_key
    from assay.study.locate import study_root

    if study_root(file.absolute().parent) is not None:
        raise SpecError(
            f"{file} would be inside a study, and studies get published",
            hint="Keep a private key elsewhere: ~/.assay-key",
        )
    if file.exists():
        raise SpecError(
            f"{file} already exists", hint="Name another file; a key is never overwritten."
        )
    key = new_key(name)
    with storage(file):
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(key.text() + "\n")
    _show(str(key.verifier), as_json=as_json, file=file)


@command.command("show")
@click.argument("file", type=PATH)
@json_flag
def show(file: Path, as_json: bool) -> None:
    """Show the public half of a key, for those who check signatures.

    \b
    Example:
      assay key show ~/.assay-key
    """
    from assay.cli.signed_files import signer_in

    _show(str(signer_in(file).verifier), as_json=as_json, file=None)


def _show(public: str, *, as_json: bool, file: Path | None) -> None:
    if as_json:
        print_json({"public": public})
        return
    if file is not None:
        click.echo(f"{file} holds the private key; keep it secret. The public half is:")
    click.echo(public)
