"""Whether two sides may be compared at all: what is refused, and what is only said.

Refused: other instances on one side, another scorer, a run given twice. A different harness blocks
unless it is meant.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from assay.comparison.judge.caveats import Notes
from assay.digests import short
from assay.errors import IncomparableRuns
from assay.logs.trial import Trial
from assay.wording import counted

_SHOWN = 5


def check_comparable(
    baseline: Sequence[Trial], candidate: Sequence[Trial], *, allow: Sequence[str], notes: Notes
) -> None:
    """Refuse what is no comparison, and note what makes it a doubtful one."""
    for side, trials in (("baseline", baseline), ("candidate", candidate)):
        _check_twice(side, trials)
    _check_runs([*baseline, *candidate])
    if len({id(trial) for trial in (*baseline, *candidate)}) < len(baseline) + len(candidate):
        notes.add("same-content")
    _check_instances(baseline, candidate)
    _check_scorers([*baseline, *candidate], notes)
    _check_harness(baseline, candidate, allow, notes)


def _check_twice(side: str, trials: Sequence[Trial]) -> None:
    known = Counter((one.instance, one.trial) for one in trials if one.trial is not None)
    twice = [f"{instance}, trial {trial}" for (instance, trial), n in known.items() if n > 1]
    if twice:
        raise IncomparableRuns(
            f"the same run stands twice on the side of the {side}: {_some(twice)}",
            hint="Each run counts once: give each trial of an instance its own id.",
        )


def _check_runs(trials: Sequence[Trial]) -> None:
    known = Counter(trial.run for trial in trials if trial.run is not None)
    twice = [str(run) for run, n in known.items() if n > 1]
    if twice:
        raise IncomparableRuns(
            f"the same run is given twice: {_some(twice)}",
            hint="A copy is no evidence: give each run once, on one side. If a column `run` only"
            " numbers the runs of an instance: `trial=run`.",
        )


def _check_instances(baseline: Sequence[Trial], candidate: Sequence[Trial]) -> None:
    ours, theirs = ({one.instance for one in side} for side in (baseline, candidate))
    if ours != theirs:
        only = [
            f"only the {side} has {_some(sorted(found))}"
            for side, found in (("baseline", ours - theirs), ("candidate", theirs - ours))
            if found
        ]
        raise IncomparableRuns(
            f"the sides are about different instances: {'; '.join(only)}",
            hint="Compare runs of the same instances; leave out those that one side lacks.",
        )


def _check_scorers(trials: Sequence[Trial], notes: Notes) -> None:
    known = {trial.scorer for trial in trials}
    named = sorted(scorer for scorer in known if scorer is not None)
    if len(named) > 1:
        raise IncomparableRuns(
            f"the runs were scored by {len(named)} scorers: {_some(named)}",
            hint="Scores of different scorers are different things: score all runs by one.",
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
    differing = [
        f"{name}: {ours.get(name, 'unknown')} against {theirs.get(name, 'unknown')}"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    ]
    if differing:
        allowed = "harness" in allow
        meant = "It was allowed." if allowed else "If that is meant: --allow harness."
        notes.add("harness-differs", f"{_some(differing)}. {meant}", blocking=not allowed)
    several = {
        name
        for side in (baseline, candidate)
        for name, values in _harness_values(side).items()
        if len(values) > 1
    }
    if several:
        notes.add("harness-mixed", f"In {_some(sorted(several))}.")


def harness_of(trials: Iterable[Trial]) -> dict[str, str]:
    """What runs were made with; several values of a key stand beside each other."""
    return {name: " | ".join(sorted(values)) for name, values in _harness_values(trials).items()}


def _harness_values(trials: Iterable[Trial]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in trials:
        for name, value in one.harness.items():
            found.setdefault(name, set()).add(value)
    return dict(sorted(found.items()))


def measured_artifact(
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


def _some(words: Sequence[str]) -> str:
    """The first few, shortened, and how many more."""
    shown = ", ".join(f"{word:.120}" for word in words[:_SHOWN])
    left = len(words) - _SHOWN
    return shown if left <= 0 else f"{shown} and {counted(left, 'other')}"
