import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from helpers.scale import scale
from helpers.studies import (
    ITEMS,
    METHOD,
    a_study,
    breach,
    commit,
    die,
    entries,
    in_child,
    kinds,
    raised,
    remember_installed,
    rows,
    sealed,
    tree,
)

from assay.errors import AlreadyRun, AssayError, DigestMismatch
from assay.ledger import file as ledger_file
from assay.runs.result import PROBED, SEEDS
from assay.runs.store import RunFolder
from assay.study.entries import read_records
from assay.study.scorecards.store import load_result, read_judgement
from assay.study.study import open_study
from assay.study.submissions import sealed as sealed_module
from assay.study.submissions.run import run_sealed
from assay.study.submissions.submission import Status
from assay.study.views import board_of

TELLING = """
import os

def told(question):
    if "number" in question:  # and not what it is asked to see whether it answers
        with open(os.environ["HOME"] + "/asked", "a") as file:
            file.write(question + "\\n")

def detect(question, response):
    told(question)
    return len(response)
"""
LEARNER = f"""{TELLING}

class Learner:
    def fit(self, examples):
        known = sum(len(example["response"]) for example in examples)
        return lambda question, response: told(question) or len(response) / known
"""
KILLED = -signal.SIGKILL


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    remember_installed(monkeypatch)
    # These tests count what is asked; runs under several seeds are in controls/test_seed_grinding.
    monkeypatch.setattr(sealed_module, "SEEDS", 1)
    monkeypatch.setenv("HOME", str(tmp_path))
    # What a killed process leaves in the folder for temporary files goes with the test's own.
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)


def prepared(home, body=TELLING, function="detect"):
    study = a_study(home, "git-opened")
    sealed(study, body=body, function=function)
    commit(home, "Seal 001")
    return study


def asked(home):
    path = home.parent / "asked"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return collections.Counter(lines)


def answered(study):
    """The items whose outputs are on the disk, whole."""
    path = study.root / "runs/001/outputs.jsonl"
    data = path.read_bytes() if path.exists() else b""
    whole = data[: data.rfind(b"\n") + 1].splitlines()
    texts = {f"{number}": row["question"] for number, row in enumerate(rows(), 1)}
    return {texts[json.loads(line)["item"]] for line in whole}


WRITES = (
    (os, "pwrite"),
    (os, "fsync"),
    (ledger_file, "_SYNC"),
    (Path, "replace"),
    (tempfile, "mkstemp"),
    (RunFolder, "begin"),
    (RunFolder, "add"),
)


def counting(at):
    """Run in this process, which dies just before the given one of all its writes."""
    count = 0

    def counted(found):
        def write(*given, **more):
            nonlocal count
            count += 1
            if count == at:
                die()
            return found(*given, **more)

        return write

    for place, name in WRITES:
        setattr(place, name, counted(getattr(place, name)))
    return lambda: count


def killed_at(study, at):
    def action():
        counting(at)
        run_sealed(open_study(study.root), "001")

    return in_child(action)


def number_of_writes(study):
    """How many writes a run takes that nobody stops."""
    reader, writer = os.pipe()

    def action():
        count = counting(0)
        run_sealed(open_study(study.root), "001")
        os.write(writer, str(count()).encode())

    assert in_child(action) == 0
    os.close(writer)
    with os.fdopen(reader) as told:
        return int(told.read())


def scores(study):
    run = load_result(study, read_records(entries(study)).submissions["001"])
    return {record.item: record.output for record in run.records}


def caveats(study):
    one = read_records(entries(study)).submissions["001"]
    return [c.code for c in read_judgement(study, one.scores["mine"]).scorecard.caveats]


def check_cut_off(study):
    """What a run that was killed has left, as everybody can see it."""
    one = read_records(entries(study)).submissions["001"]
    (row,) = board_of(study).tables[0].rows
    if one.started is None:
        assert row.status is Status.SEALED
    elif one.run is None:
        assert row.status is Status.STARTED
        assert board_of(study).started - board_of(study).finished == 1
    number, found = breach(study)
    # A file can be there before its entry; that is a breach until the command is repeated.
    assert number in (None, 3, 6, 7), found
    assert number != 3 or "has no ledger entry" in found
    return one


