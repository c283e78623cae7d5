"""What the verdicts of `assay compare` are worth, beside those of the rule it replaces.

    python benchmarks/net_effect_rates.py            prints the tables
    python benchmarks/net_effect_rates.py --write    also puts them where the docs show them

Runs have the source's five dimensions, each of them 1 or 0, and are independent; `p` is the chance
that a dimension of a run is right. Three worlds: only the three ungated dimensions move and the
gated ones are always right (*ungated*: the source rule's published figures come from it); all five
move, each by itself (*each*); all five move as one (*one*).
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from lost_families import FAMILIES as LOST
from lost_families import KEPT_BACK as LOST_KEPT_BACK
from lost_families import draw_lost
from result_tables import make_tables, markdown
from score_families import CHOSEN_ON, KEPT_BACK

from assay import Trial
from assay.comparison.adr_0031 import compare_adr_0031
from assay.comparison.judge.compare import compare
from assay.comparison.power import power_of_scores
from assay.comparison.spec import SOURCE_DIMENSIONS, Dimensions
from assay.stats.quantiles import t_quantile

SEED = 20_261_116
DRAWS = 2_000
RESAMPLES = 999
SIZES = (3, 10, 30, 100)
WORLDS = ("ungated", "each", "one")
MOVES = ((0.95, 0.95), (0.8, 0.8), (0.5, 0.9), (0.9, 0.5))
LONGEST = 200
NAMES = [one.name for one in SOURCE_DIMENSIONS]
GATED = [one.gated for one in SOURCE_DIMENSIONS]
PLAN = Dimensions(dimensions=SOURCE_DIMENSIONS)
STRICT = Dimensions(dimensions=SOURCE_DIMENSIONS, strict_gates=True)
PAGE = Path(__file__).parents[1] / "docs/explanation/net-effect.md"


def drawn(rng: np.random.Generator, n: int, p: float, world: str) -> np.ndarray:
    """Scores of n runs (runs x dimensions)."""
    if world == "one":
        return np.repeat(rng.random((n, 1)) < p, len(NAMES), axis=1).astype(float)
    scores = (rng.random((n, len(NAMES))) < p).astype(float)
    if world == "ungated":
        scores[:, GATED] = 1.0
    return scores


def trials(scores: np.ndarray) -> list[Trial]:
    """Runs of one instance."""
    return [
        Trial(instance="one", trial=str(k), dimensions=dict(zip(NAMES, row, strict=True)))
        for k, row in enumerate(scores.tolist())
    ]


def sides(
    rng: np.random.Generator, n: int, move: tuple[float, float], world: str
) -> tuple[list[Trial], list[Trial]]:
    """So many runs a side, before and after."""
    return trials(drawn(rng, n, move[0], world)), trials(drawn(rng, n, move[1], world))


def verdicts_of(
    world: str, move: tuple[float, float], n: int, draws: int
) -> tuple[Counter[str], Counter[str]]:
    """How often each verdict falls, by our rule and by the source's."""
    rng = np.random.default_rng([SEED, WORLDS.index(world), n, *(round(100 * p) for p in move)])
    ours: Counter[str] = Counter()
    theirs: Counter[str] = Counter()
    for _ in range(draws):
        baseline, candidate = sides(rng, n, move, world)
        made = compare(baseline=baseline, candidate=candidate, dimensions=PLAN, resamples=RESAMPLES)
        ours[made.verdict.value] += 1
        theirs[compare_adr_0031(baseline, candidate).verdict] += 1
    return ours, theirs


def peeking_of(world: str, move: tuple[float, float], draws: int) -> list[tuple[str, int]]:
    """Verdict and pairs of comparisons that are looked at after every pair."""
    rng = np.random.default_rng([SEED, 7, WORLDS.index(world), *(round(100 * p) for p in move)])
    found = []
    for _ in range(draws):
        baseline, candidate = sides(rng, LONGEST, move, world)
        made = compare(
            baseline=baseline, candidate=candidate, dimensions=PLAN, sequential=True, resamples=99
        )
        decided = None if made.looks is None else made.looks.decided_at
        found.append((made.verdict.value, decided or LONGEST))
    return found


def fixed_pairs(world: str, move: tuple[float, float], draws: int) -> int:
    """The fewest pairs with which a fixed comparison ratifies in 90 % of draws."""
    low, high = 1, 400
    while high - low > 1:
        middle = (low + high) // 2
        ours, _ = verdicts_of(world, move, middle, draws)
        low, high = (low, middle) if ours["ratify"] >= 0.9 * draws else (middle, high)
    return high


