"""`assay ledger`: what is in it, checkpoints of it, timestamps of those, and proofs from it."""

import base64
from pathlib import Path
from typing import Any

import click

from assay.cli.ledger_time import pin, request, timestamp
from assay.cli.nouns import Noun
from assay.cli.options import PATH, json_flag, study_flag
from assay.cli.output import print_json
from assay.errors import IntegrityError, SpecError
from assay.study.study import find_study


@click.group("ledger", cls=Noun, alone="show")
def command() -> None:
    """Show the ledger, take a checkpoint of it, prove what is in it.

    \b
    Examples:
      assay ledger show
      assay ledger checkpoint --out kept-elsewhere.txt
    """


@command.command("show")
@study_flag
@json_flag
def show(folder: Path, as_json: bool) -> None:
    """List the entries.

    \b
    Example:
      assay ledger show
    """
    entries = find_study(folder).chain().entries
    if as_json:
        print_json(list(entries))
        return
    from assay.report.terminal import console, table

    rows = [
        (f"{entry.n}", entry.time[:19], entry.kind, entry.subject, _facts(entry))
        for entry in entries
    ]
    console().print(table(("", "clock", "kind", "about", "what"), rows, right="r"))


def _facts(entry: Any) -> str:  # noqa: ANN401 - an Entry
    facts = [f"{name} {value}" for name, value in entry.said.items()]
    return "; ".join([*entry.files, *facts])


@command.command("checkpoint")
@click.option("--key", type=PATH, help="Sign it with this private key.")
@click.option("--out", type=PATH, help="Write it to this new file.")
@click.option("--keep", is_flag=True, help="Store it in the study, under checkpoints/.")
@study_flag
@json_flag
def checkpoint(key: Path | None, out: Path | None, keep: bool, folder: Path, as_json: bool) -> None:
    """Take a checkpoint: the length of the ledger, and the root of its hash tree.

    Keep it where no one who could rewrite the ledger can change it: in a message to a
    colleague, another repository, on paper. `assay verify --checkpoint FILE` checks against it.

    \b
    Example:
      assay ledger checkpoint --out kept-elsewhere.txt
    """
    from assay.cli.signed_files import signer_in
    from assay.files import write_new
    from assay.ledger.checkpoint import checkpoint_of

    study = find_study(folder)
    made = checkpoint_of(study.chain(), origin=study.config.origin)
    if key is not None:
        made = made.signed_by(signer_in(key))
    places = [] if out is None else [out]
    if keep:
        places.append(study.root / "checkpoints" / f"{made.size:06d}.txt")
    for place in places:
        write_new(place, str(made).encode())
    if as_json:
        root = base64.b64encode(made.root).decode()
        print_json({"origin": made.origin, "size": made.size, "root": root, "text": str(made)})
    elif places:
        click.echo(f"{made.size} entries: {', '.join(map(str, places))}")
    else:
        click.echo(str(made), nl=False)


for timed in (pin, request, timestamp):
    command.add_command(timed)


@command.command("prove")
@click.argument("number", metavar="ENTRY|SIZE", type=int)
@click.option(
    "--consistency", is_flag=True, help="Prove that the ledger began with these SIZE entries."
)
@click.option("--out", type=PATH, help="Write it to this new file.")
@study_flag
@json_flag
def prove(number: int, consistency: bool, out: Path | None, folder: Path, as_json: bool) -> None:
    """Prove that an entry is in the ledger, or that an older ledger is its beginning.

    The proof is a few hashes. Check it against a checkpoint, without the ledger, with
    `assay ledger check` or any implementation of RFC 6962.

    \b
    Example:
      assay ledger prove 0
    """
    from assay.digests import pretty_json
    from assay.files import write_new
    from assay.ledger.checkpoint import checkpoint_of

    study = find_study(folder)
    chain = study.chain()
    tree = chain.tree()
    last = len(chain.lines) - (not consistency)
    if not 0 <= number <= last:
        what = "sizes" if consistency else "entries"
        raise SpecError(f"got {number}, expected one of the {what} 0 to {last}")
    proof = tree.consistency(number) if consistency else tree.inclusion(number)
    now = checkpoint_of(chain, origin=study.config.origin)
    record = {
        "format": "assay-proof/1",
        "kind": "consistency" if consistency else "inclusion",
        "number": number,
        "size": tree.size,
        "entry": None if consistency else chain.lines[number].decode(),
        "first_root": base64.b64encode(tree.root(number)).decode() if consistency else None,
        "hashes": [base64.b64encode(step).decode() for step in proof],
        "checkpoint": str(now),
    }
    if out is not None:
        write_new(out, pretty_json(record))
    if as_json or out is None:
        print_json(record)
    else:
        click.echo(f"{out}: {record['kind']} of {number}, {len(proof)} hashes.")


@command.command("check")
@click.argument("file", metavar="PROOF", type=PATH)
@click.option(
    "--checkpoint",
    "kept",
    type=PATH,
    required=True,
    help="The checkpoint that you kept; the one inside the proof proves nothing.",
)
@click.option("--older", type=PATH, help="The older one, for consistency.")
@json_flag
def check(file: Path, kept: Path, older: Path | None, as_json: bool) -> None:
    """Check a proof against a checkpoint that you kept; no ledger is needed.

    \b
    Example:
      assay ledger check proof.json --checkpoint kept-elsewhere.txt
    """
    from assay.api.study.verification import checkpoint_in
    from assay.bounds import MAX_LINE_BYTES
    from assay.files import read_bounded
    from assay.ledger.proof import check_proof, parse_proof

    # A proof holds a line of the ledger, as JSON.
    proof = parse_proof(read_bounded(file, 8 * MAX_LINE_BYTES), where=str(file))
    newer = checkpoint_in(kept)
    first = None if older is None else checkpoint_in(older)
    if proof.kind == "consistency" and first is None:
        raise SpecError(
            "a consistency proof needs the older checkpoint", hint="Name it: --older FILE."
        )
    if proof.size != newer.size:
        raise SpecError(
            f"the proof is for {proof.size} entries, but your checkpoint has {newer.size}",
            hint="Ask for a proof for the size of your checkpoint.",
        )
    if not check_proof(proof, newer, first):
        raise IntegrityError(f"{file} is not a proof: its hashes do not give the root of the tree")
    if as_json:
        print_json({"proved": True, "kind": proof.kind, "entry": proof.entry})
    elif proof.kind == "inclusion":
        click.echo(f"Entry {proof.number} is in the ledger of {newer.size} entries:")
        click.echo(proof.entry)
    else:
        click.echo(f"The first {proof.number} of {newer.size} entries are unchanged.")
