"""The score interval of an AUC: the size of DeLong's variance, the shape of Hanley and McNeil's.

The usual choice, DeLong's variance with a symmetric interval, covers .75 instead of .95 when the
AUC is high. Newcombe's (2006) score interval uses a variance that depends on the parameter, which
works near 1, but it assumes a shape of the score distribution. Ours solves

    (theta - AUC)^2 = t^2 * r * H(theta)

with H the Hanley-McNeil variance as Newcombe uses it, t Student's quantile with Welch's degrees of
freedom, and r the ratio of DeLong's variance to H at the estimate, moved a quarter of the way to 1
if it is below 1: the data determine the size of the variance, the model only how it changes with
theta. For the end towards one half, r is also moved half of the way to its value with one more
record, ranked as badly as possible: a sample without such records does not show that there are
none, and an AUC of .97 may depend on a few. With groups it is one more group, and r moves up to all
of the way, the further the more independent records of a class a group is worth. The coverage over
48 situations, over unusual ones and over groups is in docs/explanation/error-rates.md.
"""

import numpy as np

from assay.stats.arrays import Floats

Sizes = tuple[float, float]
_SHRINK = 0.25


def score_interval(
    value: float,
    variance: float,
    *,
    sides: tuple[Floats, Floats],
    sizes: Sizes,
    units: Sizes | None = None,
    reach: float,
) -> tuple[float, float]:
    """Both ends of the interval; `sides` are the placements of both classes, `reach` is t squared.

    `sizes` are those of an equivalent independent sample; `units` are the effective numbers of
    groups in each class, if records form groups.
    """
    ratio = _ratio(variance, hanley_mcneil(value, *sizes))
    units = units or sizes
    inward = ratio
    for mine, more in enumerate(_ratios_with_one_more(value, sides, sizes, units)):
        says = min(sizes[mine], float(sides[mine].size))  # in independent records
        weight = 1.0 - min(units[mine] / says, 1.0) / 2.0
        inward = max(inward, (1.0 - weight) * ratio + weight * more)
    down, up = (inward, ratio) if value >= 0.5 else (ratio, inward)
    return _solve(value, 0.0, reach * down, sizes), _solve(value, 1.0, reach * up, sizes)


def hanley_mcneil(theta: float, positives: float, negatives: float) -> float:
    """Hanley & McNeil's (1982) variance of an AUC, with Newcombe's mean class size."""
    mean = (positives + negatives) / 2.0
    spread = (mean - 1.0) * ((1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta))
    return theta * (1.0 - theta) * (1.0 + spread) / (positives * negatives)


def _ratios_with_one_more(
    value: float, sides: tuple[Floats, Floats], sizes: Sizes, units: Sizes
) -> tuple[float, float]:
    """The values of r with one more record or group of either class, ranked at the bottom."""
    worst = 0.0 if value >= 0.5 else 1.0
    spreads = [float(np.mean(np.square(side - value))) for side in sides]
    ratios = []
    for mine, other in ((0, 1), (1, 0)):
        n, k = sizes[mine], units[mine]
        heavy = ((n + 1.0) / (k + 1.0)) ** 2  # the weight of a group, in independent records
        spread = spreads[mine] + heavy * (value - worst) ** 2 / (n + 1.0)
        variance = spread / (n + 1.0) + spreads[other] / sizes[other]
        more = (sizes[0] + 1.0, sizes[1]) if mine == 0 else (sizes[0], sizes[1] + 1.0)
        ratios.append(variance / hanley_mcneil((k * value + worst) / (k + 1.0), *more))
    return ratios[0], ratios[1]


def _ratio(variance: float, model: float) -> float:
    """The observed variance over the model's; a ratio below 1 is moved towards 1."""
    if model <= 0.0 or variance <= 0.0:
        return 1.0
    ratio = variance / model
    return ratio if ratio >= 1.0 else (1.0 - _SHRINK) * ratio + _SHRINK


def _solve(value: float, end: float, scale: float, sizes: Sizes) -> float:
    """The theta between the estimate and `end` (0 or 1) where the score equation holds."""
    inside, outside = value, end
    for _ in range(60):
        theta = (inside + outside) / 2.0
        if (theta - value) ** 2 > scale * hanley_mcneil(theta, *sizes):
            outside = theta
        else:
            inside = theta
    return outside
