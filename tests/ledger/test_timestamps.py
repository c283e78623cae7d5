"""A timestamp is believed by one authority, for one text, request and time; nothing else is."""

import datetime
import sys

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from helpers.authorities import (
    BEGIN,
    END,
    SEALED,
    SHA512,
    SIGNING,
    STAMPING,
    answered,
    certified,
    der,
    integer,
    nonce_of,
    parts_of,
    root,
    stamper,
)
from helpers.scale import scale

import assay.ledger.timestamp as timestamp_module
from assay.digests import is_digest
from assay.errors import AssayError, IntegrityError, NotHere, SpecError
from assay.ledger.attestation import Attested
from assay.ledger.certificate import MAX_BYTES, read_certificate
from assay.ledger.timestamp import make_request, verify_response

TEXT = b"example.org/study\n7\nyPbJEOgzTcl9UW8MOCvzZXXKuvrR3w8i8FZH5BbILkE=\n"
REQUEST = make_request(TEXT)
NONCE = nonce_of(REQUEST)
TIME = "2026-03-04T05:06:07Z"


def authority(certificate=None):
    return read_certificate((certificate or root()).pem, where="root.pem")


def verified(response, *, request=REQUEST, text=TEXT, authorities=None):
    authorities = [authority()] if authorities is None else authorities
    return verify_response(response, request=request, text=text, authorities=authorities)


def refused(response, reason, **more):
    with pytest.raises(IntegrityError, match=reason):
        verified(response, **more)


def test_a_timestamp_attests_a_time_by_an_authority():
    found = verified(answered(TEXT, NONCE))
    assert found == Attested(
        time=TIME,
        authority=root().fingerprint,
        name="CN=A time-stamping root",
        token=found.token,
    )
    assert is_digest(found.token)


def test_two_requests_have_two_nonces():
    assert nonce_of(make_request(TEXT)) != NONCE
    assert NONCE.bit_length() > 32


def test_the_root_may_come_along_and_intermediates_must():
    between = certified("between", by=root(), ca=True)
    leaf = certified("leaf", by=between)
    assert verified(answered(TEXT, NONCE, chain=[stamper().der, root().der])).time == TIME
    assert verified(answered(TEXT, NONCE, by=leaf, chain=[leaf.der, between.der])).time == TIME
    refused(answered(TEXT, NONCE, by=leaf, chain=[leaf.der]), "not from a pinned authority")


def test_an_authority_may_sign_for_itself():
    own = certified("one for all")
    response = answered(TEXT, NONCE, by=own)
    assert verified(response, authorities=[authority(own)]).authority == own.fingerprint


def test_another_sha_2_will_do():
    assert verified(answered(TEXT, NONCE, algorithm=SHA512)).time == TIME


def test_the_authority_that_stands_behind_it_is_named():
    other = authority(certified("another root", ca=True))
    for authorities in ([other, authority()], [authority(), other]):
        assert verified(answered(TEXT, NONCE), authorities=authorities).authority == (
            root().fingerprint
        )


def test_a_certificate_that_ended_since_does_no_harm():
    end = SEALED + datetime.timedelta(days=1)
    short = certified("short", by=root(), end=end)
    assert verified(answered(TEXT, NONCE, by=short)).time == TIME


SHA1 = bytes.fromhex("300906052b0e03021a0500")


def foreign():
    other = certified("another root", ca=True)
    return certified("A time-stamping authority", by=other)


