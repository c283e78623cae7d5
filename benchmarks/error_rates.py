"""How often our intervals hold the truth and our verdicts err, by seeded simulation.

    python benchmarks/error_rates.py            prints the tables
    python benchmarks/error_rates.py --write    also puts them into docs/explanation/error-rates.md

Every table is made from draws of a situation with a known truth (benchmarks/situations.py). The
standard error of a share near .95 over 4,000 draws is .0034.
"""

import argparse
import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import TypeVar

import numpy as np
from group_situations import CHOOSING, CHOOSING_LATER, HELD_BACK, GroupFamily
from numpy.typing import NDArray
from result_tables import insert, markdown
from situations import Situation, draw_groups, draw_odd, draw_pair, grid
from verdicts import BOUNDARIES, forecast, rates

from assay.stats import auc
from assay.stats import proportions as share
from assay.stats.auc_interval import score_interval
from assay.stats.clusters import correction
from assay.stats.quantiles import normal_quantile, t_quantile

Cell = TypeVar("Cell")
Row = TypeVar("Row")
DOC = Path(__file__).parent.parent / "docs/explanation/error-rates.md"
SEED = 20_261_115
Z = normal_quantile(0.975)


def holds(ends: tuple[float, float], truth: float) -> bool:
    """Whether an interval holds the truth, rounding aside."""
    return ends[0] - 1e-12 <= truth <= ends[1] + 1e-12


def single(situation: Situation, draws: int, seed: int) -> tuple[float, float, float, float]:
    """Coverage of our interval and of the symmetric one, and the one-sided errors of our bounds."""
    rng = np.random.default_rng(seed)
    found = np.zeros((draws, 4))
    for i in range(draws):
        fit = auc.fit(*situation.draw(rng))
        value, spread = float(fit.values[0]), math.sqrt(fit.covariance[0, 0])
        low, high = fit.interval(level=0.90)
        found[i] = (
            holds(fit.interval(), situation.auc),
            holds((value - Z * spread, value + Z * spread), situation.auc),
            low > situation.auc + 1e-12,
            high < situation.auc - 1e-12,
        )
    ours, symmetric, over, under = found.mean(axis=0)
    return ours, symmetric, over, under


def paired(
    cell: tuple[tuple[float, float], int, float, float, bool], draws: int, seed: int
) -> tuple[float, float, float]:
    """Coverage of the difference's interval, and the one-sided errors of its bounds."""
    (first, second), n, positive, correlation, levels = cell
    situation = Situation(auc=first, n=n, share_positive=positive, levels=levels)
    rng = np.random.default_rng(seed)
    truth = first - second
    found = np.zeros((draws, 3))
    for i in range(draws):
        fit = auc.fit(*draw_pair(rng, situation, second, correlation))
        low, high = fit.difference_interval(0, 1, level=0.90)
        found[i] = (
            holds(fit.difference_interval(0, 1), truth),
            low > truth + 1e-12,
            high < truth - 1e-12,
        )
    ours, over, under = found.mean(axis=0)
    return ours, over, under


def odd(
    cell: tuple[str, float, tuple[int, int]], draws: int, seed: int
) -> tuple[float, float, float]:
    """Coverage for scores of another shape, ours and symmetric, and the lower bound's error."""
    shape, truth, (positives, negatives) = cell
    rng = np.random.default_rng(seed)
    found = np.zeros((draws, 3))
    for i in range(draws):
        fit = auc.fit(
            *draw_odd(rng, shape=shape, auc=truth, positives=positives, negatives=negatives)
        )
        value, spread = float(fit.values[0]), math.sqrt(fit.covariance[0, 0])
        found[i] = (
            holds(fit.interval(), truth),
            holds((value - Z * spread, value + Z * spread), truth),
            fit.interval(level=0.90)[0] > truth + 1e-12,
        )
    ours, symmetric, over = found.mean(axis=0)
    return ours, symmetric, over


def clustered(
    cell: tuple[float, int, int, bool, bool], draws: int, seed: int
) -> tuple[float, float]:
    """Coverage with groups respected, and with groups ignored."""
    truth, groups, size, mixed, uneven = cell
    rng = np.random.default_rng(seed)
    found = np.zeros((draws, 2))
    for i in range(draws):
        scores, label, group = draw_groups(
            rng, auc=truth, groups=groups, size=size, mixed=mixed, uneven=uneven
        )
        sides = scores[label], scores[~label]
        fit = auc.fit(*sides, groups=(group[label], group[~label]))
        found[i] = holds(fit.interval(), truth), holds(auc.fit(*sides).interval(), truth)
    respected, ignored = found.mean(axis=0)
    return respected, ignored


