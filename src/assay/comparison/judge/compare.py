"""`compare`: two sides of scored trials in, a comparison out.

1. Refuse sides that cannot be compared (`comparable`).
2. Apply the policies for missing values and crashed runs, and pair the runs (`table`, `pairing`).
   Without a policy, steps 2 to 5 are repeated with lost runs left out and as failures.
3. Estimate each dimension and the balance (`effects`), or look after every unit (`sequential`).
4. Note the caveats that follow from the numbers.
5. Decide (`verdict`). There is no verdict if a caveat blocks or the policies disagree.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from assay._version import __version__
from assay.comparison.judge.caveats import Notes, blocked_by
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
from assay.comparison.judge.effects import DimensionEffect, Evidence, weigh
from assay.comparison.judge.lost_runs import judge_either_way, with_lost_instances
from assay.comparison.judge.needed_pairs import pairs_needed
from assay.comparison.judge.pairing import FEWEST_PAIRS, MANY_INSTANCES, UnitChoice, drawn_turns
from assay.comparison.judge.sequential import watch
from assay.comparison.judge.table import TrialTable, tabulate
from assay.comparison.judge.verdict import decide
from assay.comparison.result import (
    RULE,
    Change,
    Comparison,
    ComparisonCaveat,
    DimensionResult,
    Gate,
    Input,
    Looks,
    NetVerdict,
    Settings,
)
from assay.comparison.spec import Dimensions
from assay.digests import short
from assay.errors import SpecError
from assay.logs.columns.metric_names import is_cost
from assay.logs.trial import Trial
from assay.wording import counted, percent

RESAMPLES = 9_999
LEVEL = 0.95


def compare(
    *,
    baseline: Iterable[Trial],
    candidate: Iterable[Trial],
    dimensions: Dimensions | None = None,
    gated: str | Sequence[str] = (),
    policies: Mapping[str, Any] | None = None,
    unit: UnitChoice = "auto",
    sequential: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
    inputs: Sequence[Input] = (),
    artifact: str | None = None,
    caveats: Sequence[ComparisonCaveat] = (),
    lower: Collection[str] = (),
    assumed: bool = False,
) -> Comparison:
    """Whether the candidate helps more than it hurts.

    Without `dimensions`, the names and values of the columns decide what they are; `gated` names
    those that must not lose, and `lower` those where less is better. `policies` (`missing`,
    `crashed`, `allow`, `strict_gates`) override the plan's. Without a policy for missing values or
    crashed runs, all are tried, and there is a verdict only if they agree. `unit` sets instances or
    runs as the units; a sequential comparison must fix it before the first look. `artifact` is the
    digest of the artifact that only the candidate had, for trials that do not name it. `caveats`
    come from making or reading the trials. `assumed` says that an earlier comparison took
    `dimensions` from the columns.
    """
    baseline, candidate = _trials("baseline", baseline), _trials("candidate", candidate)
    gated = (gated,) if isinstance(gated, str) else gated
    if dimensions is not None and gated:
        raise SpecError(
            "`dimensions` and `gated` exclude each other: set gated = true in the dimensions"
        )
    notes = Notes()
    unread = [caveat.message for caveat in caveats if caveat.code == "columns-not-read"]
    plan = dimensions or assumed_dimensions(
        baseline, candidate, gated, notes, lower=lower, unread=[f"not read: {w}" for w in unread]
    )
    plan = replace(plan, **(policies or {}))
    check_comparable(baseline, candidate, allow=plan.allow, notes=notes)
    _note_order(baseline, candidate, sequential, notes)
    for caveat in caveats:
        notes.add(caveat.code, caveat.message, blocking=caveat.blocking)
    if not 0.5 < level < 1.0 or resamples < 1:
        raise SpecError(
            f"level {level:g} and {resamples} resamples: expected a level between 0.5 and 1, and at"
            " least one resample"
        )
    if seed < 0:
        raise SpecError(f"seed {seed}: expected a number of at least 0")
    settings = Settings(
        plan=plan,
        unit=unit,
        sequential=sequential,
        resamples=resamples,
        seed=seed,
        level=level,
        assumed=assumed or dimensions is None,
    )
    sides = (baseline, candidate)
    made = judge_either_way(
        plan,
        lambda way: _judge(sides, way, settings, notes.copy()),
    )
    return replace(
        made,
        inputs=tuple(inputs),
        artifact=measured_artifact(baseline, candidate, artifact),
        signature=" · ".join([made.signature, *_named(inputs), RULE, f"assay {__version__}"]),
    ).of_trials(sides)


def _judge(
    given: tuple[Sequence[Trial], Sequence[Trial]],
    way: Dimensions,
    settings: Settings,
    notes: Notes,
) -> Comparison:
    """Steps 2 to 5, with the policies of `way`."""
    baseline, candidate = with_lost_instances(*given, notes)
    table = tabulate(
        baseline,
        candidate,
        way,
        notes,
        unit=settings.unit,
        whole_pairs=settings.sequential,
        assumed=settings.assumed,
    )
    evidence = watch(table, settings) if settings.sequential else weigh(table, settings)
    others = compare_costs(table, settings)
    remark(table, evidence, others, notes)
    noted = notes.by_weight()
    verdict, because, needed = _decide(table, evidence, settings, noted)
    return Comparison(
        verdict=verdict,
        because=because,
        rule=RULE,
        n_baseline=len(given[0]),
        n_candidate=len(given[1]),
        pairs=len(table.kept.pairs),
        instances=table.kept.instances,
        unit=table.kept.design.unit,
        balance=balance_of(evidence),
        dimensions=(
            *(result_of(effect, evidence.units) for effect in evidence.dimensions),
            *(() if evidence.dimensions else map(empty_result, table.counting)),
            *map(empty_result, table.incomparable),
            *others,
        ),
        flips=find_flips(table),
        needed_pairs=needed,
        looks=Looks(units=evidence.units, decided_at=evidence.decided_at)
        if settings.sequential
        else None,
        caveats=noted,
        inputs=(),
        artifact=None,
        harness={"baseline": harness_of(given[0]), "candidate": harness_of(given[1])},
        settings=settings,
        signature=units_of(table, evidence),
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


def _note_order(
    baseline: Sequence[Trial], candidate: Sequence[Trial], sequential: bool, notes: Notes
) -> None:
    """Note if the order of the runs decided when to stop, and in which order they are used."""
    stopped = any(trial.stopped_on_verdict for trial in (*baseline, *candidate))
    if stopped and not sequential:
        notes.add("stopped-on-verdict", blocking=True)
    if sequential and drawn_turns(candidate) is None:
        notes.add("order-lost" if stopped else "order-drawn", blocking=stopped)


def _decide(
    table: TrialTable, evidence: Evidence, settings: Settings, caveats: Sequence[ComparisonCaveat]
) -> tuple[NetVerdict, str, int | None]:
    """The verdict, why, and how many more pairs would bring one; no verdict if a caveat blocks."""
    strict = settings.plan.strict_gates
    blocking = [caveat.code for caveat in caveats if caveat.blocking]
    if blocking:
        return NetVerdict.INCONCLUSIVE, blocked_by(blocking), None
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


def remark(
    table: TrialTable, evidence: Evidence, others: Sequence[DimensionResult], notes: Notes
) -> None:
    """Note the caveats that follow from the numbers."""
    design, units = table.kept.design, evidence.units
    for effect in evidence.dimensions:
        if effect.gate in (Gate.SPOTLESS, Gate.NARROW):
            notes.add(f"{effect.gate}-gate", _unproven_words(effect, table))
    if not any(dimension.gated for dimension in (*table.counting, *table.incomparable)):
        notes.add("no-gates")
    if design.unit == "run":
        pairs = len(table.kept.pairs)
        why = "too few to use" if pairs < FEWEST_PAIRS else "not correlated"
        notes.add("unpaired", f"{_there(pairs, 'pair')}, {why}." if design.paired else "")
    if 1 < len(design.names) < MANY_INSTANCES and len(table.values[0]) > len(design.names):
        notes.add("few-instances", f"There are {len(design.names)}.")
    if units < FEWEST_PAIRS:
        notes.add("small-n", f"{_there(units, design.unit)}{_a_side(design.unit)}.")
    if evidence.looked and table.kept.matched > evidence.whole:
        left = table.kept.matched - evidence.whole
        notes.add("uneven-rounds", f"{_there(left, 'such pair')}.")
    dearer = [cost.name for cost in others if cost.cls is Change.DECLINE and is_cost(cost.name)]
    dearer += [  # also if it counts and the rise is inside its margin
        effect.dimension.name
        for effect in evidence.dimensions
        if is_cost(effect.dimension.name) and effect.high is not None and effect.high < 0.0
    ]
    if dearer:
        notes.add("costs-more", f"In {', '.join(dearer)}.")


def _there(number: int, what: str) -> str:
    return f"There {'is' if number == 1 else 'are'} {counted(number, what)}"


def _a_side(unit: str) -> str:
    return " a side" if unit == "run" else ""


def _unproven_words(effect: DimensionEffect, table: TrialTable) -> str:
    """What the runs of a gate show, and how many would show as much as the margin."""
    kept, dimension = table.kept, effect.dimension
    runs = len(kept.pairs) if kept.design.unit == "pair" else kept.rows[1].size
    margin = dimension.scaled_margin
    worst = 1.0 - 0.05 ** (1.0 / max(runs, 1))
    needed = math.ceil(math.log(0.05) / math.log1p(-margin))
    lost = "fall short of it" if effect.gate is Gate.SPOTLESS else "lose more than any of these did"
    shows = f"{counted(runs, 'run')} {'shows' if runs == 1 else 'show'}"
    record = f"{dimension.name}: {shows} that at most {_share(worst)} of all runs {lost}"
    if runs < needed:
        return f"{record}; {needed} would show {_share(margin)}."
    return f"{record}, if runs are independent."


def _share(share: float) -> str:
    return percent(float(f"{share:.2g}"))


def units_of(table: TrialTable, evidence: Evidence) -> str:
    """The amount of evidence behind the verdict."""
    design = table.kept.design
    units = f"{counted(evidence.units, design.unit)}{_a_side(design.unit)}"
    if design.unit != "instance":
        units += f" of {counted(len(design.names), 'instance')}"
    return units


def _named(inputs: Sequence[Input]) -> list[str]:
    """The inputs by their digests, the first four."""
    digests = [short(read.digest) for read in inputs]
    more = " ..." if len(digests) > 4 else ""
    return [f"inputs {', '.join(digests[:4])}{more}"] if digests else []
