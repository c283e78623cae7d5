"""Make the runs of paired trials in order, several at a time, until a reason to stop."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from assay.comparison.result import NetVerdict
from assay.comparison.trials.arm_run import ArmRun, Arms
from assay.comparison.trials.arm_trials import arm_trials, compare_trials, ready_pairs
from assay.comparison.trials.journal import Progress, keep_outputs, note
from assay.comparison.trials.judge import can_compare
from assay.comparison.trials.schedule import Pair
from assay.comparison.trials.spec import Arm, TrialSpec
from assay.digests import digest
from assay.errors import IntegrityError, SpecError, storage
from assay.sandbox.futures import first_done

_FIRST_RUNS = 4
_INTERIM = 99
"""Resamples of an interim look; a sequential verdict needs none."""


class Running:
    """Starts runs in order, `jobs` at a time, and records each as it ends."""

    def __init__(
        self,
        spec: TrialSpec,
        arms: Arms,
        out: Path,
        pairs: Sequence[Pair],
        progress: Progress,
        on_run: Callable[[ArmRun], None],
        scorer: str | None,
    ) -> None:
        self.spec, self.arms, self.out = spec, arms, out
        self.pairs, self.progress, self.on_run = pairs, progress, on_run
        self.waiting = [
            (pair, arm)
            for pair in pairs
            for arm in pair.order
            if (pair.number, arm) not in progress.made
        ]
        self.scorer = scorer
        self.looked = 0

    def go(self) -> str:
        """Run until a reason to stop; returns that reason."""
        busy: set[Future[ArmRun]] = set()
        ended = self._hopeless() or self._verdict()
        with ThreadPoolExecutor(max_workers=self.spec.jobs) as pool:
            try:
                while True:
                    ended = ended or self._used_up(len(busy))
                    while ended is None and self.waiting and len(busy) < self._at_a_time():
                        pair, arm = self.waiting.pop(0)
                        busy.add(pool.submit(self._make, pair, arm))
                        ended = self._used_up(len(busy))
                    if not busy:
                        return ended or "complete"
                    done = first_done(busy)
                    busy -= done
                    for future in done:
                        self._note(future.result())
                    ended = ended or self._hopeless() or self._verdict()
            except BaseException:
                self.arms.jobs.stop()
                raise

    def _make(self, pair: Pair, arm: Arm) -> ArmRun:
        # The name of the folder must not reveal the arm.
        name = digest(f"{self.spec.digest}:{pair.number}:{arm}:{os.getpid()}".encode())[-16:]
        made, outputs = self.arms.run(pair, arm, name)
        if self.arms.jobs.stopping:
            raise SpecError("the trials were stopped")
        if self.spec.scorer != self.scorer:
            raise IntegrityError(
                "files of the scorer or the probe were changed during the trials",
                hint="Restore them and run the same command, or start again: `out=DIR`.",
            )
        target = self.out / "runs" / f"{pair.number}-{arm}"
        with storage(target):
            keep_outputs(outputs, target)
        self.arms.clear(name)
        return made

    def _note(self, run: ArmRun) -> None:
        note(self.out, run)
        self.progress.made[run.pair, run.arm] = run
        self.on_run(run)
        self._check_names()

    def _check_names(self) -> None:
        """Stop at once if runs lack scores that the plan asks for."""
        scored = [run for run in self.progress.made.values() if run.status == "scored"]
        plan = self.spec.dimensions
        if plan is None or len(scored) != 2:
            return
        names = {name for run in scored for name in run.dimensions}
        counting = [dimension.name for dimension in plan.dimensions if dimension.counts]
        lacking = [name for name in counting if name not in names]
        if lacking:
            known = ", ".join(sorted(names)[:12])
            raise SpecError(
                f"no run has a score {lacking[0]!r:.60}; there are {known}",
                hint=f"Does [dimensions.{lacking[0]}] name what {self.spec.score.file} has?",
            )

    def _hopeless(self) -> str | None:
        """Whether all of the first runs crashed."""
        made = self.progress.made.values()
        crashed = len(made) >= _FIRST_RUNS and all(run.status == "crashed" for run in made)
        return "crashes" if crashed and self.waiting else None

    def _at_a_time(self) -> int:
        """How many runs at a time; one pair while the cost for a budget of money is unknown."""
        if self.spec.budget.money is None or self._dearest() is not None:
            return self.spec.jobs
        return min(self.spec.jobs, 2)

    def _dearest(self) -> float | None:
        known = [run.dimensions.get(self.spec.budget.cost) for run in self.progress.made.values()]
        return max((cost for cost in known if cost is not None), default=None)

    def _used_up(self, busy: int) -> str | None:
        """The budget that is used up, if any; a started pair is always finished."""
        budget, made = self.spec.budget, self.progress.made
        if not self.waiting:
            return None
        pair, arm = self.waiting[0]
        if arm != pair.order[0] or (pair.number, pair.order[1]) in made:
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
                    f"a budget of money needs the cost of every run, but some have no score"
                    f" {budget.cost!r}",
                    hint="Let the system or the scorer write it, or name another: budget.cost.",
                )
            # A crashed run may have cost as much as the dearest.
            crashed = sum(run.status == "crashed" for run in made.values())
            if spent + (crashed + busy + 2) * (self._dearest() or 0.0) > budget.money:
                return "budget of money"
        return None

    def _verdict(self) -> str | None:
        """Whether the complete pairs so far, in the planned order, give a verdict."""
        if not self.spec.sequential:
            return None
        ready = ready_pairs(self.pairs, self.progress, self.spec)
        if len(ready) == self.looked:
            return None
        self.looked = len(ready)
        trials = arm_trials(self.spec, ready, self.progress, artifact=None)
        if not can_compare(trials):
            return None
        void = len(ready) - len(trials[0])
        comparison = compare_trials(self.spec, trials, resamples=_INTERIM, void=void)
        return None if comparison.verdict is NetVerdict.INCONCLUSIVE else "verdict"
