"""Paired trials on disk: a folder that fills up run by run, and can be taken up where it stopped.

    plan.json        what was decided: digests of the spec, of the system and of the artifact
    runs.jsonl       one line a run, as it ended, made durable before the next is begun
    runs/N-ARM/      what run N of that arm wrote
    baseline.jsonl   the trials of each arm, made from runs.jsonl
    candidate.jsonl
    comparison.json  what they are worth

A run that was cut off has no line and is made again. A pair is void where an arm does not show that
it had the artifact, or had it not; void pairs are kept, counted, and not compared.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from assay.digests import digest, json_lines, parse_object
from assay.errors import IntegrityError, ProtocolError, SpecError, storage
from assay.evidence.arms import ArmRun, Arms, Kept, copy_artifact, copy_system
from assay.evidence.guardian import Guardian
from assay.evidence.schedule import MANY_INSTANCES, Pair, schedule
from assay.evidence.trial import Trial
from assay.judges.compare.comparison import Comparison, Input, NetVerdict
from assay.judges.compare.judge import RESAMPLES, compare
from assay.plan.artifact import artifact_digest, tree_digest
from assay.plan.trial_spec import ARMS, Arm, TrialSpec
from assay.study.comparing import write_comparison
from assay.study.files import write_whole

FORMAT = "assay-trials/1"
JOURNAL = "runs.jsonl"
_GLANCE = 99
"""Draws for a look in passing: a sequential verdict needs none."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder of trials is of; a spec that has changed is another plan."""

    format: str
    spec: str
    system: str | None
    artifact: str
    pairs: int


