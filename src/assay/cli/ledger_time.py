"""`assay ledger pin`, `request` and `timestamp`: times that an outside authority attests."""

import shlex
from pathlib import Path

import click

from assay.cli.options import PATH, json_flag, study_flag
from assay.cli.output import print_json
from assay.study.study import StudyFolder, find_study


@click.command("pin")
@click.argument("certificate", metavar="CERT.pem", type=PATH)
@study_flag
@json_flag
def pin(certificate: Path, folder: Path, as_json: bool) -> None:
    """Pin a time-stamping authority by its root certificate.

    Timestamps of this study count if they are by a pinned authority. The pin is public: readers
    compare the fingerprint with the one that the authority publishes.

    \b
    Example:
      assay ledger pin authority-root.pem
    """
    from assay.files import read_bounded
    from assay.ledger.certificate import MAX_BYTES
    from assay.study import timestamps

    study = find_study(folder)
    data = read_bounded(certificate, MAX_BYTES)
    authority, entry = timestamps.pin(study, data, where=str(certificate))
    (file,) = entry.files
    if as_json:
        facts = {"authority": authority.fingerprint, "name": authority.name}
        print_json({**facts, "file": file, "entry": entry.n})
        return
    _say(f"Entry {entry.n} pins {authority.name}, SHA-256 {authority.fingerprint}.")
    _say_how_to_commit(study, [file], "Pin an authority")


@click.command("request")
@click.argument("checkpoint", metavar="CHECKPOINT", type=PATH)
@study_flag
@json_flag
def request(checkpoint: Path, folder: Path, as_json: bool) -> None:
    """Write the request for a timestamp of a kept checkpoint.

    Assay does not send it: send it to an authority with any tool, and enter the response with
    `assay ledger timestamp`.

    \b
    Example:
      assay ledger request checkpoints/000007.txt
    """
    from assay.study.timestamps import request_timestamp

    made = request_timestamp(find_study(folder), checkpoint)
    response = made.with_suffix(".tsr")
    if as_json:
        print_json({"request": str(made), "response": str(response)})
        return
    words = ["curl", "-H", "Content-Type: application/timestamp-query", "--data-binary"]
    _say(f"Wrote the request {made}. Send it to an authority, and enter the response:")
    _say(f"  {shlex.join([*words, f'@{made}', '-o', str(response)])} URL")
    _say(f"  assay ledger timestamp {shlex.quote(str(checkpoint))}")


@click.command("timestamp")
@click.argument("checkpoint", metavar="CHECKPOINT", type=PATH)
@click.option(
    "--response",
    type=PATH,
    metavar="FILE",
    help="The authority's response. Default: CHECKPOINT with the extension .tsr.",
)
@study_flag
@json_flag
def timestamp(checkpoint: Path, response: Path | None, folder: Path, as_json: bool) -> None:
    """Verify the timestamp of a kept checkpoint, offline, and enter it in the ledger.

    A run that starts after this, of a seal that the checkpoint covers, carries the attested time.

    \b
    Examples:
      assay ledger timestamp checkpoints/000007.txt
      assay ledger timestamp checkpoints/000007.txt --response ~/answer.tsr
    """
    from assay.study.timestamps import add_timestamp

    study = find_study(folder)
    made = add_timestamp(study, checkpoint, response)
    if as_json:
        print_json(made)
        return
    _say(
        f"Entry {made.entry}: the first {made.checkpoint} entries existed by {made.time}, says"
        f" {made.name}, SHA-256 {made.authority}."
    )
    stem = f"checkpoints/{checkpoint.stem}"
    names = [f"{stem}{suffix}" for suffix in (".txt", ".tsq", ".tsr")]
    _say_how_to_commit(study, names, f"Timestamp of {made.checkpoint} entries")


def _say_how_to_commit(study: StudyFolder, names: list[str], message: str) -> None:
    from assay.study.commits.commit_files import how_to_commit

    _say(f"Commit it: {how_to_commit(study, names, message)}")


def _say(text: str) -> None:
    from assay.wording import printable

    click.echo(printable(text))
