"""A dual-condition evaluation from its spec to its result: snapshot, runs, judgement, artifact.

Production is read, and never written to. Every run has a copy of its own of the state that its
condition is to begin with; conditions come in random order at each seed. What is cut off is taken
up again: runs that were made are kept.
"""

import platform
import random
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assay.arguments import checked
from assay.clock import now
from assay.digests import digest, short
from assay.dual_condition.coherence import check_coherence
from assay.dual_condition.condition_run import (
    AskedItems,
    DualRun,
    DualRuns,
    FileDigests,
    NoMoreRuns,
    Scores,
    Turns,
    words_of,
)
from assay.dual_condition.conditions import Built, Condition, Conditions, conditions_of
from assay.dual_condition.evidence import (
    Code,
    DualEvidence,
    Inputs,
    Items,
    LayerEvidence,
    Past,
    StateEvidence,
)
from assay.dual_condition.file_access import code_name, source_of
from assay.dual_condition.forgetting import Mentions
from assay.dual_condition.journal import Made, begin_journal, note_run
from assay.dual_condition.preconditions import shows_a_leak
from assay.dual_condition.result import DualResult
from assay.dual_condition.result_file import artifact_bytes, artifact_of, checksum
from assay.dual_condition.spec import DualSpec
from assay.dual_condition.store import earlier, past_results
from assay.errors import IntegrityError, MethodError, SpecError, storage
from assay.files import write_whole
from assay.folders import state_digest
from assay.lock import alone
from assay.methods.closure import closure_of
from assay.methods.reference import MethodRef
from assay.sandbox.canary import send_canary
from assay.sandbox.in_place import beside, held
from assay.sandbox.warden_client import WardenClient
from assay.seeds import derive


@dataclass(frozen=True, kw_only=True)
class Dual:
    """A result, where its artifact is, the artifact, and how many runs were made just now."""

    result: DualResult
    path: Path
    artifact: Mapping[str, Any]
    made: int
    planned: int


@checked
def run_dual(
    spec: DualSpec,
    out: str | Path,
    *,
    on_run: Callable[[DualRun], None] | None = None,
    private: bool = True,
) -> Dual:
    """Make the runs that are missing, judge them, and write the artifact.

    `private` False does without a private view of the files, as systems do that cannot give one.
    """
    out = Path(out)
    _check_apart(spec, out)
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    with _at_work(spec, private=private) as work:
        plan = _plan(spec, work.conditions)
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
    return _conclude(evidence, path, out, count, planned)


@dataclass(frozen=True, kw_only=True)
class _Work:
    """What runs are made with: as many makers of runs as are to work at a time."""

    conditions: Conditions
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
        conditions = Conditions(spec, scratch)  # while the wardens get ready
        for warden in wardens:
            warden.private = private
        turns, items = Turns(spec.jobs), AskedItems(spec.benchmark)
        makers = [
            DualRuns(
                spec, warden=warden, scratch=scratch / f"runs-{number}", items=items, turns=turns
            )
            for number, warden in enumerate(wardens)
        ]
        yield _Work(
            conditions=conditions,
            makers=makers,
            canary=stack.enter_context(ThreadPoolExecutor(1)).submit(
                send_canary, wardens[-1], scratch
            ),
            private=wardens[0].private,
        )


def _check_apart(spec: DualSpec, out: Path) -> None:
    """Refuse results in the state, which would change it, and among what runs may read."""
    results = out.resolve()
    for path, what in ((spec.state.root, "the state"), *((one, str(one)) for one in spec.reads)):
        if results.is_relative_to(path.resolve()):
            raise SpecError(f"{out} lies in {what}", hint="Name another folder: `out=DIR`.")


def _plan(spec: DualSpec, conditions: Conditions) -> dict[str, object]:
    """All that decides what is run, by digest."""
    known = FileDigests()
    placebo = None
    if spec.placebo is not None and spec.placebo.state is not None:
        with storage(spec.placebo.state):
            placebo = state_digest(spec.home / spec.placebo.state)
    reads = {}
    for path in spec.reads:
        with storage(path):
            reads[path.name] = state_digest(path) if path.is_dir() else known.of(str(path))
    return {
        "format": "assay-dual-plan/1",
        "spec": spec.digest,
        "benchmark": spec.benchmark.digest,
        "state": conditions.digest,
        "initial": conditions.initial_digest,
        "code": {
            code_name(str(path), spec.home): known.of(str(path)) for path in _code_files(spec)
        },
        "reads": reads,
        "placebo": placebo,
    }


