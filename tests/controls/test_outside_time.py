"""A time is attested by an authority that was pinned, for a checkpoint between seal and run."""

import datetime
import json
import os
import shutil
import sys

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from helpers.authorities import BEGIN, SEALED, answered, certified, nonce_of, root, stamper
from helpers.command import command
from helpers.studies import (
    a_study,
    breach,
    commit,
    drafted,
    entries,
    forged,
    kinds,
    opened,
    raised,
    redigest,
    remember_installed,
    rewrite_json,
    sealed,
    steps,
    tree,
)
from helpers.timestamped import answer, kept, pinned, timestamped

from assay.digests import digest
from assay.errors import DigestMismatch, IntegrityError, NotHere, SpecError
from assay.ledger.certificate import read_certificate
from assay.ledger.checkpoint import checkpoint_of
from assay.ledger.note import COSIGNATURE, Signature, VerifierKey
from assay.runs.store import load_run
from assay.study.entries import read_records
from assay.study.scorecards.store import read_judgement
from assay.study.study import open_study
from assay.study.submissions import run as run_module
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.timestamps import add_timestamp, request_timestamp

TIME = "2026-03-04T05:06:07Z"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def study(tmp_path):
    """Sealed, not run, outside git."""
    return a_study(tmp_path, "sealed")


def attested_run(study, **more):
    """A run whose seal an authority saw before."""
    pinned(study)
    made = timestamped(study, **more)
    run_sealed(study, "001", unwitnessed=True)
    return made


def codes(study, name="001"):
    one = read_records(study.chain().entries).submissions[name]
    card = read_judgement(study, one.scores["mine"]).scorecard
    return {caveat.code: caveat.message for caveat in card.caveats}


def test_a_run_under_a_timestamped_checkpoint_carries_the_attested_time(study):
    made = attested_run(study)
    assert (made.time, made.authority) == (TIME, root().fingerprint)
    seal, start = (kinds(study).index(kind) for kind in ("seal", "run-started"))
    assert seal < made.checkpoint <= made.entry < start
    assert load_run(study.root / "runs/001").provenance.attested == made
    found = codes(study)
    assert "time-unproven" not in found
    assert TIME in found["time-attested"]
    assert root().fingerprint in found["time-attested"]
    assert breach(study) == (None, "")


def test_without_a_timestamp_the_time_stays_unproven(study):
    pinned(study)
    kept(study)
    run_sealed(study, "001", unwitnessed=True)
    assert "time-unproven" in codes(study)
    assert breach(study) == (None, "")


def test_a_timestamp_after_the_run_attests_nothing_of_it(study):
    pinned(study)
    run_sealed(study, "001", unwitnessed=True)
    timestamped(study)
    assert "time-unproven" in codes(study)
    assert breach(study) == (None, "")


def test_a_timestamp_from_before_the_seal_attests_nothing_of_it(tmp_path):
    study = a_study(tmp_path, "opened")
    pinned(study)
    early = kept(study)
    sealed(study)
    timestamped(study, early)
    run_sealed(study, "001", unwitnessed=True)
    assert "time-unproven" in codes(study)
    assert breach(study) == (None, "")


def test_the_earliest_of_several_times_counts(study):
    pinned(study)
    later = timestamped(study, time=SEALED + datetime.timedelta(days=1))
    earlier = timestamped(study)
    run_sealed(study, "001", unwitnessed=True)
    assert earlier.entry > later.entry
    assert load_run(study.root / "runs/001").provenance.attested == earlier
    assert breach(study) == (None, "")


def seed_from_the_timestamp(tmp_path):
    study = opened(tmp_path)
    folder = drafted(
        study, "001", "import random\ndef detect(question, response):\n    return random.random()\n"
    )
    text = (folder / "prereg.toml").read_text()
    (folder / "prereg.toml").write_text(text + 'seed_from = "timestamp"\n')
    seal(study, "001")
    return study


