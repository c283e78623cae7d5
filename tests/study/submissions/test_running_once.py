import fcntl
import os
import subprocess
import sys
from contextlib import nullcontext
from unittest.mock import patch

import pytest
from helpers.command import command
from helpers.scale import scale
from helpers.studies import (
    a_study,
    breach,
    commit,
    entries,
    git,
    kinds,
    raised,
    remember_installed,
    sealed,
    tree,
)

from assay.errors import AlreadyRun, AssayError, BrokenChain, NotSealed, SpecError
from assay.study.entries import read_records
from assay.study.scorecards.store import load_result, read_judgement
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal_lock import is_running

DONE = ["study", "seal", "run-started", "run", "score", "grade"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


def test_a_second_run_is_refused_and_names_the_first(tmp_path):
    study = a_study(tmp_path, "git-finished")
    before = tree(study.root)
    error = raised(run_sealed, study, "001")
    assert isinstance(error, AlreadyRun)
    assert "entry 3 holds its result" in error.message
    assert tree(study.root) == before


def test_the_command_refuses_a_second_run_with_its_own_code(tmp_path):
    study = a_study(tmp_path, "git-finished")
    before = tree(study.root)
    done = command(study.root, "run", "001")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("AlreadyRun: 001 has been run: entry 3")
    assert command(study.root, "run", "001", "--unwitnessed").returncode == 3
    assert tree(study.root) == before


def test_what_was_never_sealed_does_not_run(tmp_path):
    study = a_study(tmp_path, "git-opened")
    with pytest.raises(NotSealed, match="001 has no seal"):
        run_sealed(study, "001")


def test_taking_its_records_away_does_not_make_room_for_another_run(tmp_path):
    study = a_study(tmp_path, "git-finished")
    for name in ("runs/001/run.json", "runs/001/outputs.jsonl", "scorecards/001@mine.json"):
        (study.root / name).unlink()
        assert isinstance(raised(run_sealed, study, "001"), AlreadyRun)
    (study.root / "grades/001.json").unlink()
    assert isinstance(raised(run_sealed, study, "001"), AlreadyRun)
    assert kinds(study) == DONE


def rolled_back(study):
    """Put everything back to before the run, as someone would who did not like its result."""
    ledger = study.root / "ledger.jsonl"
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:2]))
    for name in ("runs/001/run.json", "runs/001/outputs.jsonl", "scorecards/001@mine.json"):
        (study.root / name).unlink()
    (study.root / "runs/001").rmdir()
    (study.root / "grades/001.json").unlink()
    return open_study(study.root)


def test_a_ledger_put_back_to_before_the_run_does_not_run_again(tmp_path):
    study = rolled_back(a_study(tmp_path, "git-finished"))
    for insisting in (False, True):
        error = raised(run_sealed, study, "001", unwitnessed=insisting)
        assert isinstance(error, BrokenChain)
        assert "does not continue the ledger of the last commit" in error.message
    assert kinds(study) == ["study", "seal"]


def test_without_that_guard_it_would_run_again_and_verify_would_see_it(tmp_path, monkeypatch):
    study = rolled_back(a_study(tmp_path, "git-finished"))
    head = git(tmp_path, "rev-parse", "HEAD")
    found = f"git:{head}"
    monkeypatch.setattr("assay.study.submissions.run.witness_of", lambda *given, **more: found)
    run_sealed(study, "001")
    assert kinds(study) == DONE
    assert breach(study)[0] == 1
    commit(tmp_path, "Result of 001, better")
    assert breach(study, since=head)[0] == 1
    assert breach(study)[0] == 3


def test_a_folder_of_results_that_no_run_made_is_refused(tmp_path):
    study = a_study(tmp_path)
    (study.root / "runs/001").mkdir(parents=True)
    (study.root / "runs/001/outputs.jsonl").write_text("")
    with pytest.raises(SpecError, match="was never started"):
        run_sealed(study, "001", unwitnessed=True)
    assert kinds(study) == ["study", "seal"]


