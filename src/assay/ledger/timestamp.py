"""Timestamps (RFC 3161): an authority's statement that a text existed at a time, checked offline.

A request holds the hash of a text and a nonce. The response repeats both, adds the time, and is
signed with a certificate for timestamps only. The checks:

 1. The request is of this text, and has a nonce.
 2. The response was granted, is of this text, and repeats the nonce.
 3. It has one signer, whose certificate comes with it, once.
  4. That certificate is for timestamps only, as a critical extension, and was valid at that time.
 5. Signature and chain lead to one of the authorities given, every certificate valid at that time.

rfc3161-client parses the messages, makes check 5 and repeats most of the others. Nothing here uses
a network, so revocation is not checked.
"""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.clock import utc
from assay.errors import IntegrityError
from assay.ledger.attestation import Attested
from assay.ledger.certificate import (
    AuthorityCertificate,
    check_size,
    name_of,
    packages,
    reading,
)
from assay.ledger.signature_value import signature_digest

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampRequest, TimeStampResponse

_HASHES = {
    "2.16.840.1.101.3.4.2.1": hashlib.sha256,
    "2.16.840.1.101.3.4.2.2": hashlib.sha384,
    "2.16.840.1.101.3.4.2.3": hashlib.sha512,
}


def make_request(text: bytes) -> bytes:
    """A request for a timestamp of a text, with a nonce; it asks for the signer's certificate."""
    tsp, _ = packages()
    with reading("the request"):
        builder = tsp.TimestampRequestBuilder(data=text, hash_algorithm=tsp.HashAlgorithm.SHA256)
        made: bytes = builder.build().as_bytes()
    return made


def verify_response(
    response: bytes, *, request: bytes, text: bytes, authorities: Sequence[AuthorityCertificate]
) -> Attested:
    """The time that one of these authorities attests; any other response is refused."""
    asked, answer = _parse_request(request, text), _parse_response(response)
    with reading("the timestamp"):
        info = answer.tst_info
        _check_imprint(info.message_imprint, text, "the timestamp")
        if info.nonce != asked.nonce:
            raise IntegrityError("the timestamp answers another request: its nonce differs")
        signer = _signer(answer)
        _check_usage(signer)
        time = utc(info.gen_time.timestamp())
        if not signer.not_valid_before_utc <= info.gen_time <= signer.not_valid_after_utc:
            raise IntegrityError(
                f"the certificate of {name_of(signer.subject)} was not valid at {time}, the time of"
                " the timestamp"
            )
        for authority in authorities:
            if _stands_behind(authority, answer, asked, text):
                return Attested(
                    time=time,
                    authority=authority.fingerprint,
                    name=authority.name,
                    token=signature_digest(answer.time_stamp_token(), signer),
                )
        names = name_of(signer.subject), name_of(signer.issuer)
    raise IntegrityError(
        f"the timestamp is not from a pinned authority: it names {names[0]}, certified by"
        f" {names[1]}",
        hint="Pin the authority's root certificate: assay ledger pin CERT.pem",
    )


def _parse_request(data: bytes, text: bytes) -> "TimeStampRequest":
    check_size(data, "the request")
    packages()
    with reading("the request"):
        from rfc3161_client import _rust  # the package has no public reader of requests

        request: TimeStampRequest = _rust.parse_timestamp_request(data)
        _check_imprint(request.message_imprint, text, "the request")
        if request.nonce is None:
            raise IntegrityError("the request has no nonce, so a timestamp cannot be matched to it")
    return request


def _parse_response(data: bytes) -> "TimeStampResponse":
    check_size(data, "the response")
    tsp, _ = packages()
    with reading("the response"):
        response: TimeStampResponse = tsp.decode_timestamp_response(data)
        if response.status != tsp.PKIStatus.GRANTED:
            said = "; ".join(map(str, response.status_string))
            reason = f" ({said:.200})" if said else ""
            raise IntegrityError(
                f"the authority granted no timestamp: status {response.status}{reason}, expected 0"
            )
    return response


def _check_imprint(imprint: Any, text: bytes, what: str) -> None:  # noqa: ANN401 - MessageImprint
    algorithm = imprint.hash_algorithm.dotted_string
    if algorithm not in _HASHES:
        raise IntegrityError(f"{what} uses the hash {algorithm:.60}, expected SHA-2")
    if imprint.message != _HASHES[algorithm](text).digest():
        raise IntegrityError(f"{what} does not match the checkpoint")


def _signer(response: "TimeStampResponse") -> "Certificate":
    """The certificate of the one signer.

    The response must hold exactly one certificate with the signer's number. With two, the checks of
    usage and of signature might use different ones.
    """
    _, x509 = packages()
    signed = response.signed_data
    if not {each.dotted_string for each in signed.digest_algorithms} <= set(_HASHES):
        raise IntegrityError("the timestamp is signed with a hash other than SHA-2")
    signers = list(signed.signer_infos)
    if len(signers) != 1:
        raise IntegrityError(f"the timestamp has {len(signers)} signers, expected 1")
    certificates = [x509.load_der_x509_certificate(one) for one in signed.certificates]
    own = [one for one in certificates if one.serial_number == signers[0].serial_number]
    if len(own) != 1 or own[0].issuer != signers[0].issuer:
        raise IntegrityError(
            f"the timestamp holds {len(own)} certificates with the signer's serial number,"
            " expected 1",
            hint="Ask the authority to include its certificate, as the request demands.",
        )
    certificate: Certificate = own[0]
    return certificate


def _check_usage(certificate: "Certificate") -> None:
    _, x509 = packages()
    whose = f"the certificate of {name_of(certificate.subject)}"
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    except x509.ExtensionNotFound:
        raise IntegrityError(f"{whose} has no extended key usage") from None
    if list(usage.value) != [x509.ExtendedKeyUsageOID.TIME_STAMPING]:
        raise IntegrityError(f"{whose} allows uses other than timestamps")
    if not usage.critical:
        raise IntegrityError(f"{whose} does not mark its key usage as critical")


def _stands_behind(
    authority: AuthorityCertificate,
    response: "TimeStampResponse",
    request: "TimeStampRequest",
    text: bytes,
) -> bool:
    """Whether signature and chain lead to an authority, valid at the stated time."""
    tsp, x509 = packages()
    root = x509.load_pem_x509_certificate(authority.pem)
    verifier = tsp.VerifierBuilder(roots=[root], nonce=request.nonce).build()
    try:
        return bool(verifier.verify_message(response, text))
    except tsp.VerificationError:
        return False