def _code_files(spec: DualSpec) -> list[Path]:
    """The files that the command names, and what those of Python import."""
    folder, found = spec.folder.resolve(), set()
    for word in words_of(spec):
        path = folder / word
        if not word or not path.is_file():
            continue
        found.add(path.resolve())
        if path.suffix == ".py":
            named = MethodRef(text=word, kind="file", target=str(path.resolve()), attribute="")
            found |= {file.resolve() for file in closure_of(named).files.values()}
    return sorted(found)


def _make_runs(
    spec: DualSpec,
    work: _Work,
    folder: Path,
    made: Made,
    on_run: Callable[[DualRun], None] | None,
) -> tuple[DualEvidence, int, int]:
    asked = conditions_of(spec)
    conditions = work.conditions
    mentions = conditions.mentions()
    _check_made(made, work.makers[0].items, folder)
    built: dict[str, Built] = {}
    waiting: list[tuple[Condition, int]] = []
    if not conditions.undeclared and all(conditions.files.values()):
        built = _build(work, asked, spec)
        for cell, (run, _) in list(made.items()):
            # A command that forgets may come to another state than the last time, and a system
            # that left items out may score them all now.
            if cell[0] not in built or run.before != built[cell[0]].digest or run.unscored:
                del made[cell]
        waiting = [pair for pair in _order(spec, asked) if (pair[0].name, pair[1]) not in made]
    layers = {name: LayerEvidence(files=tuple(names)) for name, names in conditions.files.items()}
    leaks = any(shows_a_leak(run, layers) for run, _ in made.values())
    heard = on_run or (lambda _: None)

    def note(run: DualRun, scores: Scores) -> bool:
        """Keep a run; whether to go on."""
        run = msgspec.structs.replace(run, all_noted=run.all_noted and work.canary.result()[0])
        note_run(folder, run, scores)
        made[run.condition, run.seed] = run, scores
        heard(run)
        return not shows_a_leak(run, layers)

    before = len(made)
    failed = None if leaks else _work_off(work.makers, built, waiting, note)
    with storage(spec.state.root):
        after = state_digest(spec.state.root)
    evidence = _evidence(spec, work, asked, built, made, mentions, after=after, failed=failed)
    return evidence, len(made) - before, len(asked) * len(spec.seeds)


def _check_made(made: Made, items: AskedItems, folder: Path) -> None:
    """Refuse runs in the journal that are not of these items, or not whole."""
    for (condition, seed), (run, scores) in made.items():
        if len(scores) != len(items.ids) or scores.count(None) != run.unscored:
            raise IntegrityError(
                f"{folder}: the scores of {condition}, seed {seed}, are not what the run gave",
                hint="The journal was edited. Remove that folder to begin anew.",
            )


def _work_off(
    makers: list[DualRuns],
    built: Mapping[str, Built],
    waiting: list[tuple[Condition, int]],
    note: Callable[[DualRun, Scores], bool],
) -> str | None:
    """Make the runs, so many at a time, until one fails or is reason to stop; why it failed."""
    idle = list(makers)
    busy: dict[Future[tuple[DualRun, Scores]], DualRuns] = {}
    left, failed, going = list(waiting), None, True
    with ThreadPoolExecutor(max_workers=len(makers)) as pool:
        try:
            while busy or (left and going):
                while idle and left and going:
                    maker = idle.pop()
                    condition, seed = left.pop(0)
                    at = pool.submit(maker.run, condition.name, built[condition.name], seed)
                    busy[at] = maker
                _prepare_to_judge()
                done, _ = wait(busy, return_when=FIRST_COMPLETED)
                # Those that were made are noted before another's end ends it all.
                for one in sorted(done, key=lambda one: one.exception() is not None):
                    idle.append(busy.pop(one))
                    try:
                        going = note(*one.result()) and going
                    except NoMoreRuns:
                        continue
                    except MethodError as error:
                        failed, going = failed or error.message, False
                    makers[0].turns.over = not going
        except BaseException:
            makers[0].turns.over = True
            for maker in makers:
                maker.warden.stop()
            raise
    return failed


def _prepare_to_judge() -> None:
    """Load what judges the runs while they run; it takes as long as a small one."""
    import assay.dual_condition.judge  # noqa: F401 - for later


def _build(work: _Work, asked: list[Condition], spec: DualSpec) -> dict[str, Built]:
    built = {condition.name: work.conditions.build(condition) for condition in asked}
    if spec.state.forget and "C" in built:
        built["C"] = work.makers[0].forget(built["C"])
    return built


def _order(spec: DualSpec, asked: list[Condition]) -> list[tuple[Condition, int]]:
    """Seed by seed, the conditions of each in random order."""
    found = []
    for seed in spec.seeds:
        mixed = list(asked)
        order = derive(seed, "conditions", spec.digest)
        random.Random(order).shuffle(mixed)  # noqa: S311 - a seeded order, not a secret
        found += [(condition, seed) for condition in mixed]
    return found


