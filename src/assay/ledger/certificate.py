"""Read the certificate of a time-stamping authority, and load the packages for it.

The packages (extra `time`) are imported only when a timestamp or a certificate is handled.
"""

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from assay.errors import AssayError, IntegrityError, NotHere, SpecError

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

MAX_BYTES = 1 << 16
"""The largest certificate, request or response that is read."""
_LONGEST_NAME = 200
_LONGEST_REASON = 300


class AuthorityCertificate(msgspec.Struct, frozen=True, kw_only=True):
    """The root certificate of an authority: its SHA-256 fingerprint, its subject, its PEM."""

    fingerprint: str
    name: str
    pem: bytes


class Packages(NamedTuple):
    """The modules `rfc3161_client` and `cryptography.x509`."""

    tsp: Any
    x509: Any


def packages() -> Packages:
    """The packages of the extra `time`."""
    try:
        import rfc3161_client
        from cryptography import x509
    except ImportError:
        raise NotHere(
            "timestamps need the extra `time`", hint="Install it: pip install 'assay-eval[time]'"
        ) from None
    return Packages(rfc3161_client, x509)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn any exception of the packages about malformed bytes into an IntegrityError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecated forms are still read
            yield
    except AssayError:
        raise
    except Exception as error:
        raise IntegrityError(f"{what} cannot be read: {error!s:.{_LONGEST_REASON}}") from None
    except BaseException as error:  # a panic of Rust code is not an Exception
        if type(error).__name__ != "PanicException":
            raise
        raise IntegrityError(f"{what} cannot be read: {error!s:.{_LONGEST_REASON}}") from None


def check_size(data: bytes, what: str) -> None:
    """Refuse too many bytes."""
    if len(data) > MAX_BYTES:
        raise IntegrityError(f"{what}: {len(data):,} bytes, at most {MAX_BYTES:,} allowed")


def name_of(name: Any) -> str:  # noqa: ANN401 - an x509.Name
    """A subject or issuer as text, shortened."""
    text: str = name.rfc4514_string()
    return text[:_LONGEST_NAME] or "(no name)"


def read_certificate(data: bytes, *, where: str) -> AuthorityCertificate:
    """The one certificate in a PEM or DER file; it must be a root, which signs itself."""
    try:
        certificate = _loaded(data, where)
        with reading(where):
            described, issuer = _described(certificate), name_of(certificate.issuer)
            own = _signs_itself(certificate)
    except IntegrityError as error:
        raise SpecError(
            error.message, hint="Name the certificate file (PEM) that the authority publishes."
        ) from None
    if not own:
        raise SpecError(
            f"{where}: the certificate of {described.name} was issued by {issuer},"
            " expected a root certificate",
            hint="Name the authority's root certificate, which signs itself.",
        )
    return described


def _loaded(data: bytes, where: str) -> "Certificate":
    check_size(data, where)
    _, x509 = packages()
    with reading(where):
        loaded: list[Certificate] = (
            x509.load_pem_x509_certificates(data)
            if b"-----BEGIN" in data
            else [x509.load_der_x509_certificate(data)]
        )
    if len(loaded) != 1:
        raise IntegrityError(
            f"{where}: {len(loaded)} certificates, expected the root certificate alone"
        )
    return loaded[0]


def _signs_itself(certificate: "Certificate") -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        certificate.verify_directly_issued_by(certificate)
    except (InvalidSignature, ValueError, TypeError):  # another issuer, another kind of key
        return False
    return True


def _described(certificate: "Certificate") -> AuthorityCertificate:
    from cryptography.hazmat.primitives.serialization import Encoding

    der = certificate.public_bytes(Encoding.DER)
    return AuthorityCertificate(
        fingerprint=hashlib.sha256(der).hexdigest(),
        name=name_of(certificate.subject),
        pem=certificate.public_bytes(Encoding.PEM),
    )