def gates_of(gate: tuple[float, float], n: int, draws: int) -> tuple[float, float]:
    """How often a candidate is ratified whose gated dimension moves so, the ungated ones gaining.

    By the rule as it is, and with strict gates.
    """
    rng = np.random.default_rng([SEED, 9, n, *(round(100 * p) for p in gate)])
    found = [0, 0]
    for _ in range(draws):
        scores = [drawn(rng, n, p, "ungated") for p in (0.5, 0.9)]
        for side, p in zip(scores, gate, strict=True):
            side[:, 0] = rng.random(n) < p
        baseline, candidate = (trials(side) for side in scores)
        for index, plan in enumerate((PLAN, STRICT)):
            made = compare(
                baseline=baseline, candidate=candidate, dimensions=plan, resamples=RESAMPLES
            )
            found[index] += made.verdict == "ratify"
    return found[0] / draws, found[1] / draws


def best_power(n: int, move: tuple[float, float], *, lost: float, alpha: float) -> float:
    """The most power that any rule can have, by the lemma of Neyman and Pearson.

    n runs a side are right with the chances `move`. A rule that says "the candidate loses less than
    `lost`" in at most alpha of the cases where it loses exactly that says so in at most this share
    of these: against each such case in turn the best test is known, and the worst case binds.
    """

    def chances(p: float) -> np.ndarray:
        return np.array([math.comb(n, k) * p**k * (1.0 - p) ** (n - k) for k in range(n + 1)])

    shown = np.outer(chances(move[0]), chances(move[1])).ravel()
    best = 1.0
    for p in np.linspace(lost + 0.001, 1.0, 999):
        null = np.outer(chances(p), chances(p - lost)).ravel()
        order = np.argsort(-shown / np.maximum(null, 1e-300), kind="stable")
        spent = np.cumsum(null[order])
        whole = int(np.searchsorted(spent, alpha))
        power = float(shown[order][:whole].sum())
        if whole < spent.size:
            left = alpha - (spent[whole - 1] if whole else 0.0)
            power += float(shown[order][whole] * left / null[order][whole])
        best = min(best, power)
    return best