def test_a_seed_may_come_from_the_timestamp(tmp_path):
    study = seed_from_the_timestamp(tmp_path)
    assert (
        "no timestamp covers its seal" in raised(run_sealed, study, "001", unwitnessed=True).message
    )
    pinned(study)
    made = timestamped(study)
    refused = raised(run_sealed, study, "001", unwitnessed=True, outside="mine")
    assert made.token in refused.message
    run_sealed(study, "001", unwitnessed=True)
    run = load_run(study.root / "runs/001")
    assert (run.provenance.outside, run.seeds) == (made.token, 1)
    assert "outside-seed" in codes(study)
    assert breach(study) == (None, "")


def test_a_seed_from_another_value_than_the_timestamp_is_a_breach(tmp_path, monkeypatch):
    study = seed_from_the_timestamp(tmp_path)
    pinned(study)
    timestamped(study)
    monkeypatch.setattr(run_module, "_token", lambda *_: "lucky")
    run_sealed(study, "001", unwitnessed=True)
    assert breach(study)[0] == 5


def test_a_resumed_run_keeps_the_time_that_it_started_with(study, monkeypatch):
    pinned(study)
    first = timestamped(study)
    begin = "assay.study.submissions.run.ask"
    with monkeypatch.context() as patched:
        patched.setattr(begin, stopped_at_the_start)
        assert isinstance(raised(run_sealed, study, "001", unwitnessed=True), SpecError)
    timestamped(study, time=BEGIN)
    run_sealed(study, "001", unwitnessed=True)
    assert load_run(study.root / "runs/001").provenance.attested == first
    assert breach(study) == (None, "")


def stopped_at_the_start(*all_of_it, on_start, **more):
    on_start()
    raise SpecError("stopped here")


def test_verify_says_who_attests_what_and_that_the_author_chose_it(study):
    attested_run(study)
    outcome, found = steps(study)[2]
    assert outcome == "noted"
    for part in (TIME, root().fingerprint, "who may have made it", "`authority="):
        assert part in found
    given = read_certificate(root().pem, where="x")
    outcome, found = steps(study, authorities=(given,))[2]
    assert outcome == "ok"
    assert "the given authority" in found
    assert "may have made" not in found


def test_an_authority_that_was_given_must_be_the_one(study):
    other = read_certificate(certified("another", ca=True).pem, where="x")
    pinned(study)
    number, found = breach(study, authorities=(other,))
    assert (number, "no timestamp by CN=another" in found) == (2, True)
    timestamped(study)
    number, found = breach(study, authorities=(other,))
    assert number == 2
    assert "not a given authority" in found
    own = read_certificate(root().pem, where="x")
    assert breach(study, authorities=(own,)) == (None, "")


def test_an_authority_of_ones_own_making_is_shown_by_its_fingerprint(study):
    """The author can pin it and backdate; a reader who has the true certificate sees it."""
    mine = certified("A time-stamping root", ca=True)
    pinned(study, mine)
    timestamped(study, by=certified("A time-stamping authority", by=mine), time=BEGIN)
    run_sealed(study, "001", unwitnessed=True)
    outcome, found = steps(study)[2]
    assert (outcome, mine.fingerprint in found) == ("noted", True)
    true = read_certificate(root().pem, where="x")
    assert breach(study, authorities=(true,))[0] == 2


def later_text(study):
    """The text of a checkpoint that covers more than the one kept before."""
    sealed(study, "002")
    return checkpoint_of(study.chain(), origin=study.config.origin).text.encode()


REFUSED = {
    "another text": (lambda study: {"text": b"another\n"}, "does not match the checkpoint"),
    "a later checkpoint": (
        lambda study: {"text": later_text(study)},
        "does not match the checkpoint",
    ),
    "an authority that is not pinned": (
        lambda study: {"by": certified("mine"), "time": BEGIN},
        "not from a pinned authority",
    ),
    "a rejection": (lambda study: {"status": 2}, "cannot be read|granted no timestamp"),
    "not critical": (
        lambda study: {"by": certified("lax", by=root(), critical=False)},
        "as critical",
    ),
    "expired": (
        lambda study: {"by": certified("old", by=root(), end=SEALED - datetime.timedelta(1))},
        "was not valid at",
    ),
}


