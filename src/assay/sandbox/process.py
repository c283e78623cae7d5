"""Start jobs, wait for them, and end them with all their processes.

On Linux the launcher starts every job: it confines the command, and kills the command's remaining
processes before it reports the end. Elsewhere a command is started directly, in a new session.
"""

import errno
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from assay.errors import StorageError
from assay.sandbox.guardian import Guardian
from assay.sandbox.job import Job, Outcome
from assay.sandbox.levels import Level
from assay.sandbox.processes import end_group, end_strays, module_command, overrun

_CONFINE_SECONDS, _END_SECONDS = 60.0, 10.0
_LAST_WORDS = 500
_NO_PROGRAM = (
    *(errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR),
    *(errno.E2BIG, errno.ELOOP, errno.ENAMETOOLONG, errno.ETXTBSY),
)
"""Errors caused by the program; any other is the system's."""


class Process:
    """A started job. Its pid is valid until `reap`."""

    unaccounted = False
    """Whether its keeper was killed, so that processes of the job may still run."""

    def __init__(self, job: Job) -> None:
        if job.level is not Level.L1:
            raise TypeError(f"{job.level} does not start a process")
        if isinstance(job.output, Path):
            raise TypeError("only the warden opens a file for the output")
        if any("\0" in word for word in job.command):
            raise ValueError("embedded null byte")
        self.job = job
        self._report = self._ending = -1
        self._begun = False
        command, descriptors = [interpreter(job.command[0]), *job.command[1:]], job.descriptors
        launched = sys.platform == "linux" or job.restricted
        with ExitStack() as stack:
            if launched:
                self._report, report = os.pipe()
                stack.callback(os.close, report)
                self._ending, ending = os.pipe()
                stack.callback(os.close, ending)
                launch = {
                    "restrictions": job.restrictions(),
                    "report": report,
                    "ending": ending,
                    "command": command,
                }
                command = module_command("assay.sandbox.launcher", json.dumps(launch))
                descriptors = (*descriptors, report, ending)
            output = subprocess.DEVNULL if job.output is None else job.output
            try:
                self._popen = subprocess.Popen(  # noqa: S603 - the user's command, and no shell
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=tuple(descriptors),
                    cwd=None if launched else job.folder,  # the launcher changes there
                    env=dict(job.environment),
                    start_new_session=True,
                )
            except BaseException:
                self._close_reports()
                raise
        self.pid = self._popen.pid

    def check_confined(self) -> None:
        """Wait until the confined command runs; a StorageError if it cannot be confined.

        A command that cannot be run raises OSError, as it does when started directly.
        """
        if self._report < 0 or self._begun:
            return
        text = ""
        deadline = time.monotonic() + _CONFINE_SECONDS
        while True:
            if not is_ready(self._report, deadline - time.monotonic()):
                raise StorageError(f"a process could not be isolated within {_CONFINE_SECONDS:g} s")
            data = os.read(self._report, 1024)
            if not data:
                break
            text += data.decode("utf-8", "replace")
        if not text and self._was_ended():
            return
        network, _, failure = text.partition(" ")
        shared = network == str(os.stat("/proc/self/ns/net").st_ino)  # noqa: PTH116 - one field
        if not network.isdigit() or (shared and not self.job.network):
            why = text.partition("no: ")[2] or "it still has this network"
            raise StorageError(f"a process could not be isolated: {why}")
        if failure:
            number, _, why = failure.partition(" ")
            raise OSError(int(number), why)
        self._begun = True

    def _was_ended(self) -> bool:
        """Whether a signal ended the keeper, or the keeper the job, before the command ran."""
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        if ended is None or ended.si_code != os.CLD_EXITED:
            return ended is not None
        return ended.si_status == 128 + signal.SIGKILL

    def wait_ended(self, seconds: float, *, log_bytes: int | None = None) -> str | None:
        """Wait for the end without reaping; the reason if the job must be killed, else None."""
        deadline = time.monotonic() + seconds
        log = self.job.output if isinstance(self.job.output, int) and log_bytes else None
        pause = 0.0005
        while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            trouble = overrun(deadline, seconds, log, log_bytes or 0)
            if trouble is not None:
                return trouble
            time.sleep(pause)
            pause = min(pause * 2.0, 0.02)
        return None

    def kill(self) -> None:
        """Kill the command and its processes, through the keeper if there is one."""
        if self._ending >= 0:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)  # Popen.send_signal would reap an ended process
                os.kill(self.pid, signal.SIGCONT)  # the job may have stopped it
        else:
            end_group(self.pid)

    def end(self) -> None:
        """Kill the job, and wait until its keeper has killed all its processes."""
        self.kill()
        if self._ending >= 0:
            self.wait_ended(_END_SECONDS)
            end_group(self.pid)

    def reap(self, seconds: float | None = None) -> int:
        """The exit code, or minus the number of the signal that ended it."""
        try:
            code = self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        if self._ending >= 0:
            code = self._told()
        self._close_reports()
        return code

    def _told(self) -> int:
        """How the command ended, as its keeper reports."""
        text = os.read(self._ending, 64)
        if text.endswith(b"\n"):
            return int(text)
        self.unaccounted = self._begun or (is_ready(self._report, 0.0) and self._has_begun())
        return -signal.SIGKILL

    def _has_begun(self) -> bool:
        return os.read(self._report, 1024)[:1].isdigit()

    def _close_reports(self) -> None:
        for descriptor in (self._report, self._ending):
            if descriptor >= 0:
                os.close(descriptor)
        self._report = self._ending = -1


