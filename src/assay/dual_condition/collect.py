"""A dual-condition evaluation from its spec to its result: snapshot, runs, judgement, result file.

Production is only read, never written. Every run gets its own copy of its condition's state;
conditions run in random order at each seed. An interrupted evaluation keeps its finished runs and
resumes.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assay.clock import now
from assay.digests import digest, short
from assay.dual_condition.condition_run import DualRuns, NoMoreRuns, Turns
from assay.dual_condition.evidence import DualEvidence, DualRun, LayerEvidence
from assay.dual_condition.journal import (
    Made,
    MadeRun,
    begin_journal,
    note_run,
    plan_of,
    run_order,
)
from assay.dual_condition.judge.coherence import check_coherence
from assay.dual_condition.judge.preconditions import shows_a_leak
from assay.dual_condition.observations import Observations, evidence_from
from assay.dual_condition.result import DualResult
from assay.dual_condition.result_file import checksum, result_bytes, result_record
from assay.dual_condition.spec import DualSpec
from assay.dual_condition.state.conditions import Built, Condition, Conditions, conditions_of
from assay.dual_condition.state.forgetting import Mentions
from assay.dual_condition.store import earlier, past_results
from assay.dual_condition.system.item_files import AskedItems
from assay.errors import IntegrityError, MethodError, SpecError, storage
from assay.files import write_whole
from assay.folders import state_digest
from assay.lock import alone
from assay.sandbox.futures import first_done
from assay.sandbox.in_place import beside, held
from assay.sandbox.warden_client import WardenClient, send_canary


@dataclass(frozen=True, kw_only=True)
class Dual:
    """A result, the path and record of its file, and how many runs this call made.

    `runs` is the folder that holds the runs themselves.
    """

    result: DualResult
    path: Path
    runs: Path
    record: Mapping[str, Any]
    made: int
    planned: int


def run_dual(
    spec: DualSpec,
    out: str | Path,
    *,
    on_run: Callable[[DualRun], None] | None = None,
    private: bool = True,
) -> Dual:
    """Make the missing runs, judge them all, and write the result file.

    `private=False` runs without a private view of the files, as on some operating systems.
    """
    out = Path(out)
    _check_apart(spec, out)
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    with _at_work(spec, private=private) as work:
        plan = plan_of(spec, work.conditions)
        name = f"{spec.corpus}-{short(digest(msgspec.json.encode(plan)))[:8]}"
        folder = out / "runs" / name
        with storage(folder):
            folder.mkdir(parents=True, exist_ok=True)
            aside = folder.parent / ".gitignore"  # a result holds all that a journal does
            if not aside.exists():
                aside.write_text("*\n", encoding="utf-8")
        with alone(folder):
            made = begin_journal(folder, plan)
            evidence, count, planned = _make_runs(spec, work, folder, made, on_run)
    path = out / (f"{name}.json" if spec.metric == "auroc" else f"{name}.{spec.metric}.json")
    result, record = _conclude(evidence, path, out)
    return Dual(result=result, path=path, runs=folder, record=record, made=count, planned=planned)


@dataclass(frozen=True, kw_only=True)
class _Work:
    """The conditions, and a maker of runs for each thread."""

    conditions: Conditions
    mentions: Mapping[str, Mentions]
    makers: list[DualRuns]
    canary: Future[tuple[bool, str]]
    private: bool


@contextmanager
def _at_work(spec: DualSpec, *, private: bool) -> Iterator[_Work]:
    with ExitStack() as stack:
        root = spec.state.root
        lock = -1
        if spec.state.route == "in-place" or beside(root).exists():
            lock = stack.enter_context(held(root))
        with storage("the folder for temporary files"):
            scratch = Path(tempfile.mkdtemp(prefix="assay-dual-")).resolve()
            stack.callback(shutil.rmtree, scratch, ignore_errors=True)
        in_place = root if lock >= 0 else None
        wardens = [stack.enter_context(WardenClient(scratch, in_place=in_place, lock=lock))]
        # One more than run at a time: while its command runs, another's scores are read.
        wardens += [
            stack.enter_context(WardenClient(scratch / f"more-{number}"))
            for number in range(0 if in_place else spec.jobs)
        ]
        # While the wardens get ready:
        conditions = Conditions(spec, scratch)
        mentions = conditions.mentions()
        turns, items = Turns(spec.jobs), AskedItems(spec.benchmark, solved=spec.solved)
        for warden in wardens:
            warden.private = private
        stack.callback(_stop_all, wardens)
        makers = [
            DualRuns(
                spec, warden=warden, scratch=scratch / f"runs-{number}", items=items, turns=turns
            )
            for number, warden in enumerate(wardens)
        ]
        pool = stack.enter_context(ThreadPoolExecutor(1))
        canary = pool.submit(send_canary, wardens[-1], scratch)
        private = wardens[0].private
        yield _Work(
            conditions=conditions, mentions=mentions, makers=makers, canary=canary, private=private
        )


def _stop_all(wardens: Sequence[WardenClient]) -> None:
    """Tell all to end at once; then wait for each."""
    for warden in wardens:
        warden.stop()


def _check_apart(spec: DualSpec, out: Path) -> None:
    """Refuse results in the state, which would change it, or where runs may read them."""
    results = out.resolve()
    for path, what in ((spec.state.root, "the state"), *((path, str(path)) for path in spec.reads)):
        if results.is_relative_to(path.resolve()):
            raise SpecError(f"{out} is inside {what}", hint="Name another folder: `out=DIR`.")


def _make_runs(
    spec: DualSpec,
    work: _Work,
    folder: Path,
    made: Made,
    on_run: Callable[[DualRun], None] | None,
) -> tuple[DualEvidence, int, int]:
    asked = conditions_of(spec)
    conditions = work.conditions
    _check_made(made, work.makers[0].items, folder)
    built: dict[str, Built] = {}
    waiting: list[tuple[Condition, int]] = []
    if not conditions.undeclared and all(conditions.files.values()):
        built = {condition.name: conditions.build(condition) for condition in asked}
        if spec.state.forget and "C" in built:
            built["C"] = work.makers[0].forget(built["C"])
        for cell, run in [(cell, each.run) for cell, each in made.items()]:
            # The forget command may give another state now, and the system may score all items.
            if cell[0] not in built or run.before != built[cell[0]].digest or run.unscored:
                del made[cell]
        waiting = [pair for pair in run_order(spec, asked) if (pair[0].name, pair[1]) not in made]
    layers = {name: LayerEvidence(files=tuple(names)) for name, names in conditions.files.items()}
    leaks = any(shows_a_leak(each.run, layers) for each in made.values())
    heard = on_run or (lambda _: None)

    def note(one: MadeRun) -> bool:
        """Keep a run; returns whether to continue."""
        all_noted = one.run.all_noted and work.canary.result()[0]
        run = msgspec.structs.replace(one.run, all_noted=all_noted)
        one = msgspec.structs.replace(one, run=run)
        note_run(folder, one)
        made[run.condition, run.seed] = one
        heard(run)
        return not shows_a_leak(run, layers)

    before = len(made)
    failed = None if leaks else _work_off(work.makers, built, waiting, note)
    with storage(spec.state.root):
        after = state_digest(spec.state.root)
    observed = Observations(
        conditions=conditions,
        items=work.makers[0].items,
        built=built,
        made=made,
        mentions=work.mentions,
        remains=conditions.remains(built),
        canary=work.canary.result(),
        route=work.makers[0].route,
        private=work.private,
        after=after,
        failed=failed,
    )
    return evidence_from(spec, observed), len(made) - before, len(asked) * len(spec.seeds)


def _check_made(made: Made, items: AskedItems, folder: Path) -> None:
    """Refuse runs in the journal that are incomplete or have other items."""
    for (condition, seed), one in made.items():
        count, unscored = len(one.scores), one.scores.count(None)
        answered = one.answers is not None
        solved = items.targets is not None
        if count != len(items.ids) or unscored != one.run.unscored or answered != solved:
            raise IntegrityError(
                f"{folder}: the scores of {condition}, seed {seed}, do not match the run",
                hint="The journal was edited. Remove that folder to start again.",
            )


def _work_off(
    makers: list[DualRuns],
    built: Mapping[str, Built],
    waiting: list[tuple[Condition, int]],
    note: Callable[[MadeRun], bool],
) -> str | None:
    """Make the runs in parallel until one fails or shows a leak; returns why it failed."""
    idle = list(makers)
    busy: dict[Future[MadeRun], DualRuns] = {}
    left, failed, going = list(waiting), None, True
    with ThreadPoolExecutor(max_workers=len(makers)) as pool:
        try:
            while busy or (left and going):
                while idle and left and going:
                    maker = idle.pop()
                    condition, seed = left.pop(0)
                    name = condition.name
                    busy[pool.submit(maker.run, name, built[name], seed)] = maker
                # Load the judge while runs are busy: it takes as long as a small one.
                import assay.dual_condition.judge.judge  # noqa: F401 - for `_conclude`

                done = first_done(busy)
                # Runs that succeeded are noted before a failure ends the loop.
                for future in sorted(done, key=lambda future: future.exception() is not None):
                    idle.append(busy.pop(future))
                    try:
                        going = note(future.result()) and going
                    except NoMoreRuns:
                        continue
                    except MethodError as error:
                        failed, going = failed or error.message, False
                    makers[0].turns.over = not going
        except BaseException:
            makers[0].turns.over = True
            _stop_all([maker.warden for maker in makers])
            raise
    return failed


def _conclude(
    evidence: DualEvidence, path: Path, out: Path
) -> tuple[DualResult, Mapping[str, Any]]:
    """Judge, and write the result file unless it has the same bytes already."""
    from assay.dual_condition.judge.judge import judge_dual

    check_coherence(evidence, where=str(path))
    mark = checksum(evidence)
    old = earlier(path, mark)
    made = now() if old is None else str(old["made"])
    history = past_results(out, evidence, before=made, mark=mark, but=path)
    evidence = msgspec.structs.replace(evidence, history=history)
    result = judge_dual(evidence)
    record = result_record(evidence, result, made=made, mark=mark)
    data = result_bytes(record)
    with storage(path):
        same = path.exists() and path.read_bytes() == data
    if not same:
        write_whole(path, data)
    return result, record
