"""A lock that another process keeps is an error in time, which names the holder."""

import fcntl
import os
import signal
import time

import pytest
from helpers.ledgers import new_ledger
from helpers.studies import a_study, drafted, in_child, kinds, raised, remember_installed, steps

from assay import lock
from assay.errors import StorageError
from assay.ledger.file import LedgerFile, reading
from assay.sandbox.in_place import beside, put_back
from assay.study.ratify.frozen import frozen_folder
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)
    monkeypatch.setattr(lock, "LONGEST_WAIT", 0.2, raising=False)


def in_time(action):
    """The exit code of an action in another process, or minus SIGALRM where it hangs."""

    def limited():
        signal.alarm(60)
        action()

    return in_child(limited)


@pytest.fixture
def held(tmp_path):
    """A ledger whose lock this process holds."""
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield path


def entered(path):
    with LedgerFile(path) as ledger:
        return len(ledger.entries)


def read(path):
    with reading(path) as chain:
        return len(chain.entries)


@pytest.mark.parametrize("use", [entered, read])
def test_a_ledger_that_another_process_keeps_locked_is_not_waited_for_for_ever(held, use):
    assert in_time(lambda: use(held)) == StorageError.exit_code
    error = raised(use, held)
    assert isinstance(error, StorageError)
    assert "locked" in error.message
    assert f"process {os.getpid()}" in error.hint


def ratified(home):
    with frozen_folder(home):
        pass


def looked_at(home):
    with frozen_folder(home, finish=False):
        pass


@pytest.mark.parametrize("use", [ratified, looked_at])
def test_so_with_a_folder_of_ratified_artifacts(tmp_path, use):
    ratified(tmp_path)
    with (tmp_path / ".ratified/lock").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert in_time(lambda: use(tmp_path)) == StorageError.exit_code
        assert f"process {os.getpid()}" in raised(use, tmp_path).hint


def test_so_with_a_state_that_a_run_takes_the_place_of(tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    beside(state).mkdir()
    with (beside(state) / "moving").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert in_time(lambda: put_back(state)) == StorageError.exit_code
        assert f"process {os.getpid()}" in raised(put_back, state).hint


def test_a_lock_that_is_given_up_in_time_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "LONGEST_WAIT", 60.0)
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    ready, ready_end = os.pipe()
    child = os.fork()
    if child == 0:
        handle = os.open(path, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.write(ready_end, b"x")
        time.sleep(0.3)
        os._exit(0)
    os.read(ready, 1)
    assert entered(path) == 2
    assert os.waitpid(child, 0)[1] == 0


def test_a_verification_under_a_held_lock_is_unchecked(tmp_path):
    study = a_study(tmp_path, "finished")
    with (study.root / "ledger.jsonl").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        def verify_in_time():
            outcome, found = steps(study)[3]
            os._exit(0 if outcome == "unchecked" and "locked" in found else 1)

        assert in_time(verify_in_time) == 0


def test_a_method_that_locks_the_ledger_as_it_loads_ends_the_run(tmp_path):
    study = a_study(tmp_path, "opened")
    body = f"""
import fcntl, os
with open(f"/proc/{{os.getppid()}}/cmdline", "rb") as file:
    watched = b"warden" in file.read()
if watched:
    LOCK = open({str(study.root / "ledger.jsonl")!r})
    fcntl.flock(LOCK, fcntl.LOCK_EX)

def detect(question, response):
    return 0.5
"""
    drafted(study, "001", body)
    seal(study, "001")
    action = lambda: run_sealed(open_study(study.root), "001", unwitnessed=True)  # noqa: E731
    assert in_time(action) == StorageError.exit_code
    assert "run-started" not in kinds(study)