@pytest.mark.parametrize("planted", REFUSED)
def test_a_false_response_is_not_entered(study, planted):
    pinned(study)
    checkpoint = kept(study)
    request_timestamp(study, checkpoint)
    change, reason = REFUSED[planted]
    answer(checkpoint, **change(study))
    before = kinds(study)
    with pytest.raises(IntegrityError, match=reason):
        add_timestamp(study, checkpoint)
    assert kinds(study) == before
    assert breach(study) == (None, "")
    outcome, found = steps(study)[2]
    assert outcome == "noted"
    assert f"checkpoints/{checkpoint.stem}.tsr has no entry, so it attests nothing" in found


@pytest.mark.parametrize("planted", REFUSED)
def test_a_false_response_that_was_entered_by_hand_is_a_breach(study, planted):
    """With every digest and link right, as someone would who knows how."""
    pinned(study)
    checkpoint = kept(study)
    request_timestamp(study, checkpoint)
    change, reason = REFUSED[planted]
    answer(checkpoint, **change(study))
    forged(study, more=[by_hand(study, checkpoint)])
    number, found = breach(study)
    assert number == 2
    assert any(word in found for word in reason.split("|"))
    with pytest.raises(IntegrityError):
        run_sealed(study, "001", unwitnessed=True)


def by_hand(study, checkpoint, time=TIME, authority=None):
    """The fields of an entry for what lies beside a checkpoint."""
    files = [checkpoint.with_suffix(suffix) for suffix in (".tsq", ".tsr")]
    return {
        "kind": "timestamp",
        "subject": checkpoint.stem,
        "files": {f"checkpoints/{file.name}": digest(file.read_bytes()) for file in files},
        "said": {"time": time, "authority": authority or root().fingerprint},
    }


def test_an_authority_that_was_pinned_too_late_stands_behind_nothing(study):
    checkpoint = kept(study)
    request_timestamp(study, checkpoint)
    answer(checkpoint)
    with pytest.raises(IntegrityError, match="not from a pinned authority"):
        add_timestamp(study, checkpoint)
    forged(study, more=[by_hand(study, checkpoint)])
    path = study.root / "authorities" / f"{root().fingerprint}.pem"
    path.parent.mkdir()
    path.write_bytes(root().pem)
    late = {
        "kind": "authority",
        "subject": root().fingerprint,
        "files": {f"authorities/{path.name}": digest(root().pem)},
    }
    forged(study, more=[late])
    number, found = breach(study)
    assert number == 2
    assert "not from a pinned authority" in found


def test_an_entry_that_says_another_time_is_a_breach(study):
    attested_run(study)

    def earlier(one):
        if one["kind"] == "timestamp":
            one["said"]["time"] = "2020-01-01T00:00:00Z"

    forged(study, earlier)
    number, found = breach(study)
    assert number == 2
    assert f"but the response says {TIME}" in found


@pytest.mark.parametrize("change", ["no", "another", "earlier"])
def test_a_run_that_claims_another_attested_time_is_a_breach(study, change):
    made = attested_run(study)
    claims = {
        "no": None,
        "another": msgspec.to_builtins(made) | {"authority": "0" * 64},
        "earlier": msgspec.to_builtins(made) | {"time": "2020-01-01T00:00:00Z"},
    }

    def claimed(head):
        head["provenance"]["attested"] = claims[change]

    rewrite_json(study.root / "runs/001/run.json", claimed)
    redigest(study)
    number, found = breach(study)
    assert number == 5
    assert "attested time" in found


def test_a_time_from_after_the_start_cannot_be_claimed_for_the_run(study):
    """Its checkpoint covers the seal alone; every digest and link is made anew."""
    pinned(study)
    checkpoint = kept(study)
    run_sealed(study, "001", unwitnessed=True)
    made = timestamped(study, checkpoint)
    assert breach(study) == (None, "")

    def claimed(head):
        head["provenance"]["attested"] = msgspec.to_builtins(made)

    rewrite_json(study.root / "runs/001/run.json", claimed)
    redigest(study)
    number, found = breach(study)
    assert (number, "attested time" in found) == (5, True)
    redigest(study, run_started={"attested": str(made.entry)})
    number, found = breach(study)
    assert (number, "not a timestamp between" in found) == (5, True)


