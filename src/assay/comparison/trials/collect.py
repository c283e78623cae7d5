"""Paired trials: make the runs that are missing, and compare the arms.

Interrupted trials resume. Besides the files of `journal` the folder gets `baseline.jsonl` and
`candidate.jsonl`, the trials of each arm, and `comparison.json`. A pair is void unless it is shown
that the candidate had the artifact and the baseline did not. Void pairs are kept and counted, but
not compared.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from assay.comparison.judge.compare import RESAMPLES
from assay.comparison.result import Comparison, Input
from assay.comparison.store import write_comparison
from assay.comparison.trials.arm_run import ArmRun, Arms, TrialSources
from assay.comparison.trials.arm_trials import arm_trials, compare_trials, ready_pairs
from assay.comparison.trials.journal import (
    FORMAT,
    Plan,
    Progress,
    begin,
    check_journal,
    read_journal,
)
from assay.comparison.trials.judge import can_compare
from assay.comparison.trials.runner import Running
from assay.comparison.trials.schedule import Pair, schedule
from assay.comparison.trials.spec import ARMS, Arm, TrialSpec
from assay.digests import digest
from assay.errors import SpecError, storage
from assay.files import write_whole
from assay.folders import artifact_digest, artifact_files, copy_artifact, copy_system, tree_digest
from assay.lock import alone
from assay.logs.trial import DRAWN, STOPPED, Trial
from assay.result import Result
from assay.sandbox.guardian import Guardian
from assay.wording import counted


class Trials(Result, frozen=True, kw_only=True):
    """Why the trials ended, what they used and saved, and the comparison.

    `saved_runs` were planned and not needed; `saved_seconds` and `saved_money` are their expected
    cost, at the rate of the runs made.
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

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self.comparison is not None and self.comparison.favourable

    @property
    def why(self) -> str:
        """Why they ended, in words."""
        return _ENDED[self.ended]

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each dimension that was compared."""
        return [] if self.comparison is None else self.comparison.to_rows()

    def lines(self) -> list[str]:
        """The comparison, if there is one, and the cost of the trials."""
        made = ["no pair can be compared, so there is no verdict"]
        made = made if self.comparison is None else self.comparison.lines()
        took = f"{self.pairs} of {counted(self.planned_pairs, 'pair')} compared,"
        took += f" {counted(self.runs, 'run')} in {self.seconds:,.0f} s"
        void = f"; {counted(self.void_pairs, 'pair')} void" if self.void_pairs else ""
        return [made[0], f"{self.why}: {took}{void}", *made[1:]]


_ENDED = {
    "verdict": "stopped on a verdict",
    "complete": "all pairs were run",
    "crashes": "stopped: every run crashed",
    "budget of runs": "stopped: the budget of runs is used up",
    "budget of minutes": "stopped: the budget of minutes is used up",
    "budget of money": "stopped: the budget of money is used up",
}


def run_trials(
    spec: TrialSpec, out: Path, *, on_run: Callable[[ArmRun], None] | None = None
) -> Trials:
    """Make the missing runs, until there is a verdict, a budget is used up, or none is left."""
    pairs = schedule(list(spec.items), spec.trials, spec.seed)
    plan = Plan(
        format=FORMAT,
        spec=spec.digest,
        system=None if spec.folder is None else tree_digest(spec.folder, spec.artifact_path),
        artifact=artifact_digest(spec.artifact_path),
        scorer=spec.scorer,
        pairs=len(pairs),
    )
    _check_apart(spec, out)
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    with alone(out):
        begin(out, plan)
        progress = Progress(made=read_journal(out, pairs))
        with _arms(spec, plan) as arms:
            heard = on_run or (lambda _: None)
            ended = Running(spec, arms, out, pairs, progress, heard, plan.scorer).go()
        check_journal(out, progress.made, pairs)
        return _conclude(spec, out, pairs, progress, ended, plan)


def _check_apart(spec: TrialSpec, out: Path) -> None:
    """Refuse nested folders."""
    artifact, results = spec.artifact_path.resolve(), out.resolve()
    if artifact in (results, *results.parents):
        raise SpecError(f"{out} is inside the artifact", hint="Name another folder: `out=DIR`.")
    if spec.folder is None:
        return
    folder = spec.folder.resolve()
    if artifact in (folder, *folder.parents):
        raise SpecError(f"the system's folder {spec.folder} is inside the artifact")
    if folder in (results, *results.parents):
        raise SpecError(
            f"{out} is inside the system's folder, which would change with every run",
            hint="Name another folder: `out=DIR`.",
        )
    _check_no_copy(spec, folder)


def _check_no_copy(spec: TrialSpec, folder: Path) -> None:
    """Refuse a copy of the artifact in the system, which the baseline would have too."""
    with storage(folder):
        every = artifact_files(spec.artifact_path).values()
        files = [file for file in every if file.stat().st_size]
        contents = {digest(file.read_bytes()) for file in files}
        sizes = {file.stat().st_size for file in files}
        originals = {file.resolve() for file in files}
        copies = {
            digest(file.read_bytes()): file
            for file in folder.rglob("*")
            if file.is_file() and file.stat().st_size in sizes and file.resolve() not in originals
        }
    if contents and contents <= copies.keys():
        raise SpecError(
            f"{next(iter(copies.values()))} has the artifact's bytes, so the baseline has it too",
            hint="Take it out of the system's folder.",
        )


@contextmanager
def _arms(spec: TrialSpec, plan: Plan) -> Iterator[Arms]:
    """Copy system and artifact, and start a guardian over the runs."""
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
        sources = TrialSources(
            artifact=kept, artifact_digest=plan.artifact, system=system, system_digest=plan.system
        )
        yield Arms(spec, kept=sources, scratch=scratch / "runs", guardian=guardian)


def _conclude(
    spec: TrialSpec,
    out: Path,
    pairs: Sequence[Pair],
    progress: Progress,
    ended: str,
    plan: Plan,
) -> Trials:
    """Write both arms' trials and their comparison."""
    whole = [pair for pair in pairs if progress.whole(pair)]
    ready = ready_pairs(pairs, progress, spec) if spec.sequential else whole
    voids = [void for pair in whole if (void := progress.void(pair)) is not None]
    sides = arm_trials(spec, ready, progress, artifact=plan.artifact, scorer=plan.scorer)
    comparison = None
    if can_compare(sides):
        inputs = [_write_side(out, arm, side) for arm, side in zip(ARMS, sides, strict=True)]
        comparison = compare_trials(
            spec, sides, resamples=RESAMPLES, inputs=inputs, void=len(ready) - len(sides[0])
        )
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
    for trial in side:
        row: dict[str, object] = {"instance": trial.instance, "trial": trial.trial}
        row |= dict(trial.dimensions)
        row |= {f"harness.{name}": value for name, value in trial.harness.items()}
        row["status"] = "crashed" if trial.crashed else "scored"
        known = {"artifact": trial.artifact, "scorer": trial.scorer}
        row |= {name: value for name, value in known.items() if value is not None}
        row |= {STOPPED: True} if trial.stopped_on_verdict else {}
        row[DRAWN] = trial.drawn_order
        rows.append(msgspec.json.encode(row) + b"\n")
    data = b"".join(rows)
    write_whole(out / f"{arm}.jsonl", data)
    return Input(side=arm, kind="trials", digest=digest(data), trials=len(side))