def check_taken_up(study, home, expected):
    """Taken up again it ends as if nothing had happened, but for the mark that it was."""
    one = check_cut_off(study)
    kept, before = answered(study), asked(home)
    if one.grade is not None:
        assert isinstance(raised(run_sealed, open_study(study.root), "001"), AlreadyRun)
        return
    closed = one.run is not None
    finished = run_sealed(open_study(study.root), "001")
    after = asked(home)
    for question in kept:
        assert (before[question], after[question]) == (1, 0), question
    assert sum(after.values()) == ITEMS - len(kept)
    assert sum((before + after).values()) - ITEMS <= 1  # the one that was in the air
    assert finished.resumed == (one.started is not None and not closed)
    assert ("resumed" in caveats(study)) is bool(finished.resumed)
    assert scores(study) == expected
    assert kinds(study).count("run-started") == kinds(study).count("run") == 1
    commit(home, "Result of 001")
    assert breach(study) == (None, "")


def check_kills(tmp_path, points, body=TELLING, function="detect"):
    home = tmp_path / "home"
    prepared(home, body, function)
    template = tmp_path / "template"
    home.rename(template)
    whole = a_copy(template, tmp_path / "whole/home")
    total = number_of_writes(whole)
    expected = scores(whole)
    assert sum(asked(tmp_path / "whole/home").values()) + sum(asked(template).values()) == ITEMS
    tried = list(points(total))
    for at in tried:
        home = tmp_path / f"{at}/home"
        study = a_copy(template, home)
        (tmp_path / "asked").unlink(missing_ok=True)
        assert killed_at(study, at) == KILLED, at
        told = tmp_path / "asked"
        if told.exists():
            told.rename(home.parent / "asked")
        check_taken_up_in(study, home, expected, tmp_path)
    return total, tried


def check_taken_up_in(study, home, expected, tmp_path):
    os.environ["HOME"] = str(home.parent)
    try:
        check_taken_up(study, home, expected)
    finally:
        os.environ["HOME"] = str(tmp_path)


def a_copy(template, home):
    import shutil

    shutil.copytree(template, home, symlinks=True)
    return open_study(home / "study")


def test_a_run_that_is_killed_before_any_of_its_writes_is_taken_up(tmp_path):
    every = scale(9, 1)
    total, tried = check_kills(tmp_path, lambda total: range(1, total + 1, every))
    assert total > 45
    assert len(tried) >= total // every


def test_a_learner_that_is_killed_is_taken_up(tmp_path):
    every = scale(18, 1)
    _, tried = check_kills(
        tmp_path, lambda total: range(8, total + 1, every), LEARNER, function="Learner"
    )
    assert len(tried) >= 3


@pytest.mark.parametrize("half", scale([1, 30], [1, 5, 10, 20, 30, 40]))
def test_half_a_line_of_outputs_is_dropped_and_asked_again(tmp_path, half):
    home = tmp_path / "home"
    study = prepared(home)
    add = RunFolder.add

    def torn(folder, record):
        if len(answered(study)) == 10:
            os.write(folder._outputs.fileno(), b'{"item":"1","output":9.0,"error":null'[:half])
            die()
        add(folder, record)

    def action():
        RunFolder.add = torn
        run_sealed(open_study(study.root), "001")

    assert in_child(action) == KILLED
    assert len(answered(study)) == 10
    check_taken_up(study, home, {f"{n}": len(row["response"]) for n, row in enumerate(rows(), 1)})


