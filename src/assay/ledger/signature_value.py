"""The value of a timestamp's signature, which a study's author can neither choose nor change.

Much of a response is not signed: a status text, further certificates, attributes. The signed part
can be predicted: the nonce is the requester's, time and serial number can be guessed. Only the
authority's key can produce the value of the signature.

Of an elliptic-curve signature (r, s) only r is used: (r, -s) is valid too and needs no key.
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
    """The DER elements in some bytes: tag and contents of each."""
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
