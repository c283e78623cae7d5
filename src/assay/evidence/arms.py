"""One run of one arm: in a fresh copy, watched, scored by whoever scores it.

The copy lies under a name that does not tell the arm. The command runs in it with an environment of
its own, in a session of its own, which is ended with it. The scorer is told where the outputs are
and not which arm made them; it and the probe run in a copy of their own, without the artifact, that
the command never had in its hands.
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec

from assay.digests import parse_object
from assay.errors import IntegrityError, SpecError, StorageError, storage
from assay.evidence.guardian import Guardian
from assay.evidence.opened import Watch, can_watch
from assay.evidence.schedule import Pair
from assay.evidence.trial import Trial, read_bounded
from assay.plan.artifact import LEFT_OUT, artifact_digest, artifact_files, tree_digest
from assay.plan.trial_spec import Arm, TrialSpec, fill_in

_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "PYTHONPATH", "TZ")
_MOST_SCORES = 1 << 17
"""Bytes of a file of scores: what is kept of it must fit on a line."""
_MOST_LOG = 1 << 28
_LAST_WORDS = 500
_RESERVED = frozenset(
    {"id", "index", "instance", "trial", "seed", "run", "run_id", "scorer", "status"}
    | {"error", "artifact", "timestamp"}
)
"""What says which run a row is of; no score, even where it is a number."""
_NO_PROGRAM = (
    *(errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR),
    *(errno.E2BIG, errno.ELOOP, errno.ENAMETOOLONG, errno.ETXTBSY),
)
"""What the system says of a program that cannot be run, whoever tries."""
_NEW_LOG = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW
Status = Literal["scored", "crashed"]


class Treatment(msgspec.Struct, frozen=True, kw_only=True):
    """What shows that an arm had the artifact, or had it not.

    `opened` are the files of its own copy that were opened, None where it had none. `original` says
    whether the original was, which no run may. `probe` is the probe's exit code, where one was
    asked. `wrong` is why the run does not count, where it does not.
    """

    opened: tuple[str, ...] | None
    original: bool | None
    probe: int | None
    wrong: str | None


class ArmRun(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one run."""

    pair: int
    arm: Arm
    instance: str
    trial: int
    seed: int
    status: Status
    why: str | None
    dimensions: Mapping[str, float | None]
    treatment: Treatment
    seconds: float
    exit_code: int | None


@dataclass(frozen=True, kw_only=True)
class Place:
    """The folders of one run: a copy of the system, outputs, a home, and the artifact's copy.

    `log` is the file that takes what is printed, held open: a name could lead elsewhere meanwhile.
    """

    root: Path
    system: Path
    out: Path
    home: Path
    artifact: Path | None
    log: int


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What runs copy from, made once so that nobody's edits reach them, and what it must be."""

    artifact: Path
    artifact_digest: str
    system: Path | None
    system_digest: str | None


