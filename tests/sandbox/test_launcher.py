"""The keeper of a job: it hears every signal, and signals no number that is not its own."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest
from helpers.trial_systems import alive, eventually

from assay.sandbox import process
from assay.sandbox.job import Job
from assay.sandbox.processes import HOME

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a launcher")
CONFINED = pytest.mark.parametrize("network", [True, False], ids=["", "without a network"])
HEAD = "import os, signal, sys, time\nfrom assay.sandbox import confine, launcher\n"


@contextmanager
def launched(body, *command, network=True):
    """A keeper that runs a command, after a change to its module; what it tells of the end."""
    report, report_end = os.pipe()
    ending, ending_end = os.pipe()
    job = {
        "restrictions": Job(command=command, environment={}, network=network).restrictions(),
        "report": report_end,
        "ending": ending_end,
        "command": command,
    }
    words = [sys.executable, "-c", f"{HEAD}{body}\nlauncher.main()", json.dumps(job)]
    keeper = subprocess.Popen(words, pass_fds=(report_end, ending_end), start_new_session=True)
    os.close(report_end)
    os.close(ending_end)
    try:
        yield keeper, ending
    finally:
        with suppress(ProcessLookupError):
            os.killpg(keeper.pid, signal.SIGKILL)
        keeper.wait()
        os.close(report)
        os.close(ending)


@pytest.fixture
def mark():
    """The seconds that a command sleeps; it is ended in any case."""
    seconds = f"92{os.getpid()}.5"
    yield seconds
    for pid in alive(seconds):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


EARLY = """
set_handler = signal.signal
def told_before(number, handler):
    if callable(handler):
        os.kill(os.getpid(), signal.SIGTERM)
    return set_handler(number, handler)
signal.signal = told_before
"""


@CONFINED
def test_a_signal_before_the_keeper_listens_ends_the_command(mark, network):
    with launched(EARLY, "sleep", mark, network=network) as (keeper, ending):
        assert keeper.wait(20.0) > 0
        assert os.read(ending, 100) == b"-9\n"
        assert not alive(mark)


SLOW = """
fork = os.fork
def forked():
    if not (child := fork()):
        time.sleep(0.5)  # so that its keeper ends it first
    return child
os.fork = forked
"""


@CONFINED
def test_a_job_that_is_ended_before_its_command_runs_is_not_called_unconfined(monkeypatch, network):
    slow = f"{HEAD}{EARLY}{SLOW}launcher.main()"
    monkeypatch.setattr(process, "module_command", lambda _, job: [sys.executable, "-c", slow, job])
    job = Job(command=["true"], environment={"PYTHONPATH": HOME}, network=network)
    started = process.Process(job)
    try:
        started.check_confined()
    finally:
        started.end()
        assert started.reap() == -signal.SIGKILL


KILLED = """
fork = os.fork
def forked():
    os.fork = fork
    if child := fork():
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.5)
    return child
os.fork = forked
"""


@CONFINED
def test_a_command_whose_keeper_is_killed_at_once_does_not_run(mark, network):
    with launched(KILLED, "sleep", mark, network=network) as (keeper, _):
        assert keeper.wait(20.0) == -signal.SIGKILL
        assert not eventually(lambda: alive(f"sleep\0{mark}"), seconds=2.0)


LATE = """
end_children = launcher.end_children
def told_after():
    os.kill(os.getpid(), signal.SIGTERM)
    end_children()
launcher.end_children = told_after
launcher._kill = lambda child: os.write(1, b"signalled a number that is free")
"""


def test_a_signal_after_the_command_ended_is_sent_to_nothing(capfd):
    with launched(LATE, "true") as (keeper, ending):
        assert keeper.wait(20.0) == 0
        assert os.read(ending, 100) == b"0\n"
    assert capfd.readouterr().out == ""
