"""A seed that comes from a timestamp is the authority's to choose, and not the author's."""

import datetime
from dataclasses import dataclass, replace

import pytest
from cryptography.hazmat.primitives.asymmetric import utils
from helpers.authorities import SEALED, answered, der, integer, nonce_of, root, stamper
from helpers.studies import (
    a_study,
    breach,
    drafted,
    forged,
    opened,
    raised,
    remember_installed,
)
from helpers.timestamped import kept, pinned, timestamped
from msgspec.structs import replace as with_fields

from assay.digests import digest
from assay.errors import SpecError
from assay.ledger.certificate import read_certificate
from assay.ledger.timestamp import make_request, verify_response
from assay.study.submissions import run as run_module
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.submissions.spec import parse_prereg
from assay.study.timestamps import add_timestamp, request_timestamp

TEXT = b"a checkpoint\n"
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Of the curve P-256."""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def with_status_text(response):
    """What the authority says besides; no signature covers it."""
    start = 2 + (response[1] & 0x7F)
    token = response[start + 2 + response[start + 1] :]
    return der(0x30, der(0x30, integer(0), der(0x30, der(0x0C, b"Operation Okay 7"))), token)


@dataclass
class Key:
    """Signs as another key does, or with the value that was made before."""

    of: object
    made: bytes = b""

    def sign(self, *arguments):
        self.made = self.made or self.of.sign(*arguments)
        return self.made


def token(response, request):
    authorities = [read_certificate(root().pem, where="root.pem")]
    return verify_response(response, request=request, text=TEXT, authorities=authorities).token


def test_what_no_signature_covers_gives_no_other_token():
    request = make_request(TEXT)
    honest = answered(TEXT, nonce_of(request))
    assert token(with_status_text(honest), request) == token(honest, request)


def test_the_other_signature_of_a_curve_gives_no_other_token():
    """If (r, s) signs a text, then so does (r, order - s), and it takes no key to make."""
    request = make_request(TEXT)
    key = Key(of=stamper().key)
    by = replace(stamper(), key=key)
    honest = answered(TEXT, nonce_of(request), by=by)
    r, s = utils.decode_dss_signature(key.made)
    key.made = utils.encode_dss_signature(r, ORDER - s)
    changed = answered(TEXT, nonce_of(request), by=by)
    assert changed != honest
    assert token(changed, request) == token(honest, request)


def test_an_authority_that_is_asked_twice_gives_two_tokens():
    request = make_request(TEXT)
    first, second = (answered(TEXT, nonce_of(request)) for _ in range(2))
    assert token(first, request) != token(second, request)


def test_a_variant_of_one_response_is_entered_with_the_same_token(tmp_path):
    study = a_study(tmp_path, "sealed")
    pinned(study)
    checkpoint = kept(study)
    request = request_timestamp(study, checkpoint).read_bytes()
    honest = answered(checkpoint.read_bytes(), nonce_of(request))
    ledger = study.root / "ledger.jsonl"
    before = ledger.read_bytes()
    tokens = []
    for response in (honest, with_status_text(honest)):
        ledger.write_bytes(before)
        checkpoint.with_suffix(".tsr").write_bytes(response)
        tokens.append(add_timestamp(study, checkpoint).token)
    assert tokens[0] == tokens[1]


def seed_from_the_timestamp(home):
    study = opened(home)
    folder = drafted(study)
    text = (folder / "prereg.toml").read_text()
    (folder / "prereg.toml").write_text(text + 'seed_from = "timestamp"\n')
    seal(study, "001")
    pinned(study)
    return study


def test_a_start_that_states_another_value_than_the_token_is_a_breach(tmp_path, monkeypatch):
    """The run says the token, and ran under another seed."""
    study = seed_from_the_timestamp(tmp_path)
    made = timestamped(study)
    observed = run_module.observed_run

    def lying(*arguments, **named):
        run = observed(*arguments, **named)
        return with_fields(run, provenance=with_fields(run.provenance, outside=made.token))

    monkeypatch.setattr(run_module, "_token", lambda *_: "lucky")
    monkeypatch.setattr(run_module, "observed_run", lying)
    run_sealed(study, "001", unwitnessed=True)
    number, found = breach(study)
    assert number == 5
    assert "outside value" in found


def test_a_start_that_names_a_later_timestamp_than_the_earliest_is_a_breach(tmp_path, monkeypatch):
    study = seed_from_the_timestamp(tmp_path)
    early = timestamped(study)
    late = timestamped(study, time=SEALED + datetime.timedelta(seconds=9))
    monkeypatch.setattr(run_module, "attestation_of", lambda *_: late)
    run_sealed(study, "001", unwitnessed=True)
    number, found = breach(study)
    assert number == 5
    assert f"entry {early.entry} attests an earlier one" in found


def test_a_timestamp_that_is_entered_while_a_run_starts_stops_it(tmp_path, monkeypatch):
    study = a_study(tmp_path, "sealed")
    pinned(study)
    ask = run_module.ask

    def meanwhile(*arguments, **named):
        timestamped(study)
        return ask(*arguments, **named)

    monkeypatch.setattr(run_module, "ask", meanwhile)
    assert isinstance(raised(run_sealed, study, "001", unwitnessed=True), SpecError)
    monkeypatch.undo()
    run_sealed(study, "001", unwitnessed=True)
    assert breach(study) == (None, "")


@pytest.mark.parametrize(
    "text", ["timest\u0430mp", "Timestamp", "timestamp ", "time-stamp", "timestamps", "b\u00e9acon"]
)
def test_a_source_of_the_seed_that_reads_as_timestamp_is_refused(text):
    head = 'method = "m.py:f"\ntask = "detection"\n'
    assert parse_prereg(f'{head}seed_from = "timestamp"'.encode(), where="x").seed_from
    error = raised(parse_prereg, f'{head}seed_from = "{text}"'.encode(), where="x")
    assert isinstance(error, SpecError)
    assert "seed_from" in error.message


def test_a_junk_certificate_that_was_pinned_by_hand_is_a_breach(tmp_path):
    study = a_study(tmp_path, "sealed")
    fingerprint = "ab" * 32
    path = study.root / "authorities" / f"{fingerprint}.pem"
    path.parent.mkdir()
    for data in (b"junk\n", root().pem):
        path.write_bytes(data)
        pin = {
            "kind": "authority",
            "subject": fingerprint,
            "files": {f"authorities/{fingerprint}.pem": digest(data)},
        }
        forged(study, drop=(2,), more=[pin])
        assert breach(study)[0] == 2