class Trials(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the trials: why they ended, what was used and saved, and the comparison.

    `saved_runs` are runs that were planned and not needed; `saved_seconds` and `saved_money` what
    they would have taken at the rate of those that were made.
    """

    ended: str
    pairs: int
    planned_pairs: int
    void_pairs: int
    runs: int
    crashed: int
    seconds: float
    money: float | None
    saved_runs: int
    saved_seconds: float
    saved_money: float | None
    voids: tuple[str, ...]
    crashes: tuple[str, ...]
    comparison: Comparison | None


@dataclass(kw_only=True)
class _Progress:
    """Runs as they end, by pair and arm."""

    made: dict[tuple[int, Arm], ArmRun] = field(default_factory=dict)

    def whole(self, pair: Pair) -> bool:
        return all((pair.number, arm) in self.made for arm in ARMS)

    def void(self, pair: Pair) -> str | None:
        """Why a pair does not count."""
        for arm in ARMS:
            wrong = self.made[pair.number, arm].treatment.wrong
            if wrong is not None:
                return f"{pair.instance}, trial {pair.trial}: {wrong}"
        return None

    def money(self, cost: str) -> float | None:
        known = [run.dimensions.get(cost) for run in self.made.values() if run.status == "scored"]
        return None if any(one is None for one in known) else sum(one or 0.0 for one in known)


def run_trials(
    spec: TrialSpec, out: Path, *, on_run: Callable[[ArmRun], None] | None = None
) -> Trials:
    """Make the runs that are missing, until there is a verdict, no budget, or nothing left."""
    pairs = schedule(list(spec.items), spec.trials, spec.seed)
    measured = artifact_digest(spec.artifact_path)
    plan = Plan(
        format=FORMAT,
        spec=spec.digest,
        system=None if spec.folder is None else tree_digest(spec.folder, spec.artifact_path),
        artifact=measured,
        pairs=len(pairs),
    )
    _check_apart(spec, out)
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    with _alone(out):
        _begin(out, plan)
        progress = _Progress(made=_read_journal(out, pairs))
        with _arms(spec, plan) as arms:
            running = _Running(spec, arms, out, pairs, progress, on_run or (lambda _: None))
            ended = running.go()
        return _conclude(spec, out, pairs, progress, ended, measured)


def _check_apart(spec: TrialSpec, out: Path) -> None:
    """Refuse folders in each other, where one would become part of what the other is."""
    artifact, results = spec.artifact_path.resolve(), out.resolve()
    if artifact in (results, *results.parents):
        raise SpecError(f"{out} lies in the artifact", hint="Name another folder: --out DIR.")
    if spec.folder is None:
        return
    folder = spec.folder.resolve()
    if artifact in (folder, *folder.parents):
        raise SpecError(f"the system's folder {spec.folder} lies in the artifact")
    if folder in (results, *results.parents):
        raise SpecError(
            f"{out} lies in the system's folder, which would never be the same twice",
            hint="Name another folder: --out DIR.",
        )


@contextmanager
def _arms(spec: TrialSpec, plan: Plan) -> Iterator[Arms]:
    """Copies of what is run, which nobody changes meanwhile, and a guardian over all that runs."""
    with ExitStack() as stack:
        with storage(tempfile.gettempdir()):
            scratch = Path(tempfile.mkdtemp(prefix="assay-trials-"))
            stack.callback(shutil.rmtree, scratch, ignore_errors=True)
            guardian = stack.enter_context(Guardian(scratch))
            kept, system = scratch / "kept", None
            copy_artifact(spec.artifact_path, kept)
            if spec.folder is not None:
                system = scratch / "system"
                copy_system(spec.folder, system, without=spec.artifact_path)
        yield Arms(
            spec,
            kept=Kept(
                artifact=kept,
                artifact_digest=plan.artifact,
                system=system,
                system_digest=plan.system,
            ),
            scratch=scratch / "runs",
            guardian=guardian,
        )


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Keep others from filling the same folder."""
    with ExitStack() as stack:
        with storage(out):
            lock = stack.enter_context((out / ".lock").open("ab"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ProtocolError(f"{out}: trials are being run there just now") from None
        yield


def _begin(out: Path, plan: Plan) -> None:
    """Note the plan, or hold it against the one that the folder began with."""
    path = out / "plan.json"
    with storage(path):
        there = path.exists()
        if not there and any(not one.name.startswith(".") for one in out.iterdir()):
            raise SpecError(f"{out} is not empty", hint="Name a new folder: --out DIR.")
    if not there:
        write_whole(path, msgspec.json.format(msgspec.json.encode(plan), indent=2) + b"\n")
        return
    with storage(path):
        old = parse_object(path.read_bytes(), where=str(path))
    for name, now in msgspec.to_builtins(plan).items():
        if old.get(name) != now:
            raise ProtocolError(
                f"{out}: these trials began with another {name}",
                hint="What was measured so far was measured of that. Begin anew: --out DIR.",
            )


def _read_journal(out: Path, pairs: Sequence[Pair]) -> dict[tuple[int, Arm], ArmRun]:
    """The runs that were made; half a line at the end is a run that was cut off."""
    path = out / JOURNAL
    with storage(path):
        data = path.read_bytes() if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            os.truncate(path, len(whole))
    known = {pair.number: pair for pair in pairs}
    found: dict[tuple[int, Arm], ArmRun] = {}
    for number, row in json_lines(whole, where=str(path)):
        try:
            run = msgspec.convert(row, ArmRun)
        except msgspec.ValidationError as error:
            raise IntegrityError(f"{path}, line {number}: {error}") from None
        pair = known.get(run.pair)
        if pair is None or (pair.instance, pair.trial) != (run.instance, run.trial):
            raise IntegrityError(f"{path}, line {number}: no run of this plan")
        if (run.pair, run.arm) in found:
            raise IntegrityError(f"{path}, line {number}: a run that was made before")
        found[run.pair, run.arm] = run
    return found


class _Running:
    """Hands out runs in order, `jobs` at a time, and notes each as it ends."""

    def __init__(
        self,
        spec: TrialSpec,
        arms: Arms,
        out: Path,
        pairs: Sequence[Pair],
        progress: _Progress,
        on_run: Callable[[ArmRun], None],
    ) -> None:
        self.spec, self.arms, self.out = spec, arms, out
        self.pairs, self.progress, self.on_run = pairs, progress, on_run
        self.waiting = [
            (pair, arm)
            for pair in pairs
            for arm in pair.order
            if (pair.number, arm) not in progress.made
        ]
        self.looked = 0

    def go(self) -> str:
        """Run until something ends it; why it ended."""
        busy: set[Future[ArmRun]] = set()
        ended = self._verdict()
        with ThreadPoolExecutor(max_workers=self.spec.jobs) as pool:
            try:
                while True:
                    ended = ended or self._used_up(len(busy))
                    while ended is None and self.waiting and len(busy) < self._at_a_time():
                        pair, arm = self.waiting.pop(0)
                        busy.add(pool.submit(self._one, pair, arm))
                        ended = self._used_up(len(busy))
                    if not busy:
                        return ended or "complete"
                    done, busy = wait(busy, return_when=FIRST_COMPLETED)
                    for one in done:
                        self._note(one.result())
                    ended = ended or self._verdict()
            except BaseException:
                self.arms.stop()
                raise

    def _one(self, pair: Pair, arm: Arm) -> ArmRun:
        # The name tells the arm to nobody: it is one of many, and means nothing.
        name = digest(f"{self.spec.digest}:{pair.number}:{arm}:{os.getpid()}".encode())[-16:]
        made, outputs = self.arms.run(pair, arm, name)
        if self.arms.stopping:
            raise SpecError("the trials were stopped")
        target = self.out / "runs" / f"{pair.number}-{arm}"
        with storage(target):
            _keep_outputs(outputs, target)
        self.arms.clear(name)
        return made

    def _note(self, run: ArmRun) -> None:
        with storage(self.out), (self.out / JOURNAL).open("ab") as journal:
            journal.write(msgspec.json.encode(run) + b"\n")
            journal.flush()
            os.fsync(journal.fileno())
        self.progress.made[run.pair, run.arm] = run
        self.on_run(run)

    def _at_a_time(self) -> int:
        """How many runs at a time; one pair where money counts and no run has said its price."""
        if self.spec.budget.money is None or self._dearest() is not None:
            return self.spec.jobs
        return min(self.spec.jobs, 2)

    def _dearest(self) -> float | None:
        known = [run.dimensions.get(self.spec.budget.cost) for run in self.progress.made.values()]
        return max((one for one in known if one is not None), default=None)

    def _used_up(self, busy: int) -> str | None:
        """Which budget leaves no room for another run; a pair that is begun is finished."""
        budget, made = self.spec.budget, self.progress.made
        if not self.waiting or (self.waiting[0][0].number, _twin(self.waiting[0][1])) in made:
            return None
        first = self.waiting[0][1] == self.waiting[0][0].order[0]
        if not first:
            return None
        if budget.runs is not None and len(made) + busy + 2 > budget.runs:
            return "budget of runs"
        seconds = sum(run.seconds for run in made.values()) / self.spec.jobs
        if budget.minutes is not None and seconds >= 60.0 * budget.minutes:
            return "budget of minutes"
        if budget.money is not None and made:
            spent = self.progress.money(budget.cost)
            if spent is None:
                raise SpecError(
                    f"a budget of money needs to know what runs cost, and some have no"
                    f" {budget.cost!r} among their scores",
                    hint="Let the system or the scorer write it, or name another: budget.cost.",
                )
            # What a crashed run cost is not known, only that it may have been as much as any.
            crashed = sum(run.status == "crashed" for run in made.values())
            if spent + (crashed + busy + 2) * (self._dearest() or 0.0) > budget.money:
                return "budget of money"
        return None

    def _verdict(self) -> str | None:
        """Whether what is whole so far, in the planned order, brings a verdict."""
        if not self.spec.sequential:
            return None
        ready = _ready(self.pairs, self.progress, self.spec)
        if len(ready) == self.looked:
            return None
        self.looked = len(ready)
        sides = _sides(self.spec, ready, self.progress, artifact=None)
        if not _can_compare(sides):
            return None
        found = _compare(self.spec, sides, resamples=_GLANCE)
        return None if found.verdict is NetVerdict.INCONCLUSIVE else "verdict"


def _keep_outputs(outputs: Path, target: Path) -> None:
    """Keep what a run left, links as links; nothing where it left no folder.

    What is neither file, folder nor link stays behind where the folder must be copied.
    """
    target.parent.mkdir(exist_ok=True)
    if target.is_symlink() or target.is_file():
        target.unlink()
    elif target.exists():
        shutil.rmtree(target)
    if outputs.is_symlink() or not outputs.is_dir():
        target.mkdir()
        return
    try:
        outputs.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copytree(outputs, target, symlinks=True, ignore=_special)


def _special(folder: str, names: Sequence[str]) -> set[str]:
    """The names of pipes, sockets and devices, which cannot be copied."""
    paths = {name: Path(folder, name) for name in names}
    return {
        name
        for name, path in paths.items()
        if not (path.is_symlink() or path.is_file() or path.is_dir())
    }


def _twin(arm: Arm) -> Arm:
    return ARMS[1] if arm == ARMS[0] else ARMS[0]


def _ready(pairs: Sequence[Pair], progress: _Progress, spec: TrialSpec) -> list[Pair]:
    """Whole pairs from the start on, in the planned order: whole instances, or whole rounds.

    Taking pairs as they happen to finish would favour quick ones.
    """
    found = []
    for pair in pairs:
        if not progress.whole(pair):
            break
        found.append(pair)
    part = spec.trials if len(spec.items) >= MANY_INSTANCES else len(spec.items)
    return found[: len(found) - len(found) % part]


def _sides(
    spec: TrialSpec, pairs: Sequence[Pair], progress: _Progress, *, artifact: str | None
) -> tuple[list[Trial], list[Trial]]:
    """The trials of both arms, without void pairs."""
    counted = [pair for pair in pairs if progress.void(pair) is None]
    sides = tuple(
        [
            Trial(
                instance=pair.instance,
                trial=str(pair.trial),
                dimensions=progress.made[pair.number, arm].dimensions,
                harness=spec.harness,
                artifact=artifact if arm == "candidate" else None,
                crashed=progress.made[pair.number, arm].status == "crashed",
            )
            for pair in counted
        ]
        for arm in ARMS
    )
    return sides[0], sides[1]


def _can_compare(sides: tuple[list[Trial], list[Trial]]) -> bool:
    """Whether there are runs on both sides, and any of them has scores."""
    return all(sides) and not all(one.crashed for side in sides for one in side)


def _compare(
    spec: TrialSpec,
    sides: tuple[list[Trial], list[Trial]],
    *,
    resamples: int,
    inputs: Sequence[Input] = (),
    void: int = 0,
) -> Comparison:
    return compare(
        baseline=sides[0],
        candidate=sides[1],
        dimensions=spec.dimensions,
        policies=spec.policies,
        by="instance" if len(spec.items) >= MANY_INSTANCES else "run",
        sequential=spec.sequential,
        resamples=resamples,
        inputs=inputs,
        said={"void-pairs": f"There are {void}."} if void else {},
    )


def _conclude(
    spec: TrialSpec,
    out: Path,
    pairs: Sequence[Pair],
    progress: _Progress,
    ended: str,
    artifact: str,
) -> Trials:
    """Write both arms' trials and what they are worth."""
    whole = [pair for pair in pairs if progress.whole(pair)]
    ready = _ready(pairs, progress, spec) if spec.sequential else whole
    voids = [void for pair in whole if (void := progress.void(pair)) is not None]
    sides = _sides(spec, ready, progress, artifact=artifact)
    comparison = None
    if _can_compare(sides):
        inputs = [_write_side(out, arm, side) for arm, side in zip(ARMS, sides, strict=True)]
        comparison = _compare(spec, sides, resamples=RESAMPLES, inputs=inputs, void=len(voids))
        write_comparison(out / "comparison.json", comparison)
    made = list(progress.made.values())
    seconds = sum(run.seconds for run in made)
    money = progress.money(spec.budget.cost)
    left = 2 * len(pairs) - len(made) if ended == "verdict" else 0
    share = left / max(len(made), 1)
    return Trials(
        ended=ended,
        pairs=len(sides[0]),
        planned_pairs=len(pairs),
        void_pairs=len(voids),
        runs=len(made),
        crashed=sum(run.status == "crashed" for run in made),
        seconds=round(seconds, 3),
        money=money,
        saved_runs=left,
        saved_seconds=round(seconds * share, 3),
        saved_money=None if money is None else money * share,
        voids=tuple(voids),
        crashes=tuple(
            f"{run.instance}, trial {run.trial}, {run.arm}: {run.why}"
            for run in sorted(made, key=lambda run: (run.pair, run.arm))
            if run.status == "crashed"
        ),
        comparison=comparison,
    )


def _write_side(out: Path, arm: Arm, side: Sequence[Trial]) -> Input:
    """One arm as a file of trials, which `assay compare` reads."""
    rows = []
    for one in side:
        row: dict[str, object] = {"instance": one.instance, "trial": one.trial}
        row |= dict(one.dimensions)
        row |= {f"harness.{name}": value for name, value in one.harness.items()}
        row |= {"status": "crashed" if one.crashed else "scored"}
        row |= {} if one.artifact is None else {"artifact": one.artifact}
        rows.append(msgspec.json.encode(row) + b"\n")
    data = b"".join(rows)
    write_whole(out / f"{arm}.jsonl", data)
    return Input(side=arm, kind="trials", digest=digest(data), trials=len(side))
