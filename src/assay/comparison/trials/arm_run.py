"""One run of one arm: in a fresh copy, watched, and scored.

The name of the copy does not tell the arm. The command runs in it with an environment of its own,
and is ended with what it started. The scorer is told where the outputs are and not which arm made
them; it and the probe run in a copy of their own, without the artifact, that the command never saw.
"""

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec

from assay.comparison.trials.schedule import Pair
from assay.comparison.trials.spec import Arm, TrialSpec
from assay.digests import parse_object
from assay.errors import IntegrityError, SpecError, StorageError, storage
from assay.files import check_no_links, read_bounded, stamp
from assay.folders import (
    artifact_digest,
    artifact_files,
    clear_way,
    copy_artifact,
    remove,
    tree_digest,
)
from assay.logs.trial import RESERVED, Trial
from assay.sandbox.command_template import fill_in
from assay.sandbox.environment import check_passed, job_environment
from assay.sandbox.file_watch import Watch, can_watch
from assay.sandbox.guardian import Guardian
from assay.sandbox.job import Job, Outcome
from assay.sandbox.process import JobRunner

_MOST_SCORES = 1 << 17
"""Bytes of a file of scores: what is kept of it must fit on a line."""
_NEW_LOG = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW
Status = Literal["scored", "crashed"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """The folders of one run: a copy of the system, outputs, a home, and the artifact's copy.

    `log` is an open descriptor: meanwhile a name could lead elsewhere.
    """

    root: Path
    system: Path
    out: Path
    home: Path
    artifact: Path | None
    log: int


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
class TrialSources:
    """What runs copy from, made once so that later edits do not reach them, and its digests."""

    artifact: Path
    artifact_digest: str
    system: Path | None
    system_digest: str | None


class Arms:
    """Runs arms of a spec."""

    def __init__(
        self, spec: TrialSpec, *, kept: TrialSources, scratch: Path, guardian: Guardian
    ) -> None:
        self.spec = spec
        self.kept = kept
        self.scratch = scratch
        self.jobs = JobRunner(guardian)
        check_passed(spec.system.environment)
        if not spec.artifact.probe and not can_watch():
            raise SpecError(
                "this system cannot tell which files were opened",
                hint="Say how to ask whether the artifact was loaded: artifact.probe.",
            )

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
            outcome = self._execute(words, place)
            opened = None
            if own is not None and place.artifact is not None:
                opened = tuple(sorted(_inner(file, place.artifact) for file in own.opened()))
            leaked = None if original is None else bool(original.opened())
        if self.spec.artifact.probe or self.spec.score.command:
            judging = self._prepare_judging(pair, place)
            values["item"] = str(judging.root / "item.json")
        else:
            judging = place
        probe = Outcome(code=None, trouble=None)
        if self.spec.artifact.probe:
            probe = self._execute(fill_in(self.spec.artifact.probe, values), judging)
        status: Status = "crashed"
        why = outcome.trouble
        dimensions: Mapping[str, float | None] = {}
        if why is None:
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
            treatment=_treatment(arm, opened, leaked, probe),
            seconds=round(time.monotonic() - started, 3),
            exit_code=outcome.code,
        )
        return made, place.out

    def _execute(self, words: Sequence[str], place: Place) -> Outcome:
        """Run a command in a run's folders, to its end."""
        system = self.spec.system
        return self.jobs.run(
            Job(
                command=words,
                folder=place.system,
                environment=job_environment(
                    system.environment, home=place.home, temporary=place.root / "tmp"
                ),
                output=place.log,
                home=place.home,
                seconds=system.seconds,
            )
        )

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
                    check_no_links(system, spec.artifact.into)
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
        remove(root)
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

    def _scores(self, values: Mapping[str, str], place: Place) -> Mapping[str, float | None]:
        """The scores of a run."""
        file = self.spec.score.file
        path = place.out / file
        if self.spec.score.command:
            before = clear_way(path)
            scorer = self._execute(fill_in(self.spec.score.command, values), place)
            if scorer.trouble is not None:
                raise SpecError(f"the scorer failed: {scorer.trouble}")
            if before is not None and stamp(path) == before:
                raise SpecError(f"the scorer left {file} as the run had written it")
        check_no_links(place.out.parent, f"{place.out.name}/{file}")
        if not path.is_file():
            raise SpecError(f"it left no {file} in {{out}}")
        try:
            data = read_bounded(path, _MOST_SCORES)
        except StorageError as error:
            raise SpecError(error.message) from None
        scores = parse_object(data, where=file)
        numbers = {
            name: value
            for name, value in scores.items()
            if (value is None or isinstance(value, (bool, int, float)))
            and name not in RESERVED
            and not name.startswith("harness.")
        }
        if not any(value is not None for value in numbers.values()):
            raise SpecError(f"{file} holds no scores")
        return Trial(instance="-", dimensions=numbers).dimensions


def _inner(file: Path, artifact: Path) -> str:
    return file.name if file == artifact else file.relative_to(artifact).as_posix()


def _treatment(
    arm: Arm, opened: tuple[str, ...] | None, leaked: bool | None, probe: Outcome
) -> Treatment:
    """Hold what was seen against what the arm must show."""
    wrong, code = None, probe.code
    if leaked:
        wrong = "it opened the original artifact, past its own copy"
    elif arm == "candidate" and opened is not None and not opened:
        wrong = "the candidate never opened the artifact"
    elif code is None and probe.trouble is not None:
        wrong = f"the probe cannot tell: {probe.trouble}"
    elif code is not None and code not in (0, 1):
        wrong = f"the probe ended with {code}, expected 0 or 1"
    elif code is not None and (code == 0) is not (arm == "candidate"):
        loaded = "was loaded" if code == 0 else "was not loaded"
        wrong = f"the probe says that the artifact {loaded}, in the {arm}"
    return Treatment(opened=opened, original=leaked, probe=code, wrong=wrong)