def _evidence(
    spec: DualSpec,
    work: _Work,
    asked: list[Condition],
    built: Mapping[str, Built],
    made: Made,
    mentions: Mapping[str, Mentions],
    *,
    after: str,
    failed: str | None,
) -> DualEvidence:
    conditions, items = work.conditions, spec.benchmark.items
    caught, said = work.canary.result()
    runs = [run for run, _ in made.values()]
    names = [condition.name for condition in asked]
    order = {(name, seed): at for at, (name, seed) in enumerate(_cells(names, spec.seeds))}
    runs.sort(key=lambda run: order.get((run.condition, run.seed), 0))
    forgotten = built["C"].forgotten if "C" in built else {}
    return DualEvidence(
        corpus=spec.corpus,
        system=spec.system.method or shlex.join(spec.system.command),
        metric=spec.metric,
        threshold=spec.threshold,
        thresholds=spec.thresholds,
        seeds=spec.seeds,
        conditions=tuple(names),
        inputs=Inputs(
            benchmark=spec.benchmark.name,
            benchmark_digest=spec.benchmark.digest,
            items={str(seed): work.makers[0].items.digest(seed) for seed in spec.seeds},
        ),
        state=StateEvidence(
            route=runs[-1].route if runs else work.makers[0].route,
            private=all(run.private for run in runs) if runs else work.private,
            canary_caught=caught,
            canary=said,
            snapshot=conditions.digest,
            initial=conditions.initial_digest,
            after=after,
            undeclared=tuple(conditions.undeclared),
            layers={
                name: _layer(conditions.files[name], mentions.get(name), forgotten.get(name))
                for name in spec.state.layers
            },
            manifests={name: one.entries for name, one in built.items()},
        ),
        code=_code(spec, runs),
        runs=tuple(msgspec.structs.replace(run, code={}) for run in runs),
        items=Items(
            id=tuple(item.id for item in items),
            positive=tuple(bool(item.label) for item in items),
            group=tuple(item.unit for item in items) if spec.benchmark.grouped else None,
        ),
        scores=_scores(names, spec.seeds, made),
        failed=failed,
    )


def _cells(names: list[str], seeds: tuple[int, ...]) -> list[tuple[str, int]]:
    return [(name, seed) for name in names for seed in seeds]


def _scores(names: list[str], seeds: tuple[int, ...], made: Made) -> dict[str, dict[str, Scores]]:
    return {
        name: {str(seed): made[name, seed][1] for seed in seeds if (name, seed) in made}
        for name in names
    }


def _layer(files: list[str], mentioned: Mentions | None, forgotten: int | None) -> LayerEvidence:
    return LayerEvidence(
        files=tuple(files),
        mentions=None if mentioned is None else tuple(sorted(mentioned.items)),
        rows=None if mentioned is None else mentioned.rows,
        rows_from_items=None if mentioned is None else mentioned.from_items,
        rows_forgotten=forgotten,
    )


def _code(spec: DualSpec, runs: list[DualRun]) -> Code:
    """The code that runs loaded, as it was each time."""
    found: dict[str, str] = {}
    changed: set[str] = set()
    owners: dict[str, str] = {}
    for run in runs:
        for path, seen in run.code.items():
            name, source = code_name(path, spec.home), str(source_of(Path(path)))
            name = name if owners.setdefault(name, source) == source else source
            if found.setdefault(name, seen) != seen:
                changed.add(name)
    versions = sorted({run.python for run in runs}) or [platform.python_version()]
    changed |= {"Python"} if len(versions) > 1 else set()
    return Code(
        spec=spec.digest,
        python=" and ".join(versions),
        files=found,
        changed=tuple(sorted(changed)),
    )


def _conclude(evidence: DualEvidence, path: Path, out: Path, count: int, planned: int) -> Dual:
    """Judge, and write the artifact, unless it says the same already."""
    from assay.dual_condition.judge import judge_dual

    check_coherence(evidence, where=str(path))
    mark = checksum(evidence)
    old = earlier(path, mark)
    made = now() if old is None else str(old["made"])
    history: tuple[Past, ...] = past_results(out, evidence, before=made, mark=mark, but=path)
    evidence = msgspec.structs.replace(evidence, history=history)
    result = judge_dual(evidence)
    record = artifact_of(evidence, result, made=made, mark=mark)
    data = artifact_bytes(record)
    with storage(path):
        same = path.exists() and path.read_bytes() == data
    if not same:
        write_whole(path, data)
    return Dual(result=result, path=path, artifact=record, made=count, planned=planned)
