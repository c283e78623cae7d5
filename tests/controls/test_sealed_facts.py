"""What a run, its start and its seal say of themselves is held against the sealed bytes."""

import json

import pytest
from helpers.studies import (
    a_study,
    breach,
    drafted,
    forged,
    opened,
    raised,
    redigest,
    remember_installed,
    rewrite_json,
    steps,
)
from msgspec.structs import replace

from assay.digests import digest
from assay.errors import IntegrityError
from assay.study.submissions import seal as sealing
from assay.study.submissions.run import run_sealed
from assay.study.submissions.sealed import load_sealed


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def test_a_seal_of_another_method_than_the_one_that_would_run_is_refused(tmp_path, monkeypatch):
    study = opened(tmp_path)
    folder = drafted(study)
    (folder / "honest.py").write_text("def detect(question, response):\n    return 0.5\n")
    real = sealing._seal_of
    monkeypatch.setattr(
        sealing, "_seal_of", lambda *a, **k: replace(real(*a, **k), method="honest.py:detect")
    )
    sealing.seal(study, "001")
    for action in (load_sealed, run_sealed):
        assert isinstance(raised(action, study, "001"), IntegrityError)
    number, found = breach(study)
    assert number == 4
    assert "honest.py" in found and "method.py" in found


FALSE = {
    "method": {"method": "honest.py:detect"},
    "digest of the method": {"method_digest": digest(b"honest")},
    "environment": {"environment": ["HELP"]},
    "isolation": {"isolation": "L0"},
    "folds": {"folds": 7},
    "keep_going": {"keep_going": False},
    "version of python": {"harness": {"assay": "0.1.0", "python": "3.0", "system": "x"}},
    "item_seconds": {"limits": {"load_seconds": 60.0, "item_seconds": 1.0}},
}


@pytest.mark.parametrize("what", FALSE)
def test_a_run_that_says_otherwise_than_its_seal_is_a_breach(tmp_path, what):
    study = a_study(tmp_path, "finished")
    rewrite_json(study.root / "runs/001/run.json", lambda head: head.update(FALSE[what]))
    redigest(study)
    number, found = breach(study)
    assert number == 5
    assert what in found


def test_a_run_that_states_no_limits_of_resources_is_noted(tmp_path):
    """So are those from before there were any."""
    study = a_study(tmp_path, "finished")

    def unlimited(head):
        for name in ("memory_bytes", "cpu_seconds", "processes", "file_bytes"):
            del head["limits"][name]

    rewrite_json(study.root / "runs/001/run.json", unlimited)
    redigest(study)
    assert "run without today's resource limits: 001" in steps(study)[5][1]


UNKNOWN = {
    "scorecards/001@mine.json": (6, lambda head: head.update({"final verdict": "PASS"})),
    "grades/001.json": (6, lambda head: head.update({"note": "audited"})),
    "runs/001/run.json": (5, lambda head: head["outputs"].update({"note": "audited"})),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_key_that_no_record_has_is_a_breach(tmp_path, name):
    study = a_study(tmp_path, "finished")
    number, change = UNKNOWN[name]
    rewrite_json(study.root / name, change)
    redigest(study)
    assert breach(study)[0] == number


def test_a_key_deep_in_a_scorecard_that_none_has_is_a_breach(tmp_path):
    study = a_study(tmp_path, "finished")

    def change(head):
        head["scorecard"]["bars"][0]["overall"] = "pass"

    rewrite_json(study.root / "scorecards/001@mine.json", change)
    redigest(study)
    number, found = breach(study)
    assert number == 6
    assert "scorecard.bars[0].overall" in found


def test_a_key_in_an_output_that_none_has_is_a_breach(tmp_path):
    study = a_study(tmp_path, "finished")
    outputs = study.root / "runs/001/outputs.jsonl"
    outputs.write_bytes(outputs.read_bytes().replace(b'{"item"', b'{"was":1,"item"', 1))

    def renamed(head):
        head["outputs"]["digest"] = digest(outputs.read_bytes())

    rewrite_json(study.root / "runs/001/run.json", renamed)
    redigest(study)
    assert breach(study)[0] == 5


@pytest.mark.parametrize("kind", ["run-started", "run-stopped", "run-resumed"])
def test_a_start_or_stop_that_names_files_is_a_breach(tmp_path, kind):
    """A file that it names would be no stray, and nothing would read it."""
    study = a_study(tmp_path, "sealed")
    card = "scorecards/009@mine.json"
    (study.root / "scorecards").mkdir(exist_ok=True)
    (study.root / card).write_text(json.dumps({"verdict": "pass"}))
    start = {"kind": "run-started", "subject": "001", "said": {"witness": "none"}}
    more = [start] if kind == "run-started" else [start, {"kind": kind, "subject": "001"}]
    more[-1] = {**more[-1], "files": {card: digest(b"")}}
    forged(study, more=more)
    number, found = breach(study)
    assert number == 3
    assert "expected nothing" in found


@pytest.mark.parametrize("witness", ["Git:" + "a" * 40, "none ", "", "git:HEAD"])
def test_a_witness_that_is_neither_a_commit_nor_none_is_a_breach(tmp_path, witness):
    study = a_study(tmp_path, "finished")

    def claimed(head):
        head["provenance"]["witness"] = witness

    rewrite_json(study.root / "runs/001/run.json", claimed)
    redigest(study, run_started={"witness": witness})
    number, found = breach(study)
    assert number == 3
    assert "the witness of 001" in found
