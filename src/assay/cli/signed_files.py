"""Private keys from files that a user names, read within bounds."""

from pathlib import Path

from assay.bounds import MAX_LINE_BYTES
from assay.digests import decode_utf8
from assay.files import read_bounded
from assay.ledger.note import SignerKey, parse_signer


def signer_in(path: Path) -> SignerKey:
    """The private key in a file."""
    return parse_signer(decode_utf8(read_bounded(path, MAX_LINE_BYTES), where=str(path)))
