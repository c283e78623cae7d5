"""`compare`: two sides of scored trials in, a comparison out.

1. Refuse what is no comparison (`comparable`).
2. Settle missing values and crashed runs by policy, and find out what pairs (`table`, `design`).
3. Weigh each dimension and all together (`weighing`), or watch them come in (`sequential`).
4. Decide (`verdict`); a blocking caveat leaves no verdict.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from assay.arguments import checked
from assay.comparison.judge.assumptions import assumed_dimensions
from assay.comparison.judge.caveats import Notes
from assay.comparison.judge.comparable import check_comparable, harness_of, measured_artifact
from assay.comparison.judge.costs import compare_costs
from assay.comparison.judge.effects import Evidence, weigh
from assay.comparison.judge.flips import find_flips
from assay.comparison.judge.needed_pairs import pairs_needed
from assay.comparison.judge.pairing import By
from assay.comparison.judge.remarks import remark, signature_of
from assay.comparison.judge.rescale import balance_of, result_of, untold
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


@checked
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

    Without `dimensions` every column is taken for what its name and values suggest, and `gated`
    names those that must not lose. `policies` (`missing`, `crashed`, `allow`, `strict_gates`) go
    before those of the plan. `by` says whether instances or runs are the units, which a comparison
    that is looked at several times must settle before the first look. `artifact` is the digest of
    what the candidate's runs had and the baseline's had not, where the trials do not say it
    themselves. `caveats` are those that only making or reading the trials can show.
    """
    baseline, candidate = _trials("baseline", baseline), _trials("candidate", candidate)
    gated = (gated,) if isinstance(gated, str) else gated
    if dimensions is not None and gated:
        raise SpecError("dimensions and gated exclude each other: gate it in the dimensions")
    notes = Notes()
    plan = dimensions or assumed_dimensions(baseline, candidate, gated, notes)
    plan = replace(plan, **(policies or {}))
    check_comparable(baseline, candidate, allow=plan.allow, notes=notes)
    if not sequential and any(one.stopped_on_verdict for one in (*baseline, *candidate)):
        notes.add("stopped-on-verdict", blocking=True)
    for one in caveats:
        notes.add(one.code, one.message, blocking=one.blocking)
    settings = _settings(
        plan=plan, by=by, sequential=sequential, resamples=resamples, seed=seed, level=level
    )
    table = tabulate(baseline, candidate, plan, notes, by=by, whole_pairs=sequential)
    evidence = watch(table, settings) if sequential else weigh(table, settings)
    others = compare_costs(table, settings)
    remark(table, evidence, others, notes)
    told = notes.by_weight()
    verdict, because, needed = _decide(table, evidence, settings, told)
    changes = [one.change for one in evidence.dimensions]
    repairs, regressions = changes.count(Change.REPAIR), changes.count(Change.REGRESSION)
    design = table.kept.design
    return Comparison(
        verdict=verdict,
        because=because,
        rule=RULE,
        n_baseline=len(baseline),
        n_candidate=len(candidate),
        pairs=len(table.kept.pairs),
        instances=table.kept.instances,
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
        caveats=told,
        inputs=tuple(inputs),
        artifact=measured_artifact(baseline, candidate, artifact),
        harness={"baseline": harness_of(baseline), "candidate": harness_of(candidate)},
        settings=settings,
        signature=signature_of(table, evidence, inputs),
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


def _settings(**settings: Any) -> Settings:  # noqa: ANN401 - the fields of a record
    """Everything but the trials that a comparison depends on, checked."""
    found = Settings(**settings)
    if not 0.5 < found.level < 1.0 or found.resamples < 1:
        raise SpecError(
            f"level {found.level:g} and {found.resamples} resamples: expected a level between 0.5"
            " and 1, and at least one resample"
        )
    return found


def _decide(
    table: TrialTable, evidence: Evidence, settings: Settings, caveats: Sequence[ComparisonCaveat]
) -> tuple[NetVerdict, str, int | None]:
    """The verdict, why, and how many more pairs would bring one; where something blocks, none."""
    strict = settings.plan.strict_gates
    blocking = [one.code for one in caveats if one.blocking]
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
