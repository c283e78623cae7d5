"""A process under a warden of its own: how it ends, and what is told of it."""

import json
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress

import pytest
from helpers.trial_systems import alive, eventually

from assay.sandbox import warden_client, watched_process
from assay.sandbox.job import Job
from assay.sandbox.observation import notifications
from assay.sandbox.warden_client import can_observe
from assay.sandbox.watched_process import WatchedProcess

pytestmark = pytest.mark.skipif(not can_observe(), reason="only Linux tells which files are opened")
PATIENCE = 20.0


@contextmanager
def watched(*command):
    """A watched process, and the end of a pipe that tells what it printed."""
    printed, output = os.pipe()
    ours, theirs = os.pipe()
    try:
        job = Job(command=command, environment={}, output=output, descriptors=(theirs,))
        process = WatchedProcess(job)
        os.close(output)
        output = -1
        try:
            yield process, printed
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process._warden.pid, signal.SIGKILL)
            process._warden.wait()
            process._socket.close()
    finally:
        for end in (printed, output, ours, theirs):
            if end >= 0:
                os.close(end)


def python(body, *words):
    return watched(sys.executable, "-I", "-S", "-c", body, *words)


def ends(process):
    """Whether it can be ended before our patience does."""
    ending = threading.Thread(target=process.end, daemon=True)
    ending.start()
    ending.join(PATIENCE)
    return not ending.is_alive()


def test_it_tells_the_exit_code_and_the_signal():
    with python("raise SystemExit(5)") as (process, _):
        assert process.reap(PATIENCE) == 5
    with python("import os; os.kill(os.getpid(), 15)") as (process, _):
        assert process.reap(PATIENCE) == -signal.SIGTERM
        assert not process.unaccounted


def test_a_command_that_never_ran_has_no_exit_code():
    with watched("/nonexistent/program") as (process, _):
        assert process.reap(PATIENCE) is None
        assert process.outcome.trouble == "it could not be started: No such file or directory"
        assert process.outcome.full


def test_a_command_that_stops_its_warden_is_ended_all_the_same():
    """The warden is resumed, so that it ends what was started in another session, too."""
    mark = f"91{os.getpid()}"
    body = (
        "import os, signal, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        f"    os.execv('/bin/sleep', ['sleep', '{mark}'])\n"
        "os.kill(os.getppid(), signal.SIGSTOP)\n"
        "os.write(1, b'stopped')\n"
        "time.sleep(600)\n"
    )
    with python(body) as (process, printed):
        assert os.read(printed, 100) == b"stopped"
        assert eventually(lambda: alive(mark))
        assert ends(process)
        assert process.reap(PATIENCE) == -signal.SIGKILL
        assert not process.unaccounted
        assert not alive(mark)


def test_a_warden_that_does_not_answer_is_killed_and_leaves_its_command_unaccounted(monkeypatch):
    monkeypatch.setattr(watched_process, "_END_SECONDS", 0.2)
    monkeypatch.setattr(warden_client, "module_command", lambda *_: ["sleep", "600"])
    with watched("true") as (process, _):
        assert ends(process)
        assert process.unaccounted
        assert process.outcome.full
        assert process.reap(PATIENCE) is None
        assert process._warden.returncode == -signal.SIGKILL


@pytest.mark.parametrize("told", ["", "{", "[]", "{}", '{"code": 1}'])
def test_an_outcome_that_is_none_is_told_as_such(monkeypatch, told):
    lines = ["printf", "{}\n" + told + ("\n" if told else "")]
    monkeypatch.setattr(warden_client, "module_command", lambda *_: lines)
    with watched("true") as (process, _):
        assert process.reap(PATIENCE) is None
        assert process.unaccounted
        assert process.outcome.full


def test_an_outcome_has_a_longest(monkeypatch):
    monkeypatch.setattr(watched_process, "_LONGEST", 1 << 16)
    flood = "print('{}'); print('x' * (1 << 17), flush=True); import time; time.sleep(600)"
    command = [sys.executable, "-I", "-S", "-c", flood]
    monkeypatch.setattr(warden_client, "module_command", lambda *_: command)
    with watched("true") as (process, _):
        assert process.reap(PATIENCE) is None
        assert process.unaccounted
        assert process.outcome.full


def test_a_warden_keeps_no_more_paths_than_an_outcome_holds(monkeypatch):
    monkeypatch.setattr(notifications, "_MOST_TEXT", 10)
    notices = notifications.Notices(0)
    for path in ("/one", "/two", "/one", "/x"):
        notices._keep(notices.noted.read, path)
    assert (notices.noted.read, notices.noted.full) == ({"/one", "/two", "/x"}, False)
    notices._keep(notices.noted.written, "/one")
    assert (notices.noted.written, notices.noted.full) == (set(), True)


def test_a_long_outcome_is_read_once(monkeypatch):
    """Each part is looked at when it comes, however many came before."""
    parts, lengths = [b"{}\n", *[b"x" * 4096] * 1000, b"\n"], []

    class Counted(bytes):
        def count(self, *words):
            lengths.append(len(self))
            return bytes.count(self, *words)

    ready = iter(parts)
    with watched("true") as (process, _), monkeypatch.context() as patch:
        patch.setattr(process, "_read", lambda *_: Counted(next(ready, b"")))
        assert process.reap(PATIENCE) is None
    assert sum(lengths) < 2 * sum(map(len, parts))


FORGED = """
import json, os, sys
os.listdir("/")
told = {"code": 0, "trouble": None, "full": False}
told |= dict.fromkeys(["read", "made", "written", "run", "connected", "metadata"], [])
for end in 0, 1:
    try:
        with open(f"/proc/{os.getppid()}/fd/{end}", "w") as file:
            file.write(json.dumps(told) + "\\n")
    except OSError:
        os.write(1, b"held")
os.write(1, b".")
raise SystemExit(7)
"""


def test_a_command_cannot_write_its_own_outcome():
    with python(FORGED) as (process, printed):
        assert process.reap(PATIENCE) == 7
        assert "/" in process.outcome.read
        assert os.read(printed, 100) == b"heldheld."


@pytest.mark.parametrize("more", ["", "{}", "{}\n"])
def test_more_than_one_outcome_is_none(monkeypatch, more):
    lists = dict.fromkeys(["read", "made", "written", "run", "connected", "metadata"], ())
    told = json.dumps({"code": 0, "trouble": None, "full": False, **lists})
    lines = ["printf", "{}\n" + told + "\n" + more]
    monkeypatch.setattr(warden_client, "module_command", lambda *_: lines)
    with watched("true") as (process, _):
        assert process.reap(PATIENCE) == (None if more else 0)
        assert process.unaccounted == bool(more)
