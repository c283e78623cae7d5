"""Compare two sides of trials: does a change help more than it hurts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from assay.api.arguments import in_range, one_of, words
from assay.api.trial_sources import columns_of, named_sides, sources_of
from assay.comparison.adr_0031 import SourceComparison, compare_adr_0031
from assay.comparison.collect import (
    Request,
    compare_sides,
    compared_sides,
    read_dimensions,
    sides_from,
)
from assay.comparison.plan_checks import refuse_unknown_dimensions
from assay.comparison.plan_text import dimension_lines
from assay.comparison.result import Comparison, Comparisons
from assay.comparison.sides.reader import SideReading, SideSource
from assay.comparison.sides.side import Side
from assay.comparison.spec import Policy
from assay.comparison.store import check_writable, write_comparison
from assay.errors import SpecError
from assay.folders import artifact_digest
from assay.study.scorecards.in_force import scorecard_in_force
from assay.tables.nested import as_word

UNITS = ("auto", "instance", "run")
RULES = ("net-effect", "adr-0031")
POLICIES = ("fail", "exclude")
RESAMPLES = 9_999
MOST_RESAMPLES = 10_000_000
FEWEST_RESAMPLES = 99


def compare(
    baseline: object,
    candidate: object = None,
    *more: object,
    gate: str | Sequence[str] = (),
    config: str | Path | Mapping[str, Any] | None = None,
    by: str | None = None,
    first: str | float | None = None,
    where: str | None = None,
    task: str | None = None,
    all_pairs: bool = False,
    missing: Policy | None = None,
    crashed: Policy | None = None,
    allow: str | Sequence[str] = (),
    strict_gates: bool = False,
    unit: Literal["auto", "instance", "run"] = "auto",
    sequential: bool = False,
    instance: str | None = None,
    trial: str | None = None,
    dimension: str | Sequence[str] = (),
    encoding: str | None = None,
    split: str | None = None,
    artifact: str | Path | None = None,
    rule: Literal["net-effect", "adr-0031"] = "net-effect",
    resamples: int = RESAMPLES,
    seed: int = 0,
    out: str | Path | None = None,
) -> Comparison | Comparisons | SourceComparison:
    """Find out whether a change helps more than it hurts.

    A side is a path (a log of an evaluation harness or a folder of logs, a file of trials, a folder
    of scored runs, a stored run that was judged), several paths in a list, a list of dictionaries,
    a frame, or the result of `load_trials`. A dictionary of sides names them, the baseline first:
    `compare({"old": before, "new": after})`. Scores are read, never computed. Runs pair by instance
    and trial. Sides may also be plain scores of the same items: lists and arrays pair by position,
    Series by their index. Of an index with several levels the first is the instance and the others
    are the trial, unless `instance` and `trial` name levels. With more than two sides, each is
    compared with the first, and the level of 95 % holds for all verdicts together; likewise with
    several tasks.

    Args:
        baseline: runs without the change; with `by`, the source that holds all sides.
        candidate: runs with the change.
        *more: further sides, each compared with the baseline.
        gate: a dimension that must not lose more than its margin, or several. There is no `ratify`
            if a gate may have lost more. It passes if a smaller loss is shown. If there are too few
            runs to show that, it also passes if every run of the candidate is at the best value
            (spotless), or if it would be shown provided that no run can lose more than the worst
            one did (narrow); a caveat says so.
        config: dimensions, gates and margins: a TOML file, or a dictionary of its keys, such as
            `{"dimensions": {"correct": {"gated": True, "margin": 0.02}}}`. Each names a column.
        by: the column that tells the sides of one source apart, as `model`.
        first: with `by`, the side to compare the others with, as the column names it. Default: the
            side of the first row.
        where: read only rows or logs such as `split == "test"`.
        task: compare only this task, if logs hold several.
        all_pairs: compare every side with every other.
        missing: `fail` counts missing values as failures, `exclude` leaves the runs out. Default:
            try both; no verdict if they disagree.
        crashed: the same for runs that crashed or that only one side has.
        allow: `harness`, if the harness differs on purpose; `scale`, if the scores of one side are
            20 to 500 times those of the other, and neither is in per cent.
        strict_gates: a gate passes only if its loss is shown to be smaller than its margin. By
            default, spotless and narrow gates pass as well.
        unit: the unit of evidence; `auto` is instances if there are at least ten, else runs.
        sequential: a test that stays valid if you look after every pair.
        instance: the column that names a row's instance. Default: `instance`.
        trial: the column that numbers repeated runs of an instance. Default: `trial`.
        dimension: read only this column, or these; for plain scores, their name.
        encoding: the encoding of a file, if not UTF-8.
        split: the split to read, if a folder has several.
        artifact: the artifact that the candidate had; its digest is recorded for `assay ratify`.
        rule: the decision rule; `adr-0031` is the older one.
        resamples: random sign flips, if there are too many to try all.
        seed: of the random sign flips.
        out: write the comparison to this file.

    Returns a Comparison; Comparisons if there are several pairs of sides or several tasks.

    Example:
        >>> import assay
        >>> before = [{"instance": f"q{n}", "correct": n % 3 == 0} for n in range(60)]
        >>> after = [{"instance": f"q{n}", "correct": n % 3 != 1} for n in range(60)]
        >>> result = assay.compare(before, after)
        >>> result.verdict.value, round(result.dimensions[0].delta, 3)
        ('ratify', 0.333)
        >>> both = [{"model": m, **row} for m, rows in zip("ab", (before, after)) for row in rows]
        >>> assay.compare(both, by="model").favourable
        True
        >>> scores = [[row["correct"] for row in rows] for rows in (before, after)]
        >>> assay.compare(*scores).verdict.value
        'ratify'

    """
    one_of("unit", unit, UNITS)
    one_of("rule", rule, RULES)
    for name, policy in (("missing", missing), ("crashed", crashed)):
        one_of(name, policy, (None, *POLICIES))
    in_range("resamples", resamples, FEWEST_RESAMPLES, MOST_RESAMPLES)
    side = None if first is None else as_word(first)
    plan = None if config is None else read_dimensions(config)
    reading = SideReading(
        columns=columns_of(instance, trial, dimension, encoding, split),
        all_scores=plan is not None,
        planned=() if plan is None else tuple(each.name for each in plan.dimensions),
        fixture_required=rule != "adr-0031",
        by=by,
        where=where,
        in_study=scorecard_in_force,
    )
    named = _named(baseline, candidate, more, first=side, reading=reading)
    if out is not None:
        paths = [each for _, sources in named for each in sources if isinstance(each, Path)]
        check_writable(Path(out), paths)
    gates = words(gate)
    if plan is not None and gates:
        raise SpecError(
            "`gate=` and `config=` exclude each other: a plan says itself what is gated",
            details=[line for name in gates for line in dimension_lines(name, (), gated=True)],
            hint="Leave out `gate=`, and gate in the plan of `config=`, as above.",
        )
    policies: Mapping[str, Any] = {
        "missing": missing,
        "crashed": crashed,
        "allow": words(allow),
        "strict_gates": strict_gates,
    }
    request = Request(
        plan=plan,
        gates=gates,
        policies={name: value for name, value in policies.items() if value},
        reading=reading,
        unit=unit,
        sequential=sequential,
        resamples=resamples,
        seed=seed,
        artifact=None if artifact is None else artifact_digest(Path(artifact)),
        task=task,
        first=side,
        all_pairs=all_pairs,
        named=_are_named(baseline, candidate) and by is None,
    )
    made = _judged(sides_from(named, request), request, rule=rule)
    if out is not None:
        write_comparison(Path(out), made)
    return made


def _named(
    baseline: object,
    candidate: object,
    more: Sequence[object],
    *,
    first: str | None,
    reading: SideReading,
) -> list[tuple[str, list[SideSource]]]:
    """The sides by name; only one if a column separates them."""
    sides = [side for side in (baseline, candidate, *more) if side is not None]
    columns, planned = reading.columns, reading.planned
    if reading.by is not None:
        sources = [
            each for side in sides for each in sources_of(side, "baseline", split=columns.split)
        ]
        return [("all", sources)]
    if first is not None:
        raise SpecError("`first=` needs `by=COLUMN`: it names one of those sides")
    if isinstance(baseline, Mapping) and _are_named(baseline, candidate):
        names = [str(name) for name in baseline]
        return named_sides(list(baseline.values()), columns, planned, names)
    if candidate is None:
        both = "Name both: assay compare BASELINE CANDIDATE. Where one file holds both:"
        if not isinstance(baseline, (str, Path)):
            both = (
                "Give both: assay.compare(baseline, candidate). If two columns of a frame are"
                ' the sides: assay.compare(frame["ONE"], frame["OTHER"]). If a column tells the'
                " rows of the sides apart:"
            )
        raise SpecError(
            f"one side, {_shown(baseline)}, and nothing to compare it with",
            hint=f"{both} `by=COLUMN`.",
        )
    return named_sides(sides, columns, planned)


def _are_named(baseline: object, candidate: object) -> bool:
    """Whether the sides are in a dictionary, by their names."""
    return candidate is None and isinstance(baseline, Mapping) and len(baseline) > 1


def _shown(side: object) -> str:
    return f"{side!s:.200}" if isinstance(side, (str, Path)) else f"a {type(side).__name__}"


def _judged(
    sides: Sequence[Side], request: Request, *, rule: str
) -> Comparison | Comparisons | SourceComparison:
    if rule != "adr-0031":
        return compare_sides(sides, request)
    if len(sides) != 2 or len(sides[0].tasks) > 1:
        raise SpecError("`rule=adr-0031` compares two sides of one task")
    given = {
        "gate": request.gates,
        **dict.fromkeys(request.policies, True),
        "sequential": request.sequential,
        "artifact": request.artifact,
        "all_pairs": request.all_pairs,
    }
    unknown = [f"`{name}=`" for name, value in given.items() if value]
    if unknown:
        raise SpecError(
            f"`rule=adr-0031` does not take {', '.join(unknown)}",
            hint="Leave it out; a plan has gates and ideals of other dimensions: `config=PLAN`.",
        )
    trials = compared_sides(sides[0], sides[1], request, sides[0].tasks[0]).trials
    plan = request.plan
    if plan is not None:
        refuse_unknown_dimensions(plan, sides)
    return compare_adr_0031(*trials, *([] if plan is None else [plan.dimensions]))
