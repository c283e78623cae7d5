"""A time-stamping authority of the tests' own, and answers of every wrong kind.

Certificates are made by `cryptography`; the answers (RFC 3161 in CMS) are put together by hand, so
that each part of them can be made wrong.
"""

import datetime
import hashlib
from dataclasses import dataclass
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SEALED = datetime.datetime(2026, 3, 4, 5, 6, 7, tzinfo=datetime.UTC)
"""When the authority says that it saw a text, unless a test wants another time."""
BEGIN = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
END = datetime.datetime(2040, 1, 1, tzinfo=datetime.UTC)
STAMPING = (ExtendedKeyUsageOID.TIME_STAMPING,)
SIGNING = (ExtendedKeyUsageOID.CODE_SIGNING,)

SHA256 = bytes.fromhex("300d06096086480165030402010500")
SHA512 = bytes.fromhex("300d06096086480165030402030500")
_HASHES = {SHA256: hashlib.sha256, SHA512: hashlib.sha512}
_ECDSA = bytes.fromhex("300a06082a8648ce3d040302")
_SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
_TST_INFO = bytes.fromhex("060b2a864886f70d0109100104")
_POLICY = bytes.fromhex("06042a030401")
_CONTENT_TYPE = bytes.fromhex("06092a864886f70d010903")
_DIGEST = bytes.fromhex("06092a864886f70d010904")


@dataclass(frozen=True)
class Certified:
    """A key and the certificate of it."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @property
    def der(self):
        return self.certificate.public_bytes(Encoding.DER)

    @property
    def pem(self):
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def fingerprint(self):
        return hashlib.sha256(self.der).hexdigest()


def certified(name, *, by=None, ca=False, usages=STAMPING, critical=True, more=None, **times):
    """A new certificate: by itself, or by a CA. `more` are extensions of a certificate's own."""
    key = ec.generate_private_key(ec.SECP256R1())
    return Certified(key, certificate(name, key, by, ca, usages, critical, **times, **(more or {})))


def certificate(
    name, key, by, ca, usages, critical, *, begin=BEGIN, end=END, serial=None, common=None
):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer = subject if by is None else by.certificate.subject
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(serial or x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    )
    if usages and not ca:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=critical)
    return builder.sign((by.key if by else key), hashes.SHA256())


@cache
def root(name="A time-stamping root"):
    """A CA, made once."""
    return certified(name, ca=True)


@cache
def stamper(name="A time-stamping authority"):
    """The authority that a CA lets make timestamps, made once."""
    return certified(name, by=root())


def answered(text, nonce, *, by=None, chain=None, time=SEALED, status=0, **more):
    """The answer of an authority to a request for a timestamp of a text.

    `chain` are the certificates sent with it: the signer's own, unless a test says otherwise.
    """
    by = by or stamper()
    token = _token(_info(text, nonce, time, **more), by, [by.der] if chain is None else chain)
    return der(0x30, der(0x30, integer(status)), token if status in (0, 1) else b"")


def _info(text, nonce, time, *, algorithm=SHA256, imprint=None, fraction=""):
    imprint = imprint or _HASHES[algorithm](text).digest()
    moment = f"{time:%Y%m%d%H%M%S}{fraction}Z".encode()
    return der(
        0x30,
        integer(1),
        _POLICY,
        der(0x30, algorithm, der(0x04, imprint)),
        integer(42),
        der(0x18, moment),
        b"" if nonce is None else integer(nonce),
    )


def _token(info, by, chain):
    attributes = sorted(
        (
            der(0x30, _CONTENT_TYPE, der(0x31, _TST_INFO)),
            der(0x30, _DIGEST, der(0x31, der(0x04, hashlib.sha256(info).digest()))),
        )
    )
    signature = by.key.sign(der(0x31, *attributes), ec.ECDSA(hashes.SHA256()))
    signer = der(
        0x30,
        integer(1),
        der(0x30, by.certificate.issuer.public_bytes(), integer(by.certificate.serial_number)),
        SHA256,
        der(0xA0, *attributes),
        _ECDSA,
        der(0x04, signature),
    )
    signed = der(
        0x30,
        integer(3),
        der(0x31, SHA256),
        der(0x30, _TST_INFO, der(0xA0, der(0x04, info))),
        der(0xA0, *sorted(chain)) if chain else b"",
        der(0x31, signer),
    )
    return der(0x30, _SIGNED_DATA, der(0xA0, signed))


def der(tag, *parts):
    """One element: tag, length, contents."""
    data = b"".join(parts)
    size = len(data)
    if size < 0x80:
        return bytes([tag, size]) + data
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + data


def integer(number):
    return der(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def parts_of(request):
    """The elements of a request: version, imprint, nonce, the wish for certificates."""
    parts, rest = [], request[2:]
    while rest:
        size = 2 + rest[1]
        parts.append(rest[:size])
        rest = rest[size:]
    return parts


def nonce_of(request):
    return int.from_bytes(parts_of(request)[2][2:], "big")