def test_a_time_from_before_the_seal_cannot_be_claimed_for_the_run(tmp_path):
    study = a_study(tmp_path, "opened")
    pinned(study)
    made = timestamped(study)
    sealed(study)
    run_sealed(study, "001", unwitnessed=True)

    def claimed(head):
        head["provenance"]["attested"] = msgspec.to_builtins(made)

    rewrite_json(study.root / "runs/001/run.json", claimed)
    redigest(study, run_started={"attested": str(made.entry)})
    number, found = breach(study)
    assert (number, "not a timestamp between" in found) == (5, True)


@pytest.mark.parametrize("stated", ["1", "3", "99", "-1", "x", "", "9" * 5000, "٣"])
def test_a_start_that_names_no_timestamp_before_it_is_a_breach(study, stated):
    run_sealed(study, "001", unwitnessed=True)
    redigest(study, run_started={"attested": stated})
    number, found = breach(study)
    assert number == 5
    assert "not a timestamp between its seal and its start" in found


def test_every_byte_of_request_response_and_pin_counts(study):
    attested_run(study)
    names = [
        *("checkpoints/000003.tsq", "checkpoints/000003.tsr"),
        f"authorities/{root().fingerprint}.pem",
    ]
    assert set(names) <= set(tree(study.root))
    for name in names:
        path = study.root / name
        data = path.read_bytes()
        for place in range(0, len(data), 97):
            path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            assert breach(study)[0] == 2
        path.unlink()
        assert breach(study)[0] == 2
        path.write_bytes(bytes(1 << 17))
        assert breach(study)[0] == 2
        path.write_bytes(data)
    assert breach(study) == (None, "")


def test_a_checkpoint_that_is_gone_takes_its_time_with_it(study):
    attested_run(study)
    (study.root / "checkpoints/000003.txt").unlink()
    number, found = breach(study)
    assert (number, "000003.txt is missing" in found) == (2, True)


def cosign(path, seconds, key=None):
    """A witness's key, and its cosignature below a checkpoint that lies in a file."""
    key = key or Ed25519PrivateKey.generate()
    verifier = VerifierKey(
        name="witness.example",
        public=key.public_key().public_bytes_raw(),
        algorithm=COSIGNATURE,
    )
    text = path.read_text()
    value = seconds.to_bytes(8, "big")
    value += key.sign(f"cosignature/v1\ntime {seconds}\n{text}".encode())
    line = Signature(name=verifier.name, key_id=verifier.key_id, value=value)
    path.write_text(f"{text}\n{line}")
    return verifier


def test_a_cosignature_may_be_added_and_its_time_is_said(study):
    """The timestamp is of the checkpoint's text, and signatures stand below that."""
    attested_run(study)
    path = study.root / "checkpoints/000003.txt"
    key = cosign(path, 1679315147)
    found = steps(study, keys=(key,))[2][1]
    assert "3 entries seen at 2023-03-20T12:25:47Z, according to witness.example" in found
    assert TIME in found
    assert breach(study) == (None, "")
    done = command(study.root, "verify", "--key", str(key))
    assert done.returncode == 0
    assert "witness.example" in done.stdout


def test_verify_says_how_far_the_signed_checkpoints_reach(study):
    """A larger one that nobody signed says nothing for what came after."""
    key = cosign(kept(study), 1)
    size = len(entries(study))
    run_sealed(study, "001", unwitnessed=True)
    kept(study)
    found = steps(study, keys=(key,))[2][1]
    assert f"1 signed by a given key, up to {size} entries" in found


@pytest.mark.parametrize("name", [b"\xff.tsr", b"a\nb.tsr"])
def test_a_response_whose_name_is_no_text_is_noted(study, name):
    folder = study.root / "checkpoints"
    folder.mkdir()
    (folder / os.fsdecode(name)).touch()
    done = command(study.root, "verify", "--json")
    assert done.returncode == 0, done.stderr
    assert "attests nothing" in json.loads(done.stdout)["steps"][1]["found"]


