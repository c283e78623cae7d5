"""One run of one arm: in a fresh copy, watched, and scored.

The name of the copy does not reveal the arm. The command runs in it with its own environment, and
its whole process tree is ended with it. Scorer and probe get the outputs, but not the arm; they run
in another fresh copy without the artifact, which the command never saw.
"""

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Literal

import msgspec

from assay.bounds import MAX_LINE_BYTES
from assay.comparison.trials.schedule import Pair
from assay.comparison.trials.spec import Arm, TrialSpec
from assay.digests import parse_object
from assay.errors import IntegrityError, SpecError, StorageError, storage, writable
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
from assay.sandbox.environment import check_passed, job_environment
from assay.sandbox.file_watch import Watch, can_watch
from assay.sandbox.guardian import Guardian
from assay.sandbox.job import Job, Outcome, fill_in
from assay.sandbox.process import JobRunner

_MOST_SCORES = MAX_LINE_BYTES // 8
"""Bytes of a file of scores, which must fit on a line of the journal."""
_NEW_LOG = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW
Status = Literal["scored", "crashed"]


@dataclass(frozen=True, kw_only=True)
class ArmFolders:
    """The folders of one run: a copy of the system, outputs, a home, and the artifact's copy.

    `log` is an open descriptor, since the command could replace a path.
    """

    root: Path
    system: Path
    out: Path
    home: Path
    artifact: Path | None
    log: int


