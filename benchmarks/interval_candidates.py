"""The intervals that were considered for an AUC, over the same 48 situations.

    python benchmarks/interval_candidates.py --draws 2000

Makes the table in docs/decisions/0003-auc-interval.md again: worst and mean coverage, mean width.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np
from error_rates import holds, simulate
from result_tables import markdown
from situations import Situation, grid

from assay.stats import auc
from assay.stats.auc_interval import hanley_mcneil
from assay.stats.quantiles import normal_quantile, t_quantile

Ends = tuple[float, float]
Z = normal_quantile(0.975)


def solve(value: float, reach: float, sizes: tuple[int, int]) -> Ends:
    """Both roots of (theta - value)^2 = reach^2 H(theta)."""
    ends = []
    for end in (0.0, 1.0):
        inside, outside = value, end
        for _ in range(60):
            theta = (inside + outside) / 2.0
            if (theta - value) ** 2 > reach**2 * hanley_mcneil(theta, *sizes):
                outside = theta
            else:
                inside = theta
        ends.append(outside)
    return ends[0], ends[1]


def logit(value: float, spread: float, t: float) -> Ends:
    """DeLong's variance on the logit scale."""
    safe = min(max(value, 1e-9), 1 - 1e-9)
    centre, reach = math.log(safe / (1 - safe)), t * spread / (safe * (1 - safe))
    low, high = (max(min(x, 700.0), -700.0) for x in (centre - reach, centre + reach))
    return 1 / (1 + math.exp(-low)), 1 / (1 + math.exp(-high))


def candidates(fit: auc.AucFit) -> dict[str, Ends]:
    """Every candidate's interval for one sample."""
    value, variance = float(fit.values[0]), float(fit.covariance[0, 0])
    sizes, spread = (fit.positives, fit.negatives), math.sqrt(variance)
    t = t_quantile(0.975, fit._degrees(np.ones(1)))
    model = hanley_mcneil(value, *sizes)
    ratio = variance / model if model > 0 and variance > 0 else 1.0
    on_logit, newcombe = logit(value, spread, t), solve(value, Z, sizes)
    shaped: Callable[[float], Ends] = lambda w: solve(  # noqa: E731 - one line, three uses
        value, t * math.sqrt((1 - w) * ratio + w), sizes
    )
    return {
        "DeLong, symmetric": (value - Z * spread, value + Z * spread),
        "DeLong on the logit scale with t": on_logit,
        "Newcombe's score interval": newcombe,
        "the wider of the last two": (
            min(on_logit[0], newcombe[0]),
            max(on_logit[1], newcombe[1]),
        ),
        "Newcombe's shape, DeLong's size": shaped(0.0),
        "the same, a quarter of the way to Newcombe's size": shaped(0.25),
        "half of the way": shaped(0.5),
        "**ours: a quarter of the way, and one more bad record**": fit.interval(),
    }


def cell(situation: Situation, draws: int, seed: int) -> dict[str, tuple[float, float]]:
    """Coverage and mean width of each candidate."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[tuple[bool, float]]] = {}
    for _ in range(draws):
        for name, ends in candidates(auc.fit(*situation.draw(rng))).items():
            found.setdefault(name, []).append((holds(ends, situation.auc), ends[1] - ends[0]))
    return {name: tuple(np.mean(rows, axis=0)) for name, rows in found.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    rows = [row for _, row in simulate(cell, grid(), parser.parse_args().draws)]
    print(
        markdown(
            ("interval", "worst", "mean", "width"),
            [
                (
                    name,
                    f"{min(row[name][0] for row in rows):.3f}",
                    f"{np.mean([row[name][0] for row in rows]):.3f}",
                    f"{np.mean([row[name][1] for row in rows]):.3f}",
                )
                for name in rows[0]
            ],
        )
    )


if __name__ == "__main__":
    main()
