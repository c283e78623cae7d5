"""The value of a timestamp's signature: what the author of a study can neither choose nor change.

A response holds much that no signature covers: a status text, further certificates, attributes.
And what is covered can be known beforehand: the nonce is the asker's, time and number of the next
timestamp can be guessed. The value of the signature takes the authority's key to make.

Of a signature (r, s) on an elliptic curve only r is taken: (r, -s) is as good, and needs no key.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.digests import digest
from assay.errors import IntegrityError

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_OCTETS, _SEQUENCE, _SET, _EXPLICIT = 0x04, 0x30, 0x31, 0xA0


def signature_digest(token: bytes, signer: "Certificate") -> str:
    """The digest of the signature's value in a verified token (CMS, RFC 5652) of one signer."""
    from cryptography.hazmat.primitives.asymmetric import ec, utils

    info = _first(_elements(token), _SEQUENCE)
    content = _first(_elements(info), _EXPLICIT)
    signed = _first(_elements(content), _SEQUENCE)
    *_, (tag, signers) = _elements(signed)
    if tag != _SET:
        raise IntegrityError("the timestamp has data after its signer")
    value = _first(_elements(_first(_elements(signers), _SEQUENCE)), _OCTETS)
    if isinstance(signer.public_key(), ec.EllipticCurvePublicKey):
        value = str(utils.decode_dss_signature(value)[0]).encode()
    return digest(value)


def _first(elements: Iterator[tuple[int, bytes]], tag: int) -> bytes:
    """The contents of the first element that has this tag."""
    found = next((contents for got, contents in elements if got == tag), None)
    if found is None:
        raise IntegrityError(f"the timestamp has no element {tag:#04x} where one is expected")
    return found


def _elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The elements (DER) that bytes consist of: tag and contents."""
    at = 0
    while at < len(data):
        tag, size = data[at], data[at + 1] if at + 1 < len(data) else 0
        at += 2
        if size & 0x80:
            more = size & 0x7F
            size = int.from_bytes(data[at : at + more], "big")
            at += more
        if at + size > len(data):
            raise IntegrityError("the timestamp is cut off")
        yield tag, data[at : at + size]
        at += size
