"""`compare`: two sides of scored trials in, a comparison out.

1. Refuse what is no comparison (`comparable`).
2. Settle missing values and crashed runs by policy, and find out what pairs (`table`, `design`).
3. Weigh each dimension and all together (`weighing`), or watch them come in (`sequential`).
4. Decide (`verdict`); a blocking caveat leaves no verdict.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from assay._version import __version__
from assay.digests import short
from assay.errors import IncomparableRuns, SpecError
from assay.evidence.trial import Trial
from assay.judges.compare.caveats import Notes
from assay.judges.compare.comparable import check_comparable, harness_of
from assay.judges.compare.comparison import (
    RULE,
    Change,
    Comparison,
    DimensionResult,
    Gate,
    Input,
    Looks,
    NetVerdict,
    Settings,
)
from assay.judges.compare.costs import compare_costs
from assay.judges.compare.design import FEWEST_PAIRS, MANY_INSTANCES, By
from assay.judges.compare.flips import find_flips
from assay.judges.compare.needed import pairs_needed
from assay.judges.compare.results import balance_of, result_of, untold
from assay.judges.compare.sequential import watch
from assay.judges.compare.table import Table, tabulate
from assay.judges.compare.verdict import decide
from assay.judges.compare.weighing import Evidence, Weighed, weigh
from assay.plan.dimensions import SOURCE_DIMENSIONS, Dimensions, assumed
from assay.words import counted

RESAMPLES = 9_999
LEVEL = 0.95


def compare(
    *,
    baseline: Iterable[Trial],
    candidate: Iterable[Trial],
    dimensions: Dimensions | None = None,
    gated: Sequence[str] = (),
    policies: Mapping[str, Any] | None = None,
    by: By = "auto",
    sequential: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
    inputs: Sequence[Input] = (),
    artifact: str | None = None,
    said: Mapping[str, str] | None = None,
) -> Comparison:
    """Whether the candidate helps more than it hurts.

    Without `dimensions` every column is taken for what its name and values suggest, and `gated`
    names those that must not lose. `policies` (`missing`, `crashed`, `allow`, `strict_gates`) go
    before those of the plan. `by` says whether instances or runs are the units, which a comparison
    that is looked at several times must settle before the first look. `artifact` is the digest of
    what the candidate's runs had and the baseline's had not, where the trials do not say it
    themselves. `said` are caveats that only whoever made or read the trials can know, by code.
    """
    baseline, candidate = _trials("baseline", baseline), _trials("candidate", candidate)
    if not 0.5 < level < 1.0 or resamples < 1:
        raise SpecError(
            f"level {level:g} and {resamples} resamples: expected a level between 0.5 and 1, and"
            " at least one resample"
        )
    gated = (gated,) if isinstance(gated, str) else gated
    notes = Notes()
    plan = dimensions or assumed_dimensions(baseline, candidate, gated, notes)
    plan = replace(plan, **(policies or {}))
    check_comparable(baseline, candidate, allow=plan.allow, notes=notes)
    for code, words in (said or {}).items():
        notes.add(code, words)
    settings = Settings(
        plan=plan, by=by, sequential=sequential, resamples=resamples, seed=seed, level=level
    )
    table = tabulate(baseline, candidate, plan, notes, by=by, whole_pairs=sequential)
    evidence = watch(table, settings) if sequential else weigh(table, settings)
    verdict, because = decide(evidence, strict_gates=plan.strict_gates)
    others = compare_costs(table, settings)
    _note(table, evidence, others, notes)
    caveats = notes.told()
    if any(one.blocking for one in caveats):
        codes = ", ".join(one.code for one in caveats if one.blocking)
        verdict, because = NetVerdict.INCONCLUSIVE, f"blocked: {codes}"
    counts = [one.change for one in evidence.dimensions]
    repairs, regressions = counts.count(Change.REPAIR), counts.count(Change.REGRESSION)
    design = table.kept.design
    needed = None
    if verdict is NetVerdict.INCONCLUSIVE and not any(one.blocking for one in caveats):
        needed = pairs_needed(
            weigh(table, settings) if sequential else evidence,
            level=level,
            strict_gates=plan.strict_gates,
            paired=design.unit != "run",
            sequential=sequential,
        )
    return Comparison(
        verdict=verdict,
        because=because,
        rule=RULE,
        n_baseline=len(baseline),
        n_candidate=len(candidate),
        pairs=len(design.pairs),
        instances=len(design.names),
        unit=design.unit,
        repairs=repairs,
        regressions=regressions,
        net=repairs - regressions,
        balance=balance_of(evidence),
        dimensions=(
            *(result_of(one, evidence.units) for one in evidence.dimensions),
            *(() if evidence.dimensions else map(untold, table.counting)),
            *map(untold, table.untold),
            *others,
        ),
        flips=find_flips(table),
        needed_pairs=needed,
        looks=Looks(units=evidence.units, decided_at=evidence.decided_at) if sequential else None,
        caveats=caveats,
        inputs=tuple(inputs),
        artifact=_artifact(baseline, candidate, artifact),
        harness={"baseline": harness_of(baseline), "candidate": harness_of(candidate)},
        settings=settings,
        signature=_signature(table, evidence, inputs),
    )


def _trials(side: str, found: Iterable[Trial]) -> tuple[Trial, ...]:
    """The runs of a side, however they come."""
    trials = tuple(found)
    if not trials:
        raise SpecError(f"there are no runs of the {side}")
    for one in trials:
        if not isinstance(one, Trial):
            raise SpecError(f"the {side} has {one!r:.60}, expected a Trial")
    return trials


def assumed_dimensions(
    baseline: Sequence[Trial], candidate: Sequence[Trial], gated: Sequence[str], notes: Notes
) -> Dimensions:
    """What the columns are taken for where nobody says, and a word about it."""
    values: dict[str, list[float]] = {}
    for one in (*baseline, *candidate):
        for name, value in one.dimensions.items():
            values.setdefault(name, []).extend([] if value is None else [value])
    for name in gated:
        if name not in values:
            raise SpecError(f"no run has a dimension {name!r:.60}, which is to be gated")
    found = [assumed(name, known, gated=name in gated) for name, known in values.items()]
    if not any(one.counts for one in found):
        raise SpecError(
            "no column can be taken for a score from 0 to 1",
            hint="Say what the columns are: --config dims.toml.",
        )
    known = {one.name for one in SOURCE_DIMENSIONS}
    guessed = [one.name for one in found if one.counts and one.name not in known]
    if guessed:
        notes.add("assumed", f"{', '.join(guessed)}.")
    undirected = [one.name for one in found if one.better is None]
    if undirected:
        notes.add("undirected", f"{', '.join(undirected)}.")
    return Dimensions(dimensions=tuple(found))


def _note(
    table: Table, evidence: Evidence, others: Sequence[DimensionResult], notes: Notes
) -> None:
    """What the numbers themselves make worth saying."""
    design, units = table.kept.design, evidence.units
    for one in evidence.dimensions:
        if one.gate is Gate.SPOTLESS:
            notes.add("spotless-gate", _spotless_words(one, table))
    if not any(one.gated for one in (*table.counting, *table.untold)):
        notes.add("no-gates")
    if design.unit == "run":
        few = f"{_there(len(design.pairs), 'pair')}, no more alike than other runs."
        notes.add("unpaired", few if design.paired else "")
    if 1 < len(design.names) < MANY_INSTANCES and len(table.values[0]) > len(design.names):
        notes.add("few-instances", f"There are {len(design.names)}.")
    if units < FEWEST_PAIRS:
        notes.add("small-n", f"{_there(units, design.unit)}{_a_side(design.unit)}.")
    dearer = [one.name for one in others if one.cls is Change.DECLINE]
    if dearer:
        notes.add("costs-more", f"In {', '.join(dearer)}.")


def _there(number: int, what: str) -> str:
    return f"There {'is' if number == 1 else 'are'} {counted(number, what)}"


def _a_side(unit: str) -> str:
    return " a side" if unit == "run" else ""


def _spotless_words(one: Weighed, table: Table) -> str:
    """What a spotless record of so many runs rules out, and how many would rule out the margin."""
    kept = table.kept
    runs = len(kept.pairs) if kept.design.unit == "pair" else kept.rows[1].size
    margin = one.dimension.margin / one.dimension.width
    worst = 1.0 - 0.05 ** (1.0 / max(runs, 1))
    needed = math.ceil(math.log(0.05) / math.log1p(-margin))
    rules = "rules" if runs == 1 else "rule"
    said = f"{one.dimension.name}: {counted(runs, 'run')} {rules} out that more than {worst:.0%}"
    if runs < needed:
        return f"{said} fall short; to rule out {margin:.0%} takes {needed}."
    return f"{said} fall short, if they are independent."


def _artifact(
    baseline: Sequence[Trial], candidate: Sequence[Trial], said: str | None
) -> str | None:
    """The digest of what the candidate had and the baseline had not."""
    with_it = {one.artifact for one in candidate}
    without = {one.artifact for one in baseline} - {None}
    known = sorted(one for one in with_it if one is not None)
    if without & with_it:
        raise IncomparableRuns("runs of the baseline had the artifact that is being tried out")
    if len(known) > 1 or (known and None in with_it):
        raise IncomparableRuns(
            "the candidate's runs did not all have the same artifact",
            hint="Compare the runs of one version of it.",
        )
    if said is not None and known and known[0] != said:
        raise IncomparableRuns(
            f"the runs had the artifact {short(known[0])}, and the one named is {short(said)}"
        )
    return said if said is not None else (known[0] if known else None)


def _signature(table: Table, evidence: Evidence, inputs: Sequence[Input]) -> str:
    design = table.kept.design
    read = [short(one.digest) for one in inputs]
    units = f"{counted(evidence.units, design.unit)}{_a_side(design.unit)}"
    if design.unit != "instance":
        units += f" of {counted(len(design.names), 'instance')}"
    parts = [
        units,
        *([f"inputs {', '.join(read[:4])}{' ...' if len(read) > 4 else ''}"] if read else []),
        RULE,
        f"assay {__version__}",
    ]
    return " · ".join(parts)
