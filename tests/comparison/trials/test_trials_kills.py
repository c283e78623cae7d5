import errno
import fcntl
import os
import signal
import subprocess
import sys
from collections import Counter

import pytest
from helpers.call_kills import at_call, calls, moments
from helpers.scale import scale
from helpers.studies import raised
from helpers.trial_systems import READ, SCORE, alive, eventually, journal, plan

from assay.comparison.trials import runner as trial_running
from assay.comparison.trials.collect import run_trials
from assay.comparison.trials.spec import load_trial_spec
from assay.errors import StorageError

BODY = f'{READ}\ns=1\necho "$2:$3:$4" >> HOME_OF_ALL/told\n{SCORE}\n'
STOPPED = 130
pytestmark = pytest.mark.usefixtures("temporary")


def told(home):
    path = home / "told"
    return Counter(path.read_text().split()) if path.exists() else Counter()


def planned(home, **parts):
    """A plan whose runs tell which of them they are; a seed stands for its pair."""
    path = plan(home, BODY, **parts)
    words = '["sh", "agent.sh", "{out}", "{instance}", "{trial}"]'
    assert words in path.read_text()
    path.write_text(path.read_text().replace(words, words.replace("]", ', "{seed}"]')))
    return path


def finished(home):
    """How many runs of each pair were noted."""
    return Counter(f"{row['instance']}:{row['trial']}:{row['seed']}" for row in journal(home))


def is_free(home):
    """Whether nobody holds the folder; what was being started as its starter died does so still."""
    path = home / "results" / ".lock"
    if not path.exists():
        return True
    with path.open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def check_gone_on(home, spec):
    """After whatever cut it off: go on, and hold what was done against what was needed."""
    noted, before = finished(home), told(home)
    found = run_trials(spec, home / "results")
    again = told(home) - before
    pairs = 2 * spec.trials
    assert (found.runs, found.pairs, found.crashed) == (pairs, spec.trials, 0)
    assert again == Counter(dict.fromkeys(finished(home), 2)) - noted
    assert sum(again.values()) == pairs - sum(noted.values())
    assert {one.name for one in (home / "results" / "runs").iterdir()} == {
        f"{row['pair']}-{row['arm']}" for row in journal(home)
    }


def lives(folder, *, few, part=0, parts=1, code=None):
    """A plan for each call at which its runs are cut off; that call, and whether it is certain.

    How many calls there are varies a little, so the last of them may not be reached.
    """
    life = calls(trials_in(folder / "whole"), code=code)
    for moment in moments(life, few)[part::parts]:
        yield folder / str(moment), moment, moment < 0.9 * life


def trials_in(home):
    home.mkdir()
    spec = load_trial_spec(planned(home))
    return lambda: run_trials(spec, home / "results")


@pytest.mark.parametrize("part", range(4))
def test_killed_at_any_call_no_run_is_lost_and_none_made_twice(tmp_path, temporary, part):
    for home, moment, certain in lives(tmp_path, few=16, part=part, parts=4):
        ended, reached = at_call(moment, trials_in(home))
        assert ended == (-signal.SIGKILL if reached else 0), moment
        assert reached or not certain, moment
        # A folder may be left that nothing was put into: there was no guardian yet.
        assert eventually(lambda: is_empty(temporary)), moment
        check_gone_on(home, load_trial_spec(home / "trial.toml"))
        assert not list(temporary.glob("*/*")), moment


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["full", "harmed"])
def test_a_disk_that_refuses_any_call_costs_the_runs_at_hand_only(tmp_path, code):
    ends = set()
    for home, moment, certain in lives(tmp_path, few=8, code=code):
        ended, reached = at_call(moment, trials_in(home), code=code)
        assert reached or not certain, moment
        ends.add(ended)
        check_gone_on(home, load_trial_spec(home / "trial.toml"))
    assert StorageError.exit_code in ends
    assert ends <= {0, StorageError.exit_code}


