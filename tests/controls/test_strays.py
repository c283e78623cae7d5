"""What was measured is what is entered: processes that a run leaves behind change nothing."""

import json
import os
import signal
import sys
from contextlib import suppress

import msgspec
import pytest
from helpers.command import command
from helpers.studies import (
    a_study,
    breach,
    entries,
    kinds,
    opened,
    raised,
    remember_installed,
    sealed,
)
from helpers.trial_systems import HONEST, alive, eventually, journal, plan, tried

from assay.digests import digest
from assay.errors import DigestMismatch, IntegrityError, MethodCrashed
from assay.runs.store import RunFolder
from assay.study.entries import records_of
from assay.study.scorecards.store import load_result
from assay.study.submissions import run as one_run
from assay.study.submissions.run import run_sealed

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a reaper of orphans")
CONSTANT = "def detect(question, response):\n    return 0.5\n"
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for end in range(3, 64):
            try: os.close(end)
            except OSError: pass
        words = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(99)", "MARK"]
        os.execve(sys.executable, words, {})
    os._exit(0)
os.wait()
time.sleep(0.2)
def detect(question, response):
    return 0.5
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def mark():
    """A word on the command line of a daemon, which is ended in any case."""
    word = f"daemon-{os.getpid()}-of-a-test"
    yield word
    for pid in alive(word):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def made_better(folder):
    """Rewrite outputs as someone would who knows the labels, and the digest that names them."""
    outputs, head = folder / "outputs.jsonl", folder / "run.json"
    records = [json.loads(line) for line in outputs.read_text().splitlines()]
    for one in records:
        one["output"] = float(int(one["item"]) % 2 == 0)
    outputs.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in records))
    described = json.loads(head.read_bytes())
    described["outputs"]["digest"] = digest(outputs.read_bytes())
    head.write_bytes(msgspec.json.encode(described))


def auc(study):
    card = json.loads((study.root / "scorecards/001@mine.json").read_bytes())["scorecard"]
    return card["bars"][0]["value"]


def test_outputs_rewritten_before_they_are_entered_do_not_count_and_are_seen(tmp_path, monkeypatch):
    study = opened(tmp_path)
    sealed(study, "001", CONSTANT)
    finish = RunFolder.finish

    def finish_and_edit(folder, run):
        finish(folder, run)
        made_better(folder.path)

    monkeypatch.setattr(RunFolder, "finish", finish_and_edit)
    run_sealed(study, "001", unwitnessed=True)
    assert auc(study) == 0.5
    assert breach(study)[0] == 5


def test_outputs_rewritten_after_they_are_entered_do_not_count_and_are_seen(tmp_path, monkeypatch):
    study = opened(tmp_path)
    sealed(study, "001", CONSTANT)
    conclude = one_run.conclude

    def edit_and_conclude(study, *more):
        made_better(study.root / "runs/001")
        return conclude(study, *more)

    monkeypatch.setattr(one_run, "conclude", edit_and_conclude)
    run_sealed(study, "001", unwitnessed=True)
    assert auc(study) == 0.5
    assert breach(study)[0] == 5


def test_a_result_is_judged_from_the_bytes_that_were_checked(tmp_path, monkeypatch):
    study = a_study(tmp_path, "finished")
    record = records_of(study).submission("001")
    expected = load_result(study, record)
    from assay.study.scorecards import store

    read = store.read_as

    def read_and_edit(root, name, digest):
        data = read(root, name, digest)
        if name.endswith(("outputs.jsonl", "run.json")):
            (root / name).write_text("{}")
        return data

    monkeypatch.setattr(store, "read_as", read_and_edit)
    assert load_result(study, record) == expected


@LINUX
def test_a_method_that_stops_its_warden_does_not_hang_its_run(tmp_path):
    study = opened(tmp_path)
    body = (
        "import os, signal\ndef detect(question, response):\n"
        "    if 'number 7?' in question:\n"
        "        os.kill(os.getppid(), signal.SIGSTOP)\n"
        "    return 0.5\n"
    )
    sealed(study, "001", body)
    done = command(study.root, "run", "001", "--unwitnessed")
    assert done.returncode == 1, done.stderr
    assert auc(study) == 0.5


def test_outputs_rewritten_while_a_run_is_cut_off_are_refused(tmp_path, monkeypatch):
    study = opened(tmp_path)
    body = (
        "import os\ndef detect(question, response):\n"
        "    return os._exit(3) if 'number' in question else 0.5\n"
    )
    sealed(study, "001", body)
    assert isinstance(raised(run_sealed, study, "001", unwitnessed=True), MethodCrashed)
    assert kinds(study)[-1] == "run-stopped"
    path = study.root / "runs/001/outputs.jsonl"
    checked = one_run._check_kept

    def check_and_edit(*arguments):
        checked(*arguments)
        path.write_bytes(path.read_bytes().replace(b"crashed", b"CRASHED"))

    monkeypatch.setattr(one_run, "_check_kept", check_and_edit)
    error = raised(run_sealed, study, "001")
    assert isinstance(error, (DigestMismatch, MethodCrashed))
    monkeypatch.undo()
    resumed = [entry for entry in entries(study) if entry.kind == "run-resumed"]
    assert all(entry.said["outputs"] == _stopped(study).said["outputs"] for entry in resumed)


