"""One run of one arm: in a fresh copy, watched, scored by whoever scores it.

The copy lies under a name that does not tell the arm. The command runs in it with an environment of
its own, in a session of its own, which is ended with it. The scorer is told where the outputs are
and not which arm made them.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from assay.digests import parse_object
from assay.errors import AssayError, SpecError, storage
from assay.evidence.opened import Watch, can_watch
from assay.evidence.schedule import Pair
from assay.evidence.trial import Trial, read_bounded
from assay.plan.artifact import LEFT_OUT, artifact_files
from assay.plan.trial_spec import Arm, TrialSpec, fill_in

_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "PYTHONPATH", "TZ")
_MOST_SCORES = 1 << 20
_LAST_WORDS = 500
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
    """The folders of one run: a copy of the system, outputs, a home, and the artifact's copy."""

    root: Path
    system: Path
    out: Path
    home: Path
    artifact: Path | None


class Arms:
    """Runs arms of a spec. `kept` is a copy of the artifact, made once, that runs copy from."""

    def __init__(self, spec: TrialSpec, *, kept: Path, scratch: Path) -> None:
        self.spec = spec
        self.kept = kept
        self.scratch = scratch
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
        place = self._prepare(pair, arm, name)
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
        started = time.monotonic()
        with ExitStack() as stack:
            own = original = None
            if can_watch():
                sources = artifact_files(self.spec.artifact_path)
                original = stack.enter_context(Watch(sources.values()))
                if place.artifact is not None:
                    copies = artifact_files(place.artifact)
                    own = stack.enter_context(Watch(copies.values()))
            code, said = self._execute(words, place)
            seconds = time.monotonic() - started
            opened = None
            if own is not None and place.artifact is not None:
                opened = tuple(sorted(_inner(file, place.artifact) for file in own.opened()))
            leaked = None if original is None else bool(original.opened())
        probe = self._probe(values, place) if self.spec.artifact.probe else None
        status: Status = "crashed"
        why: str | None = said
        dimensions: Mapping[str, float | None] = {}
        if said is None:
            try:
                dimensions, status, why = self._scores(values, place), "scored", None
            except AssayError as error:
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
            treatment=_treatment(arm, opened, leaked, probe),
            seconds=round(seconds, 3),
            exit_code=code,
        )
        return made, place.out

    def clear(self, name: str) -> None:
        """Throw a run's copy away."""
        shutil.rmtree(self.scratch / name, ignore_errors=True)

    def _prepare(self, pair: Pair, arm: Arm, name: str) -> Place:
        root = self.scratch / name
        self.clear(name)
        spec = self.spec
        with storage(root):
            for folder in ("out", "home", "tmp"):
                (root / folder).mkdir(parents=True)
            system = root / "system"
            if spec.folder is None:
                system.mkdir()
            else:
                shutil.copytree(spec.folder, system, symlinks=True, ignore=self._ignored)
            item = msgspec.json.encode(dict(spec.items[pair.instance]))
            (root / "item.json").write_bytes(item)
            artifact = None
            if arm == "candidate" and self._gives_artifact:
                artifact = root / "artifact" / spec.artifact_path.name
                if spec.artifact.into is not None:
                    artifact = system / spec.artifact.into
                artifact.parent.mkdir(parents=True, exist_ok=True)
                copy_artifact(self.kept, artifact)
        return Place(
            root=root, system=system, out=root / "out", home=root / "home", artifact=artifact
        )

    @property
    def _gives_artifact(self) -> bool:
        words = self.spec.command("candidate")
        return self.spec.artifact.into is not None or any("{artifact}" in word for word in words)

    def _ignored(self, folder: str, names: Sequence[str]) -> set[str]:
        """Leave the artifact itself out of every copy, and version control and caches."""
        out = {name for name in names if name in LEFT_OUT}
        original = self.spec.artifact_path.resolve()
        return out | {name for name in names if Path(folder, name).resolve() == original}

    def _execute(self, words: Sequence[str], place: Place) -> tuple[int | None, str | None]:
        """Run a command to its end; its exit code, and what went wrong."""
        with storage(place.root), (place.out / "log.txt").open("ab") as log:
            try:
                process = self._start(words, place, log.fileno())
            except OSError as error:
                return None, f"{words[0]}: {error.strerror}"
            try:
                in_time = _ends_within(process, self.spec.system.seconds)
            finally:
                _end(process)
                code = process.wait()
                self._running.discard(process)
        if not in_time:
            return None, f"still running after {self.spec.system.seconds:g} s"
        if code:
            how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
            return code, f"{how}{_last_words(place.out / 'log.txt')}"
        return code, None

    def _start(self, words: Sequence[str], place: Place, log: int) -> subprocess.Popen[bytes]:
        program = sys.executable if words[0] in ("python", "python3") else words[0]
        process = subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
            [program, *words[1:]],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=place.system,
            env=self._environment(place),
            start_new_session=True,
        )
        self._running.add(process)
        if self.stopping:
            _end(process)
        return process

    def _environment(self, place: Place) -> dict[str, str]:
        names = (*_KEPT, *self.spec.system.environment)
        kept = {name: os.environ[name] for name in names if name in os.environ}
        private = {"HOME": str(place.home), "TMPDIR": str(place.root / "tmp")}
        return kept | private | {"PYTHONDONTWRITEBYTECODE": "1"}

    def _probe(self, values: Mapping[str, str], place: Place) -> int | None:
        code, _ = self._execute(fill_in(self.spec.artifact.probe, values), place)
        return code

    def _scores(self, values: Mapping[str, str], place: Place) -> Mapping[str, float | None]:
        """What the scorer says of a run, whoever that is."""
        if self.spec.score.command:
            _, said = self._execute(fill_in(self.spec.score.command, values), place)
            if said is not None:
                raise SpecError(f"the scorer failed: {said}")
        path = place.out / self.spec.score.file
        if not path.is_file():
            raise SpecError(f"it left no {self.spec.score.file} in {{out}}")
        found = parse_object(read_bounded(path, _MOST_SCORES), where=self.spec.score.file)
        numbers = {
            name: value
            for name, value in found.items()
            if value is None or isinstance(value, (bool, int, float))
        }
        if not any(value is not None for value in numbers.values()):
            raise SpecError(f"{self.spec.score.file} holds no scores")
        return Trial(instance="-", dimensions=numbers).dimensions