def spread(task: Callable[..., Any], cells: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Each cell in a process of its own, as many as there are cores."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(task, *zip(*cells, strict=True)))


def table_verdicts(draws: int) -> str:
    """The operating characteristics that were asked for."""
    cells = [(w, m, n, draws) for w, m, n in itertools.product(WORLDS, MOVES, SIZES)]
    rows = []
    for (world, move, n, _), (ours, theirs) in zip(cells, spread(verdicts_of, cells), strict=True):
        shares = [ours[v] / draws for v in ("ratify", "reject", "no-effect", "inconclusive")]
        source = [theirs[v] / draws for v in ("ratify", "reject")]
        figures = [f"{x:.3f}" for x in (*shares, *source)]
        rows.append((world, f"{move[0]:g} -> {move[1]:g}", str(n), *figures))
    headers = (
        "world", "p", "n", "ratify", "reject", "no effect", "inconclusive",
        "source: ratify", "source: reject",
    )  # fmt: skip
    return f"{draws:,} draws a cell.\n\n{markdown(headers, rows)}"


def table_peeking(draws: int) -> str:
    """Looking after every pair, until a verdict or 200 pairs."""
    moves = ((0.95, 0.95), (0.8, 0.8), (0.5, 0.9), (0.6, 0.8))
    cells = [(world, move, draws) for world, move in itertools.product(WORLDS, moves)]
    gains = [(w, m, max(draws // 2, 200)) for w, m, _ in cells if m[0] < m[1]]
    fixed = dict(zip([cell[:2] for cell in gains], spread(fixed_pairs, gains), strict=True))
    rows = []
    for (world, move, _), found in zip(cells, spread(peeking_of, cells), strict=True):
        shares = [sum(v == w for v, _ in found) / draws for w in ("ratify", "reject")]
        median = float(np.median([pairs for _, pairs in found]))
        n = fixed.get((world, move))
        rows.append(
            (
                world,
                f"{move[0]:g} -> {move[1]:g}",
                *(f"{x:.3f}" for x in shares),
                f"{median:g}" if n else "-",
                str(n or "-"),
                f"{median / n:.2f}" if n else "-",
            )
        )
    headers = ("world", "p", "ratify", "reject", "median pairs", "fixed n of 90 % power", "ratio")
    return f"{draws:,} draws a cell, at most {LONGEST} pairs.\n\n{markdown(headers, rows)}"


def table_gates(draws: int) -> str:
    """What a gate lets through."""
    moves = ((1.0, 0.98), (1.0, 0.95), (1.0, 0.9), (1.0, 0.8), (0.95, 0.9), (0.9, 0.8), (0.8, 0.75))
    cells = [(gate, n, draws) for gate, n in itertools.product(moves, (10, 30, 60, 100))]
    rows = [
        (f"{gate[0]:g} -> {gate[1]:g}", str(n), f"{loose:.3f}", f"{strict:.3f}")
        for (gate, n, _), (loose, strict) in zip(cells, spread(gates_of, cells), strict=True)
    ]
    headers = ("gated dimension", "n", "ratified", "ratified with strict gates")
    return f"{draws:,} draws a cell.\n\n{markdown(headers, rows)}"


def table_bounds(draws: int) -> str:  # noqa: ARG001 - like the others; nothing is drawn
    """What no rule can do better."""
    rows = []
    for n in (10, 20, 30):
        gate = best_power(n, (0.5, 0.9), lost=0.05, alpha=0.05)
        always = best_power(n, (1.0, 1.0), lost=0.05, alpha=0.05)
        effect = best_power(n, (0.5, 0.9), lost=0.0, alpha=0.05)
        rows.append((str(n), f"{gate:.3f}", f"{always:.3f}", f"{effect:.3f}"))
    headers = (
        "n",
        "a gate going .5 -> .9 shown inside .05",
        "a gate always right shown inside .05",
        "one rate going .5 -> .9 shown at all",
    )
    return markdown(headers, rows)


def families_of(name: str, design: str, n: int, columns: int, draws: int) -> tuple[float, float]:
    """How often sides of equal means are ratified, and rejected."""
    draw = (CHOSEN_ON | KEPT_BACK)[name]
    rng = np.random.default_rng([SEED, 11, n, columns, len(name), len(design)])
    names = [f"score {k}" for k in range(columns)]
    found: Counter[str] = Counter()
    for _ in range(draws):
        arms = [
            [
                Trial(
                    instance=f"i{k}" if design == "pairs" else "one",
                    trial=str(k),
                    dimensions=dict(zip(names, row, strict=True)),
                )
                for k, row in enumerate(side.tolist())
            ]
            for side in draw(rng, (n, columns))
        ]
        made = compare(baseline=arms[0], candidate=arms[1], resamples=RESAMPLES)
        found[made.verdict.value] += 1
    return found["ratify"] / draws, found["reject"] / draws


def table_families(draws: int) -> str:
    """Sides of equal means, whatever their scores are like."""
    sizes = (12, 30, 100)
    cells = [
        (name, design, n, columns, draws)
        for name, design, columns, n in itertools.product(
            CHOSEN_ON | KEPT_BACK, ("pairs", "runs"), (1, 3), sizes
        )
    ]
    found = dict(zip(cells, spread(families_of, cells), strict=True))
    rows = [
        (
            name,
            "kept back" if name in KEPT_BACK else "chosen on",
            design,
            str(columns),
            *(
                " / ".join(f"{x:.3f}" for x in found[name, design, n, columns, draws])
                for n in sizes
            ),
        )
        for name, design, columns in itertools.product(
            CHOSEN_ON | KEPT_BACK, ("pairs", "runs"), (1, 3)
        )
    ]
    headers = ("scores", "family", "design", "columns", *(f"n = {n}" for n in sizes))
    return f"Ratified / rejected, {draws:,} draws a cell.\n\n{markdown(headers, rows)}"


def kept_promise(effect: float, deviation: float, draws: int) -> tuple[int, float, float]:
    """Pairs that `assay power` names for 80 %, how often they ratify, and how often a t-test."""
    pairs = power_of_scores(effect, deviation).pairs
    assert pairs is not None  # noqa: S101 - these effects are large enough
    rng = np.random.default_rng([SEED, 13, pairs])
    shown = t_shown = 0
    for _ in range(draws):
        ours = rng.uniform(0.4, 0.5, pairs)
        theirs = np.clip(ours + rng.normal(effect, deviation, pairs), 0.0, 1.0)
        arms = [
            [Trial(instance=f"i{k}", dimensions={"score": x}) for k, x in enumerate(side.tolist())]
            for side in (ours, theirs)
        ]
        made = compare(baseline=arms[0], candidate=arms[1], resamples=RESAMPLES)
        shown += made.verdict == "ratify"
        gaps = theirs - ours
        t = gaps.mean() / gaps.std(ddof=1) * math.sqrt(pairs)
        t_shown += bool(t > t_quantile(0.975, pairs - 1.0))
    return pairs, shown / draws, t_shown / draws


def table_power(draws: int) -> str:
    """What `assay power` names, and what then happens."""
    planned = ((0.075, 0.1), (0.1, 0.1), (0.1, 0.15), (0.06, 0.15), (0.06, 0.08))
    cells = [(effect, deviation, draws) for effect, deviation in planned]
    rows = [
        (f"{effect:g}", f"{deviation:g}", str(pairs), f"{ours:.3f}", f"{theirs:.3f}")
        for (effect, deviation, _), (pairs, ours, theirs) in zip(
            cells, spread(kept_promise, cells), strict=True
        )
    ]
    headers = ("effect", "spread", "pairs named for .8", "ratified there", "a t-test there")
    return f"{draws:,} draws a cell, normal differences.\n\n{markdown(headers, rows)}"


def coverage_gate(n: int, draws: int) -> float:
    """How often five rates going .5 -> .9 are ratified beside a gated coverage of .9 or 1 a run."""
    rng = np.random.default_rng([SEED, 17, n])
    names = [*(f"right {k}" for k in range(5)), "coverage"]
    found = 0
    for _ in range(draws):
        arms = []
        for p in (0.5, 0.9):
            scores = np.hstack([rng.random((n, 5)) < p, rng.choice([0.9, 1.0], (n, 1))])
            arms.append(
                [
                    Trial(
                        instance="one",
                        trial=str(k),
                        dimensions=dict(zip(names, map(float, row), strict=True)),
                    )
                    for k, row in enumerate(scores)
                ]
            )
        made = compare(baseline=arms[0], candidate=arms[1], gated="coverage", resamples=RESAMPLES)
        found += made.verdict == "ratify"
    return found / draws


def table_coverage(draws: int) -> str:
    """A gate whose scores move a little."""
    cells = [(n, draws) for n in (10, 30, 100)]
    rows = [
        (str(n), f"{rate:.3f}")
        for (n, _), rate in zip(cells, spread(coverage_gate, cells), strict=True)
    ]
    return f"{draws:,} draws a cell.\n\n{markdown(('n', 'ratified'), rows)}"


LOST_MOVES = {"no effect": (0.7, 0.7), "gain": (0.6, 0.8)}
LEFT_OUT = {"missing": "exclude", "crashed": "exclude"}


def lost_of(name: str, move: str, n: int, draws: int) -> tuple[Counter[str], Counter[str]]:
    """How often each verdict falls where a family loses runs: by the rule, and left out alone.

    `lost` counts the comparisons without a verdict because what was lost decides.
    """
    family = (LOST | LOST_KEPT_BACK)[name]
    rng = np.random.default_rng([SEED, 19, n, *name.encode(), *move.encode()])
    ours: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for _ in range(draws):
        baseline, candidate = draw_lost(rng, family, n, LOST_MOVES[move])
        made = compare(baseline=baseline, candidate=candidate, resamples=RESAMPLES)
        decides = any(caveat.code == "lost-runs-decide" for caveat in made.caveats)
        ours["lost" if decides else made.verdict.value] += 1
        made = compare(
            baseline=baseline, candidate=candidate, policies=LEFT_OUT, resamples=RESAMPLES
        )
        left_out[made.verdict.value] += 1
    return ours, left_out


def table_lost(draws: int) -> str:
    """Sides that lose runs, with no true effect and with a true gain."""
    families, sizes = LOST | LOST_KEPT_BACK, (40, 200)
    cells = [
        (name, move, n, draws) for name, move, n in itertools.product(families, LOST_MOVES, sizes)
    ]
    rows = []
    for (name, move, n, _), (ours, left_out) in zip(cells, spread(lost_of, cells), strict=True):
        shares = [ours[v] / draws for v in ("ratify", "reject", "lost")]
        shares += [left_out[v] / draws for v in ("ratify", "reject")]
        family = "kept back" if name in LOST_KEPT_BACK else "first"
        rows.append((name, family, move, str(n), *(f"{x:.3f}" for x in shares)))
    headers = (
        "lost", "family", "truth", "n", "ratify", "reject", "no verdict: what was lost decides",
        "left out alone: ratify", "left out alone: reject",
    )  # fmt: skip
    return f"{draws:,} draws a cell.\n\n{markdown(headers, rows)}"


TABLES = {
    "families": table_families,
    "power": table_power,
    "coverage": table_coverage,
    "verdicts": table_verdicts,
    "peeking": table_peeking,
    "gates": table_gates,
    "bounds": table_bounds,
    "lost": table_lost,
}


if __name__ == "__main__":
    make_tables(TABLES, about=__doc__, draws=DRAWS, by="net_effect_rates", page=PAGE)