def uneven_groups(
    cell: tuple[GroupFamily, float, int], draws: int, seed: int
) -> tuple[float, float, float, float, float, float]:
    """Coverage and both one-sided errors, by Obuchowski's variance alone and by ours."""
    family, truth, groups = cell
    rng = np.random.default_rng(seed)
    found = np.zeros((draws, 6))
    for i in range(draws):
        scores, label, group = family.draw(rng, auc=truth, groups=groups)
        fit = auc.fit(scores[label], scores[~label], groups=(group[label], group[~label]))
        row: list[bool] = []
        for ends, (low, high) in (
            tuple(obuchowski(fit, group, label, level) for level in (0.95, 0.90)),
            (fit.interval(), fit.interval(level=0.90)),
        ):
            row += [holds(ends, truth), low > truth + 1e-12, high < truth - 1e-12]
        found[i] = row
    rates = found.mean(axis=0).tolist()
    return rates[0], rates[1], rates[2], rates[3], rates[4], rates[5]


def obuchowski(
    fit: auc.AucFit, group: NDArray[np.intp], label: NDArray[np.bool_], level: float
) -> tuple[float, float]:
    """The score interval on Obuchowski's variance with Welch's and Kish's counts of groups."""
    a, b = float(fit.within_positive[0, 0]), float(fit.within_negative[0, 0])
    units = fit.units_positive, fit.units_negative
    free = [max(each - 1.0, 1.0) for each in units]
    degrees = (a + b) ** 2 / (a**2 / free[0] + b**2 / free[1]) if a + b > 1e-18 else min(free)
    variance = float(fit.covariance[0, 0])
    counts = np.unique(group[label]).size, np.unique(group[~label]).size
    raised = max(correction(k) / correction(n) for k, n in zip(units, counts, strict=True))
    return score_interval(
        float(fit.values[0]),
        variance,
        sides=(fit.placements[0, : fit.positives], fit.placements[0, fit.positives :]),
        sizes=fit._sizes(0, variance),
        reach=t_quantile(0.5 + level / 2.0, degrees) ** 2 * raised,
    )


def shares(cell: tuple[str, float, int], draws: int, seed: int) -> tuple[float, float]:
    """Coverage of the interval of an accuracy or F1, and the error of its lower bound."""
    kind, truth, n = cell
    rng = np.random.default_rng(seed)
    found = np.zeros((draws, 2))
    for i in range(draws):
        if kind == "accuracy":
            fit = share.accuracy(rng.random(n) < truth)
        else:
            # A third are of the class; as many false calls as misses, so that F1 = hit rate.
            is_class = rng.random(n) < 1 / 3
            called = np.where(is_class, rng.random(n) < truth, rng.random(n) < (1 - truth) / 2)
            if not (is_class | called).any():
                continue
            fit = share.f1(is_class, called)
        found[i] = holds(fit.interval(), truth), fit.interval(level=0.90)[0] > truth + 1e-12
    ours, over = found.mean(axis=0)
    return ours, over


def simulate(
    task: Callable[[Cell, int, int], Row], cells: Iterable[Cell], draws: int
) -> list[tuple[Cell, Row]]:
    """Every cell with a seed of its own, over all cores."""
    listed = list(cells)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        seeds = [SEED + i for i in range(len(listed))]
        rows = list(pool.map(task, listed, [draws] * len(listed), seeds))
    return list(zip(listed, rows, strict=True))


def table_single(draws: int) -> str:
    """One AUC, the grid that was asked for."""
    found = simulate(single, grid(), draws)
    rows = [
        (
            f"{s.auc:g}",
            str(s.n),
            "1:1" if s.share_positive == 0.5 else "1:4",
            "five levels" if s.levels else "continuous",
            *(f"{x:.3f}" for x in row),
        )
        for s, row in found
    ]
    ours, symmetric = (np.array([row[i] for _, row in found]) for i in (0, 1))
    summary = (
        f"Ours: worst {ours.min():.3f}, mean {ours.mean():.3f}, best {ours.max():.3f}."
        f" Symmetric DeLong: worst {symmetric.min():.3f}, mean {symmetric.mean():.3f}."
        f" A lower bound over the truth: at most"
        f" {max(row[2] for _, row in found):.3f}; an upper bound under it: at most"
        f" {max(row[3] for _, row in found):.3f}. {draws:,} draws a cell."
    )
    headers = (
        "AUC",
        "n",
        "classes",
        "scores",
        "ours",
        "symmetric DeLong",
        "false pass",
        "false fail",
    )
    return f"{summary}\n\n{markdown(headers, rows)}"


def table_odd(draws: int) -> str:
    """One AUC, scores of other shapes."""
    shapes = ("wide", "skewed", "fallback")
    cells = list(product(shapes, (0.7, 0.9, 0.97), ((54, 54), (22, 86), (10, 40))))
    rows = [
        (shape, f"{truth:g}", f"{sizes[0]} : {sizes[1]}", *(f"{x:.3f}" for x in row))
        for (shape, truth, sizes), row in simulate(odd, cells, draws)
    ]
    return markdown(("scores", "AUC", "classes", "ours", "symmetric", "false pass"), rows)