@pytest.mark.parametrize("kind", ["run-started", "run", "score", "grade"])
def test_half_a_line_of_the_ledger_is_no_entry(tmp_path, kind):
    home = tmp_path / "home"
    study = prepared(home)
    pwrite = os.pwrite

    def torn(handle, data, where):
        if f'"kind":"{kind}"'.encode() in data:
            pwrite(handle, data[: len(data) // 2], where)
            die()
        return pwrite(handle, data, where)

    def action():
        os.pwrite = torn
        run_sealed(open_study(study.root), "001")

    assert in_child(action) == KILLED
    assert kind not in kinds(study)
    assert study.chain().torn
    check_taken_up(study, home, {f"{n}": len(row["response"]) for n, row in enumerate(rows(), 1)})


def cut_off(study, after=10):
    """Kill a run when it has so many outputs."""
    add = RunFolder.add

    def last(folder, record):
        add(folder, record)
        if len(answered(study)) == after:
            die()

    def action():
        RunFolder.add = last
        run_sealed(open_study(study.root), "001")

    assert in_child(action) == KILLED


def test_it_can_be_cut_off_more_than_once(tmp_path):
    home = tmp_path / "home"
    study = prepared(home)
    for after in (5, 9, 20):
        cut_off(study, after)
    finished = run_sealed(study, "001")
    assert finished.resumed == 3
    assert set(asked(home).values()) == {1}
    assert [entry.said["kept"] for entry in entries(study) if entry.kind == "run-resumed"] == [
        "5",
        "9",
        "20",
    ]
    commit(home, "Result of 001")
    assert breach(study) == (None, "")


def test_what_was_sealed_cannot_change_while_a_run_is_cut_off(tmp_path):
    study = prepared(tmp_path / "home", METHOD)
    cut_off(study)
    path = study.root / "preregs/001/method.py"
    path.write_text("def detect(question):\n    return 1\n")
    assert isinstance(raised(run_sealed, study, "001"), DigestMismatch)
    path.write_text(METHOD)
    run_sealed(study, "001")


def test_the_witness_stays_the_one_that_the_run_began_with(tmp_path):
    home = tmp_path / "home"
    study = prepared(home, METHOD)
    cut_off(study)
    commit(home, "Cut off")
    run_sealed(study, "001")
    assert entries(study)[2].said["witness"] != f"git:{commit(home, 'Result of 001')}"
    assert breach(study) == (None, "")


def test_outputs_that_are_taken_away_meanwhile_leave_a_trace(tmp_path):
    """Nothing can stop a new beginning this way; the ledger tells of it."""
    home = tmp_path / "home"
    study = prepared(home, METHOD)
    cut_off(study)
    (study.root / "runs/001/outputs.jsonl").unlink()
    run_sealed(study, "001")
    (taken_up,) = [entry for entry in entries(study) if entry.kind == "run-resumed"]
    assert taken_up.said["kept"] == "0"
    assert "resumed" in caveats(study)


HARMED = {
    "no JSON": b"{\n",
    "no record": b'{"item":"1"}\n',
    "a second record of an item": None,
    "an item that is none": b'{"item":"ghost","output":1.0,"error":null,"ms":1.0}\n',
}


@pytest.mark.parametrize("kind", HARMED)
def test_outputs_that_were_harmed_meanwhile_never_become_a_sound_result(tmp_path, kind):
    home = tmp_path / "home"
    study = prepared(home, METHOD)
    cut_off(study)
    path = study.root / "runs/001/outputs.jsonl"
    data = path.read_bytes()
    path.write_bytes(data + (HARMED[kind] or data.splitlines(keepends=True)[0]))
    assert isinstance(raised(run_sealed, study, "001"), AssayError)
    assert "score" not in kinds(study)


def test_the_command_is_killed_and_takes_up_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sealed_module, "SEEDS", SEEDS)  # as the command has it
    home = tmp_path / "home"
    body = TELLING + (
        "    \ndef stuck(question, response):\n    import time\n    told(question)\n"
        "    home = os.environ['HOME']\n"
        "    while len(open(home + '/asked').readlines()) >= 5:\n"
        "        if os.path.exists(home + '/go'):\n            break\n"
        "        time.sleep(0.01)\n    return len(response)\n"
    )
    body = body.replace("    told(question)\n    home", "    told(question)\n    home")
    (tmp_path / "go").touch()
    (tmp_path / "asked").touch()
    study = prepared(home, body, "stuck")
    (tmp_path / "go").unlink()
    words = [sys.executable, "-m", "assay", "run", "001"]
    process = subprocess.Popen(words, cwd=study.root, stderr=subprocess.DEVNULL)
    while len((tmp_path / "asked").read_text().splitlines()) < 5:
        time.sleep(0.01)
        assert process.poll() is None
    process.kill()
    assert process.wait() == KILLED
    before = tree(study.root)
    assert kinds(study)[-1] == "run-started"
    board = board_of(study).tables[0].rows[0]
    assert board.status is Status.STARTED
    (tmp_path / "go").touch()
    done = subprocess.run(words, cwd=study.root, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Resumed after 4 of 24 items" in done.stderr
    found = asked(home)
    assert sum(found.values()) == ITEMS + 1 + min(PROBED, ITEMS)
    assert before["runs/001/outputs.jsonl"] in (study.root / "runs/001/outputs.jsonl").read_bytes()
