"""How often the intervals of `assay dual` hold the truth, and how often its regimes err.

    python benchmarks/dual_rates.py            prints the tables
    python benchmarks/dual_rates.py --write    also puts them where the docs show them

Systems with a state of known worth come from benchmarks/dual_situations.py. The standard error of a
share near .95 is .005 over 2,000 draws.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from dual_situations import CONDITIONS, System
from result_tables import make_tables, markdown

from assay.dual_condition.evidence import Past, Thresholds
from assay.dual_condition.judge.regime import Split, is_pilot, regime_of, surely_fell
from assay.dual_condition.judge.uneven_seeds import uneven_runs
from assay.dual_condition.result import Regime
from assay.stats import auc
from assay.stats.crossed import Crossed, cross
from assay.stats.estimate import Estimate
from assay.stats.metrics import MetricName
from assay.stats.quantiles import normal_quantile

SEED = 20_261_116
DRAWS = 2_000
RESAMPLES = 199
PAGE = Path(__file__).parents[1] / "docs/explanation/capability-or-memory.md"
THRESHOLDS = Thresholds()


def still(system: System) -> System:
    """The same system, but it does the same at every seed."""
    return replace(system, item=1.0, run=0.0, seed_effect=0.0)


# What is tried at 5 and 10 seeds x 200 items, by name.
SYSTEMS: dict[str, System] = {
    "no effect": System(),
    "no effect, all noise": System(item=0.0, run=0.0, seed_effect=0.0),
    "memory of 1 %": System(memory=0.01),
    "memory of 30 %": System(memory=0.3),
    "memory of 90 %": System(memory=0.9),
    "memory and transfer": System(memory=0.1, transfer=0.3),
    "the same, seeds differ by .09": System(memory=0.1, transfer=0.3, seed_effect=0.4),
    "the same, seeds differ by .13": System(memory=0.1, transfer=0.3, seed_effect=0.6),
    "the same, seeds hardly differ": System(memory=0.1, transfer=0.3, seed_effect=0.02),
    "the same, 10 % positive": System(memory=0.1, transfer=0.3, positive=0.1),
    "the same, groups of 2-5": System(memory=0.1, transfer=0.3, groups=True),
    "the same, five levels": System(memory=0.1, transfer=0.3, levels=True),
    "the same, AUC from .97": System(memory=0.1, transfer=0.5, signal=2.6),
    "seed-blind, memory of 1 %": still(System(memory=0.01)),
    "seed-blind, memory of 5 %": still(System(memory=0.05)),
    "seed-blind, memory of 90 %": still(System(memory=0.9)),
    "seed-blind, 1 % learned wrongly": still(System(memory=0.01, strength=-3.0)),
    "seed-blind, memory and transfer": still(System(memory=0.1, transfer=0.4)),
    "seed-blind, groups of 2-5": still(System(memory=0.1, transfer=0.3, groups=True)),
}
BOOTSTRAPPED = (
    "no effect", "memory and transfer", "the same, seeds differ by .09", "the same, groups of 2-5",
    "memory of 30 %", "seed-blind, memory of 5 %",
)  # fmt: skip
PLANTED = {
    "neither": System(),
    "memorises only": System(memory=0.2),
    "transfers only": System(transfer=0.4),
    "both": System(memory=0.2, transfer=0.4),
    "memorises, transfers harm": System(memory=0.2, transfer=-0.3),
}
_USUAL = System(memory=0.1, transfer=0.3)
UNEVEN: dict[str, System] = {
    "even seeds": _USUAL,
    "even seeds that differ by .13": replace(_USUAL, seed_effect=0.6),
    "one run of A in ten at chance": replace(_USUAL, uneven=0.1),
    "the same, memory of 90 %": System(memory=0.9, uneven=0.1),
    "the same, else seed-blind": still(replace(_USUAL, uneven=0.1)),
    "one run of A in five by half": replace(_USUAL, uneven=0.2, kept=0.5),
    "one run of any condition in ten at chance": replace(_USUAL, uneven=0.1, uneven_in="ABC"),
    "seeds by Student's t, 3 degrees": replace(_USUAL, tails=3.0, seed_effect=0.4),
}
HELD_BACK: dict[str, System] = {
    "one seed in eight at chance, all conditions": replace(
        _USUAL, uneven=0.125, uneven_in="ABC", by_seed=True
    ),
    "one run of A in four half as good again": replace(_USUAL, uneven=0.25, kept=1.5),
}
"""Not looked at before the rule that finds uneven runs was chosen."""
Ends = tuple[float, float]


def crossed(system: System, rng: np.random.Generator) -> Crossed:
    """One draw, as the judge sees it."""
    scores, positive, groups = system.draw(rng)
    return cross(scores, positive, metric=system.metric, groups=groups, threshold=system.threshold)


def difference(made: Crossed, one: str, other: str) -> Estimate:
    """One condition minus another."""
    return made.difference(CONDITIONS.index(one), CONDITIONS.index(other))


def over_seeds(made: Crossed, one: str, other: str) -> Ends:
    """Student's interval over seeds alone."""
    weights = [float(name == one) - float(name == other) for name in CONDITIONS]
    found = made.over_seeds(weights)
    return (found.low, found.high) if found is not None else (-1.0, 1.0)


