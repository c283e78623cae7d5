"""Cosignatures (c2sp.org/tlog-cosignature): a key's word that it saw a checkpoint at a time."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assay.errors import AssayError, IntegrityError, SpecError
from assay.ledger.checkpoint import parse_checkpoint
from assay.ledger.note import Signature, parse_signer, parse_verifier

# A checkpoint of a public log, cosigned by a public witness.
KEY = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
TEXT = """\
arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=
"""
LINE = (
    "— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sX"
    "Tynk5XeU/zZ0WBxtqB0DrAWfBw==\n"
)
OTHER = (
    "— witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY"
    "/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==\n"
)
NOTE = f"{TEXT}\n{OTHER}{LINE}".encode()
TIME = "2026-05-23T21:50:24Z"


def attested(note, key=KEY):
    """The time that a key attests; None where it says nothing, or a typed error."""
    checkpoint = parse_checkpoint(note, where="x")
    return parse_verifier(key).attested(checkpoint.text, checkpoint.signatures)


def believed(note):
    try:
        return attested(note)
    except AssayError:
        return None


def test_a_public_cosignature_attests_its_time():
    assert attested(NOTE) == TIME
    checkpoint = parse_checkpoint(NOTE, where="x")
    assert parse_verifier(KEY).signed(checkpoint.text, checkpoint.signatures)


def test_a_key_is_written_as_it_was_read():
    assert str(parse_verifier(KEY)) == KEY


def test_a_cosigned_note_with_any_bit_changed_attests_nothing():
    start = NOTE.index(LINE.encode())
    kept = [*range(8 * len(TEXT.encode())), *range(8 * start, 8 * len(NOTE))]
    found = []
    for bit in kept:
        changed = bytearray(NOTE)
        changed[bit // 8] ^= 1 << bit % 8
        found.append(believed(bytes(changed)))
    assert set(found) == {None}


def test_a_key_that_said_nothing_attests_nothing():
    assert attested(f"{TEXT}\n{OTHER}".encode()) is None


def test_a_plain_signature_attests_no_time():
    signer = parse_signer(
        "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
    )
    assert signer.verifier.attested(TEXT, [signer.sign(TEXT)]) is None


def cosigned(seconds, text=TEXT, *, message=None):
    """A key, and its cosignature of a text at a time."""
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    key = parse_verifier(KEY).__class__(
        name="example.org/w", public=private.public_key().public_bytes_raw(), algorithm=b"\x04"
    )
    message = message or f"cosignature/v1\ntime {seconds}\n{text}".encode()
    value = seconds.to_bytes(8, "big") + private.sign(message)
    return key, [Signature(name=key.name, key_id=key.key_id, value=value)]


def test_what_is_signed_is_the_header_the_time_and_the_whole_text():
    key, below = cosigned(1679315147)
    assert key.attested(TEXT, below) == "2023-03-20T12:25:47Z"
    for wrong in (
        TEXT.encode(),
        f"cosignature/v1\ntime 1679315148\n{TEXT}".encode(),
        f"cosignature/v1\ntime 01679315147\n{TEXT}".encode(),
        f"cosignature/v2\ntime 1679315147\n{TEXT}".encode(),
        f"cosignature/v1\ntime 1679315147\n{TEXT}more\n".encode(),
    ):
        key, below = cosigned(1679315147, message=wrong)
        with pytest.raises(IntegrityError, match=r"example\.org/w does not match this text"):
            key.attested(TEXT, below)


def test_a_plain_signature_under_a_cosigning_key_is_false():
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    key, _ = cosigned(1)
    plain = Signature(name=key.name, key_id=key.key_id, value=private.sign(TEXT.encode()))
    with pytest.raises(IntegrityError, match="does not match this text"):
        key.signed(TEXT, [plain])


@pytest.mark.parametrize("seconds", [1 << 63, (1 << 64) - 1, 253402300800])
def test_a_time_that_no_calendar_has_is_refused(seconds):
    key, below = cosigned(seconds)
    with pytest.raises(IntegrityError, match="is not a valid time"):
        key.attested(TEXT, below)


def test_the_last_second_that_can_be_written_is_a_time():
    key, below = cosigned(253402300799)
    assert key.attested(TEXT, below) == "9999-12-31T23:59:59Z"


def test_no_private_key_is_a_cosigner():
    with pytest.raises(SpecError, match="algorithm 4"):
        parse_signer("PRIVATE+KEY+" + KEY)
