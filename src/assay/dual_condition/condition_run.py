"""One observed run of a system under one condition and seed, on its own copy of the state."""

import os
import platform
import shutil
import time
from collections.abc import Sequence, Set
from pathlib import Path
from threading import Semaphore

from assay.digests import FileEntry, derive, manifest_digest
from assay.dual_condition.evidence import DualRun, Route
from assay.dual_condition.journal import MadeRun
from assay.dual_condition.judge.split import is_service
from assay.dual_condition.spec import DualSpec
from assay.dual_condition.state.conditions import Built
from assay.dual_condition.system.code_files import FileDigests, words_of
from assay.dual_condition.system.failed_run import causes_of
from assay.dual_condition.system.file_access import Reached, RunPaths, Sorter
from assay.dual_condition.system.item_files import AskedItems, items_bytes
from assay.errors import IntegrityError, MethodError, SpecError, StateNotIsolated, storage
from assay.folders import manifest
from assay.sandbox.environment import check_passed, job_environment
from assay.sandbox.in_place import put_back, take_place
from assay.sandbox.job import Job, View, fill_in
from assay.sandbox.warden_client import WardenClient

_SHOWN = 20


class NoMoreRuns(Exception):
    """Raised when no more runs may start."""


class Turns:
    """Limits how many commands run at once, over all threads, until it is `over`."""

    def __init__(self, at_a_time: int) -> None:
        self._free = Semaphore(at_a_time)
        self.over = False

    def __enter__(self) -> None:
        self._free.acquire()
        if self.over:
            self._free.release()
            raise NoMoreRuns

    def __exit__(self, kind: object, *exception: object) -> None:
        self.over = self.over or kind is not None
        self._free.release()