def tally(intervals: Sequence[Ends], truth: float) -> tuple[float, float, float, float]:
    """Coverage, misses with the truth above and below, and mean width."""
    ends = np.array(intervals)
    above, below = ends[:, 1] < truth - 1e-12, ends[:, 0] > truth + 1e-12
    held = ~(above | below)
    return float(held.mean()), float(above.mean()), float(below.mean()), float(np.diff(ends).mean())


def coverage(system: System, draws: int, seed: int) -> tuple[Any, ...]:
    """Of A - B: our interval's tally, Student's over seeds, and the width that chance spans."""
    rng = np.random.default_rng([SEED, seed])
    ours, student, values = [], [], []
    for _ in range(draws):
        made = crossed(system, rng)
        found = difference(made, "A", "B")
        ours.append((found.low, found.high))
        values.append(found.value)
        student.append(over_seeds(made, "A", "B"))
    truth = system.gap("A", "B")
    return truth, tally(ours, truth), tally(student, truth), 3.92 * float(np.std(values))


def uneven(system: System, draws: int, seed: int) -> tuple[float, ...]:
    """Of A - B: coverage, how often there is an uneven run and one is said, coverage in each case.

    Where nothing is said there was no uneven run, or it was not found.
    """
    rng = np.random.default_rng([SEED, seed])
    truth = system.gap("A", "B")
    found = np.zeros((draws, 2), dtype=bool)
    for i in range(draws):
        made = crossed(system, rng)
        ours = difference(made, "A", "B")
        found[i] = ours.low <= truth <= ours.high, bool(uneven_runs(made))
    held, said = found.T
    runs = system.seeds * (1 if system.by_seed else len(system.uneven_in))
    there = 1.0 - (1.0 - system.uneven) ** runs
    each = (float(held[some].mean()) if some.any() else np.nan for some in (said, ~said))
    return truth, float(held.mean()), there, float(said.mean()), *each


def bootstraps(system: System, draws: int, seed: int) -> tuple[Any, ...]:
    """Of A - B: tallies of our interval, two bootstraps, and Student's over seeds."""
    rng = np.random.default_rng([SEED, seed])
    again = np.random.default_rng([SEED, seed, 1])
    found: list[list[Ends]] = [[], [], [], []]
    for _ in range(draws):
        scores, positive, groups = system.draw(rng)
        made = cross(scores, positive, groups=groups)
        ours = difference(made, "A", "B")
        gaps = pairwise(scores[0], positive) - pairwise(scores[1], positive)
        codes = np.arange(system.n) if groups is None else np.array([int(g) for g in groups])
        found[0].append((ours.low, ours.high))
        found[1].append(resampled(gaps, positive, codes, again, nested=False))
        found[2].append(resampled(gaps, positive, codes, again, nested=True))
        found[3].append(over_seeds(made, "A", "B"))
    truth = system.gap("A", "B")
    return tuple(tally(one, truth) for one in found)


