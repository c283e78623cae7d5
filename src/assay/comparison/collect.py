"""Comparisons from files: the request, the sides, and the comparison of each pair of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from assay.comparison.judge.compare import LEVEL, compare
from assay.comparison.judge.pairing import UnitChoice
from assay.comparison.plan_checks import refuse_points, refuse_unknown_dimensions
from assay.comparison.result import ComparedPair, Comparison, ComparisonCaveat, Comparisons, Input
from assay.comparison.sides.path_trials import PathTrials, read_columns
from assay.comparison.sides.read import read_sides
from assay.comparison.sides.reader import SideReading, SideSource
from assay.comparison.sides.scales import refuse_two_scales
from assay.comparison.sides.side import Side, have_repeats
from assay.comparison.sides.split import split_side
from assay.comparison.spec import SOURCE_DIMENSIONS, Dimensions, assumed, parse_dimensions
from assay.comparison.stored_run import ScorecardReader
from assay.errors import IncomparableRuns, IntegrityError, SpecError
from assay.files import read_bounded
from assay.logs.columns.score_columns import COUNTER, read_as, unread_words
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns
from assay.toml import toml_bytes
from assay.wording import some

_MOST_BYTES = 1 << 20
_MOST_PAIRS = 500
_ROLES = ("baseline", "candidate")
_DRAWS_A_PAIR = 400
"""Resamples for each of several comparisons, whose levels are higher."""
_FROM_RUNS = (
    *("verdict", "because", "rule", "n_baseline", "n_candidate", "pairs", "instances", "unit"),
    *("balance", "dimensions", "flips", "looks", "harness"),
)
"""The fields of a comparison that depend only on the runs and the settings."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """How to compare and what to read.

    `task` is the one task to compare, if the sides have several; `first` is the side that the
    others are compared with, if a column separates the sides. `named` says that the user named the
    sides, so that the record does.
    """

    plan: Dimensions | None
    gates: tuple[str, ...] = ()
    policies: Mapping[str, Any]
    reading: SideReading = field(default_factory=SideReading)
    unit: UnitChoice = "auto"
    sequential: bool = False
    resamples: int = 9_999
    seed: int = 0
    artifact: str | None = None
    task: str | None = None
    first: str | None = None
    all_pairs: bool = False
    named: bool = False


@dataclass(frozen=True, kw_only=True)
class ComparedSides:
    """Both sides' trials of one task, and what they were read from."""

    trials: tuple[tuple[Trial, ...], tuple[Trial, ...]]
    inputs: tuple[Input, ...]
    caveats: tuple[ComparisonCaveat, ...]
    source: bool
    lower: frozenset[str]


def read_dimensions(config: str | Path | Mapping[str, Any]) -> Dimensions:
    """Dimensions and policies from a TOML file, or from a dictionary of its keys."""
    if isinstance(config, Mapping):
        return parse_dimensions(toml_bytes(config, where="config"), where="config")
    return parse_dimensions(read_bounded(Path(config), _MOST_BYTES), where=str(config))


def sides_from(named: Sequence[tuple[str, Sequence[SideSource]]], request: Request) -> list[Side]:
    """The sides of a request: the named ones, or those that a column separates."""
    sides = read_sides(named, request.reading)
    for side in sides:
        if not side.reads:
            raise SpecError(f"{side.name}: nothing matches `where={request.reading.where}`")
    if request.reading.by is None:
        return sides
    whole = Side(name="all", reads=tuple(read for side in sides for read in side.reads))
    return split_side(whole, request.first)


def compare_sides(sides: Sequence[Side], request: Request) -> Comparison | Comparisons:
    """Every side against the first, or all pairs; task by task if there are several."""
    if request.plan is not None:
        refuse_unknown_dimensions(request.plan, sides)
    tasks, left_out = shared_tasks(sides, request.task)
    pairs = (
        list(combinations(sides, 2)) if request.all_pairs else [(sides[0], s) for s in sides[1:]]
    )
    cells = [(task, ours, theirs) for ours, theirs in pairs for task in tasks]
    if len(cells) == 1:
        return _compare_pair(*cells[0], request, level=LEVEL, left_out=left_out)
    if len(cells) > _MOST_PAIRS:
        raise SpecError(f"{len(cells):,} comparisons, at most {_MOST_PAIRS} at once")
    if request.artifact is not None:
        raise SpecError("`artifact=` is for one comparison", hint="Compare two sides of one task.")
    level = 1.0 - (1.0 - LEVEL) / len(cells)
    made = [
        ComparedPair(
            task=task,
            baseline=ours.name,
            candidate=theirs.name,
            comparison=_compare_pair(task, ours, theirs, request, level=level, left_out=left_out),
        )
        for task, ours, theirs in cells
    ]
    return Comparisons(sides=tuple(side.name for side in sides), pairs=tuple(made), level=LEVEL)