class Arms:
    """Runs arms of a spec."""

    def __init__(self, spec: TrialSpec, *, kept: Kept, scratch: Path, guardian: Guardian) -> None:
        self.spec = spec
        self.kept = kept
        self.scratch = scratch
        self.guardian = guardian
        self.stopping = False
        self._running: set[subprocess.Popen[bytes]] = set()
        missing = [name for name in spec.system.environment if name not in os.environ]
        if missing:
            raise SpecError(
                f"the environment has no variable {missing[0]}, which was to be passed on"
            )
        if not spec.artifact.probe and not can_watch():
            raise SpecError(
                "this system cannot tell which files were opened",
                hint="Say how to ask whether the artifact was loaded: artifact.probe.",
            )

    def stop(self) -> None:
        """End everything that runs, and begin nothing more."""
        self.stopping = True
        for process in list(self._running):
            _end(process)

    def run(self, pair: Pair, arm: Arm, name: str) -> tuple[ArmRun, Path]:
        """One run, and the folder of its outputs."""
        with ExitStack() as stack:
            return self._run(pair, arm, self._prepare(pair, arm, name, stack))

    def _run(self, pair: Pair, arm: Arm, place: Place) -> tuple[ArmRun, Path]:
        values = {
            "instance": pair.instance,
            "trial": str(pair.trial),
            "seed": str(pair.seed),
            "out": str(place.out),
            "item": str(place.root / "item.json"),
            "artifact": "" if place.artifact is None else str(place.artifact),
            "home": str(self.spec.home.resolve()),
        }
        words = fill_in(self.spec.command(arm), values)
        with ExitStack() as stack:
            own = original = None
            if can_watch():
                sources = artifact_files(self.spec.artifact_path)
                original = stack.enter_context(Watch(sources.values()))
                if place.artifact is not None:
                    copies = artifact_files(place.artifact)
                    own = stack.enter_context(Watch(copies.values()))
            started = time.monotonic()
            code, said = self._execute(words, place)
            seconds = time.monotonic() - started
            opened = None
            if own is not None and place.artifact is not None:
                opened = tuple(sorted(_inner(file, place.artifact) for file in own.opened()))
            leaked = None if original is None else bool(original.opened())
        if self.spec.artifact.probe or self.spec.score.command:
            judging = self._prepare_judging(pair, place)
            values["item"] = str(judging.root / "item.json")
        else:
            judging = place
        probe: int | None = None
        unasked: str | None = None
        if self.spec.artifact.probe:
            probe, unasked = self._execute(fill_in(self.spec.artifact.probe, values), judging)
        status: Status = "crashed"
        why: str | None = said
        dimensions: Mapping[str, float | None] = {}
        if said is None:
            try:
                dimensions, status, why = self._scores(values, judging), "scored", None
            except SpecError as error:
                why = error.message
        made = ArmRun(
            pair=pair.number,
            arm=arm,
            instance=pair.instance,
            trial=pair.trial,
            seed=pair.seed,
            status=status,
            why=why,
            dimensions=dimensions,
            treatment=_treatment(arm, opened, leaked, probe, unasked),
            seconds=round(seconds, 3),
            exit_code=code,
        )
        return made, place.out

    def clear(self, name: str) -> None:
        """Throw a run's copy away."""
        shutil.rmtree(self.scratch / name, ignore_errors=True)

    def _prepare(self, pair: Pair, arm: Arm, name: str, stack: ExitStack) -> Place:
        root = self.scratch / name
        self.clear(name)
        spec = self.spec
        with storage(root):
            system = self._fresh(pair, root)
            (root / "out").mkdir()
            log = os.open(root / "out" / "log.txt", _NEW_LOG, 0o666)
            stack.callback(os.close, log)
            artifact = None
            if arm == "candidate" and self._gives_artifact:
                artifact = root / "artifact" / spec.artifact_path.name
                if spec.artifact.into is not None:
                    artifact = system / spec.artifact.into
                    _check_no_links(system, spec.artifact.into)
                artifact.parent.mkdir(parents=True, exist_ok=True)
                copy_artifact(self.kept.artifact, artifact)
                if artifact_digest(artifact) != self.kept.artifact_digest:
                    raise IntegrityError(f"{spec.artifact_path}: its copy is not what it was")
        return Place(
            root=root,
            system=system,
            out=root / "out",
            home=root / "home",
            artifact=artifact,
            log=log,
        )

    def _prepare_judging(self, pair: Pair, place: Place) -> Place:
        """Folders for whoever judges a run: the same outputs, and nothing else of the run."""
        root = place.root / "judging"
        with storage(root):
            system = self._fresh(pair, root)
        return replace(place, root=root, system=system, home=root / "home", artifact=None)

    def _fresh(self, pair: Pair, root: Path) -> Path:
        """A home, a folder for temporary files, the instance, and a copy of the system."""
        _remove(root)
        for folder in ("home", "tmp"):
            (root / folder).mkdir(parents=True)
        item = msgspec.json.encode(dict(self.spec.items[pair.instance]))
        (root / "item.json").write_bytes(item)
        system = root / "system"
        if self.kept.system is None:
            system.mkdir()
            return system
        shutil.copytree(self.kept.system, system, symlinks=True)
        if tree_digest(system, self.spec.artifact_path) != self.kept.system_digest:
            raise IntegrityError(f"{self.spec.folder}: its copy is not what it was")
        return system

    @property
    def _gives_artifact(self) -> bool:
        words = self.spec.command("candidate")
        return self.spec.artifact.into is not None or any("{artifact}" in word for word in words)

    def _execute(self, words: Sequence[str], place: Place) -> tuple[int | None, str | None]:
        """Run a command to its end; its exit code, and what went wrong."""
        try:
            process = self._start(words, place)
        except OSError as error:
            if error.errno not in _NO_PROGRAM:  # it says nothing about the command
                raise StorageError(f"{words[0]} cannot be started: {error.strerror}") from None
            return None, f"{words[0]}: {error.strerror}"
        except ValueError as error:
            return None, f"{words[0]}: {error}"
        try:
            trouble = _wait(process, self.spec.system.seconds, place.log)
        finally:
            _end(process)
            self.guardian.ended(process.pid)
            self._running.discard(process)
            code = process.wait()
            _end_strays(place.home)
        if trouble is not None:
            return None, trouble
        if code:
            how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
            return code, f"{how}{_last_words(place.log)}"
        return code, None

    def _start(self, words: Sequence[str], place: Place) -> subprocess.Popen[bytes]:
        program = sys.executable if words[0] in ("python", "python3") else words[0]
        process = subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
            [program, *words[1:]],
            stdin=subprocess.DEVNULL,
            stdout=place.log,
            stderr=place.log,
            cwd=place.system,
            env=self._environment(place),
            start_new_session=True,
        )
        self.guardian.began(process.pid)
        self._running.add(process)
        if self.stopping:
            _end(process)
        return process

    def _environment(self, place: Place) -> dict[str, str]:
        names = (*_KEPT, *self.spec.system.environment)
        kept = {name: os.environ[name] for name in names if name in os.environ}
        private = {"HOME": str(place.home), "TMPDIR": str(place.root / "tmp")}
        return kept | private | {"PYTHONDONTWRITEBYTECODE": "1"}

    def _scores(self, values: Mapping[str, str], place: Place) -> Mapping[str, float | None]:
        """What the scorer says of a run, whoever that is."""
        file = self.spec.score.file
        path = place.out / file
        if self.spec.score.command:
            before = _clear_way(path)
            _, said = self._execute(fill_in(self.spec.score.command, values), place)
            if said is not None:
                raise SpecError(f"the scorer failed: {said}")
            if before is not None and _stamp(path) == before:
                raise SpecError(f"the scorer left {file} as the run had written it")
        _check_no_links(place.out.parent, f"{place.out.name}/{file}")
        if not path.is_file():
            raise SpecError(f"it left no {file} in {{out}}")
        try:
            data = read_bounded(path, _MOST_SCORES)
        except StorageError as error:
            raise SpecError(error.message) from None
        found = parse_object(data, where=file)
        numbers = {
            name: value
            for name, value in found.items()
            if (value is None or isinstance(value, (bool, int, float)))
            and name not in _RESERVED
            and not name.startswith("harness.")
        }
        if not any(value is not None for value in numbers.values()):
            raise SpecError(f"{file} holds no scores")
        return Trial(instance="-", dimensions=numbers).dimensions