def pairwise(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """For each seed, positive and negative: 1 where the positive is above, one half where even."""
    above, below = scores[:, positive, None], scores[:, None, ~positive]
    return np.asarray((above > below) + 0.5 * (above == below))


def resampled(
    gaps: np.ndarray,
    positive: np.ndarray,
    codes: np.ndarray,
    rng: np.random.Generator,
    *,
    nested: bool,
) -> Ends:
    """The percentile interval of a bootstrap of seeds and groups of items.

    Plain: one draw of items for all seeds drawn. Nested, the usual two levels: each seed that is
    drawn draws its own items.
    """
    seeds, size = len(gaps), int(codes.max()) + 1
    chosen = rng.integers(0, seeds, (RESAMPLES, seeds))
    found = np.zeros((RESAMPLES, seeds))

    def weights(rows: int) -> tuple[np.ndarray, np.ndarray]:
        each = rng.multinomial(size, np.full(size, 1.0 / size), size=rows)[:, codes]
        return each[:, positive].astype(float), each[:, ~positive].astype(float)

    shared = weights(RESAMPLES)
    for seed in range(seeds):
        at = chosen == seed
        if nested:
            ones, others = weights(int(at.sum()))
        else:
            rows = np.nonzero(at)[0]
            ones, others = shared[0][rows], shared[1][rows]
        made = ((ones @ gaps[seed]) * others).sum(axis=1)
        found[at] = made / np.maximum(ones.sum(axis=1) * others.sum(axis=1), 1.0)
    low, high = np.quantile(found.mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def planted(system: System, draws: int, seed: int) -> list[float]:
    """How often memorisation, transfer, and their sum lie in their intervals; and the first two."""
    rng = np.random.default_rng([SEED, seed])
    pairs = (("A", "C"), ("C", "B"), ("A", "B"))
    truths = [system.gap(*pair) for pair in pairs]
    found = []
    for _ in range(draws):
        made = crossed(system, rng)
        ends = [difference(made, *pair) for pair in pairs]
        held = [e.low - 1e-12 <= t <= e.high + 1e-12 for e, t in zip(ends, truths, strict=True)]
        found.append((*held, held[0] and held[1]))
    return [*truths[:2], *np.mean(found, axis=0).tolist()]


def regimes(system: System, draws: int, seed: int) -> tuple[float, float, Counter[str]]:
    """The truth of A - B and B, and how often each regime is said."""
    rng = np.random.default_rng([SEED, seed])
    said: Counter[str] = Counter()
    for _ in range(draws):
        said[regime_said(crossed(system, rng)).value] += 1
    return system.gap("A", "B"), system.truth("B"), said


def regime_said(made: Crossed, *, helps_unseen: bool = False) -> Regime:
    """The regime of one draw."""
    over = [difference(made, *pair).low > 0.0 for pair in (("A", "C"), ("C", "B"))]
    return regime_of(
        difference(made, "A", "B"),
        made.condition(CONDITIONS.index("B")),
        split=Split(
            decidable=True, memorises=over[0], transfers=over[1], helps_unseen=helps_unseen
        ),
        beyond_placebo=None,
        history=(),
        thresholds=THRESHOLDS,
    )


def unseen(system: System, draws: int, seed: int) -> tuple[float, ...]:
    """The truth of A - B on unseen items; shares of `memorised` without that subset and with it."""
    rng = np.random.default_rng([SEED, seed])
    chosen = system.is_unseen()
    said = np.zeros((draws, 2), dtype=bool)
    for i in range(draws):
        scores, positive, groups = system.draw(rng)
        some = None if groups is None else [groups[at] for at in np.flatnonzero(chosen)]
        whole = cross(scores, positive, groups=groups)
        part = cross(scores[:, :, chosen], positive[chosen], groups=some)
        helps = difference(part, "A", "B").low > 0.0
        said[i] = [
            regime_said(whole, helps_unseen=one) is Regime.MEMORISED for one in (False, helps)
        ]
    before, after = said.mean(axis=0).tolist()
    return replace(system, memory=0.0).gap("A", "B"), before, after


def falls(now: System, pasts: int, fall: float, draws: int, seed: int) -> float:
    """How often B is said to have fallen by .02, with so many pasts at its own level plus `fall`.

    Every past has items and seeds of its own.
    """
    rng = np.random.default_rng([SEED, seed])
    once = replace(now, signal=signal_of(now.truth("B") + fall, now))
    kept = [crossed(once, rng).condition(1) for _ in range(draws)]
    said = 0
    for _ in range(draws):
        chosen = [kept[at] for at in rng.choice(draws, pasts, replace=False)]
        history = [
            Past(made="", checksum="", value=one.value, low=one.low, high=one.high)
            for one in chosen
        ]
        said += surely_fell(crossed(now, rng).condition(1), history) >= THRESHOLDS.dependent
    return said / draws


def signal_of(value: float, like: System) -> float:
    """The signal with which a system without state reaches an AUC."""
    low, high = -1.0, 8.0
    for _ in range(50):
        middle = (low + high) / 2.0
        under = replace(like, signal=middle).truth("B") < value
        low, high = (middle, high) if under else (low, middle)
    return low


def pilot(positives: int, negatives: int, draws: int, seed: int) -> tuple[float, float]:
    """How often an AUC of .75 is shown to be above one half: by Mann and Whitney, and by ours."""
    rng = np.random.default_rng([SEED, seed])
    signal = 2.0**0.5 * normal_quantile(0.75)
    chance = ((positives + negatives + 1.0) / (12.0 * positives * negatives)) ** 0.5
    found = np.zeros((draws, 2))
    for i in range(draws):
        above, below = rng.normal(signal, 1.0, positives), rng.normal(0.0, 1.0, negatives)
        fit = auc.fit(above, below)
        tested = float(fit.values[0]) > 0.5 + normal_quantile(0.975) * chance
        found[i] = tested, fit.interval()[0] > 0.5
    tested, shown = found.mean(axis=0).tolist()
    return tested, shown


def least(share: float) -> tuple[int, int]:
    """The fewest items with such a share of positives that are no pilot."""
    n = 4
    while is_pilot(round(share * n), n - round(share * n)):
        n += 1
    return round(share * n), n - round(share * n)


def spread(task: Callable[..., Any], cells: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Each cell in a process of its own, as many as there are cores; each with its own seed."""
    numbered = [(*cell, at) for at, cell in enumerate(cells)]
    with ProcessPoolExecutor() as pool:
        return list(pool.map(task, *zip(*numbered, strict=True)))


def table_coverage(draws: int) -> str:
    """A - B at 5 and 10 seeds x 200 items."""
    cells = [
        (name, seeds, replace(system, seeds=seeds))
        for seeds in (5, 10)
        for name, system in SYSTEMS.items()
    ]
    found = spread(coverage, [(system, draws) for _, _, system in cells])
    rows = [
        _covered(name, str(seeds), row) for (name, seeds, _), row in zip(cells, found, strict=True)
    ]
    headers = ("system", "seeds", *_COVERED)
    return f"{draws:,} draws a cell. {_worst(found)}\n\n{markdown(headers, rows)}"


def table_sizes(draws: int) -> str:
    """The same system with few and many seeds and items."""
    draws = max(draws // 2, 1)
    cells = [(s, n) for s in (2, 3, 5, 10) for n in (40, 100, 200, 1000)]
    found = spread(
        coverage, [(replace(SYSTEMS["memory and transfer"], seeds=s, n=n), draws) for s, n in cells]
    )
    rows = [_covered(str(s), str(n), row) for (s, n), row in zip(cells, found, strict=True)]
    return f"{draws:,} draws a cell.\n\n{markdown(('seeds', 'items', *_COVERED), rows)}"


def table_metrics(draws: int) -> str:
    """Other metrics."""
    draws = max(draws // 4, 1)
    kinds = {
        "memory and transfer": System(memory=0.1, transfer=0.3),
        "no effect": System(),
        "seed-blind, memory of 5 %": still(System(memory=0.05)),
        "10 % positive": System(memory=0.1, transfer=0.3, positive=0.1),
    }
    metrics: tuple[MetricName, ...] = ("accuracy", "f1", "average-precision")
    cells = [(m, name, replace(kind, metric=m)) for m in metrics for name, kind in kinds.items()]
    found = spread(coverage, [(system, draws) for _, _, system in cells])
    rows = [_covered(m, name, row) for (m, name, _), row in zip(cells, found, strict=True)]
    return f"{draws:,} draws a cell, 5 seeds x 200 items.\n\n" + markdown(
        ("metric", "system", *_COVERED), rows
    )


def table_bootstraps(draws: int) -> str:
    """What resampling gives instead."""
    draws = max(draws // 10, 1)
    cells = [(name, seeds) for seeds in (5, 10) for name in BOOTSTRAPPED]
    found = spread(
        bootstraps, [(replace(SYSTEMS[name], seeds=seeds), draws) for name, seeds in cells]
    )
    rows = [
        (name, str(seeds), *(f"{one[at]:.3f}" for one in row for at in (0, 3)))
        for (name, seeds), row in zip(cells, found, strict=True)
    ]
    kinds = ("ours", "plain bootstrap", "two-level bootstrap", "t over seeds")
    headers = ("system", "seeds", *(f"{k}{w}" for k in kinds for w in ("", ": width")))
    return f"{draws:,} draws a cell, {RESAMPLES} resamples.\n\n{markdown(headers, rows)}"


def table_planted(draws: int) -> str:
    """Systems that memorise and transfer by known amounts."""
    draws = max(draws // 2, 1)
    cells = [(name, seeds) for seeds in (5, 10) for name in PLANTED]
    found = spread(planted, [(replace(PLANTED[name], seeds=s), draws) for name, s in cells])
    rows = [
        (name, str(seeds), *(f"{x:.4f}" for x in row[:2]), *(f"{x:.3f}" for x in row[2:]))
        for (name, seeds), row in zip(cells, found, strict=True)
    ]
    headers = (
        "system", "seeds", "memorisation", "transfer",
        "memorisation held", "transfer held", "A - B held", "both held",
    )  # fmt: skip
    return f"{draws:,} draws a cell, 200 items.\n\n{markdown(headers, rows)}"


def table_regimes(draws: int) -> str:
    """What is said of systems whose regime is known."""
    draws = max(draws // 4, 1)
    noisy, blind = System(), still(System())
    poor = replace(noisy, signal=signal_of(0.55, noisy))
    kinds = {
        "no effect": noisy,
        "no effect, all noise": System(item=0.0, run=0.0, seed_effect=0.0),
        "no effect, seed-blind": blind,
        "gap .01": _with_gap(0.01, noisy),
        "gap .02": _with_gap(0.02, noisy),
        "gap .02, seed-blind": _with_gap(0.02, blind),
        "gap .05": _with_gap(0.05, noisy),
        "gap .10": _with_gap(0.10, noisy),
        "gap .05, B .60": _with_gap(0.05, replace(noisy, signal=signal_of(0.60, noisy))),
        "gap .10, B .65": _with_gap(0.10, replace(noisy, signal=signal_of(0.65, noisy))),
        "gap .20, B .55": _with_gap(0.20, poor),
        "memory of 30 %": replace(noisy, memory=0.3),
        "memory of 30 %, B .55": replace(poor, memory=0.3),
        "memory of 30 % and transfer, B .55": replace(poor, memory=0.3, transfer=0.5),
        "gap -.02": _with_gap(-0.02, noisy),
        "gap -.10": _with_gap(-0.10, noisy),
    }
    cells = [
        (name, seeds, n, replace(kind, seeds=seeds, n=n))
        for name, kind in kinds.items()
        for seeds, n in ((5, 200), (10, 200), (5, 1000))
    ]
    found = spread(regimes, [(cell[-1], draws) for cell in cells])
    said = ("polish", "harmful", "memorised", "memory-carried", "learning", "undetermined")
    rows = [
        (name, str(seeds), str(n), f"{gap:.3f}", f"{b:.3f}", *(f"{c[w] / draws:.3f}" for w in said))
        for (name, seeds, n, _), (gap, b, c) in zip(cells, found, strict=True)
    ]
    headers = ("system", "seeds", "items", "A - B", "B", *said)
    return f"{draws:,} draws a cell.\n\n{markdown(headers, rows)}"


def table_unseen(draws: int) -> str:
    """How often a gain on unseen items withdraws `memorised`, rightly and wrongly."""
    known = System(memory=0.4, unseen=0.5)
    kinds = {
        "memory only": known,
        "memory only, seeds differ by .13": replace(known, seed_effect=0.6),
        "memory only, all noise": replace(known, item=0.0, run=0.0, seed_effect=0.0),
        "memory only, seed-blind": still(known),
        "memory only, 10 % positive": replace(known, positive=0.1),
        "memory only, groups of 2-5": replace(known, groups=True),
        "memory only, five levels": replace(known, levels=True),
        "memory only, AUC from .97": replace(known, signal=2.6),
        "memory only, 20 % unseen": replace(known, unseen=0.2),
        "memory only, 90 % unseen": replace(known, memory=0.9, unseen=0.9),
        "memory, transfers harm": replace(known, transfer=-0.2),
        **{
            f"memory, gain {gap:g} elsewhere, gone from C": replace(
                _with_gap(gap, known), lost=True
            )
            for gap in (0.02, 0.05, 0.1, 0.2)
        },
    }
    cells = [
        (name, seeds, n, replace(kind, seeds=seeds, n=n))
        for name, kind in kinds.items()
        for seeds, n in ((5, 200), (10, 200), (5, 1000))
    ]
    found = spread(unseen, [(cell[-1], draws) for cell in cells])
    rows = [
        (name, str(seeds), str(n), f"{kind.unseen:g}", f"{gap:.3f}", f"{before:.3f}",
         f"{after:.3f}", f"{1.0 - after / before:.3f}" if before else "")
        for (name, seeds, n, kind), (gap, before, after) in zip(cells, found, strict=True)
    ]  # fmt: skip
    headers = (
        "system", "seeds", "items", "share unseen", "true A - B there",
        "memorised, unless checked", "memorised", "share withdrawn",
    )  # fmt: skip
    return f"{draws:,} draws a cell.\n\n{markdown(headers, rows)}"


def table_uneven(draws: int) -> str:
    """Seeds of which some are unlike the others."""
    draws = max(draws // 2, 1)
    kinds = UNEVEN | {f"{name} (held back)": kind for name, kind in HELD_BACK.items()}
    cells = [(name, seeds) for seeds in (5, 10, 29) for name in kinds]
    found = spread(uneven, [(replace(kinds[name], seeds=seeds), draws) for name, seeds in cells])
    rows = [
        (name, str(seeds), f"{row[0]:.4f}", *("" if np.isnan(x) else f"{x:.3f}" for x in row[1:]))
        for (name, seeds), row in zip(cells, found, strict=True)
    ]
    headers = (
        "system", "seeds", "true A - B", "coverage", "an uneven run", "one is said",
        "coverage where said", "where not",
    )  # fmt: skip
    return f"{draws:,} draws a cell, 200 items.\n\n{markdown(headers, rows)}"


def table_falls(draws: int) -> str:
    """How often B is said to have fallen."""
    draws = max(draws // 4, 20)
    cells = [
        (System(n=n), k, fall)
        for n in (200, 1000)
        for k in (1, 5, 20)
        for fall in (0.0, 0.02, 0.05, 0.1)
    ]
    found = spread(falls, [(*cell, draws) for cell in cells])
    rows = [
        (str(now.n), str(k), f"{fall:g}", f"{share:.3f}")
        for (now, k, fall), share in zip(cells, found, strict=True)
    ]
    return f"{draws:,} draws a cell, 5 seeds.\n\n" + markdown(
        ("items", "pasts", "all higher by", "dependent"), rows
    )


def table_pilots(draws: int) -> str:
    """The fewest items that are no pilot, and what they show."""
    sizes = [least(share) for share in (0.5, 0.3, 0.2, 0.1)]
    found = spread(pilot, [(*size, draws) for size in sizes])
    rows = [
        (str(ones), str(others), *(f"{share:.3f}" for share in shares))
        for (ones, others), shares in zip(sizes, found, strict=True)
    ]
    return f"{draws:,} draws a cell.\n\n" + markdown(
        ("positives", "negatives", "Mann-Whitney test", "our interval"), rows
    )


_COVERED = (
    "true A - B", "coverage", "truth above", "truth below", "width", "needed", "t over seeds",
    "its width",
)  # fmt: skip


def _covered(first: str, second: str, row: tuple[Any, ...]) -> tuple[str, ...]:
    truth, ours, student, needed = row
    figures = (*ours, needed, student[0], student[3])
    return first, second, f"{truth:.4f}", *(f"{x:.3f}" for x in figures)


def _worst(found: Sequence[tuple[Any, ...]]) -> str:
    ours = np.array([row[1][0] for row in found])
    return f"Worst {ours.min():.3f}, mean {ours.mean():.3f}."


def _with_gap(gap: float, system: System) -> System:
    """The system with as much transfer as makes A - B so large."""
    signal = signal_of(system.truth("B") + gap, system)
    return replace(system, transfer=signal - system.signal)


TABLES = {
    "coverage": table_coverage,
    "sizes": table_sizes,
    "bootstraps": table_bootstraps,
    "planted": table_planted,
    "metrics": table_metrics,
    "regimes": table_regimes,
    "unseen": table_unseen,
    "uneven": table_uneven,
    "falls": table_falls,
    "pilots": table_pilots,
}


if __name__ == "__main__":
    make_tables(TABLES, about=__doc__, draws=DRAWS, by="dual_rates", page=PAGE)
