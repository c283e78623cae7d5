"""Lost runs and values: runs that crashed or are on one side only, and missing values.

A policy decides whether they are left out or count as failures. Without one, the comparison is made
with each of the two left out and as failures, in all combinations, since missing values of one side
may outweigh lost runs of the other. If the verdict is always the same, it stands, with the lost
runs left out. If not, there is no verdict until the user chooses a policy. Always leaving them out
would reward a candidate that crashes on what it cannot do.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from assay.comparison.judge.caveats import CODES, Notes, blocked_by
from assay.comparison.result import Comparison, ComparisonCaveat, NetVerdict
from assay.comparison.spec import Dimensions
from assay.errors import IncomparableRuns
from assay.logs.trial import Trial
from assay.wording import counted, some

_LOST = ("crashed", "missing")
"""In this order, since a restored run may lack a value."""


def judge_either_way(plan: Dimensions, judge: Callable[[Dimensions], Comparison]) -> Comparison:
    """The comparison under the plan's policies; without policies, the verdict common to all."""
    unsaid = [name for name in _LOST if getattr(plan, name) is None]
    left_out = judge(replace(plan, **dict.fromkeys(unsaid, "exclude")))
    found = _codes(left_out) & set(unsaid)
    if not found or left_out.blocked:
        return left_out
    ways = [(dict.fromkeys(unsaid, "exclude"), left_out)]
    for policies in list(product(("exclude", "fail"), repeat=len(unsaid)))[1:]:
        way = dict(zip(unsaid, policies, strict=True))
        if any(policy == "fail" and name not in found for name, policy in way.items()):
            continue  # there is nothing to count as failures
        ways.append((way, judge(replace(plan, **way))))
        found |= _codes(ways[-1][1]) & set(unsaid)
    if all(made.verdict is left_out.verdict for _, made in ways):
        return replace(left_out, caveats=_with(left_out, "either-way", "", blocking=False))
    given = "; ".join(f"{_named(way, found)}: {made.verdict.upper()}" for way, made in ways)
    return replace(
        left_out,
        verdict=NetVerdict.INCONCLUSIVE,
        because=blocked_by(["lost-runs-decide"]),
        needed_pairs=None,
        caveats=_with(left_out, "lost-runs-decide", f"{given}. Choose one.", blocking=True),
    )


def _codes(comparison: Comparison) -> set[str]:
    return {caveat.code for caveat in comparison.caveats}


def _named(way: Mapping[str, str], found: set[str]) -> str:
    """The policies of a way, for what was found."""
    return " ".join(f"`{name}={policy}`" for name, policy in way.items() if name in found)


def _with(
    comparison: Comparison, code: str, detail: str, *, blocking: bool
) -> tuple[ComparisonCaveat, ...]:
    """The caveats with one more, in the order of their table."""
    message = f"{CODES[code]} {detail}".rstrip()
    more = ComparisonCaveat(code=code, message=message, blocking=blocking)
    order = list(CODES)
    return tuple(sorted((*comparison.caveats, more), key=lambda caveat: order.index(caveat.code)))


def with_lost_instances(
    baseline: Sequence[Trial], candidate: Sequence[Trial], notes: Notes
) -> tuple[Sequence[Trial], Sequence[Trial]]:
    """Both sides with a crashed run for each run of an instance that the other side lacks."""
    lacking = missing_instances(baseline, candidate)
    if not any(lacking):
        return baseline, candidate
    for lacks, side in zip(lacking, ("candidate", "baseline"), strict=True):
        if lacks:
            notes.add(
                "crashed", f"Only the {side} has {counted(len(lacks), 'instance')}: {some(lacks)}."
            )
    return (
        (*baseline, *(failed_twin(trial) for trial in candidate if trial.instance in lacking[0])),
        (*candidate, *(failed_twin(trial) for trial in baseline if trial.instance in lacking[1])),
    )


def missing_instances(
    baseline: Sequence[Trial], candidate: Sequence[Trial]
) -> tuple[list[str], list[str]]:
    """The instances that each side lacks; refused unless the sides share most of theirs."""
    ours, theirs = ({trial.instance for trial in side} for side in (baseline, candidate))
    lacking = sorted(theirs - ours), sorted(ours - theirs)
    if any(lacking) and 2 * len(ours & theirs) <= max(len(ours), len(theirs)):
        only = [
            f"only the {side} has {some(names)}"
            for side, names in (("baseline", lacking[1]), ("candidate", lacking[0]))
            if names
        ]
        raise IncomparableRuns(
            f"the sides have different instances: {'; '.join(only)}",
            hint="Compare runs of the same instances.",
        )
    return lacking


class FailedTwin(Trial, frozen=True, kw_only=True, gc=False):
    """A run that is missing on one side: it counts as crashed, but none crashed."""


def failed_twin(trial: Trial) -> FailedTwin:
    """A crashed run in place of the missing twin of this one."""
    return FailedTwin(
        instance=trial.instance,
        trial=trial.trial,
        dimensions={},
        crashed=True,
        drawn_order=trial.drawn_order,
    )
