"""Jobs that are started without a warden: what they are given, held to, and leave behind."""

import ast
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.trial_systems import alive, eventually

import assay
from assay.errors import StorageError
from assay.sandbox.confine import can_enter_view
from assay.sandbox.guardian import Guardian
from assay.sandbox.job import Job, ResourceLimits, View
from assay.sandbox.levels import Level
from assay.sandbox.process import JobRunner, Process
from assay.sandbox.processes import HOME

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces")


@pytest.fixture
def runner():
    with Guardian(Path(tempfile.mkdtemp())) as guardian:
        yield JobRunner(guardian)


@contextmanager
def logged(folder):
    log = os.open(folder / "log.txt", os.O_CREAT | os.O_RDWR | os.O_APPEND)
    try:
        yield log
    finally:
        os.close(log)


def outcome(runner, folder, *command, **more):
    """The outcome of a job in a folder, and what it printed."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    with logged(folder) as log:
        job = Job(
            command=command, folder=folder, environment=environment, output=log, home=home, **more
        )
        return runner.run(job), (folder / "log.txt").read_text()


def python(runner, folder, body, **more):
    return outcome(runner, folder, "python", "-I", "-S", "-c", body, **more)


CONFINED = {
    "without restrictions": {},
    "under limits": {"limits": ResourceLimits(open_files=64)},
    "without a network": {"network": False},
    "in a view of its own": {"view": View()},
}


@LINUX
@pytest.mark.parametrize("how", CONFINED)
def test_a_job_ends_the_same_however_it_is_confined(runner, tmp_path, how):
    more = CONFINED[how]
    if "view" in more:
        if not can_enter_view():
            pytest.skip("no private view can be had here")
        more = {"view": View(writable=(tmp_path,))}
    done, log = python(runner, tmp_path, "import os; print(os.getcwd(), os.getsid(0))", **more)
    assert (done.code, done.trouble) == (0, None)
    assert log.split()[0] == str(tmp_path)
    done, _ = python(runner, tmp_path, "import sys; print('bad'); sys.exit(5)", **more)
    assert (done.code, done.trouble) == (5, "exit code 5: bad")
    done, _ = python(runner, tmp_path, "while True: pass", seconds=0.5, **more)
    assert (done.code, done.trouble) == (None, "still running after 0.5 s")
    done, _ = python(runner, tmp_path, "while True: print('x' * 99)", log_bytes=1000, **more)
    assert (done.code, done.trouble) == (None, "it printed more than 1,000 bytes")


@LINUX
def test_limits_hold_and_only_where_they_are_set(runner, tmp_path):
    files = "open_files = [open('/dev/null') for _ in range(80)]"
    memory = "bytearray(1 << 29)"
    assert python(runner, tmp_path, files)[0].code == 0
    assert python(runner, tmp_path, memory)[0].code == 0
    limits = ResourceLimits(open_files=64)
    assert python(runner, tmp_path, files, limits=limits)[0].code == 1
    assert python(runner, tmp_path, memory, limits=limits)[0].code == 0
    assert python(runner, tmp_path, memory, limits=ResourceLimits(memory=1 << 28))[0].code == 1


@LINUX
def test_a_view_holds_writes_back_except_where_it_is_writable(runner, tmp_path):
    if not can_enter_view():
        pytest.skip("no private view can be had here")
    own, outside, cover = (tmp_path / name for name in ("own", "outside", "cover"))
    for folder in (own, outside, cover):
        folder.mkdir()
    body = (
        "for name in ('mine', '../outside/covered', '../free'):\n"
        "    try: open(name, 'w').write('x')\n"
        "    except OSError: print('held')"
    )
    done, log = python(runner, own, body, view=View(writable=(own,), covers=((cover, outside),)))
    assert (done.trouble, log) == (None, "held\n")
    assert [path.name for path in (own / "mine", cover / "covered") if path.exists()] == [
        "mine",
        "covered",
    ]
    assert not list(outside.iterdir())
    done, log = python(runner, own, body)
    assert (done.trouble, log) == (None, "held\n")
    assert (outside / "covered").exists()
    assert (tmp_path / "free").exists()


@LINUX
def test_a_process_that_leaves_its_session_is_killed_with_the_job(runner, tmp_path):
    mark = f"81{os.getpid()}.5"
    done, _ = outcome(runner, tmp_path, "sh", "-c", f"setsid sleep {mark} & sleep 0.2")
    assert done.trouble is None
    assert not alive(mark)


STOP = "import os, signal, time; os.kill(os.getppid(), signal.SIGSTOP); time.sleep(600)"


@LINUX
def test_a_job_that_stops_its_keeper_is_ended_with_all_that_it_started(runner, tmp_path):
    mark = f"84{os.getpid()}.5"
    body = f"import subprocess\nsubprocess.Popen(['setsid', 'sleep', '{mark}'])\n{STOP}"
    done, _ = python(runner, tmp_path, body, seconds=1.0)
    assert done.trouble == "still running after 1 s"
    assert not alive(mark)


@LINUX
def test_only_a_home_of_its_own_marks_a_process_as_the_jobs(runner, tmp_path):
    """A shell of the user's that works in the folder is left alone."""
    mark = f"82{os.getpid()}.5"
    home = tmp_path / "home"
    bystander = Process(
        Job(
            command=["sleep", mark],
            environment={"PATH": os.environ["PATH"], "PWD": str(home), "HOME": f"{home}-other"},
        )
    )
    assert outcome(runner, tmp_path, "true")[0].trouble is None
    assert alive(mark)
    bystander.end()
    assert bystander.reap() == -signal.SIGKILL