PLANTED = {
    "another text": (lambda: answered(TEXT + b"more\n", NONCE), "does not match the checkpoint"),
    "another nonce": (lambda: answered(TEXT, NONCE + 1), "its nonce differs"),
    "no nonce": (lambda: answered(TEXT, None), "its nonce differs"),
    "an authority that is not pinned": (
        lambda: answered(TEXT, NONCE, by=foreign()),
        "the timestamp is not from a pinned authority",
    ),
    "backdated by an authority of one's own": (
        lambda: answered(TEXT, NONCE, by=certified("mine"), time=BEGIN),
        "not from a pinned authority",
    ),
    "an authority of the same name": (
        lambda: answered(
            TEXT,
            NONCE,
            by=certified(
                "A time-stamping authority", by=certified("A time-stamping root", ca=True)
            ),
        ),
        "not from a pinned authority",
    ),
    "a certificate for code": (
        lambda: answered(TEXT, NONCE, by=certified("code", by=root(), usages=SIGNING)),
        "allows uses other than timestamps",
    ),
    "a certificate for code too": (
        lambda: answered(TEXT, NONCE, by=certified("x", by=root(), usages=STAMPING + SIGNING)),
        "allows uses other than timestamps",
    ),
    "a certificate for nothing in particular": (
        lambda: answered(TEXT, NONCE, by=certified("any", by=root(), usages=())),
        "has no extended key usage",
    ),
    "not critically": (
        lambda: answered(TEXT, NONCE, by=certified("lax", by=root(), critical=False)),
        "does not mark its key usage as critical",
    ),
    "a certificate that had ended": (
        lambda: answered(
            TEXT, NONCE, by=certified("old", by=root(), end=SEALED - datetime.timedelta(days=1))
        ),
        "was not valid at 2026",
    ),
    "a certificate that had not begun": (
        lambda: answered(
            TEXT, NONCE, by=certified("new", by=root(), begin=SEALED + datetime.timedelta(days=1))
        ),
        "was not valid at 2026",
    ),
    "a chain through one that is no CA": (lambda: through(ca=False), "not from a pinned authority"),
    "a chain through one that had ended": (
        lambda: through(ca=True, end=SEALED - datetime.timedelta(days=1)),
        "not from a pinned authority",
    ),
    "no certificate": (lambda: answered(TEXT, NONCE, chain=[]), "holds 0 certificates"),
    "another's certificate alone": (
        lambda: answered(TEXT, NONCE, chain=[foreign().der]),
        "holds 0 certificates",
    ),
    "a rejection": (lambda: answered(TEXT, NONCE, status=2), "cannot be read|status 2"),
    "granted with changes": (lambda: answered(TEXT, NONCE, status=1), "status 1, expected 0"),
    "a hash that is broken": (
        lambda: answered(TEXT, NONCE, algorithm=SHA1, imprint=bytes(20)),
        "expected SHA-2",
    ),
    "a key that is not the certificate's": (lambda: impersonated(), "not from a pinned authority"),
    "too many bytes": (lambda: bytes(MAX_BYTES + 1), "at most 65,536"),
    "no bytes": (lambda: b"", "cannot be read"),
    "something behind it": (lambda: answered(TEXT, NONCE) + b"\0", "cannot be read"),
}


def through(**more):
    between = certified("between", by=root(), **more)
    leaf = certified("leaf", by=between)
    return answered(TEXT, NONCE, by=leaf, chain=[leaf.der, between.der])


def impersonated():
    """Signed by a key of one's own, beside the certificate of the true authority."""
    mine = certified("mine")
    return answered(TEXT, NONCE, by=type(mine)(mine.key, stamper().certificate))


@pytest.mark.parametrize("planted", PLANTED)
def test_it_is_refused(planted):
    made, reason = PLANTED[planted]
    refused(made(), reason)


def test_an_expired_root_stands_behind_nothing():
    old = certified("old root", ca=True, end=SEALED - datetime.timedelta(days=1))
    refused(
        answered(TEXT, NONCE, by=certified("leaf", by=old)),
        "not from a pinned authority",
        authorities=[authority(old)],
    )


def test_nothing_pinned_is_nothing_believed():
    refused(answered(TEXT, NONCE), "not from a pinned authority", authorities=[])


def test_a_swapped_request_is_refused():
    response = answered(TEXT, NONCE)
    refused(response, "nonce differs", request=make_request(TEXT))
    refused(response, "the request does not match the checkpoint", request=make_request(b"other\n"))
    refused(response, "the request cannot be read", request=b"")
    refused(response, "the request: 65,537 bytes", request=bytes(MAX_BYTES + 1))
    bare = der(0x30, *parts_of(REQUEST)[:2])
    refused(answered(TEXT, None), "has no nonce", request=bare)


def test_a_made_up_twin_of_a_certificate_does_not_lend_its_rights():
    """One with the rights, made up; one of the root's, without them; both of one number."""
    code = certified("code", by=root(), usages=SIGNING)
    twin = (
        x509.CertificateBuilder()
        .subject_name(code.certificate.subject)
        .issuer_name(code.certificate.issuer)
        .public_key(code.key.public_key())
        .serial_number(code.certificate.serial_number)
        .not_valid_before(BEGIN)
        .not_valid_after(END)
        .add_extension(x509.ExtendedKeyUsage(STAMPING), critical=True)
        .sign(certified("mine").key, hashes.SHA256())
    )
    both = [code.der, twin.public_bytes(Encoding.DER)]
    refused(answered(TEXT, NONCE, by=code, chain=both), "holds 2 certificates")