def shared_tasks(sides: Sequence[Side], chosen: str | None) -> tuple[list[str | None], list[str]]:
    """The tasks that all sides have runs of, and those that only some have."""
    known = list(dict.fromkeys(task for side in sides for task in side.tasks))
    if chosen is not None:
        begun = [task for task in known if str(task).startswith(f"{chosen}|")]
        if chosen not in known and len(begun) == 1:  # lighteval's facts|0, with so many examples
            chosen = begun[0]
        if chosen not in known:
            names = some([str(task) for task in known])
            raise SpecError(f"no run of a task {chosen!r:.60}; there are {names}")
        known = [chosen]
    shared = [task for task in known if all(task in side.tasks for side in sides)]
    if not shared:
        listed = "; ".join(
            f"{side.name}: {some([str(task) for task in side.tasks])}" for side in sides
        )
        raise IncomparableRuns(
            f"the sides are runs of different tasks: {listed}",
            hint="Compare runs of the same task.",
        )
    return shared, [str(task) for task in known if task not in shared]


def _compare_pair(
    task: str | None,
    ours: Side,
    theirs: Side,
    request: Request,
    *,
    level: float,
    left_out: Sequence[str],
) -> Comparison:
    sides = compared_sides(ours, theirs, request, task)
    plan = request.plan
    if plan is None and sides.source:
        plan = _source_plan(sides, request.gates)
    caveats = list(sides.caveats)
    if "scale" not in (request.policies.get("allow") or (() if plan is None else plan.allow)):
        counting = None if plan is None else [d.name for d in plan.dimensions if d.counts]
        first, second = zip((ours.name, theirs.name), sides.trials, strict=True)
        refuse_two_scales(first, second, among=counting)
    if plan is not None:
        refuse_points(plan, [*ours.of_task(task), *theirs.of_task(task)])
    if request.plan is not None and (others := _not_planned(sides, request.plan)):
        caveats.append(ComparisonCaveat(code="not-in-plan", message=f"{some(others, 12)}."))
    if left_out:
        caveats.append(ComparisonCaveat(code="tasks-left-out", message=f"{some(left_out)}."))
    draws = round(_DRAWS_A_PAIR * (1.0 - LEVEL) / (1.0 - level))
    return compare(
        baseline=sides.trials[0],
        candidate=sides.trials[1],
        dimensions=plan,
        gated=request.gates if plan is None else (),
        policies=request.policies,
        unit=request.unit,
        sequential=request.sequential,
        resamples=max(request.resamples, draws),
        seed=request.seed,
        level=level,
        inputs=sides.inputs,
        artifact=request.artifact,
        caveats=caveats,
        lower=sides.lower,
    ).of_names(dict(zip(_ROLES, (ours.name, theirs.name), strict=True)))


def compared_sides(
    ours: Side, theirs: Side, request: Request, task: str | None = None
) -> ComparedSides:
    """The trials of two sides of one task, and their caveats."""
    reads = ours.of_task(task), theirs.of_task(task)
    both = [*reads[0], *reads[1]]
    repeated = [ComparisonCaveat(code="same-content", message="")] if have_repeats(*reads) else []
    inputs = tuple(
        Input(
            side=name,
            kind=read.kind,
            digest=read.digest,
            trials=len(read.trials),
            columns=None if read.columns is None else _recorded(read.columns),
            described=read.described,
            name=known.name if request.named or request.reading.by is not None else None,
            by=request.reading.by,
            where=read.where,
        )
        for name, known, side in zip(_ROLES, (ours, theirs), reads, strict=True)
        for read in side
    )
    return ComparedSides(
        trials=(_trials(reads[0]), _trials(reads[1])),
        inputs=inputs,
        caveats=(
            *repeated,
            *(caveat for read in both for caveat in read.caveats),
            *_reading(both, request),
        ),
        source=all(read.source for read in both),
        lower=frozenset(name for read in both for name in read.lower),
    )


def _reading(reads: Sequence[PathTrials], request: Request) -> list[ComparisonCaveat]:
    """How columns of words were read, and which columns were not read."""
    planned = request.reading.planned or request.reading.columns.dimensions
    said = [
        ComparisonCaveat(code="read-as", message=f"{name:.60}: {words}.")
        for name, words in read_columns(reads, read_as).items()
        if not planned or name in planned
    ]
    unread = {} if planned else read_columns(reads, lambda scores: scores.unread)
    if unread:
        message = f"{unread_words(unread)}."
        said.append(ComparisonCaveat(code="columns-not-read", message=message))
    counters = [name for name, reason in unread.items() if reason == COUNTER]
    if counters and all(trial.trial is None for read in reads for trial in read.trials):
        message = f"{some(counters)}: `trial={counters[0]}`."
        said.append(ComparisonCaveat(code="trial-unnamed", message=message))
    return said


