"""The number of pairs needed to show an effect, and the smallest effect a number of pairs shows.

For shares the power is exact: of n pairs some go up and some go down, and the sign-flip test is
then the sign test of those (McNemar's), so every outcome can be enumerated. For continuous scores
with a known spread it is an approximation that includes the made-up units.
"""

import math
from functools import cache

import numpy as np

from assay.stats.arrays import Floats
from assay.stats.differences import ALIKE, share_lower, unknown_share
from assay.stats.quantiles import normal_quantile, normal_tail

MOST = 100_000
_AGAINST = 12
_COUNTED = 250
"""Up to so many pairs every outcome is enumerated."""


def pairs_for(effect: float, spread: float, *, alpha: float, power: float) -> int:
    """The pairs needed to show a mean difference of scores with this power, two-sided."""
    low = fewest_pairs(alpha) - 1
    high = low + 1
    while score_power(high, effect, spread, alpha=alpha) < power and high <= MOST:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        enough = score_power(middle, effect, spread, alpha=alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def effect_for(pairs: int, spread: float, *, alpha: float, power: float) -> float:
    """The smallest mean difference that so many pairs show with this power."""
    low, high = 0.0, spread
    while score_power(pairs, high, spread, alpha=alpha) < power and high < 1e6 * spread:
        low, high = high, 2.0 * high
    for _ in range(50):
        middle = (low + high) / 2.0
        enough = score_power(pairs, middle, spread, alpha=alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def score_power(pairs: int, effect: float, spread: float, *, alpha: float) -> float:
    """The power of pairs of scores with normally distributed differences.

    From the expected made-up units, error and skewness of `differences.paired`, for scores from 0
    to 1 unless they go further; within about .05 of the power of comparisons.
    """
    if pairs < fewest_pairs(alpha):
        return 0.0
    chances = _binomial(pairs, normal_tail(abs(effect) / spread))
    few: list[float] = chances[:_AGAINST].tolist()
    power = sum(
        chance * _power_of(pairs, abs(effect), spread, against, alpha)
        for against, chance in enumerate(few)
    )
    return power + (1.0 - sum(few)) * _power_of(pairs, abs(effect), spread, _AGAINST, alpha)


def _power_of(pairs: int, effect: float, spread: float, against: int, alpha: float) -> float:
    """The power if `against` pairs moved against the others."""
    z = normal_quantile(1.0 - alpha / 2.0)
    largest = effect + spread * normal_quantile(1.0 - 0.6 / (pairs + 0.4))
    alike = 1.0 - 2.0 * normal_tail(ALIKE * largest / (spread * math.sqrt(2.0)))
    unknown = unknown_share(alike, against)
    reach = unknown * max(largest, 1.0) + (1.0 - unknown) * largest
    centre = pairs * effect / (pairs + 2.0)
    noise = (pairs - 1.0) * spread**2
    squares = noise + pairs * (effect - centre) ** 2 + 2.0 * (reach**2 + centre**2)
    error = math.sqrt(squares / ((pairs + 1.0) * (pairs + 2.0)))
    lean = math.sqrt(6.0) / pairs * 0.4  # of a normal sample, in the unfavourable direction
    errors = z + lean * (2.0 * z**2 + 1.0) / 6.0
    varies = spread**2 * pairs / (pairs + 2.0) ** 2
    varies += (errors * error) ** 2 * noise**2 / squares**2 / (2.0 * (pairs - 1.0))
    return 1.0 - normal_tail((centre - errors * error) / math.sqrt(varies))


def fewest_pairs(alpha: float) -> int:
    """The fewest pairs that can show an effect: with fewer, every outcome is too likely."""
    return math.ceil(1.0 - math.log2(alpha) - 1e-9)


def share_power(pairs: int, up: float, down: float, *, alpha: float) -> float:
    """The power of the sign-flip test for a gain, given the chances of a pair going up and down."""
    moved = up + down
    if moved <= 0.0:
        return 0.0
    total = 0.0
    for many, chance in enumerate(_binomial(pairs, moved)):
        if chance > 1e-15 and many:
            least = _least_up(many, alpha)
            total += chance * float(_binomial(many, up / moved)[least:].sum())
    return total


def share_pairs(up: float, down: float, *, alpha: float, power: float) -> int | None:
    """The fewest pairs that show a gain with this power, and keep it with every further pair.

    The test is discrete, so power drops slightly at some numbers of pairs; the answer is past them.
    An exact test needs about 2 / (up - down) pairs more than the approximation.
    """
    reach = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power)
    guess = math.ceil(reach**2 * (up + down - (up - down) ** 2) / (up - down) ** 2)
    if guess > 2000:
        return guess if guess <= MOST else None
    upper = guess + math.ceil(4.0 / (up - down)) + 20
    for pairs in range(upper, 0, -1):
        if share_power(pairs, up, down, alpha=alpha) < power:
            return pairs + 1
    return 1


def _binomial(count: int, chance: float) -> Floats:
    ks = np.arange(count + 1)
    if chance <= 0.0 or chance >= 1.0:
        return np.asarray(ks == (count if chance >= 1.0 else 0), dtype=np.float64)
    steps = (
        np.log(np.maximum(count - ks[:-1], 1)) - np.log(ks[1:]) + math.log(chance / (1 - chance))
    )
    logs = count * math.log1p(-chance) + np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(np.exp(logs))


@cache
def _least_up(moved: int, alpha: float) -> int:
    """How many of the moved pairs must go up for the two-sided sign test to show a gain."""
    tails = np.cumsum(_binomial(moved, 0.5)[::-1])
    return moved + 1 - int((2.0 * tails <= alpha * (1.0 + 1e-9)).sum())


def gate_power(pairs: int, up: float, down: float, *, margin: float, alpha: float) -> float:
    """The chance that pairs of 0/1 scores show a loss below the margin, by their bound."""
    counts = np.arange(pairs + 1)
    ups, downs = (grid.ravel() for grid in np.meshgrid(counts, counts))
    possible = ups + downs <= pairs
    ups, downs = ups[possible], downs[possible]
    logs = np.concatenate([[0.0], np.cumsum(np.log(counts[1:]))])
    same = pairs - ups - downs
    chances = logs[pairs] - logs[ups] - logs[downs] - logs[same]
    for count, rate in ((ups, up), (downs, down), (same, 1.0 - up - down)):
        chances = chances + np.where(count > 0, count * math.log(max(rate, 1e-300)), 0.0)
    shown = share_lower(ups, downs, pairs, alpha) > -margin
    return float(np.exp(chances)[shown].sum())


def gate_pairs(up: float, down: float, *, margin: float, alpha: float, power: float) -> int:
    """The pairs needed to show a loss below the margin with this power; approximate if many."""
    gap, moved = up - down + margin, up + down - (up - down) ** 2
    reach = normal_quantile(1.0 - alpha) + normal_quantile(power)
    rough = math.ceil((reach * math.sqrt(moved) / gap) ** 2)
    if rough > _COUNTED:
        return rough
    low, high = 0, 1
    while gate_power(high, up, down, margin=margin, alpha=alpha) < power and high < 2 * _COUNTED:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        enough = gate_power(middle, up, down, margin=margin, alpha=alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high
