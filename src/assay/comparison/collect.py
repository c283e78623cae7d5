"""Comparisons from files: the request, the trials of each side, and the comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from assay.comparison.judge.compare import compare
from assay.comparison.judge.pairing import By
from assay.comparison.result import Comparison, ComparisonCaveat, Input
from assay.comparison.sides import PathTrials, have_repeats, read_sides
from assay.comparison.spec import SOURCE_DIMENSIONS, Dimensions, assumed, parse_dimensions
from assay.comparison.stored_run import ScorecardReader
from assay.errors import IntegrityError, SpecError
from assay.files import read_bounded
from assay.folders import artifact_digest
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns

_MOST_BYTES = 1 << 20
_FROM_RUNS = (
    *("verdict", "because", "rule", "n_baseline", "n_candidate", "pairs", "instances", "unit"),
    *("balance", "dimensions", "flips", "looks", "harness"),
)
"""The fields of a comparison that the runs and the settings decide alone."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """How to compare and what to read; `in_study` reads the scorecards of a study's runs."""

    plan: Dimensions | None
    gates: tuple[str, ...] = ()
    policies: Mapping[str, Any]
    columns: TrialColumns
    by: By = "auto"
    sequential: bool = False
    resamples: int = 9_999
    seed: int = 0
    artifact: str | None = None
    in_study: ScorecardReader = lambda _: None


@dataclass(frozen=True, kw_only=True)
class ComparedSides:
    """Both sides' trials, and what they were read from."""

    trials: tuple[tuple[Trial, ...], tuple[Trial, ...]]
    inputs: tuple[Input, ...]
    caveats: tuple[ComparisonCaveat, ...]
    source: bool


def read_plan(flags: Mapping[str, Any], *, in_study: ScorecardReader = lambda _: None) -> Request:
    """A request from the flags of the command line."""
    plan = None
    if flags["config"] is not None:
        if flags["gates"]:
            raise SpecError("`gate=` and `config=` exclude each other: gate it in the file")
        data = read_bounded(flags["config"], _MOST_BYTES)
        plan = parse_dimensions(data, where=str(flags["config"]))
    policies: dict[str, Any] = {
        name: flags[name] for name in ("missing", "crashed") if flags[name] is not None
    }
    if flags["allow"]:
        policies["allow"] = tuple(flags["allow"])
    if flags["strict_gates"]:
        policies["strict_gates"] = True
    artifact = None if flags["artifact"] is None else artifact_digest(flags["artifact"])
    return Request(
        plan=plan,
        gates=tuple(flags["gates"]),
        policies=policies,
        columns=TrialColumns(
            instance=flags["instance"], trial=flags["trial"], dimensions=tuple(flags["columns"])
        ),
        by=flags["by"],
        sequential=flags["sequential"],
        resamples=flags["resamples"],
        seed=flags["seed"],
        artifact=artifact,
        in_study=in_study,
    )


def sides_of(
    baseline: Sequence[Path],
    candidate: Sequence[Path],
    request: Request,
    *,
    fixture_required: bool = True,
) -> ComparedSides:
    """Read both sides; the source's rule takes runs that name no fixture."""
    reads = read_sides(
        baseline,
        candidate,
        columns=request.columns,
        all_scores=request.plan is not None,
        fixture_required=fixture_required,
        in_study=request.in_study,
    )
    both = [*reads[0], *reads[1]]
    repeated = [ComparisonCaveat(code="same-content", message="")] if have_repeats(*reads) else []
    inputs = tuple(
        Input(
            side=name,
            kind=read.kind,
            digest=read.digest,
            trials=len(read.trials),
            columns=msgspec.to_builtins(request.columns) if read.kind == "trials" else None,
        )
        for name, side in zip(("baseline", "candidate"), reads, strict=True)
        for read in side
    )
    return ComparedSides(
        trials=(_trials(reads[0]), _trials(reads[1])),
        inputs=inputs,
        caveats=(*repeated, *(caveat for read in both for caveat in read.caveats)),
        source=all(read.source for read in both),
    )


def _trials(reads: Sequence[PathTrials]) -> tuple[Trial, ...]:
    return tuple(trial for read in reads for trial in read.trials)


def compare_paths(
    baseline: Sequence[Path], candidate: Sequence[Path], request: Request
) -> Comparison:
    """Read both sides and compare them."""
    sides = sides_of(baseline, candidate, request)
    plan = request.plan
    if plan is None and sides.source:
        plan = _source_plan(sides, request.gates)
    return compare(
        baseline=sides.trials[0],
        candidate=sides.trials[1],
        dimensions=plan,
        gated=request.gates if plan is None else (),
        policies=request.policies,
        by=request.by,
        sequential=request.sequential,
        resamples=request.resamples,
        seed=request.seed,
        inputs=sides.inputs,
        artifact=request.artifact,
        caveats=sides.caveats,
    )


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
            raise SpecError(f"{name!r:.60} is none of the five dimensions of eval.json")
    costs = [assumed(name, ()) for name in names if name not in known]
    return Dimensions(dimensions=(*five, *costs))


def check_again(
    comparison: Comparison,
    baseline: Sequence[Path],
    candidate: Sequence[Path],
    *,
    in_study: ScorecardReader = lambda _: None,
) -> None:
    """Compare the same runs again, and refuse a comparison that they do not give."""
    settings = msgspec.structs.asdict(comparison.settings)
    plan = settings.pop("plan")
    columns = next((read.columns for read in comparison.inputs if read.columns is not None), {})
    request = Request(
        plan=plan,
        policies={},
        columns=msgspec.convert(columns, TrialColumns),
        in_study=in_study,
    )
    sides = sides_of(baseline, candidate, request)
    if [read.digest for read in sides.inputs] != [read.digest for read in comparison.inputs]:
        raise IntegrityError(
            "these are not the runs that were compared: their digests differ",
            hint="Name the very files, in the same order.",
        )
    ours, theirs = sides.trials
    again = compare(baseline=ours, candidate=theirs, dimensions=plan, **settings)
    for name in _FROM_RUNS:
        if getattr(again, name) != getattr(comparison, name):
            raise IntegrityError(f"the runs do not give this comparison: {name} differs")
    if again.artifact not in (None, comparison.artifact):
        raise IntegrityError("the runs do not give this comparison: they had another artifact")
