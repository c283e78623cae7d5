"""Checkpoints in the C2SP form (c2sp.org/tlog-checkpoint): how long a ledger was, and its root.

    origin                  which ledger it is
    size                    how many entries it had
    base64(root)            the RFC 6962 root over them

With a checkpoint anyone can check later that the entries it covers are unchanged. An unsigned one
is as trustworthy as the place where it was kept; a signed one, as the key.
"""

import base64
import binascii
import re
from collections.abc import Sequence

import msgspec

from assay.errors import BrokenChain, SpecError
from assay.ledger.chain import Chain
from assay.ledger.note import Signature, SignerKey, parse_note

_SIZE = re.compile(r"0|[1-9][0-9]{0,15}")  # as many digits as the greatest size has
_MAX_SIZE = 1 << 53


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The size and root of a ledger at one moment, with signatures."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()
    signatures: tuple[Signature, ...] = ()

    @property
    def text(self) -> str:
        """The text that is signed."""
        root = base64.b64encode(self.root).decode()
        return "".join(f"{line}\n" for line in (self.origin, self.size, root, *self.extensions))

    def __str__(self) -> str:
        return self.text + "".join(["\n", *map(str, self.signatures)] if self.signatures else [])

    def signed_by(self, key: SignerKey) -> "Checkpoint":
        """The same checkpoint with one more signature."""
        added = (*self.signatures, key.sign(self.text))
        return msgspec.structs.replace(self, signatures=added)


def checkpoint_of(chain: Chain, *, origin: str) -> Checkpoint:
    """The checkpoint of a ledger in its present state."""
    if not origin or not origin.isprintable() or "+" in origin or origin.split() != [origin]:
        raise SpecError(f"{origin!r:.80} is not a valid origin for a checkpoint")
    return Checkpoint(origin=origin, size=len(chain.lines), root=chain.tree().root())


def parse_checkpoint(data: bytes, *, where: str) -> Checkpoint:
    """Parse a checkpoint, signed or not; its signatures are kept but not verified here."""
    text, signatures = parse_note(data, where=where)
    lines = text.split("\n")
    if len(lines) < 4 or lines.pop() != "" or not all(lines):
        raise SpecError(
            f"{where}: not a checkpoint: expected lines with origin, size and root",
            hint="`assay ledger checkpoint` makes one.",
        )
    origin, size, root, *extensions = lines
    if not (_SIZE.fullmatch(size) and int(size) < _MAX_SIZE):
        raise SpecError(f"{where}: {size!r:.40} is not a ledger size")
    try:
        decoded = base64.b64decode(root, validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if len(decoded) != 32 or base64.b64encode(decoded).decode() != root:
        raise SpecError(f"{where}: {root!r:.60} is not a SHA-256 root in base64")
    return Checkpoint(
        origin=origin,
        size=int(size),
        root=decoded,
        extensions=tuple(extensions),
        signatures=tuple(signatures),
    )


def check_extends(chain: Chain, earlier: Sequence[Checkpoint], *, origin: str) -> None:
    """Refuse a ledger that does not continue the ledger of earlier checkpoints."""
    tree = chain.tree()
    for checkpoint in earlier:
        seen = f"the checkpoint of {checkpoint.size} entries"
        if checkpoint.origin != origin:
            raise BrokenChain(
                f"{seen} is of {checkpoint.origin!r:.80}, but this ledger is {origin!r:.80}"
            )
        if checkpoint.size > tree.size:
            raise BrokenChain(
                f"{chain.where}: {tree.size} entries, fewer than {seen}: entries were removed"
            )
        if tree.root(checkpoint.size) != checkpoint.root:
            raise BrokenChain(
                f"{chain.where}: its first {checkpoint.size} entries do not match {seen}"
            )