class DualRuns:
    """Makes runs of a spec's system, each in its own folder below `scratch`."""

    def __init__(
        self,
        spec: DualSpec,
        *,
        warden: WardenClient,
        scratch: Path,
        items: AskedItems | None = None,
        turns: Turns | None = None,
    ) -> None:
        self.spec = spec
        self.items = items or AskedItems(spec.benchmark, solved=spec.solved)
        self.warden = warden
        self.scratch = scratch
        self.turns = turns or Turns(1)
        self.words = words_of(spec)
        self.route = route_in_force(spec, private=warden.private)
        self.sorter = Sorter(spec.folder.resolve(), self.words, spec.reads)
        self.digests = FileDigests()
        check_passed(spec.system.environment)

    def run(self, condition: str, built: Built, seed: int) -> MadeRun:
        """Make one run; a system that fails raises a MethodError."""
        root = self._fresh(condition, built, seed)
        with storage(root):
            before = manifest(root / "state")
        if before != built.entries:
            raise IntegrityError(f"{condition}: the copy of its state differs from the original")
        started = time.monotonic()
        reached, all_noted, after = self._observe(condition, root, built, seed)
        seconds = round(time.monotonic() - started, 3)
        where = f"{condition}, seed {seed}"
        scores, answers = self.items.outputs(root / "out" / "outputs.jsonl", where)
        files = {entry.path for entry in before}
        made = DualRun(
            condition=condition,
            seed=seed,
            items=self.items.digest(seed),
            before=manifest_digest(before),
            after=manifest_digest(after),
            opened=tuple(sorted(reached.state & files)),
            changed=_changed(before, after),
            code={path: self.digests.of(path) for path in sorted(reached.code | reached.given)},
            undeclared=_shown(reached.undeclared),
            outside=_shown(reached.outside),
            production=_shown(reached.production),
            peers=_peers(reached.peers, self.spec.system.services),
            all_noted=all_noted,
            unscored=scores.count(None),
            seconds=seconds,
            route=self.route,
            private=self.warden.private,
            python=platform.python_version(),
        )
        shutil.rmtree(root, ignore_errors=True)
        return MadeRun(run=made, scores=scores, answers=answers)

    def forget(self, built: Built) -> Built:
        """Build C with the user's own command, in the folder of a condition."""
        root = self._folders(f"forget-{derive(0, 'folder', built.digest) % (1 << 32):08x}")
        items = root / "items.jsonl"
        with storage(root):
            items.write_bytes(items_bytes(self.spec.benchmark.items))
        words = fill_in(self.spec.state.forget, {"items": str(items), "state": str(built.folder)})
        outcome = self.warden.run(self._job(words, root, built.folder, covers=False))
        if outcome.trouble is not None:
            raise MethodError(f"state.forget: {outcome.trouble}")
        place = RunPaths(
            root=root,
            state=built.folder,
            aliases=(),
            production=self.spec.state.root,
            private=self.warden.private,
        )
        reached = self.sorter.sort(outcome, place)
        if outcome.full:
            raise StateNotIsolated("not every file that state.forget opened could be observed")
        if reached.production or reached.outside:
            at = sorted(reached.production | reached.outside)[0]
            raise StateNotIsolated(f"state.forget reached {at}, outside its copy of the state")
        with storage(built.folder):
            left = manifest(built.folder)
        return Built(folder=built.folder, entries=left, forgotten=built.forgotten)

    def _observe(
        self, condition: str, root: Path, built: Built, seed: int
    ) -> tuple[Reached, bool, tuple[FileEntry, ...]]:
        """Run the command: what it reached, whether that is complete, and its state afterwards."""
        production, state = self.spec.state.root, root / "state"
        in_place = self.route == "in-place"
        covered = self.warden.private or in_place
        seen = production if self.route in ("namespace", "in-place") else state
        values = {
            "items": str(root / "items.jsonl"),
            "outputs": str(root / "out" / "outputs.jsonl"),
            "seed": str(seed),
            "state": str(seen),
        }
        job = self._job(fill_in(self.words, values), root, seen, covers=True)
        place = RunPaths(
            root=root,
            state=state,
            aliases=(production,) if covered else (),
            production=None if covered else production,
            private=self.warden.private,
        )
        if in_place:
            take_place(production, built.folder, self._production)
        try:
            with self.turns:
                outcome = self.warden.run(job)
                self.turns.over = self.turns.over or outcome.trouble is not None
            reached = self.sorter.sort(outcome, place)
            after = self._left(production if in_place else state, condition, seed)
            if in_place:
                self._check_alone(built.entries, after, reached)
        finally:
            if in_place:
                put_back(production)
        if outcome.trouble is not None:
            where = f"condition {condition}, seed {seed}"
            why = causes_of(outcome.trouble, condition, built, self._whole, reached)
            raise MethodError(f"{where}: {outcome.trouble}{why}")
        return reached, not outcome.full, after

    def _check_alone(
        self, before: Sequence[FileEntry], after: Sequence[FileEntry], reached: Reached
    ) -> None:
        """For a run in place: refuse writes of other processes, and keep what they wrote."""
        foreign = [
            name
            for name in _changed(before, after)
            if not any(name == own or name.startswith(f"{own}/") for own in reached.changed)
        ]
        if not foreign:
            return
        root = self.spec.state.root
        kept = root.with_name(f"{root.name}.written-meanwhile-{os.getpid()}")
        with storage(kept):
            shutil.copytree(root, kept)
        raise StateNotIsolated(
            f"another process wrote to {foreign[0]} of {root} while a copy was in its place",
            hint=(
                f"Stop the system during an evaluation in place. The written files are in {kept}."
            ),
        )

    def _left(self, state: Path, condition: str, seed: int) -> tuple[FileEntry, ...]:
        """The state after a run; if it is unreadable, the system failed."""
        with storage(state):
            try:
                return manifest(state)
            except (SpecError, FileNotFoundError, NotADirectoryError, PermissionError) as error:
                why = error.message if isinstance(error, SpecError) else str(error)
                where = f"condition {condition}, seed {seed}"
                raise MethodError(
                    f"{where}: its state after the run is unreadable: {why}"
                ) from None

    @property
    def _whole(self) -> tuple[FileEntry, ...]:
        with storage(self.spec.state.root):
            return manifest(self.spec.state.root)

    @property
    def _production(self) -> str:
        return manifest_digest(self._whole)

    def _job(self, command: Sequence[str], root: Path, state: Path, *, covers: bool) -> Job:
        cover = covers and self.warden.private
        variable = self.spec.state.variable
        return Job(
            command=command,
            folder=self.spec.folder.resolve(),
            environment=job_environment(
                self.spec.system.environment,
                home=root / "home",
                temporary=root / "tmp",
                more={} if variable is None else {variable: str(state)},
            ),
            output=root / "log.txt",
            seconds=self.spec.system.seconds,
            view=View(
                writable=(root,) if cover else (root, state),
                covers=((root / "state", self.spec.state.root),) if cover else (),
            ),
        )

    def _folders(self, name: str) -> Path:
        root = self.scratch / name
        with storage(root):
            shutil.rmtree(root, ignore_errors=True)
            for folder in ("home", "tmp", "out"):
                (root / folder).mkdir(parents=True)
        return root

    def _fresh(self, condition: str, built: Built, seed: int) -> Path:
        """Folders for a run; their names do not reveal the condition."""
        number = derive(seed, "folder", condition, self.spec.digest, str(os.getpid()))
        root = self._folders(f"{number:016x}")
        with storage(root):
            shutil.copytree(built.folder, root / "state")
            (root / "items.jsonl").write_bytes(self.items.file(seed))
        return root


def route_in_force(spec: DualSpec, *, private: bool) -> Route:
    """How a run gets its state here; in place only if there is no private view."""
    route = spec.state.route
    if route == "in-place" and private:
        return "namespace"
    if route == "namespace" and not private:
        raise StateNotIsolated(
            "the system is not given its state folder, and a private view is not available here",
            hint="Pass the folder by {state} in system.command or by state.variable, or allow"
            ' state.route = "in-place".',
        )
    return route


def _shown(paths: Set[str]) -> tuple[str, ...]:
    """The first paths, printable."""
    some = sorted(paths)[:_SHOWN]
    return tuple(path if path.isprintable() else ascii(path)[1:-1] for path in some)


def _peers(peers: Set[str], services: tuple[str, ...]) -> tuple[str, ...]:
    """The first peers; those that the spec does not name come first."""
    named = {peer for peer in peers if is_service(peer, services)}
    return (*_shown(peers - named), *_shown(named))[:_SHOWN]


def _changed(before: Sequence[FileEntry], after: Sequence[FileEntry]) -> tuple[str, ...]:
    """The files of a state that are new, missing or different."""
    return tuple(sorted({entry.path for entry in set(before) ^ set(after)}))