class Treatment(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an arm had the artifact.

    `opened` are the opened files of its own copy (as many as fit on a line of the journal), None
    without a copy. `original` says whether the original was opened, which no run may do. `probe` is
    the probe's exit code. `wrong` is why the run does not count.
    """

    opened: tuple[str, ...] | None
    original: bool | None
    probe: int | None
    wrong: str | None


class ArmRun(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one run."""

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
    """Safe copies of artifact and system, from which each run is copied, and their digests."""

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
                "on this operating system, opened files cannot be observed",
                hint="Set a command that checks whether the artifact was loaded: artifact.probe.",
            )

    def run(self, pair: Pair, arm: Arm, name: str) -> tuple[ArmRun, Path]:
        """One run, and the folder of its outputs."""
        with ExitStack() as stack:
            return self._run(pair, arm, self._prepare(pair, arm, name, stack))

    def _run(self, pair: Pair, arm: Arm, folders: ArmFolders) -> tuple[ArmRun, Path]:
        values = {
            "instance": pair.instance,
            "trial": str(pair.trial),
            "seed": str(pair.seed),
            "out": str(folders.out),
            "item": str(folders.root / "item.json"),
            "artifact": "" if folders.artifact is None else str(folders.artifact),
            "home": str(self.spec.home.resolve()),
        }
        started = time.monotonic()
        outcome, opened, leaked = self._execute_watched(
            fill_in(self.spec.command(arm), values), folders
        )
        judging, probe = folders, Outcome(code=None, trouble=None)
        if self.spec.artifact.probe or self.spec.score.command:
            judging = self._prepare_judging(pair, folders)
            values["item"] = str(judging.root / "item.json")
        if self.spec.artifact.probe:
            probe = self._execute(fill_in(self.spec.artifact.probe, values), judging)
        status: Status = "crashed"
        why = outcome.trouble
        dimensions: Mapping[str, float | None] = {}
        if why is None:
            try:
                dimensions, status = self._scores(values, judging), "scored"
            except SpecError as error:
                why = error.message
        run = ArmRun(
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
        return run, folders.out

    def _execute_watched(
        self, words: Sequence[str], folders: ArmFolders
    ) -> tuple[Outcome, tuple[str, ...] | None, bool | None]:
        """Run a command; returns which artifact files it opened, and whether the original."""
        if not can_watch():
            return self._execute(words, folders), None, None
        with ExitStack() as stack:
            sources = artifact_files(self.spec.artifact_path)
            original = stack.enter_context(Watch(sources.values()))
            if folders.artifact is None:
                return self._execute(words, folders), None, bool(original.opened())
            own = stack.enter_context(Watch(artifact_files(folders.artifact).values()))
            outcome = self._execute(words, folders)
            opened = sorted(_inner(file, folders.artifact) for file in own.opened())
            return outcome, _fitting(opened), bool(original.opened())

    def _execute(self, words: Sequence[str], folders: ArmFolders) -> Outcome:
        """Run a command in a run's folders, to its end."""
        system = self.spec.system
        return self.jobs.run(
            Job(
                command=words,
                folder=folders.system,
                environment=job_environment(
                    system.environment, home=folders.home, temporary=folders.root / "tmp"
                ),
                output=folders.log,
                home=folders.home,
                seconds=system.seconds,
            )
        )

    def clear(self, name: str) -> None:
        """Delete a run's copy."""
        shutil.rmtree(self.scratch / name, ignore_errors=True)

    def _prepare(self, pair: Pair, arm: Arm, name: str, stack: ExitStack) -> ArmFolders:
        root = self.scratch / name
        self.clear(name)
        spec = self.spec
        with storage(root):
            system, out = self._fresh(pair, root), root / "out"
            out.mkdir()
            log = os.open(out / "log.txt", _NEW_LOG, 0o666)
            stack.callback(os.close, log)
            artifact = None
            takes = any("{artifact}" in word for word in spec.command(arm))
            if arm == "candidate" and (spec.artifact.into is not None or takes):
                artifact = root / "artifact" / spec.artifact_path.name
                if spec.artifact.into is not None:
                    artifact = system / spec.artifact.into
                    check_no_links(system, spec.artifact.into)
                artifact.parent.mkdir(parents=True, exist_ok=True)
                copy_artifact(self.kept.artifact, artifact)
                if artifact_digest(artifact) != self.kept.artifact_digest:
                    raise IntegrityError(f"{spec.artifact_path}: its copy was changed")
        return ArmFolders(
            root=root, system=system, out=out, home=root / "home", artifact=artifact, log=log
        )

    def _prepare_judging(self, pair: Pair, folders: ArmFolders) -> ArmFolders:
        """Fresh folders for scorer and probe, with the outputs of the run."""
        root = folders.root / "judging"
        with storage(root):
            system = self._fresh(pair, root)
        return replace(folders, root=root, system=system, home=root / "home", artifact=None)

    def _fresh(self, pair: Pair, root: Path) -> Path:
        """Make a home, a temporary folder, the instance's file, and a copy of the system."""
        remove(root)
        for folder in ("home", "tmp"):
            (root / folder).mkdir(parents=True)
        (root / "item.json").write_bytes(msgspec.json.encode(dict(self.spec.items[pair.instance])))
        system = root / "system"
        if self.kept.system is None:
            system.mkdir()
            return system
        shutil.copytree(self.kept.system, system, symlinks=True)
        if tree_digest(system, self.spec.artifact_path) != self.kept.system_digest:
            raise IntegrityError(f"{self.spec.folder}: its copy was changed")
        return system

    def _scores(self, values: Mapping[str, str], folders: ArmFolders) -> Mapping[str, float | None]:
        """The scores of a run."""
        file = self.spec.score.file
        path = folders.out / file
        if self.spec.score.command:
            before = clear_way(path)
            scorer = self._execute(fill_in(self.spec.score.command, values), folders)
            if scorer.trouble is not None:
                raise SpecError(f"the scorer failed: {scorer.trouble}")
            if before is not None and stamp(path) == before:
                raise SpecError(f"the scorer did not rewrite {file}, which the run had written")
        check_no_links(folders.out.parent, f"{folders.out.name}/{file}")
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
    """The path of a file in its artifact, in a form that the journal can hold."""
    return writable(file.name if file == artifact else file.relative_to(artifact).as_posix())


def _fitting(names: Sequence[str]) -> tuple[str, ...]:
    """As many names as fit on a line of the journal."""
    sizes = accumulate(len(name) + 1 for name in names)
    return tuple(
        name for name, size in zip(names, sizes, strict=True) if size <= MAX_LINE_BYTES // 16
    )


def _treatment(
    arm: Arm, opened: tuple[str, ...] | None, leaked: bool | None, probe: Outcome
) -> Treatment:
    """Compare what was observed with what the arm must show."""
    wrong, code = None, probe.code
    if leaked:
        wrong = "it opened the original artifact instead of its own copy"
    elif arm == "candidate" and opened is not None and not opened:
        wrong = "the candidate never opened the artifact"
    elif code is None and probe.trouble is not None:
        wrong = f"the probe failed: {probe.trouble}"
    elif code is not None and code not in (0, 1):
        wrong = f"the probe ended with {code}, expected 0 or 1"
    elif code is not None and (code == 0) is not (arm == "candidate"):
        loaded = "was loaded" if code == 0 else "was not loaded"
        wrong = f"the probe says that the artifact {loaded}, in the {arm}"
    return Treatment(opened=opened, original=leaked, probe=code, wrong=wrong)