@pytest.mark.parametrize("place", ["scorecards", "runs", "authorities", "checkpoints"])
def test_a_stray_whose_name_is_no_text_is_a_breach(study, place):
    folder = study.root / place
    folder.mkdir(exist_ok=True)
    (folder / os.fsdecode(b"\xff.json")).touch()
    assert command(study.root, "verify", "--json").returncode == 4


def test_a_false_cosignature_is_a_breach(study):
    path = kept(study)
    key = cosign(path, 1679315147)
    good = path.read_bytes()
    for place in range(good.index(b"witness.example") + len(b"witness.example ") + 8, len(good)):
        changed = bytearray(good)
        changed[place] = ord("A") if changed[place] != ord("A") else ord("B")
        path.write_bytes(changed)
        assert breach(study, keys=(key,))[0] == 2


def test_a_cosigner_that_was_asked_for_must_have_signed(study):
    key = cosign(kept(study), 1)
    other = msgspec.structs.replace(key, public=bytes(32))
    number, found = breach(study, keys=(other,))
    assert (number, "no checkpoint is signed by witness.example" in found) == (2, True)


def test_an_authority_in_no_entry_is_a_stray(study):
    folder = study.root / "authorities"
    folder.mkdir()
    (folder / f"{root().fingerprint}.pem").write_bytes(root().pem)
    number, found = breach(study)
    assert (number, "has no ledger entry" in found) == (3, True)
    pinned(study)  # the same again: a command that was cut off is repeated
    assert breach(study) == (None, "")


ENTERED = {
    "twice pinned": ("authority", lambda one: one, "pinned before"),
    "twice stamped": ("timestamp", lambda one: one, "had a timestamp before"),
    "without files": ("timestamp", lambda one: one | {"subject": "other"}, "names"),
}


@pytest.mark.parametrize("planted", ENTERED)
def test_entries_that_the_protocol_does_not_allow_are_a_breach(study, planted):
    kind, change, reason = ENTERED[planted]
    attested_run(study)
    fields = [msgspec.to_builtins(entry) for entry in entries(study)]
    (one,) = [each for each in fields if each["kind"] == kind]
    changed = change({key: one[key] for key in ("kind", "subject", "files", "said")})
    with pytest.raises(IntegrityError, match=reason):
        blank = {"n": len(fields), "previous": "", "time": ""}
        read_records(
            [*entries(study), msgspec.convert({**blank, **changed}, type(entries(study)[0]))]
        )
    forged(study, more=[changed])
    assert breach(study)[0] in (2, 3)


def test_what_is_not_there_is_said(study):
    checkpoint = kept(study)
    for reason, action in {
        "the timestamp request": lambda: add_timestamp(study, checkpoint),
        "not a checkpoint of the study": lambda: request_timestamp(
            study, study.root / "study.toml"
        ),
    }.items():
        with pytest.raises(SpecError, match=reason):
            action()
    request_timestamp(study, checkpoint)
    with pytest.raises(SpecError, match="already exists"):
        request_timestamp(study, checkpoint)
    pinned(study)
    with pytest.raises(SpecError, match=r"already pinned \(entry 2\)"):
        pinned(study)
    answer(checkpoint)
    add_timestamp(study, checkpoint)
    with pytest.raises(SpecError, match=r"already has a timestamp \(entry 3\)"):
        add_timestamp(study, checkpoint)


def test_a_kept_checkpoint_of_another_ledger_is_not_stamped(study, tmp_path):
    other = a_study(tmp_path / "other", "finished")
    pinned(study)
    checkpoint = kept(study)
    request_timestamp(study, checkpoint)
    answer(checkpoint)
    shutil.copy(other.root / "ledger.jsonl", study.root / "ledger.jsonl")
    pinned(open_study(study.root))
    assert isinstance(raised(add_timestamp, open_study(study.root), checkpoint), IntegrityError)