class JobRunner:
    """Starts jobs under a guardian; `stop` ends all of them and refuses new ones."""

    def __init__(self, guardian: Guardian) -> None:
        self.guardian = guardian
        self.stopping = False
        self._lock = threading.Lock()
        self._running: set[Process] = set()

    def stop(self) -> None:
        """End all jobs."""
        with self._lock:
            self.stopping = True
            for process in self._running:
                process.kill()

    def start(self, job: Job) -> Process:
        """Start a job; the caller must `finish` it."""
        with self._lock:
            if self.stopping:
                raise StorageError("stopped before it was run")
            process = Process(job)
            self.guardian.began(process.pid)
            self._running.add(process)
        return process

    def finish(self, process: Process) -> int:
        """End a job and its remaining processes, and return its exit code."""
        process.end()
        self.guardian.ended(process.pid)
        with self._lock:
            self._running.discard(process)
        code = process.reap()
        if process.job.home is not None:
            end_strays(process.job.home)
        return code

    def run(self, job: Job) -> Outcome:
        """Run a job to its end."""
        program = job.command[0]
        try:
            process = self.start(job)
            try:
                process.check_confined()
                trouble = process.wait_ended(job.seconds, log_bytes=job.log_bytes)
            finally:
                code = self.finish(process)
        except OSError as error:
            if error.errno not in _NO_PROGRAM:
                raise StorageError(f"{program} cannot be started: {error.strerror}") from None
            return Outcome(code=None, trouble=f"{program}: {error.strerror}")
        except ValueError as error:
            return Outcome(code=None, trouble=f"{program}: {error}")
        if process.unaccounted:
            trouble = "its keeper was killed, so that what it started may still run"
        if trouble is not None:
            return Outcome(code=None, trouble=trouble)
        return Outcome(code=code, trouble=exit_trouble(code, job.output))


def interpreter(program: str) -> str:
    """The program to run; `python` becomes the running interpreter."""
    return sys.executable if program in ("python", "python3") else program


def python_places() -> tuple[Path, ...]:
    """The paths this interpreter needs: its prefixes, and every link on the way to its program."""
    prefixes = {Path(prefix) for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix)}
    places = prefixes | {prefix.resolve() for prefix in prefixes}
    program = Path(sys.executable)
    while program not in places:
        places.add(program)
        if program.is_symlink():
            program = program.parent / program.readlink()
    return tuple(sorted(place for place in places if place != Path("/")))


def exit_trouble(code: int, log: int | Path | None) -> str | None:
    """Why an exit code means failure, with the last line of the log; None if it means success."""
    if not code:
        return None
    how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
    line = _last_line(log)
    return f"{how}: {line}" if line else how


def is_ready(descriptor: int, seconds: float) -> bool:
    """Whether there is something to read, or will be within so many seconds."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(max(seconds, 0.0) * 1000.0))


def _last_line(log: int | Path | None) -> str:
    if log is None:
        return ""
    if isinstance(log, Path):
        try:
            with log.open("rb") as file:
                return _last_line(file.fileno())
        except OSError:
            return ""
    size = os.fstat(log).st_size
    data = os.pread(log, _LAST_WORDS, max(size - _LAST_WORDS, 0))
    return "".join(data.decode("utf-8", "replace").strip().splitlines()[-1:])