def test_while_one_process_holds_the_seal_no_other_runs_it(tmp_path, monkeypatch):
    study = a_study(tmp_path, "git-sealed")
    holder = os.open(study.root / "preregs/001/seal.json", os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        error = raised(run_sealed, study, "001")
        assert isinstance(error, AlreadyRun)
        assert "another process is running" in error.message
        assert kinds(study) == ["study", "seal"]
        # The control: without the guard it runs beside the other.
        monkeypatch.setattr("assay.study.submissions.run.only_one", lambda *given: nullcontext())
        run_sealed(study, "001")
        assert kinds(study) == DONE
    finally:
        os.close(holder)


def test_two_that_look_at_a_seal_at_once_do_not_take_each_other_for_a_run(tmp_path):
    study = a_study(tmp_path)
    with (study.root / "preregs/001/seal.json").open("rb") as seal:
        fcntl.flock(seal, fcntl.LOCK_SH)
        assert not is_running(study, "001")
        fcntl.flock(seal, fcntl.LOCK_EX)
        assert is_running(study, "001")


def test_one_that_looks_at_a_seal_keeps_nobody_from_running_it(tmp_path):
    study = a_study(tmp_path)
    with (study.root / "preregs/001/seal.json").open("rb") as seal:
        fcntl.flock(seal, fcntl.LOCK_SH)
        with patch("time.sleep", lambda _: fcntl.flock(seal, fcntl.LOCK_UN)):
            run_sealed(study, "001", unwitnessed=True)
    assert kinds(study) == DONE


def test_a_seal_that_is_looked_at_for_ever_is_not_waited_for(tmp_path):
    study = a_study(tmp_path)
    with (study.root / "preregs/001/seal.json").open("rb") as seal, patch("time.sleep"):
        fcntl.flock(seal, fcntl.LOCK_SH)
        error = raised(run_sealed, study, "001", unwitnessed=True)
    assert isinstance(error, AlreadyRun)


SLOW = (
    "import time\n\ndef detect(question, response):\n"
    "    time.sleep(0.01)\n    return len(response)\n"
)


def codes_of(starts):
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in starts]


def started_together(study, count):
    """Processes that all wait behind one gate and then run the same seal."""
    gate, opener = os.pipe()
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            os.close(opener)
            code = 70
            try:
                os.read(gate, 1)
                run_sealed(open_study(study.root), "001")
                code = 0
            except AssayError as error:
                code = error.exit_code
            finally:
                os._exit(code)
        children.append(child)
    os.close(gate)
    os.close(opener)  # everybody reads the end at once
    return codes_of(children)


def check_one_result(study, codes, count):
    assert sorted(codes) == [0] + [3] * (count - 1)
    assert kinds(study) == DONE
    run = load_result(study, read_records(entries(study)).submissions["001"])
    assert sorted(record.item for record in run.records) == sorted({r.item for r in run.records})
    assert run.provenance.resumed == 0
    commit(study.root.parent, "Result of 001")
    assert breach(study) == (None, "")


def test_of_many_simultaneous_starts_one_runs(tmp_path):
    study = a_study(tmp_path, "git-opened")
    sealed(study, body=SLOW)
    commit(tmp_path, "Seal 001")
    count = scale(8, 50)
    check_one_result(study, started_together(study, count), count)


def test_of_many_simultaneous_commands_one_runs(tmp_path):
    study = a_study(tmp_path, "git-opened")
    sealed(study, body=SLOW)
    commit(tmp_path, "Seal 001")
    count = scale(2, 50)
    words = [sys.executable, "-m", "assay", "run", "001"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen(words, cwd=study.root, **quiet) for _ in range(count)]
    check_one_result(study, [process.wait() for process in running], count)


CRASHING = """
import os

def detect(question, response):
    if "number 7?" in question:
        os.kill(os.getpid(), 9)
    if "number 9?" in question:
        raise ValueError("no")
    return len(response)
"""


def test_a_method_that_dies_on_an_item_leaves_it_unscored_and_the_run_goes_on(tmp_path):
    study = a_study(tmp_path, "git-opened")
    sealed(study, body=CRASHING)
    commit(tmp_path, "Seal 001")
    run_sealed(study, "001")
    one = read_records(entries(study)).submissions["001"]
    failed = [r.error for r in load_result(study, one).records if r.error is not None]
    assert sorted(failure.kind for failure in failed) == ["crashed", "raised"]
    card = read_judgement(study, one.scores["mine"]).scorecard
    assert (card.unscored, card.verdict) == (2, "unresolved")
    assert "unscored" in [caveat.code for caveat in card.caveats]
    commit(tmp_path, "Result of 001")
    assert breach(study) == (None, "")
    assert isinstance(raised(run_sealed, study, "001"), AlreadyRun)


def test_a_method_that_cannot_be_loaded_at_its_run_has_not_been_started(tmp_path, monkeypatch):
    study = a_study(tmp_path, "git-opened")
    sealed(study, body="import os\nos.environ['HOME']\ndef detect(question):\n    return 1\n")
    commit(tmp_path, "Seal 001")
    monkeypatch.delenv("HOME")
    error = raised(run_sealed, study, "001")
    assert error.exit_code == 5
    assert kinds(study) == ["study", "seal"]
    assert not (study.root / "runs").exists()
    monkeypatch.undo()
    run_sealed(study, "001")