def heard():
    """Whoever started the suite may have told it not to hear a hangup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def started(home, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "assay", "trials", "trial.toml", *words],
        cwd=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heard,
    )


def hanging(home, mark, jobs):
    body = f"[ -e HOME_OF_ALL/go ] || sleep {mark}\n{BODY}"
    plan(home, body.replace(":$4", ""), trials=4, jobs=jobs, seconds=300)


@pytest.mark.parametrize("jobs", [1, 4])
def test_an_interrupt_leaves_nothing_running(tmp_path, temporary, jobs):
    mark = f"9{os.getpid()}.{jobs}"
    hanging(tmp_path, mark, jobs)
    process = started(tmp_path)
    assert eventually(lambda: len(alive(f"sleep\0{mark}")) == jobs)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == STOPPED
    assert "Stopped." in said
    assert not alive(mark)
    assert not list(temporary.iterdir())
    assert not (tmp_path / "trial" / "runs.jsonl").exists()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_killed_from_outside_its_runs_are_ended_and_it_goes_on(tmp_path, temporary, how):
    mark = f"9{os.getpid()}.1{how}"
    hanging(tmp_path, mark, 3)
    process = started(tmp_path)
    assert eventually(lambda: len(alive(f"sleep\0{mark}")) == 3)
    process.send_signal(how)
    process.communicate(timeout=60)
    assert process.returncode == -how
    assert eventually(lambda: not alive(mark))
    assert eventually(lambda: not list(temporary.iterdir()))
    (tmp_path / "go").touch()
    again = started(tmp_path)
    again.communicate(timeout=60)
    assert again.returncode == 1
    assert set(told(tmp_path).values()) == {2}
    assert sum(told(tmp_path).values()) == 8


@pytest.mark.parametrize("lines", scale([1, 5], range(12)))
def test_the_command_killed_after_some_runs_makes_only_the_others(tmp_path, temporary, lines):
    path = planned(tmp_path, trials=6, jobs=3)
    process = started(tmp_path, "--out", "results")
    assert eventually(lambda: len(journal(tmp_path)) >= lines or process.poll() is not None)
    process.kill()
    process.communicate(timeout=60)
    assert eventually(lambda: is_free(tmp_path))
    assert eventually(lambda: is_empty(temporary))
    check_gone_on(tmp_path, load_trial_spec(path))


def is_empty(temporary):
    """Whether nothing is in the folders there; a folder may be thrown away while one looks."""
    try:
        return not list(temporary.glob("*/*"))
    except FileNotFoundError:
        return False


def test_a_naive_journal_would_be_caught(tmp_path, monkeypatch):
    """One that is written when all is over loses what was made before the kill."""
    spec = load_trial_spec(planned(tmp_path))

    def late(self, run):
        self.progress.made[run.pair, run.arm] = run

    with monkeypatch.context() as naive:
        naive.setattr(trial_running.Running, "_note", late)
        ended, reached = at_call(120, lambda: run_trials(spec, tmp_path / "results"))
    assert (ended, reached) == (-signal.SIGKILL, True)
    assert sum(told(tmp_path).values()) > 1
    run_trials(spec, tmp_path / "results")
    assert sum(told(tmp_path).values()) > 5


def test_a_system_without_processes_left_is_no_fault_of_the_command(tmp_path, monkeypatch):
    def none_left(*given, **more):
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    spec = load_trial_spec(planned(tmp_path))
    with monkeypatch.context() as broken:
        broken.setattr("assay.sandbox.process.subprocess.Popen", none_left)
        broken.setattr("assay.comparison.trials.collect.Guardian", Nobody)
        assert isinstance(raised(run_trials, spec, tmp_path / "results"), StorageError)
    assert journal(tmp_path) == []
    check_gone_on(tmp_path, spec)


class Nobody:
    """A guardian that does not guard."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def began(self, group):
        return None

    ended = began


def test_without_a_guardian_a_kill_would_leave_its_folder_behind(tmp_path, temporary, monkeypatch):
    spec = load_trial_spec(planned(tmp_path))
    with monkeypatch.context() as unguarded:
        unguarded.setattr("assay.comparison.trials.collect.Guardian", Nobody)
        ended, _ = at_call(100, lambda: run_trials(spec, tmp_path / "results"))
    assert ended == -signal.SIGKILL
    assert list(temporary.iterdir())