def copy_artifact(source: Path, target: Path) -> None:
    """Copy a file or a folder to where nothing is."""
    if source.is_dir():
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def _inner(file: Path, artifact: Path) -> str:
    return file.name if file == artifact else file.relative_to(artifact).as_posix()


def _treatment(
    arm: Arm, opened: tuple[str, ...] | None, leaked: bool | None, probe: int | None
) -> Treatment:
    """Hold what was seen against what the arm must show."""
    wrong = None
    if leaked:
        wrong = "it opened the original artifact, past its own copy"
    elif arm == "candidate" and opened is not None and not opened:
        wrong = "the candidate never opened the artifact"
    elif probe is not None and probe not in (0, 1):
        wrong = f"the probe ended with {probe}, expected 0 or 1"
    elif probe is not None and (probe == 0) is not (arm == "candidate"):
        said = "was loaded" if probe == 0 else "was not loaded"
        wrong = f"the probe says that the artifact {said}, in the {arm}"
    return Treatment(opened=opened, original=leaked, probe=probe, wrong=wrong)


def _ends_within(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Wait for the end of a command, without taking leave of it: its number stays its own."""
    deadline = time.monotonic() + seconds
    pause = 0.001
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 2.0, 0.05)
    return True


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a command and whatever it left running in its session."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _last_words(log: Path) -> str:
    with suppress(OSError):
        text = log.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace").strip()
        last = text.splitlines()[-1:] if text else []
        return f": {last[0]}" if last else ""
    return ""
