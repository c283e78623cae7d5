"""Which made-up scores a gate's bound should have for company, by going through every outcome.

    python benchmarks/gate_candidates.py

Scores are 0 or 1, with n runs a side or n pairs. *Worst* is the greatest chance, over rates and n,
of showing a loss to be under .05 where it is exactly that; the other columns are the chance of
showing it where the rate goes from .5 to .9, or stays at .95.
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray
from result_tables import markdown

Array = NDArray[np.float64]
MARGIN, Z = 0.05, 1.6448536269514722
SIZES = (5, 8, 10, 15, 20, 25, 30, 40, 46, 52, 60, 66, 76, 78, 90, 100, 130, 150, 200, 300)
# (made-up losses, made-up gains, and whether only as many gains as there really were)
CANDIDATES = {
    "one of each": (1.0, 1.0, False),
    "1.25 losses, no gain": (1.25, 0.0, False),
    "1.25 losses, gains as there were": (1.25, 1.25, True),
}


def binomial(n: int, p: float) -> Array:
    """The chances of 0 to n."""
    return np.array([math.comb(n, k) * p**k * (1.0 - p) ** (n - k) for k in range(n + 1)])


def unpaired(n: int, company: tuple[float, float, bool]) -> NDArray[np.bool_]:
    """For each outcome (baseline right x candidate right), whether the loss is shown."""
    losses, gains, real = company
    right = np.arange(n + 1, dtype=float)
    lost, won = (np.minimum(gains, n - right), np.minimum(gains, right)) if real else (gains, gains)
    before, after = n + losses + lost, n + losses + won
    p, q = (right + losses) / before, (right + won) / after
    spread = (p * (1 - p) / (before - 1))[:, None] + (q * (1 - q) / (after - 1))[None, :]
    return np.asarray(q[None, :] - p[:, None] - Z * np.sqrt(spread) > -MARGIN)


def paired(n: int, company: tuple[float, float, bool]) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Pairs that went up and down, and whether the loss is shown."""
    losses, gains, real = company
    outcomes = [(u, d) for u, d in itertools.product(range(n + 1), repeat=2) if u + d <= n]
    up, down = (np.array(column, dtype=float) for column in zip(*outcomes, strict=True))
    won = np.minimum(gains, up) if real else gains
    total = n + losses + won
    mean = (up - down - losses + won) / total
    spread = ((up + down + losses + won) - total * mean**2) / (total - 1)
    return up, down, np.asarray(mean - Z * np.sqrt(spread / total) > -MARGIN)


def pair_chances(n: int, up: Array, down: Array, rates: tuple[float, float]) -> Array:
    """The chances of so many pairs going up and down."""
    logs = np.array([math.lgamma(k + 1) for k in range(n + 1)])
    same = n - up - down
    parts = (rates[0], up), (rates[1], down), (1.0 - sum(rates), same)
    found = logs[n] - logs[up.astype(int)] - logs[down.astype(int)] - logs[same.astype(int)]
    for rate, count in parts:
        found = found + np.where(count > 0, count * math.log(max(rate, 1e-300)), 0.0)
    return np.asarray(np.exp(found))


def row_unpaired(name: str, company: tuple[float, float, bool]) -> tuple[str, ...]:
    """One candidate on independent runs."""

    def chance(n: int, before: float, after: float) -> float:
        both = np.outer(binomial(n, before), binomial(n, after))
        return float(both[unpaired(n, company)].sum())

    rates = np.linspace(MARGIN, 1.0, 96)
    worst = max((chance(n, p, p - MARGIN), n) for n in SIZES if n <= 200 for p in rates)
    shown = [chance(10, 0.5, 0.9), chance(30, 0.5, 0.9), chance(200, 0.95, 0.95)]
    return "runs", name, f"{worst[0]:.3f} (n = {worst[1]})", *(f"{x:.3f}" for x in shown)


def row_paired(name: str, company: tuple[float, float, bool]) -> tuple[str, ...]:
    """One candidate on pairs; `up` runs from pairs that only lose to pairs that nearly all move."""

    def chance(n: int, up: float, down: float) -> float:
        ups, downs, shown = paired(n, company)
        return float(pair_chances(n, ups, downs, (up, down))[shown].sum())

    ups = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.47)
    worst = max((chance(n, up, up + MARGIN), n) for n in SIZES for up in ups)
    shown = [chance(10, 0.45, 0.05), chance(30, 0.45, 0.05), chance(200, 0.0475, 0.0475)]
    return "pairs", name, f"{worst[0]:.3f} (n = {worst[1]})", *(f"{x:.3f}" for x in shown)


if __name__ == "__main__":
    headers = ("units", "company", "worst", ".5 -> .9, n = 10", "n = 30", ".95 stays, n = 200")
    rows = [row(*one) for row in (row_unpaired, row_paired) for one in CANDIDATES.items()]
    print(markdown(headers, rows))
