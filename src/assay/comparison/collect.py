"""Comparisons from files and to files: what is read for each side, and what is kept of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from assay.artifact import artifact_digest
from assay.comparison.adr_0031 import SourceComparison
from assay.comparison.judge.compare import compare
from assay.comparison.judge.pairing import By
from assay.comparison.result import Comparison, ComparisonCaveat, Input
from assay.comparison.spec import SOURCE_DIMENSIONS, Dimensions, assumed, parse_dimensions
from assay.digests import digest, parse_object
from assay.errors import IntegrityError, SpecError, storage
from assay.files import read_bounded, write_whole
from assay.logs.sides import Read, have_repeats, read_sides
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns

FORMAT = "assay-comparison/1"
_REPEATED = ComparisonCaveat(code="same-content", message="")
_MOST_BYTES = 1 << 20
_TOLD_BY_RUNS = (
    *("verdict", "because", "rule", "n_baseline", "n_candidate", "pairs", "instances", "unit"),
    *("repairs", "regressions", "net", "balance", "dimensions", "flips", "looks", "harness"),
)
"""What a comparison says that the runs and the settings decide alone."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """How to compare: the plan where one was given, and what to read."""

    plan: Dimensions | None
    gates: tuple[str, ...] = ()
    policies: Mapping[str, Any]
    columns: TrialColumns
    by: By = "auto"
    sequential: bool = False
    resamples: int = 9_999
    seed: int = 0
    artifact: str | None = None


@dataclass(frozen=True, kw_only=True)
class Sides:
    """What was read: both sides' trials, and what they came from."""

    trials: tuple[tuple[Trial, ...], tuple[Trial, ...]]
    inputs: tuple[Input, ...]
    repeated: bool
    source: bool


def read_plan(flags: Mapping[str, Any]) -> Request:
    """A request from what was asked for on the command line."""
    plan = None
    if flags["config"] is not None:
        if flags["gates"]:
            raise SpecError("--gate and --config exclude each other: gate it in the file")
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
    )


def sides_of(baseline: Sequence[Path], candidate: Sequence[Path], request: Request) -> Sides:
    """Read both sides."""
    reads = read_sides(
        baseline, candidate, columns=request.columns, all_scores=request.plan is not None
    )
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
    return Sides(
        trials=(_all(reads[0]), _all(reads[1])),
        inputs=inputs,
        repeated=have_repeats(*reads),
        source=all(read.source for side in reads for read in side),
    )


def _all(reads: Sequence[Read]) -> tuple[Trial, ...]:
    return tuple(trial for read in reads for trial in read.trials)


def compare_paths(
    baseline: Sequence[Path], candidate: Sequence[Path], request: Request
) -> Comparison:
    """Read both sides and compare them."""
    sides = sides_of(baseline, candidate, request)
    plan = request.plan
    if plan is None and sides.source:
        plan = _source_plan(sides, request.gates)
    how: dict[str, Any] = {
        "baseline": sides.trials[0],
        "candidate": sides.trials[1],
        "inputs": sides.inputs,
        "caveats": [_REPEATED] if sides.repeated else [],
        "artifact": request.artifact,
        "by": request.by,
        "sequential": request.sequential,
        "resamples": request.resamples,
        "seed": request.seed,
    }
    gates = request.gates if plan is None else ()
    return compare(**how, dimensions=plan, gated=gates, policies=request.policies)


def _source_plan(sides: Sides, gates: Sequence[str]) -> Dimensions:
    """The five of `eval.json`, and the costs beside them."""
    names = dict.fromkeys(n for side in sides.trials for one in side for n in one.dimensions)
    five = [replace(one, gated=one.gated or one.name in gates) for one in SOURCE_DIMENSIONS]
    known = {one.name for one in five}
    for name in gates:
        if name not in known:
            raise SpecError(f"{name!r:.60} is none of the five dimensions of eval.json")
    costs = [assumed(name, ()) for name in names if name not in known]
    return Dimensions(dimensions=(*five, *costs))


def check_again(
    comparison: Comparison, baseline: Sequence[Path], candidate: Sequence[Path]
) -> None:
    """Compare the same runs again, and refuse a comparison that they do not give."""
    settings = comparison.settings
    columns = _columns(comparison)
    request = Request(plan=settings.plan, policies={}, columns=columns)
    sides = sides_of(baseline, candidate, request)
    if [one.digest for one in sides.inputs] != [one.digest for one in comparison.inputs]:
        raise IntegrityError(
            "these are not the runs that were compared: their digests differ",
            hint="Name the very files, in the same order.",
        )
    again = compare(
        baseline=sides.trials[0],
        candidate=sides.trials[1],
        dimensions=settings.plan,
        by=settings.by,
        sequential=settings.sequential,
        resamples=settings.resamples,
        seed=settings.seed,
        level=settings.level,
    )
    for name in _TOLD_BY_RUNS:
        if getattr(again, name) != getattr(comparison, name):
            raise IntegrityError(f"the runs do not give this comparison: {name} differs")
    if again.artifact not in (None, comparison.artifact):
        raise IntegrityError("the runs do not give this comparison: they had another artifact")


def _columns(comparison: Comparison) -> TrialColumns:
    """The columns that the runs were read by."""
    known = next((one.columns for one in comparison.inputs if one.columns is not None), {})
    return msgspec.convert(known, TrialColumns)


def check_writable(out: Path, inputs: Sequence[Path]) -> None:
    """Refuse to write a comparison over what it is made from."""
    with storage(out):
        if out.is_dir():
            raise SpecError(f"{out} is a folder", hint="Name a file: --out comparison.json.")
        if any(out.exists() and one.exists() and out.samefile(one) for one in inputs):
            raise SpecError(f"{out} is one of the inputs, and would be overwritten")


def write_comparison(path: Path, made: Comparison | SourceComparison) -> None:
    """Write a comparison; ours with a checksum, the source's with its own keys and no other."""
    record: Any = msgspec.to_builtins(made)
    if isinstance(made, Comparison):
        record = {"format": FORMAT, "checksum": _checksum(record), **record}
    write_whole(path, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def read_comparison(path: Path) -> tuple[Comparison, bytes]:
    """A comparison that `write_comparison` wrote, or the one in a folder of trials.

    One that was edited since is refused.
    """
    with storage(path):
        path = path / "comparison.json" if path.is_dir() else path
    with storage(path):
        data = path.read_bytes()
    found = parse_object(data, where=str(path))
    if found.get("format") != FORMAT:
        raise SpecError(
            f"{path}: no comparison of format {FORMAT!r}",
            hint="Make one: assay compare --baseline ... --candidate ... --out comparison.json",
        )
    record = {key: value for key, value in found.items() if key not in ("format", "checksum")}
    if _checksum(record) != found.get("checksum"):
        raise IntegrityError(f"{path} was edited since it was written: its checksum is another")
    try:
        return msgspec.convert(record, Comparison), data
    except msgspec.ValidationError as error:
        raise SpecError(f"{path}: {error}") from None


def _checksum(record: Mapping[str, Any]) -> str:
    """Tells a slip of the editor from what was written; nobody is kept from computing another."""
    return digest(msgspec.json.encode(record, order="sorted"))