def _stopped(study):
    return next(entry for entry in entries(study) if entry.kind == "run-stopped")


@LINUX
def test_a_daemon_of_a_method_is_dead_before_anything_is_concluded(tmp_path, mark, monkeypatch):
    study = opened(tmp_path)
    sealed(study, "001", DAEMON.replace("MARK", mark))
    left = []
    finish = RunFolder.finish

    def look_and_finish(folder, run):
        left.extend(alive(mark))
        finish(folder, run)

    monkeypatch.setattr(RunFolder, "finish", look_and_finish)
    run_sealed(study, "001", unwitnessed=True)
    assert not left
    assert not alive(mark)


KEEPER = """
    import ctypes, signal
    keeper = os.getppid()
    if "number 7?" in question and b"assay.sandbox" in open(f"/proc/{keeper}/cmdline", "rb").read():
        ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
        os.kill(keeper, signal.SIGKILL)
    return 0.5
"""


@LINUX
def test_a_method_that_kills_its_keeper_and_outlives_it_has_no_result(tmp_path, mark):
    study = opened(tmp_path)
    body = DAEMON.replace("MARK", mark).replace("\n    return 0.5\n", KEEPER)
    sealed(study, "001", body)
    error = raised(run_sealed, study, "001", unwitnessed=True)
    assert isinstance(error, MethodCrashed)
    assert "may still run" in error.message
    assert "run" not in kinds(study)


SCORE = 's=0; echo "{\\"score\\": $s}" > "$1/eval.json"; sleep 0.3\n'
FORGER = (
    HONEST.replace("s=1", "s=0")
    + """
if [ -f skills/skill.md ]; then
    out="$1"
    env -i setsid sh -c 'while :; do echo "{\\"score\\": 1}" > "$0/eval.json"; sleep 0.02; done' \\
        "$out" MARK >/dev/null 2>&1 </dev/null &
    sleep 0.2
fi
"""
)


@LINUX
def test_a_daemon_of_a_system_rewrites_no_score_of_its_run(tmp_path, mark):
    (tmp_path / "score.sh").write_text(SCORE)
    made = tried(
        tmp_path,
        FORGER.replace("MARK", mark),
        trials=3,
        rest='[score]\ncommand = ["sh", "{home}/score.sh", "{out}"]\n',
    )
    assert made.crashed == 0
    assert {row["dimensions"]["score"] for row in journal(tmp_path)} == {0.0}
    assert not eventually(lambda: alive(mark), 0.2)


@LINUX
def test_nor_of_another_run_of_the_same_trials(tmp_path, mark):
    """A daemon of a baseline run that waits for the candidates."""
    (tmp_path / "score.sh").write_text(SCORE)
    everywhere = FORGER.replace("if [ -f skills/skill.md ]; then", "if true; then").replace(
        'echo "{\\"score\\": 1}" > "$0/eval.json"',
        'for f in "$0"/../../*/system/skills; do'
        ' echo "{\\"score\\": 1}" > "$f/../../out/eval.json"; done',
    )
    tried(
        tmp_path,
        everywhere.replace("MARK", mark),
        trials=3,
        rest='[score]\ncommand = ["sh", "{home}/score.sh", "{out}"]\n',
    )
    assert {row["dimensions"]["score"] for row in journal(tmp_path)} == {0.0}


def test_a_system_that_edits_the_journal_of_its_trials_has_no_verdict(tmp_path):
    """What is concluded comes from memory, and the edited journal is not left to be believed."""
    edit = 'sed -i \'s/"score":0.0/"score":1.0/\' HOME_OF_ALL/results/runs.jsonl 2>/dev/null\n'
    error = raised(tried, tmp_path, edit + HONEST.replace("s=1", "s=0"), trials=3)
    assert isinstance(error, IntegrityError)
    assert "runs.jsonl was changed" in error.message
    assert not (tmp_path / "results" / "comparison.json").exists()


def test_a_name_that_is_no_text_among_the_files_of_an_artifact_is_noted(tmp_path):
    plan(tmp_path)
    (tmp_path / "skill.md").unlink()
    (tmp_path / "skill.md").mkdir()
    (tmp_path / "skill.md" / os.fsdecode(b"\xff.md")).write_text("Think first.\n")
    body = HONEST.replace("[ -f skills/skill.md ]", "[ -d skills/skill.md ]").replace(
        "cat skills/skill.md", "cat skills/skill.md/*"
    )
    assert tried(tmp_path, body).crashed == 0
    opened = [row["treatment"]["opened"] for row in journal(tmp_path)]
    assert ["\\udcff.md"] in opened