def table_paired(draws: int) -> str:
    """Differences, the worst over correlation, balance and levels."""
    pairs = ((0.7, 0.7), (0.8, 0.7), (0.9, 0.8), (0.97, 0.87), (0.97, 0.97), (0.95, 0.6))
    cells = list(product(pairs, (50, 108, 1000), (0.5, 0.2), (0.0, 0.5, 0.9), (False, True)))
    found = simulate(paired, cells, draws)
    rows = []
    for pair, n in product(pairs, (50, 108, 1000)):
        chosen = [row for cell, row in found if cell[:2] == (pair, n)]
        rows.append(
            (
                f"{pair[0]:g} - {pair[1]:g}",
                str(n),
                f"{min(row[0] for row in chosen):.3f}",
                f"{np.mean([row[0] for row in chosen]):.3f}",
                f"{max(row[1] for row in chosen):.3f}",
                f"{max(row[2] for row in chosen):.3f}",
            )
        )
    ours = [row[0] for _, row in found]
    summary = (
        f"Worst {min(ours):.3f}, mean {np.mean(ours):.3f} over {len(cells)} cells"
        f" (correlation 0, .5, .9; 1:1 and 1:4; continuous and five levels), {draws:,} draws each."
    )
    headers = ("AUCs", "n", "worst", "mean", "worst false pass", "worst false fail")
    return f"{summary}\n\n{markdown(headers, rows)}"


def table_clustered(draws: int) -> str:
    """Groups, respected and ignored."""
    cells = list(product((0.7, 0.9), (30, 100), (2, 6), (True, False), (False, True)))
    rows = [
        (
            f"{cell[0]:g}",
            f"{cell[1]} of {cell[2]}" + (" on average" if cell[4] else ""),
            "both classes" if cell[3] else "one class each",
            *(f"{x:.3f}" for x in row),
        )
        for cell, row in simulate(clustered, cells, draws)
    ]
    headers = ("AUC", "groups", "a group holds", "groups respected", "groups ignored")
    return markdown(headers, rows)


def table_uneven_groups(draws: int) -> str:
    """Groups that differ, the worst over families; and every family in which the interval errs."""
    sets = (
        ("used to choose", CHOOSING, (0.6, 0.8, 0.95)),
        ("used to choose, later", CHOOSING_LATER, (0.7, 0.9)),
        ("held back", HELD_BACK, (0.75, 0.92)),
    )
    counts = (10, 20, 30, 50, 100)
    rows, bad = [], []
    for name, families, truths in sets:
        found = simulate(uneven_groups, list(product(families, truths, counts)), draws // 5)
        for groups in counts:
            worst = np.array([row for cell, row in found if cell[2] == groups])
            ends = [side(axis=0) for side in (worst.min, worst.max)]
            cells = [ends[0][0], *ends[1][1:3], ends[0][3], *ends[1][4:]]
            rows.append((name, str(groups), *(f"{x:.3f}" for x in cells)))
        for (family, truth, groups), row in found:
            if row[3] < 0.935 or max(row[4:]) > 0.06:
                bad.append((str(family), f"{truth:g}", str(groups), *(f"{x:.3f}" for x in row)))
    each = ("coverage", "false pass", "false fail")
    before = [f"{head} by Obuchowski" for head in each]
    summary = f"The worst cell of each row; {draws // 5:,} draws a cell."
    tables = markdown(("families", "groups", *before, *each), rows)
    listed = markdown(("family", "AUC", "groups", *before, *each), bad)
    return f"{summary}\n\n{tables}\n\nCells under .935 or over .060:\n\n{listed}"


def table_shares(draws: int) -> str:
    """Accuracies and F1s."""
    cells = list(product(("accuracy", "F1"), (0.6, 0.7, 0.9), (50, 108, 1000)))
    rows = [
        (kind, f"{truth:g}", str(n), *(f"{x:.3f}" for x in row))
        for (kind, truth, n), row in simulate(shares, cells, draws)
    ]
    return markdown(("metric", "truth", "n", "coverage", "false pass"), rows)


def table_verdicts(draws: int) -> str:
    """Whole scorecards at a bar."""
    rows = [(cell, *(f"{x:.3f}" for x in row)) for cell, row in simulate(rates, BOUNDARIES, draws)]
    return markdown(("at the boundary of", "PASS", "FAIL"), rows)


def table_forecasts(draws: int) -> str:
    """Whether the stated number of records settles it as often as stated."""
    cells = [(0.75, "pass"), (0.77, "pass"), (0.65, "fail"), (0.6, "fail")]
    rows = [
        (f"{truth:g}", str(needed), f"{settled:.3f}")
        for (truth, _), (needed, settled) in simulate(forecast, cells, draws // 4)
    ]
    return markdown(("true AUC, bar .70", "records said to settle it", "settled"), rows)


TABLES: dict[str, Callable[[int], str]] = {
    "single": table_single,
    "odd": table_odd,
    "paired": table_paired,
    "clustered": table_clustered,
    "uneven-groups": table_uneven_groups,
    "shares": table_shares,
    "verdicts": table_verdicts,
    "forecasts": table_forecasts,
}


def main() -> None:
    """Make the tables, and write them where they are read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--only", choices=sorted(TABLES))
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    for name, make in TABLES.items():
        if chosen.only in (None, name):
            table = make(chosen.draws)
            print(f"\n{name}\n\n{table}", flush=True)
            if chosen.write:
                insert(name, table, by="error_rates", page=DOC)


if __name__ == "__main__":
    main()
