"""Ledgers and what is kept beside them: entries, chains, checkpoints, notes, keys, proofs."""

import base64
import json
from pathlib import Path

import msgspec
from helpers.authorities import answered, nonce_of, root
from helpers.ledgers import TIME, joined, ledger_lines

from assay.digests import digest
from assay.ledger.certificate import read_certificate
from assay.ledger.chain import read_chain
from assay.ledger.checkpoint import check_extends, checkpoint_of, parse_checkpoint
from assay.ledger.entry import Entry, decode_lines, encode_line
from assay.ledger.file import read_ledger
from assay.ledger.note import SignerKey, parse_note, parse_signer, parse_verifier
from assay.ledger.proof import FORMAT, Proof, check_proof, parse_proof
from assay.ledger.timestamp import make_request, verify_response
from assay.study.entries import read_records
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile
from fuzzing.targets import target

KEY = SignerKey(name="key.example", seed=bytes(range(32)))
SIZE = 5
CHAIN = read_chain(joined(ledger_lines(SIZE)), where="the ledger")
CHECKPOINT = checkpoint_of(CHAIN, origin="origin.example")
_DIGEST = digest(b"x")


def _entry(kind: str, subject: str, files: tuple[str, ...] = (), **said: str) -> dict[str, object]:
    named = dict.fromkeys(files, _DIGEST)
    return {"time": TIME, "kind": kind, "subject": subject, "files": named, "said": said}


_STUDY = (
    _entry("study", "mine", ("study.toml", "bars/detection-v1.toml")),
    _entry("bars", "detection-v2", ("bars/detection-v2.toml",)),
    _entry("seal", "001", ("preregs/001/seal.json",)),
    _entry("run-started", "001"),
    _entry("run-stopped", "001", outputs=_DIGEST),
    _entry("run-resumed", "001"),
    _entry("run", "001", ("runs/001/outputs.jsonl", "runs/001/run.json")),
    _entry("score", "001", ("scorecards/001@v1.json",), bars="v1"),
    _entry("grade", "001", ("grades/001.json",)),
    _entry(
        *("ratify", "skill", ("comparisons/abc.json",)),
        path="skills/skill.md",
        artifact=_DIGEST,
        previous="none",
    ),
    _entry("revert", "skill", path="skills/skill.md", artifact="none", previous=_DIGEST),
)


def relinked(data: bytes) -> bytes:
    """Lines with their numbers and links put right, as far as they are objects."""
    made: list[bytes] = []
    for number, line in enumerate(data.split(b"\n")[:-1]):
        try:
            fields = json.loads(line)
            before = digest(made[-1] if made else b"")
            entry = msgspec.convert({**fields, "n": number, "previous": before}, Entry)
            made.append(encode_line(entry))
        except Exception:  # no entry any more: it is read as it is
            made.append(line)
    return joined(made)


@target("ledger: lines", thousands=800)
def _lines(_: Path) -> Reader:
    def read(data: bytes) -> object:
        return decode_lines(data, where="ledger")

    return Reader(read=read, seeds=[joined(ledger_lines(2)), joined(ledger_lines(1, about="é"))])


@target("ledger: file", thousands=100)
def _file(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "ledger.jsonl")
    return Reader(
        read=lambda data: read_ledger(file.put(data)), seeds=[joined(ledger_lines(3)), b""]
    )


@target("ledger: entries of a study", thousands=120)
def _records(_: Path) -> Reader:
    def read(data: bytes) -> object:
        return read_records(read_chain(relinked(data), where="ledger").entries)

    return Reader(read=read, seeds=[joined(msgspec.json.encode(entry) for entry in _STUDY)])


@target("ledger: checkpoints", thousands=600)
def _checkpoint(_: Path) -> Reader:
    def read(data: bytes) -> object:
        shown = parse_checkpoint(data, where="checkpoint")
        check_extends(CHAIN, [shown], origin=CHECKPOINT.origin)
        return KEY.verifier.signed(shown.text, shown.signatures)

    seeds = [str(CHECKPOINT).encode(), str(CHECKPOINT.signed_by(KEY)).encode()]
    return Reader(read=read, seeds=seeds, language="text")


@target("ledger: signed notes", thousands=300)
def _note(_: Path) -> Reader:
    text = "a note\nof two lines\n"
    verifier = KEY.verifier

    def read(data: bytes) -> object:
        return verifier.signed(*parse_note(data, where="note"))

    signed = f"{text}\n{KEY.sign(text)}".encode()
    return Reader(read=read, seeds=[signed, text.encode()], language="text")


@target("ledger: keys", thousands=500)
def _keys(_: Path) -> Reader:
    def read(data: bytes) -> object:
        text = data.decode("utf-8", "surrogateescape")
        return (parse_signer if text.startswith("PRIVATE") else parse_verifier)(text)

    return Reader(
        read=read, seeds=[KEY.text().encode(), str(KEY.verifier).encode()], language="text"
    )


@target("ledger: proofs", thousands=500)
def _proof(_: Path) -> Reader:
    tree = CHAIN.tree()
    older = read_chain(joined(ledger_lines(3)), where="older")
    held, before = CHECKPOINT, checkpoint_of(older, origin=CHECKPOINT.origin)

    def read(data: bytes) -> object:
        return check_proof(parse_proof(data, where="proof"), held, before)

    def written(kind: str, number: int, hashes: list[bytes], entry: str | None) -> bytes:
        proof = Proof(
            format=FORMAT,
            kind="inclusion" if kind == "inclusion" else "consistency",
            number=number,
            size=SIZE,
            entry=entry,
            first_root=None,
            hashes=tuple(base64.b64encode(part).decode() for part in hashes),
            checkpoint=str(held),
        )
        return msgspec.json.encode(proof)

    return Reader(
        read=read,
        seeds=[
            written("inclusion", 2, tree.inclusion(2), CHAIN.lines[2].decode()),
            written("consistency", 3, tree.consistency(3), None),
        ],
    )


@target("ledger: certificates of authorities", thousands=20)
def _certificates(_: Path) -> Reader:
    return Reader(
        read=lambda data: read_certificate(data, where="root.pem"),
        seeds=[root().pem],
        language="text",
    )


@target("ledger: timestamps", thousands=20)
def _timestamps(_: Path) -> Reader:
    text = CHECKPOINT.text.encode()
    request = make_request(text)
    authority = read_certificate(root().pem, where="root.pem")

    def read(data: bytes) -> object:
        return verify_response(data, request=request, text=text, authorities=[authority])

    return Reader(read=read, seeds=[answered(text, nonce_of(request))], language="text")
