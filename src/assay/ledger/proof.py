"""Proof files: that an entry is in a ledger, or that a ledger continues an older one."""

import base64
import binascii
from typing import Literal

import msgspec

from assay.digests import decode_utf8, parse_json
from assay.errors import SpecError
from assay.ledger.checkpoint import Checkpoint
from assay.ledger.tree import leaf_hash, verify_consistency, verify_inclusion

FORMAT = "assay-proof/1"
_LONGEST = 64  # hashes: two for every level of the largest tree


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """A proof as stored; the checkpoint in it is for information and is not trusted."""

    format: str
    kind: Literal["inclusion", "consistency"]
    number: int
    size: int
    entry: str | None
    first_root: str | None
    hashes: tuple[str, ...]
    checkpoint: str


def parse_proof(data: bytes, *, where: str) -> Proof:
    """A proof from its bytes."""
    try:
        proof = msgspec.convert(parse_json(decode_utf8(data, where=where), where=where), Proof)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {error}") from None
    if proof.format != FORMAT or len(proof.hashes) > 2 * _LONGEST:
        raise SpecError(f"{where}: expected a proof of format {FORMAT!r}")
    if (proof.kind == "inclusion") is (proof.entry is None):
        raise SpecError(f"{where}: a proof of inclusion needs an entry; other proofs have none")
    return proof


def check_proof(proof: Proof, held: Checkpoint, older: Checkpoint | None) -> bool:
    """Whether a proof leads from its entry, or from an older root, to the root of `held`."""
    hashes = [_decoded(text) for text in proof.hashes]
    if proof.entry is not None:
        leaf = leaf_hash(proof.entry.encode())
        return verify_inclusion(leaf, proof.number, held.size, hashes, held.root)
    if older is None or older.origin != held.origin or older.size != proof.number:
        return False
    return verify_consistency(older.size, held.size, older.root, held.root, hashes)


def _decoded(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != 32:
        raise SpecError(f"{text!r:.60} is not a hash in base64")
    return data