def test_being_stopped_ends_what_runs_and_lets_nothing_begin(runner, tmp_path):
    mark = f"83{os.getpid()}.5"

    def stop():
        eventually(lambda: alive(mark))
        runner.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    done, _ = outcome(runner, tmp_path, "sleep", mark)
    stopper.join()
    assert done.trouble == "ended by signal 9"
    with pytest.raises(StorageError, match="stopped"):
        outcome(runner, tmp_path, "true")


def test_a_program_that_cannot_be_run_is_its_own_fault(runner, tmp_path):
    (tmp_path / "plain").write_text("text")
    for program in ("no-such-program", "./plain", "./home"):
        done, _ = outcome(runner, tmp_path, program)
        assert done.code is None
        assert done.trouble.startswith(f"{program}: ")
    assert outcome(runner, tmp_path, "nul\0")[0].trouble == "nul\0: embedded null byte"


def test_what_does_not_start_a_process_is_refused(tmp_path):
    job = Job(command=["true"], environment={})
    with pytest.raises(TypeError, match="trusted"):
        Process(replace(job, level=Level.TRUSTED))
    with pytest.raises(TypeError, match="warden"):
        Process(replace(job, output=tmp_path / "log.txt"))


def imported_by(module):
    """The modules of ours that a module imports, at its start or when it needs them."""
    tree = ast.parse((Path(assay.__file__).parent / "sandbox" / f"{module}.py").read_text())
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {node.module for node in nodes if node.module.startswith("assay.")}


def without_packages(modules):
    """Import modules where no installed package can be; the error, if any."""
    lines = f"import sys; sys.path.append({HOME!r}); import {', '.join(sorted(modules))}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", lines], check=False, capture_output=True, text=True
    )
    return done.stderr


@LINUX
@pytest.mark.parametrize("module", ["guardian", "launcher", "warden"])
def test_our_own_processes_need_no_installed_package(module):
    """They run without any; what they import late must not fail when all else is gone."""
    assert without_packages(imported_by(module)) == ""


def test_a_module_that_needs_an_installed_package_would_be_caught():
    assert "ModuleNotFoundError" in without_packages({"assay.runs.store"})