def test_without_the_extra_it_is_unchecked_and_nothing_runs(study, monkeypatch):
    pinned(study)
    timestamped(study)
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    outcome, found = steps(study)[2]
    assert outcome == "unchecked"
    assert "assay-eval[time]" in found
    assert isinstance(raised(run_sealed, study, "001", unwitnessed=True), NotHere)
    assert "run-started" not in kinds(study)


def test_a_signature_that_cannot_be_checked_here_is_no_breach(study, monkeypatch):
    key = cosign(kept(study), 1)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    outcome, found = steps(study, keys=(key,))[2]
    assert outcome == "unchecked"
    assert "assay-eval[sign]" in found


def test_a_changed_file_keeps_the_next_run_from_starting(study):
    pinned(study)
    timestamped(study)
    (study.root / "checkpoints/000003.tsr").write_bytes(b"x")
    assert isinstance(raised(run_sealed, study, "001", unwitnessed=True), DigestMismatch)
    assert "run-started" not in kinds(study)


def test_the_commands_from_seal_to_verify(tmp_path):
    """As a user would go about it, in git, with an authority that answers by hand."""
    study = a_study(tmp_path, "git-opened")
    sealed(study)
    home = study.root
    (tmp_path / "root.pem").write_bytes(root().pem)
    done = command(home, "ledger", "pin", "../root.pem", "--json")
    assert json.loads(done.stdout)["authority"] == root().fingerprint
    assert command(home, "ledger", "checkpoint", "--keep").returncode == 0
    (checkpoint,) = (home / "checkpoints").iterdir()
    name = f"checkpoints/{checkpoint.name}"
    asked = command(home, "ledger", "request", name)
    assert "curl -H 'Content-Type: application/timestamp-query'" in asked.stdout
    answer(checkpoint)
    made = command(home, "ledger", "timestamp", name)
    assert made.returncode == 0
    assert TIME in made.stdout
    commit(tmp_path, "Sealed and stamped")
    assert command(home, "run", "001", "--commit").returncode == 0
    commit(tmp_path, "Result")
    found = command(home, "verify", "--json")
    assert found.returncode == 0
    (attested,) = json.loads(found.stdout)["steps"][1]["attested"]
    assert attested.pop("token").startswith("sha256:")
    assert attested == {
        "entry": 3,
        "checkpoint": 3,
        "time": TIME,
        "authority": root().fingerprint,
        "name": "CN=A time-stamping root",
    }
    assert command(home, "verify", "--authority", "../root.pem").returncode == 0
    (tmp_path / "leaf.pem").write_bytes(stamper().pem)
    assert command(home, "verify", "--authority", "../leaf.pem").returncode == 2
    (tmp_path / "other.pem").write_bytes(certified("another", ca=True).pem)
    other = command(home, "verify", "--authority", "../other.pem")
    assert other.returncode == 4
    assert "--authority CERT.pem" in command(home, "verify").stdout.replace("\n", " ")


def test_a_refused_response_is_exit_4_and_stays_out(study, tmp_path):
    (tmp_path / "root.pem").write_bytes(root().pem)
    assert command(study.root, "ledger", "pin", "../root.pem").returncode == 0
    assert command(study.root, "ledger", "checkpoint", "--keep").returncode == 0
    (checkpoint,) = (study.root / "checkpoints").iterdir()
    assert command(study.root, "ledger", "request", str(checkpoint)).returncode == 0
    nonce = nonce_of(checkpoint.with_suffix(".tsq").read_bytes())
    false = tmp_path / "answer"
    false.write_bytes(answered(checkpoint.read_bytes(), nonce, by=certified("mine")))
    words = ("ledger", "timestamp", str(checkpoint), "--response", str(false))
    done = command(study.root, *words)
    assert done.returncode == 4
    assert "not from a pinned authority" in done.stderr
    assert not checkpoint.with_suffix(".tsr").exists()
    false.write_bytes(answered(checkpoint.read_bytes(), nonce))
    assert command(study.root, *words, "--json").returncode == 0
    assert checkpoint.with_suffix(".tsr").read_bytes() == false.read_bytes()
