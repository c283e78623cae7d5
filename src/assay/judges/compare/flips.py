"""Which instances changed sides: at the ideal before and not after, or the other way round."""

from collections.abc import Sequence

from assay.evidence.trial import Trial
from assay.judges.compare.comparison import Flip
from assay.plan.dimensions import Dimension

_NEAR = 1e-9


def find_flips(
    baseline: Sequence[Trial], candidate: Sequence[Trial], dimensions: Sequence[Dimension]
) -> tuple[Flip, ...]:
    """Instances that most runs of one side had at the ideal and most of the other had not."""
    sides = [_by_instance(side) for side in (baseline, candidate)]
    found = []
    for dimension in dimensions:
        for instance, before in sides[0].items():
            counts = [_at_ideal(runs, dimension) for runs in (before, sides[1][instance])]
            majority = [at * 2 > total for at, total in counts]
            if majority[0] is majority[1] or not all(total for _, total in counts):
                continue
            shares = [f"{at}/{total}" for at, total in counts]
            found.append(
                Flip(
                    instance=instance,
                    dimension=dimension.name,
                    to="ideal" if majority[1] else "short",
                    baseline=shares[0],
                    candidate=shares[1],
                )
            )
    return tuple(found)


def _by_instance(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    found: dict[str, list[Trial]] = {}
    for one in trials:
        found.setdefault(one.instance, []).append(one)
    return found


def _at_ideal(trials: Sequence[Trial], dimension: Dimension) -> tuple[int, int]:
    """How many runs are at the ideal, of how many; a crashed one is not."""
    assert dimension.ideal is not None and dimension.better is not None  # noqa: S101 - it counts
    turn = 1.0 if dimension.better == "higher" else -1.0
    at = total = 0
    for one in trials:
        value = one.dimensions.get(dimension.name)
        if one.crashed or value is not None:
            total += 1
            reached = value is not None and turn * (value - dimension.ideal) >= -_NEAR
            at += reached and not one.crashed
    return at, total
