"""`compare`: two sides of scored trials in, a comparison out.

1. Refuse sides that cannot be compared (`comparable`).
2. Apply the policies for missing values and crashed runs, and pair the runs (`table`, `pairing`).
3. Estimate each dimension and the balance (`effects`), or look after every unit (`sequential`).
4. Decide (`verdict`); a blocking caveat leaves no verdict.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from assay.comparison.judge.caveats import Notes, remark, signature_of
from assay.comparison.judge.comparable import (
    assumed_dimensions,
    check_comparable,
    harness_of,
    measured_artifact,
)
from assay.comparison.judge.dimension_results import (
    balance_of,
    compare_costs,
    empty_result,
    find_flips,
    result_of,
)
from assay.comparison.judge.effects import Evidence, weigh
from assay.comparison.judge.needed_pairs import pairs_needed
from assay.comparison.judge.pairing import By
from assay.comparison.judge.sequential import watch
from assay.comparison.judge.table import TrialTable, tabulate
from assay.comparison.judge.verdict import decide
from assay.comparison.result import (
    RULE,
    Change,
    Comparison,
    ComparisonCaveat,
    Input,
    Looks,
    NetVerdict,
    Settings,
)
from assay.comparison.spec import Dimensions
from assay.errors import SpecError
from assay.logs.trial import Trial

RESAMPLES = 9_999
LEVEL = 0.95


def compare(
    *,
    baseline: Iterable[Trial],
    candidate: Iterable[Trial],
    dimensions: Dimensions | None = None,
    gated: str | Sequence[str] = (),
    policies: Mapping[str, Any] | None = None,
    by: By = "auto",
    sequential: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
    inputs: Sequence[Input] = (),
    artifact: str | None = None,
    caveats: Sequence[ComparisonCaveat] = (),
) -> Comparison:
    """Whether the candidate helps more than it hurts.

    Without `dimensions` names and values of the columns decide what they are, and `gated` names
    those that must not lose. `policies` (`missing`, `crashed`, `allow`, `strict_gates`) override
    the plan's. `by` sets instances or runs as the units; a sequential comparison must fix it
    before the first look. `artifact` is the digest of the artifact that only the candidate had,
    for trials that do not name it. `caveats` come from making or reading the trials.
    """
    baseline, candidate = _trials("baseline", baseline), _trials("candidate", candidate)
    gated = (gated,) if isinstance(gated, str) else gated
    if dimensions is not None and gated:
        raise SpecError("dimensions and gated exclude each other: gate it in the dimensions")
    notes = Notes()
    plan = dimensions or assumed_dimensions(baseline, candidate, gated, notes)
    plan = replace(plan, **(policies or {}))
    check_comparable(baseline, candidate, allow=plan.allow, notes=notes)
    if not sequential and any(trial.stopped_on_verdict for trial in (*baseline, *candidate)):
        notes.add("stopped-on-verdict", blocking=True)
    for caveat in caveats:
        notes.add(caveat.code, caveat.message, blocking=caveat.blocking)
    if not 0.5 < level < 1.0 or resamples < 1:
        raise SpecError(
            f"level {level:g} and {resamples} resamples: expected a level between 0.5 and 1, and at"
            " least one resample"
        )
    settings = Settings(
        plan=plan, by=by, sequential=sequential, resamples=resamples, seed=seed, level=level
    )
    table = tabulate(baseline, candidate, plan, notes, by=by, whole_pairs=sequential)
    evidence = watch(table, settings) if sequential else weigh(table, settings)
    others = compare_costs(table, settings)
    remark(table, evidence, others, notes)
    noted = notes.by_weight()
    verdict, because, needed = _decide(table, evidence, settings, noted)
    changes = [effect.change for effect in evidence.dimensions]
    repairs, regressions = changes.count(Change.REPAIR), changes.count(Change.REGRESSION)
    return Comparison(
        verdict=verdict,
        because=because,
        rule=RULE,
        n_baseline=len(baseline),
        n_candidate=len(candidate),
        pairs=len(table.kept.pairs),
        instances=table.kept.instances,
        unit=table.kept.design.unit,
        repairs=repairs,
        regressions=regressions,
        net=repairs - regressions,
        balance=balance_of(evidence),
        dimensions=(
            *(result_of(effect, evidence.units) for effect in evidence.dimensions),
            *(() if evidence.dimensions else map(empty_result, table.counting)),
            *map(empty_result, table.incomparable),
            *others,
        ),
        flips=find_flips(table),
        needed_pairs=needed,
        looks=Looks(units=evidence.units, decided_at=evidence.decided_at) if sequential else None,
        caveats=noted,
        inputs=tuple(inputs),
        artifact=measured_artifact(baseline, candidate, artifact),
        harness={"baseline": harness_of(baseline), "candidate": harness_of(candidate)},
        settings=settings,
        signature=signature_of(table, evidence, inputs),
    )


def _trials(side: str, trials: Iterable[Trial]) -> tuple[Trial, ...]:
    """The runs of a side, checked to be trials."""
    listed = tuple(trials)
    if not listed:
        raise SpecError(f"there are no runs of the {side}")
    for trial in listed:
        if not isinstance(trial, Trial):
            raise SpecError(f"the {side} has {trial!r:.60}, expected a Trial")
    return listed


def _decide(
    table: TrialTable, evidence: Evidence, settings: Settings, caveats: Sequence[ComparisonCaveat]
) -> tuple[NetVerdict, str, int | None]:
    """The verdict, why, and how many more pairs would bring one; no verdict if a caveat blocks."""
    strict = settings.plan.strict_gates
    blocking = [caveat.code for caveat in caveats if caveat.blocking]
    if blocking:
        return NetVerdict.INCONCLUSIVE, f"blocked: {', '.join(blocking)}", None
    verdict, because = decide(evidence, strict_gates=strict)
    if verdict is not NetVerdict.INCONCLUSIVE:
        return verdict, because, None
    needed = pairs_needed(
        weigh(table, settings) if settings.sequential else evidence,
        level=settings.level,
        strict_gates=strict,
        paired=table.kept.design.unit != "run",
        sequential=settings.sequential,
    )
    return verdict, because, needed
