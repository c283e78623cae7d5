"""Whether two sides may be compared: what is refused, what is assumed, what is a caveat.

Refused: different instances, different scorers, a run given twice. A different harness blocks
unless it is allowed; if only the model differs, the models are compared. Without a plan, names and
values of the columns decide what they are.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from assay.comparison.judge.caveats import Notes
from assay.comparison.judge.lost_runs import missing_instances
from assay.comparison.plan_text import (
    are_shares,
    column_lines,
    cost_lines,
    counting_lines,
    dimension_lines,
    on_one_line,
    plan_lines,
    shown_values,
    undirected_words,
)
from assay.comparison.spec import SOURCE_DIMENSIONS, Dimensions, assumed
from assay.digests import short
from assay.errors import IncomparableRuns, SpecError
from assay.logs.trial import Trial
from assay.wording import some

_MODEL = "model"
_IN_EVERY_LOG = frozenset({_MODEL, "harness", "task"})
T = TypeVar("T", bound=Hashable)


def check_comparable(
    baseline: Sequence[Trial], candidate: Sequence[Trial], *, allow: Sequence[str], notes: Notes
) -> None:
    """Refuse sides that cannot be compared, and note doubts."""
    both = [*baseline, *candidate]
    for side, trials in (("baseline", baseline), ("candidate", candidate)):
        named = [(trial.instance, trial.trial) for trial in trials if trial.trial is not None]
        if twice := [f"{instance}, trial {trial}" for instance, trial in _repeated(named)]:
            raise IncomparableRuns(
                f"the {side} has the same run twice: {some(twice)}",
                hint="Each run counts once: give each trial of an instance its own id.",
            )
    if runs := _repeated(trial.run for trial in both if trial.run is not None):
        raise IncomparableRuns(
            f"the same run is given twice: {some(runs)}",
            hint="Give each run once, on one side; a copy is not evidence. If the column `run` only"
            " numbers the runs of an instance: `trial=run`.",
        )
    if len({id(trial) for trial in both}) < len(both):
        notes.add("same-content")
    missing_instances(baseline, candidate)
    _check_scorers(both, notes)
    _check_harness(baseline, candidate, allow, notes)


def _repeated(names: Iterable[T]) -> list[T]:
    return [name for name, count in Counter(names).items() if count > 1]


def _check_scorers(trials: Sequence[Trial], notes: Notes) -> None:
    known = {trial.scorer for trial in trials}
    named = sorted(scorer for scorer in known if scorer is not None)
    if len(named) > 1:
        raise IncomparableRuns(
            f"the runs were scored by {len(named)} scorers: {some(named)}",
            hint="Scores of different scorers are not comparable: use one scorer for all runs.",
        )
    if named and None in known:
        notes.add("scorer-unknown")


def _check_harness(
    baseline: Sequence[Trial], candidate: Sequence[Trial], allow: Sequence[str], notes: Notes
) -> None:
    ours, theirs = harness_of(baseline), harness_of(candidate)
    if bool(ours) is not bool(theirs):
        notes.add("harness-unknown")
        return
    untold = _untold(ours, theirs) | _untold(theirs, ours)
    if untold:
        notes.add("harness-unknown", f"Known for one side only: {some(sorted(untold))}.")
    names = [
        name
        for name in sorted(ours.keys() | theirs.keys())
        if name not in untold and ours.get(name) != theirs.get(name)
    ]
    differing = [
        f"{name} (baseline {ours.get(name, 'unknown')}, candidate {theirs.get(name, 'unknown')})"
        for name in names
    ]
    if names == [_MODEL] and _MODEL in ours.keys() & theirs.keys():
        notes.add("models-differ", f"baseline {ours[_MODEL]}, candidate {theirs[_MODEL]}.")
    elif differing:
        allowed = "harness" in allow
        meant = "This was allowed." if allowed else "If this is intended: `allow=harness`."
        notes.add("harness-differs", f"{some(differing)}. {meant}", blocking=not allowed)
    several = {
        name
        for side in (baseline, candidate)
        for name, values in _harness_values(side).items()
        if len(values) > 1
    }
    if several:
        notes.add("harness-mixed", f"In {some(sorted(several))}.")


def _untold(own: Mapping[str, str], other: Mapping[str, str]) -> set[str]:
    """The keys that a log without a header cannot tell: its version, and missing settings.

    In a log with a header, a missing setting has the default, which counts as a different value.
    """
    if "harness" not in own or "harness" not in other:
        return set()
    no_version = other["harness"].startswith(f"{own['harness']} ")
    if not no_version and not own.keys() <= _IN_EVERY_LOG:
        return set()
    return (other.keys() - own.keys()) | ({"harness"} if no_version else set())


def harness_of(trials: Iterable[Trial]) -> dict[str, str]:
    """The harness of some runs; several values of a key are joined."""
    return {name: " | ".join(sorted(values)) for name, values in _harness_values(trials).items()}


def _harness_values(trials: Iterable[Trial]) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    last: Mapping[str, str] = {}
    for trial in trials:
        if trial.harness == last:  # as nearly always
            continue
        last = trial.harness
        for name, value in last.items():
            values.setdefault(name, set()).add(value)
    return dict(sorted(values.items()))


def measured_artifact(
    baseline: Sequence[Trial], candidate: Sequence[Trial], named: str | None
) -> str | None:
    """The digest of the artifact that only the candidate had."""
    with_it = {trial.artifact for trial in candidate}
    known = sorted(artifact for artifact in with_it if artifact is not None)
    if {trial.artifact for trial in baseline} & set(known):
        raise IncomparableRuns("runs of the baseline had the artifact under trial")
    if len(known) > 1 or (known and None in with_it):
        raise IncomparableRuns(
            "the candidate's runs did not all have the same artifact",
            hint="Compare runs with one version of it.",
        )
    if named is not None and known and known[0] != named:
        raise IncomparableRuns(
            f"the runs had the artifact {short(known[0])}, but the named one is {short(named)}"
        )
    return named if named is not None else (known[0] if known else None)


def assumed_dimensions(
    baseline: Sequence[Trial],
    candidate: Sequence[Trial],
    gated: Sequence[str],
    notes: Notes,
    *,
    lower: Collection[str] = (),
    unread: Sequence[str] = (),
) -> Dimensions:
    """Assume the dimensions from the columns, and note what was assumed.

    `unread` says which columns were not read, for the error if no column is a score.
    """
    rows = [trial.dimensions for trial in (*baseline, *candidate)]
    values = {
        name: [value for row in rows if (value := row.get(name)) is not None]
        for name in dict.fromkeys(chain.from_iterable(rows))
    }
    for name in gated:
        if name not in values:
            listed = ", ".join(list(values)[:12])
            raise SpecError(
                f"no run has the gated dimension {name!r:.60}; the dimensions are {listed}",
                hint="Name one of these: `gate=NAME`.",
            )
    stated = _judged_without_a_plan(values, gated, lower)
    dimensions = []
    for name, held in values.items():
        try:
            made = assumed(name, held, gated=name in gated, lower=name in lower)
        except SpecError as error:  # a plan with its lines alone would drop the other columns
            others = [line for other in stated if other != name for line in stated[other]]
            details = [*others, *(error.details or ())]
            raise SpecError(error.message, hint=error.hint, details=details) from None
        dimensions.append(made)
    if not any(dimension.counts for dimension in dimensions):
        raise SpecError(
            "no column is known to be a score from 0 to 1 of which more is better",
            details=[*column_lines(values), *unread, *plan_lines(values)],
            hint="Which of them count? Say so in a plan, `config=PLAN`: the lines above, as they"
            " fit.",
        )
    known = {dimension.name for dimension in SOURCE_DIMENSIONS}
    counting = [dimension.name for dimension in dimensions if dimension.counts]
    guessed = [name for name in counting if name not in known]
    if guessed:
        notes.add("assumed", f"{', '.join(guessed)}.")
    undirected = [dimension.name for dimension in dimensions if dimension.better is None]
    if undirected:
        notes.add("undirected", _undirected({name: values[name] for name in undirected}, stated))
    return Dimensions(dimensions=tuple(dimensions))


def _judged_without_a_plan(
    values: Mapping[str, Sequence[float]], gated: Collection[str], lower: Collection[str]
) -> dict[str, list[str]]:
    """The columns that count without a plan, then the costs, with the lines that keep them so."""
    found = [assumed(name, known, lower=name in lower) for name, known in values.items()]
    counting = {
        each.name: counting_lines(
            each.name, gated=each.gated or each.name in gated, lower=each.better == "lower"
        )
        for each in found
        if each.counts
    }
    costs = [each.name for each in found if not each.counts and each.better is not None]
    return counting | {name: cost_lines(name) for name in costs}


def _undirected(columns: Mapping[str, Sequence[float]], stated: Mapping[str, Sequence[str]]) -> str:
    """The columns without a direction and their values; and a plan in which the first counts too.

    `stated` are the columns judged so far, with their lines: a plan without them would drop them.
    The line of the plan comes last and alone, to be pasted.
    """
    shares = [name for name, values in columns.items() if are_shares(values)]
    said = [
        f"{name} ({shown_values(values)}{f'; {undirected_words(name)}' * (name in shares)})"
        for name, values in columns.items()
    ]
    first = next(iter([*shares, *columns]))
    line = on_one_line({**stated, first: dimension_lines(first, columns[first])})
    also = ", and keep the others as they are" if stated else ""
    return f"{', '.join(said)}. To count {first}{also}: `config=FILE` with the line {line}"