def _not_planned(sides: ComparedSides, plan: Dimensions) -> list[str]:
    """The columns that were read as scores, and that the plan leaves out."""
    planned = {dimension.name for dimension in plan.dimensions}
    read = dict.fromkeys(
        name for side in sides.trials for trial in side for name in trial.dimensions
    )
    return [name for name in read if name not in planned]


def _recorded(columns: TrialColumns) -> dict[str, Any]:
    """How a file was read; UTF-8 is not mentioned."""
    named: dict[str, Any] = msgspec.to_builtins(columns)
    return {name: value for name, value in named.items() if value is not None}


def _trials(reads: Sequence[PathTrials]) -> tuple[Trial, ...]:
    return tuple(trial for read in reads for trial in read.trials)


def compare_paths(
    baseline: Sequence[Path], candidate: Sequence[Path], request: Request
) -> Comparison | Comparisons:
    """Read two sides and compare them."""
    named = tuple(zip(_ROLES, (baseline, candidate), strict=True))
    return compare_sides(sides_from(named, request), request)


def _source_plan(sides: ComparedSides, gates: Sequence[str]) -> Dimensions:
    """The five dimensions of `eval.json`, and the costs."""
    names = dict.fromkeys(
        name for side in sides.trials for trial in side for name in trial.dimensions
    )
    five = [
        replace(dimension, gated=dimension.gated or dimension.name in gates)
        for dimension in SOURCE_DIMENSIONS
    ]
    known = {dimension.name for dimension in five}
    for name in gates:
        if name not in known:
            raise SpecError(f"{name!r:.60} is not one of the five dimensions of eval.json")
    costs = [assumed(name, ()) for name in names if name not in known]
    return Dimensions(dimensions=(*five, *costs))


def check_again(
    comparison: Comparison,
    baseline: Sequence[Path],
    candidate: Sequence[Path],
    *,
    in_study: ScorecardReader = lambda _: None,
) -> None:
    """Compare the same runs again; refuse a comparison with another result."""
    settings = msgspec.structs.asdict(comparison.settings)
    plan = settings.pop("plan")
    columns = next((read.columns for read in comparison.inputs if read.columns is not None), {})
    recorded = comparison.inputs[0] if comparison.inputs else None
    request = Request(
        plan=plan,
        policies={},
        reading=SideReading(
            columns=msgspec.convert(columns, TrialColumns),
            all_scores=True,
            planned=tuple(dimension.name for dimension in plan.dimensions),
            by=None if recorded is None else recorded.by,
            where=None if recorded is None else recorded.where,
            in_study=in_study,
        ),
    )
    ours, theirs = _sides_again(comparison, baseline, candidate, request).trials
    again = compare(baseline=ours, candidate=theirs, dimensions=plan, **settings)
    for name in _FROM_RUNS:
        if getattr(again, name) != getattr(comparison, name):
            raise IntegrityError(f"the runs do not give this comparison: {name} differs")
    if again.artifact not in (None, comparison.artifact):
        raise IntegrityError("the runs do not give this comparison: they had another artifact")


def _sides_again(
    comparison: Comparison, baseline: Sequence[Path], candidate: Sequence[Path], request: Request
) -> ComparedSides:
    """The two sides that were compared, read again; refused if the bytes differ."""
    if request.reading.by is None:
        both = sides_from(tuple(zip(_ROLES, (baseline, candidate), strict=True)), request)
    else:
        paths = {path.resolve(): path for path in (*baseline, *candidate)}
        known = {side.name: side for side in sides_from((("all", [*paths.values()]),), request)}
        names = dict.fromkeys(str(read.name) for read in comparison.inputs)
        both = [known[name] for name in names if name in known]
    tasks = shared_tasks(both, None)[0] if len(both) == 2 else []
    of_tasks = [compared_sides(both[0], both[1], request, task) for task in tasks]
    compared = _told_apart(comparison.inputs)
    same = [sides for sides in of_tasks if _told_apart(sides.inputs) == compared]
    if not same:
        raise IntegrityError(
            "these are not the runs that were compared: their digests differ",
            hint="Name the same files, in the same order.",
        )
    said = [read.described for read in comparison.inputs]  # tells the tasks of one file apart
    return next((s for s in same if [read.described for read in s.inputs] == said), same[0])


def _told_apart(inputs: Sequence[Input]) -> list[tuple[str, str | None]]:
    """The bytes of each input; and its side, if both sides are in the same bytes."""
    return [(read.digest, None if read.by is None else read.name) for read in inputs]