def copy_artifact(source: Path, target: Path) -> None:
    """Copy a file or a folder, in the place of whatever is there."""
    _remove(target)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def copy_system(folder: Path, target: Path, *, without: Path) -> None:
    """Copy a system's folder, links as links; not the artifact, version control and caches."""
    original = without.resolve()

    def ignored(place: str, names: Sequence[str]) -> set[str]:
        return {
            name for name in names if name in LEFT_OUT or Path(place, name).resolve() == original
        }

    shutil.copytree(folder, target, symlinks=True, ignore=ignored)


def _check_no_links(root: Path, inner: str) -> None:
    """Refuse a path that a symbolic link may lead out of a copy."""
    path = root
    for part in inner.split("/"):
        path = path / part
        if path.is_symlink():
            raise SpecError(f"{inner}: {part} is a symbolic link, which may lead anywhere")


def _clear_way(path: Path) -> tuple[int, ...] | None:
    """Let a scorer write where it must: no link leads it elsewhere, no pipe holds it up.

    Says what stays there, where the run itself wrote a file of that name.
    """
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():
            return _stamp(path)
        _remove(path)
    return None


def _stamp(path: Path) -> tuple[int, ...] | None:
    with suppress(OSError):
        known = path.lstat()
        return known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns
    return None


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _inner(file: Path, artifact: Path) -> str:
    return file.name if file == artifact else file.relative_to(artifact).as_posix()


def _treatment(
    arm: Arm,
    opened: tuple[str, ...] | None,
    leaked: bool | None,
    probe: int | None,
    unasked: str | None,
) -> Treatment:
    """Hold what was seen against what the arm must show; `unasked` is why a probe says nothing."""
    wrong = None
    if leaked:
        wrong = "it opened the original artifact, past its own copy"
    elif arm == "candidate" and opened is not None and not opened:
        wrong = "the candidate never opened the artifact"
    elif probe is None and unasked is not None:
        wrong = f"the probe cannot tell: {unasked}"
    elif probe is not None and probe not in (0, 1):
        wrong = f"the probe ended with {probe}, expected 0 or 1"
    elif probe is not None and (probe == 0) is not (arm == "candidate"):
        said = "was loaded" if probe == 0 else "was not loaded"
        wrong = f"the probe says that the artifact {said}, in the {arm}"
    return Treatment(opened=opened, original=leaked, probe=probe, wrong=wrong)


def _wait(process: "subprocess.Popen[bytes]", seconds: float, log: int) -> str | None:
    """Wait for the end of a command without taking leave of it: its number stays its own.

    Says why it has to be ended, where it has to be.
    """
    deadline = time.monotonic() + seconds
    pause = 0.001
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            return f"still running after {seconds:g} s"
        if os.fstat(log).st_size > _MOST_LOG:
            return f"it printed more than {_MOST_LOG:,} bytes"
        time.sleep(pause)
        pause = min(pause * 2.0, 0.05)
    return None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a command and whatever it left running in its session."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_strays(home: Path) -> None:
    """End what left its session and still has this home, where that can be seen (Linux)."""
    mark = os.fsencode(f"HOME={home}")
    for _ in range(10):  # what forks meanwhile is found the next time
        found = False
        for one in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (one / "environ").read_bytes().split(b"\0"):
                    os.kill(int(one.name), signal.SIGKILL)
                    found = True
        if not found:
            return


def _last_words(log: int) -> str:
    size = os.fstat(log).st_size
    data = os.pread(log, _LAST_WORDS, max(size - _LAST_WORDS, 0))
    last = data.decode("utf-8", "replace").strip().splitlines()[-1:]
    return f": {last[0]}" if last else ""