def test_a_response_cut_off_anywhere_is_refused():
    response = answered(TEXT, NONCE)
    for length in range(len(response)):
        with pytest.raises(AssayError):
            verified(response[:length])


def flips(data, step):
    """Every copy of some bytes with one bit changed, or every so many of them."""
    for bit in range(0, 8 * len(data), step):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)


def accepted(pairs):
    """What is attested by those of these pairs of request and response that are believed."""
    found = []
    for request, response in pairs:
        try:
            found.append(verified(response, request=request))
        except AssayError:
            continue
    return found


def test_no_flipped_bit_of_a_response_attests_another_time():
    """What no signature covers, such as the status text and the version numbers, may differ."""
    response = answered(TEXT, NONCE)
    changed = [(REQUEST, one) for one in flips(response, scale(3, 1))]
    found = accepted(changed)
    assert {*found} <= {verified(response)}
    assert len(found) < len(changed) / 50


def test_no_flipped_bit_of_a_request_makes_it_another_time():
    response = answered(TEXT, NONCE)
    found = accepted((one, response) for one in flips(REQUEST, 1))
    assert {*found} <= {verified(response)}
    assert len(found) < len(REQUEST)


def test_a_verifier_that_skips_the_signature_is_caught(monkeypatch):
    monkeypatch.setattr(timestamp_module, "_stands_behind", lambda *all_of_it: True)
    assert verified(PLANTED["a key that is not the certificate's"][0]()).time == TIME
    assert verified(PLANTED["backdated by an authority of one's own"][0]()).time == (
        "2020-01-01T00:00:00Z"
    )


def test_a_panic_of_the_package_is_a_refusal(monkeypatch):
    class PanicException(BaseException):
        pass

    def panic(*all_of_it):
        raise PanicException("index out of bounds")

    monkeypatch.setattr(timestamp_module, "_stands_behind", panic)
    refused(answered(TEXT, NONCE), "cannot be read: index out of bounds")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_not_swallowed(monkeypatch, stop):
    def stopping(*all_of_it):
        raise stop

    monkeypatch.setattr(timestamp_module, "_stands_behind", stopping)
    with pytest.raises(stop):
        verified(answered(TEXT, NONCE))


CERTIFICATES = {
    "a leaf": (lambda: stamper().pem, "was issued by CN=A time-stamping root"),
    "two": (lambda: root().pem + stamper().pem, "2 certificates, expected the root"),
    "nothing": (lambda: b"", "cannot be read"),
    "a text": (lambda: b"-----BEGIN what is this\n", "cannot be read"),
    "a key": (
        lambda: b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        "cannot be read",
    ),
    "too many bytes": (lambda: bytes(MAX_BYTES + 1), "at most 65,536"),
    "half of one": (lambda: root().der[:-1], "cannot be read"),
    "another's name over one's own key": (
        lambda: certified("mine", by=root()).der,
        "was issued by",
    ),
}


@pytest.mark.parametrize("planted", CERTIFICATES)
def test_what_is_no_root_certificate_is_refused(planted):
    made, reason = CERTIFICATES[planted]
    with pytest.raises(SpecError, match=reason):
        read_certificate(made(), where="cert.pem")


def test_a_certificate_is_the_same_in_both_forms():
    assert read_certificate(root().der, where="x") == read_certificate(root().pem, where="x")
    assert read_certificate(b"who it is\n" + root().pem, where="x") == authority()


def test_a_missing_extra_is_named(monkeypatch):
    response, known = answered(TEXT, NONCE), authority()
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    for action in (
        lambda: make_request(TEXT),
        lambda: verified(response, authorities=[known]),
        lambda: read_certificate(root().pem, where="x"),
    ):
        with pytest.raises(NotHere, match="need the extra `time`") as caught:
            action()
        assert "assay-eval[time]" in caught.value.hint


def test_integers_are_written_as_der_wants_them():
    assert [integer(n).hex() for n in (0, 127, 128, 256)] == [
        *("020100", "02017f", "02020080", "02020100")
    ]
