"""How often a method that is nothing but surface passes v4, and how often a real one does.

    python benchmarks/surface_rates.py            prints the tables
    python benchmarks/surface_rates.py --write    also puts them where the docs show them
    python benchmarks/surface_rates.py --only told --keep told.jsonl    goes on where it was ended

Benchmarks and methods come from benchmarks/surface_situations.py, and every verdict from `score`.
All positives are folklore and there are no sources, so v4 is four bars: D1 and D2 are the same, and
so are both partitions of D3, D4 and D5. v4 asks for all of them, so where a bar that needs no model
is not passed, the one that does is not computed: the verdict is the same.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the cores are taken by draws

import argparse
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np
from error_rates import DOC
from result_tables import insert, markdown
from situations import Floats
from surface_families import TOLD, Rules, draw_told
from surface_held_back import BEYOND_COVERAGE, HELD_BACK
from surface_situations import (
    LEAKS,
    SHAPES,
    SURFACE_ONLY,
    Drawn,
    draw_benchmark,
    draw_leak,
    independent,
)
from verdicts import drawn_run
from word_situations import TILTS, draw_words

from assay.confounding.judge import confounds
from assay.errors import OneClassPartition
from assay.gauntlet.judge import score
from assay.gauntlet.result import BarResult, Scorecard, Verdict
from assay.gauntlet.spec import BarSet, parse_bars
from assay.stats.auc import auc
from assay.stats.stratified_auc import fit_within
from assay.surface.joint_model import known_surface, read_surface
from assay.surface.words import rests_on_words

SEED = 20_261_116
SIZES = (108, 400, 1000)
FITNESS_SIZES = (60, 108, 250, 600, 1000)
OWN = "a signal of its own"
AT_THE_BAR = NormalDist().inv_cdf(0.65) * 2**0.5
_CHEAP = """
task = "detection"
version = "cheap"
because = "The bars of v4 that need no model."
[partition.p]
positive = "class == folklore"
negative = "class == truth"
[[bar]]
id = "D1"
metric = "auc"
partitions = ["p"]
at_least = 0.70
[[bar]]
id = "D3"
metric = "auc"
partitions = ["p"]
at_least = 0.10
minus = { feature = "word_length", direction = "better" }
[[bar]]
id = "D4"
metric = "auc"
partitions = ["p"]
at_least = 0.10
minus = { feature = "capitalized_token_ratio", direction = "better" }
"""
_BEYOND = (
    _CHEAP[: _CHEAP.index("[[bar]]")]
    + """
[[bar]]
id = "D5"
metric = "auc"
partitions = ["p"]
at_least = 0.65
beyond = "surface"
"""
)
Cell = tuple[str, int, int]
Row = TypeVar("Row")


def judged(drawn: Drawn, scores: Floats, bars: BarSet) -> Scorecard:
    """A method's scores under some bars."""
    return score(drawn_run(drawn.benchmark, scores.tolist()), drawn.benchmark, bars)


def beyond(drawn: Drawn, scores: Floats) -> BarResult:
    """D5 alone."""
    return judged(drawn, scores, parse_bars(_BEYOND.encode(), where="D5")).bars[0]


def cheap(drawn: Drawn, scores: Floats) -> bool:
    """Whether the bars that need no model are passed."""
    bars = parse_bars(_CHEAP.encode(), where="without D5")
    return judged(drawn, scores, bars).verdict is Verdict.PASS


def surface_only(cell: Cell) -> dict[str, tuple[bool, bool]]:
    """For each method that is surface: whether the bars without a model passed, and all of v4."""
    shape, size, seed = cell
    rng = np.random.default_rng([SEED, size, SHAPES.index(shape), seed])
    drawn = draw_benchmark(rng, size=size, shape=shape)
    found = {}
    for name, method in SURFACE_ONLY.items():
        scores = method(drawn, rng)
        open_still = cheap(drawn, scores)
        found[name] = open_still, open_still and beyond(drawn, scores).outcome is Verdict.PASS
    known_surface.cache_clear()
    return found


def real(cell: Cell) -> tuple[float, float, bool]:
    """A method with a signal of its own: its AUC, what is left of it, and whether v4 passed."""
    shape, size, seed = cell
    rng = np.random.default_rng([SEED, size, SHAPES.index(shape), seed, 1])
    drawn = draw_benchmark(rng, size=size, shape=shape)
    scores = independent(drawn, rng)
    bar = beyond(drawn, scores)
    known_surface.cache_clear()
    label = drawn.label > 0.0
    passed = bar.outcome is Verdict.PASS and cheap(drawn, scores)
    return auc(scores[label], scores[~label]), bar.value, passed


def at_the_bar(cell: Cell) -> tuple[float, bool, bool]:
    """A method whose AUC beyond the surface is .65: the estimate, and whether D5 decided."""
    shape, size, seed = cell
    rng = np.random.default_rng([SEED, size, SHAPES.index(shape), seed, 2])
    drawn = draw_benchmark(rng, size=size, shape=shape)
    bar = beyond(drawn, independent(drawn, rng, AT_THE_BAR))
    known_surface.cache_clear()
    return bar.value, bar.outcome is Verdict.PASS, bar.outcome is Verdict.FAIL


def fitness(cell: Cell) -> tuple[float, str]:
    """A benchmark whose surface tells nothing of its labels: the joint AUC, and the verdict."""
    shape, size, seed = cell
    rng = np.random.default_rng([SEED, size, SHAPES.index(shape), seed, 3])
    drawn = draw_benchmark(rng, size=size, shape=shape)
    mixed = rng.permutation(drawn.label > 0.0)
    blank = drawn.relabelled(mixed)
    audit = confounds(blank.benchmark)
    return audit.joint.auc if audit.joint is not None else 0.5, audit.verdict.value


def within(cell: tuple[float, int, bool], draws: int, seed: int) -> tuple[float, float]:
    """Coverage of the AUC within sources, and the error of its lower bound.

    Four sources of different sizes, with different shares of positives; the scores shift from
    source to source, which only the AUC within sources ignores.
    """
    truth, size, grouped = cell
    rng = np.random.default_rng(seed)
    distance = NormalDist().inv_cdf(truth) * 2**0.5
    found = np.zeros((draws, 2))
    for i in range(draws):
        source = rng.choice(4, size=size, p=[0.4, 0.3, 0.2, 0.1])
        group = np.arange(size) // 2 if grouped else np.arange(size)
        label = rng.random(size) < np.array([0.2, 0.5, 0.6, 0.8])[source]
        own = rng.normal(size=size)
        if grouped:
            source, shared = source[group * 2], rng.normal(size=size)[group * 2]
            own = (own + shared) / 2**0.5
        scores = own + distance * label + source.astype(np.float64)
        names = source.astype(str).tolist()
        sides = (
            [s for s, up in zip(names, label, strict=True) if up],
            [s for s, up in zip(names, label, strict=True) if not up],
        )
        groups = (group[label], group[~label]) if grouped else None
        fit = fit_within(scores[label], scores[~label], sides, groups=groups)
        if fit is None:
            found[i] = 1.0, 0.0
            continue
        low, high = fit.interval_at(0.95)
        found[i] = low <= truth <= high, fit.interval_at(0.90)[0] > truth
    covered, over = found.mean(axis=0)
    return covered, over


def pooled(
    task: Callable[[Any], Row], cells: Iterable[Any], keep: Path | None = None
) -> list[tuple[Any, Row]]:
    """Every cell, over all cores; those that a file keeps are not drawn again."""
    listed = list(cells)
    if keep is None:
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            return list(zip(listed, pool.map(task, listed), strict=True))
    keep.touch()
    kept = {json.dumps(cell): row for cell, row in map(json.loads, keep.read_text().splitlines())}
    missing = [cell for cell in listed if json.dumps(cell) not in kept]
    with ProcessPoolExecutor(os.cpu_count()) as pool, keep.open("a") as file:
        for cell, row in zip(missing, pool.map(task, missing), strict=True):
            print(json.dumps([cell, row]), file=file, flush=True)
            kept[json.dumps(cell)] = row
    return [(cell, kept[json.dumps(cell)]) for cell in listed]


def table_surface_only(draws: int) -> str:
    """Methods that are nothing but surface."""
    found = pooled(surface_only, product(SHAPES, SIZES, range(draws)))
    rows = []
    worst = 0.0
    for shape, size in product(SHAPES, SIZES):
        own = [row for (s, n, _), row in found if (s, n) == (shape, size)]
        cheap = [one[0] for row in own for one in row.values()]
        passed = {name: float(np.mean([row[name][1] for row in own])) for name in SURFACE_ONLY}
        most = max(passed, key=lambda name: passed[name])
        worst = max(worst, passed[most])
        named = f"{most} {passed[most]:.3f}" if passed[most] else "-"
        rows.append(
            (
                shape,
                str(size),
                f"{np.mean(cheap):.3f}",
                f"{np.mean(list(passed.values())):.4f}",
                named,
            )
        )
    all_of_them = np.mean([one[1] for _, row in found for one in row.values()])
    summary = (
        f"{len(SURFACE_ONLY)} methods, {draws} benchmarks a row. PASS under v4:"
        f" {all_of_them:.4f} of all draws; the worst method in the worst row {worst:.3f}."
    )
    headers = ("benchmark", "n", "PASS without D5", "PASS v4", "worst method")
    return f"{summary}\n\n{markdown(headers, rows)}"


FAMILIES: dict[str, Rules] = {
    "told": TOLD,
    "held-back": HELD_BACK,
    "beyond-coverage": BEYOND_COVERAGE,
}
ToldCell = tuple[str, str, str, int, int]


def told(cell: ToldCell) -> dict[str, tuple[float, float, bool]]:
    """For each method: its AUC, what is left of it, and whether its lower bound is at D5.

    With fewer than ten positives nothing is measured, so nothing is left to know and none passes.
    """
    family, texts, rule, size, seed = cell
    rules = FAMILIES[family]
    place = list(rules).index(texts), list(rules[texts]).index(rule)
    apart = 1000 * list(FAMILIES).index(family)
    rng = np.random.default_rng([SEED, size, *place, apart + seed])
    drawn = draw_told(rng, size=size, texts=texts, rule=rules[texts][rule])
    label = drawn.label
    methods = {**drawn.methods, OWN: rng.normal(size=size) + 2.0 * label}
    plain = {name: auc(scores[label], scores[~label]) for name, scores in methods.items()}
    try:
        surface = read_surface(drawn.items, label)
    except OneClassPartition:
        return {name: (value, float("nan"), False) for name, value in plain.items()}
    found = {}
    for name, scores in methods.items():
        named = {item.id: float(x) for item, x in zip(drawn.items, scores, strict=True)}
        left = surface.beyond(named)
        passed = left.interval(0.90)[0] >= 0.65 and not left.unfit
        found[name] = plain[name], left.value, bool(passed)
    return found


def table_told(draws: int, family: str = "told", keep: Path | None = None) -> str:
    """Labels that a table of features tells, and methods that are that table."""
    kinds = [(family, texts, rule) for texts, rules in FAMILIES[family].items() for rule in rules]
    cells = [(*kind, size) for kind, size in product(kinds, SIZES)]
    drawn = [(*cell, seed) for seed, cell in product(range(draws), cells)]
    found = pooled(told, drawn, keep)
    rows = []
    cheats, passes = 0, 0
    for cell in cells:
        own = [row for (*drawn_from, _), row in found if tuple(drawn_from) == cell]
        share = {name: float(np.mean([row[name][2] for row in own])) for name in own[0]}
        real = share.pop(OWN)
        worst = max(share, key=lambda name: share[name])
        plain, left = (np.nanmean([row[name][i] for row in own for name in share]) for i in (0, 1))
        cheats, passes = (
            cheats + len(own) * len(share),
            passes + sum(row[name][2] for row in own for name in share),
        )
        rows.append(
            (*map(str, cell[1:]), f"{plain:.2f}", f"{left:.2f}",
             f"{np.mean(list(share.values())):.3f}",
             f"{worst} {share[worst]:.2f}" if share[worst] else "-", f"{real:.2f}")
        )  # fmt: skip
    headers = ("texts", "rule", "n", "AUC", "beyond", "D5", "worst method", "d' = 2")
    summary = f"{draws} draws a row, five methods each. Over D5: {passes} of {cheats:,}."
    return f"{summary}\n\n{markdown(headers, rows)}"


def by_words(cell: tuple[int, int]) -> dict[str, tuple[float, bool, bool]]:
    """For each method: what is left of it, whether D5 is passed, and whether words are named."""
    size, seed = cell
    rng = np.random.default_rng([SEED, size, seed, 5])
    items, label, methods = draw_words(rng, size=size)
    surface = read_surface(items, label)
    found = {}
    for name, scores in methods.items():
        named = {item.id: float(x) for item, x in zip(items, scores, strict=True)}
        left = surface.beyond(named)
        passed = left.interval(0.90)[0] >= 0.65 and not left.unfit
        found[name] = left.value, passed, passed and rests_on_words(surface, named, left)
    return found


def table_words(draws: int) -> str:
    """Methods that read words, and the caveat that says so."""
    found = pooled(by_words, product(TILTS, range(draws)))
    rows = []
    for size in TILTS:
        own = [row for (n, _), row in found if n == size]
        for name in own[0]:
            left, passed, named = (np.array([row[name][i] for row in own]) for i in range(3))
            rows.append((str(size), name, f"{left.mean():.3f}", f"{int(passed.sum())}",
                         f"{int(named.sum())}"))  # fmt: skip
    headers = ("n", "method", "beyond", "passes D5", "of these words-not-ruled-out")
    return f"{draws} draws a row.\n\n{markdown(headers, rows)}"


def table_held_back(draws: int) -> str:
    """Rules that D5 was not chosen on, and those that it is not said to cover."""
    covered, beyond_it = (table_told(draws, family) for family in ("held-back", "beyond-coverage"))
    return f"{covered}\n\nRules on four features or five, which are not covered:\n\n{beyond_it}"


def table_real(draws: int) -> str:
    """A method with a signal of its own."""
    found = pooled(real, product(SHAPES, (400, 1000), range(draws)))
    rows = []
    for shape, size in product(SHAPES, (400, 1000)):
        own = np.array([row for (s, n, _), row in found if (s, n) == (shape, size)], dtype=float)
        plain, left, passed = own.mean(axis=0)
        lost = own[:, 0] - own[:, 1]
        rows.append(
            (shape, str(size), f"{plain:.3f}", f"{left:.3f}", f"{lost.mean():.3f}",
             f"{np.abs(lost).max():.3f}", f"{passed:.3f}")
        )  # fmt: skip
    headers = ("benchmark", "n", "AUC", "beyond", "mean loss", "largest change", "PASS v4")
    return f"d' = 2, {draws} draws a row.\n\n{markdown(headers, rows)}"


def table_at_the_bar(draws: int) -> str:
    """A method exactly at D5."""
    found = pooled(at_the_bar, product(("plain", "weak"), (108, 400), range(draws)))
    rows = []
    for shape, size in product(("plain", "weak"), (108, 400)):
        own = np.array([row for (s, n, _), row in found if (s, n) == (shape, size)], dtype=float)
        rows.append((shape, str(size), *(f"{x:.3f}" for x in own.mean(axis=0))))
    headers = ("benchmark", "n", "mean estimate", "D5 PASS", "D5 FAIL")
    return f"True value .65, {draws} draws a row.\n\n{markdown(headers, rows)}"


def leaking(cell: Cell) -> tuple[float, str]:
    """A benchmark whose surface tells something: the joint AUC, and the verdict."""
    leak, size, seed = cell
    rng = np.random.default_rng([SEED, size, LEAKS.index(leak), seed, 4])
    audit = confounds(draw_leak(rng, size=size, leak=leak))
    return audit.joint.auc if audit.joint is not None else 0.5, audit.verdict.value


def table_fitness(draws: int) -> str:
    """Benchmarks whose surface tells nothing, and something."""
    found = [
        (("shuffled", *cell[1:]), row)
        for cell, row in pooled(fitness, product(("plain",), FITNESS_SIZES, range(draws)))
    ]
    found += pooled(leaking, product(LEAKS, FITNESS_SIZES, range(draws)))
    rows = []
    for leak, size in product(("shuffled", *LEAKS), FITNESS_SIZES):
        own = [row for (name, n, _), row in found if (name, n) == (leak, size)]
        share = [float(np.mean([row[1] == name for row in own])) for name in
                 ("clean", "confounded", "unfit", "undecided")]  # fmt: skip
        rows.append((leak, str(size), f"{np.mean([row[0] for row in own]):.3f}",
                     *(f"{x:.3f}" for x in share)))  # fmt: skip
    headers = ("leak", "n", "mean joint AUC", "clean", "confounded", "unfit", "undecided")
    return f"{draws} draws a row.\n\n{markdown(headers, rows)}"


def table_within(draws: int) -> str:
    """The AUC within sources."""
    many = draws * 50
    cells = list(product((0.65, 0.8, 0.95), (108, 400), (False, True)))
    rows = []
    for number, (truth, size, grouped) in enumerate(cells):
        row = within((truth, size, grouped), many, SEED + number)
        said = "pairs" if grouped else "alone"
        rows.append((f"{truth:g}", str(size), said, *(f"{x:.3f}" for x in row)))
    headers = ("AUC within", "n", "records", "coverage", "false pass")
    return f"Four sources, {many:,} draws a row.\n\n{markdown(headers, rows)}"


TABLES: dict[str, tuple[Callable[[int], str], int]] = {
    "within": (table_within, 40),
    "fitness": (table_fitness, 40),
    "at-the-bar": (table_at_the_bar, 100),
    "real": (table_real, 20),
    "words": (table_words, 20),
    "surface-only": (table_surface_only, 20),
    "told": (table_told, 12),
    "held-back": (table_held_back, 3),
}


def main() -> None:
    """Make the tables, and write them where they are read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int)
    parser.add_argument("--only", choices=sorted(TABLES))
    parser.add_argument("--keep", type=Path, help="of `told`: a file for what was drawn")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    for name, (make, draws) in TABLES.items():
        if chosen.only in (None, name):
            if name == "told":
                make = partial(table_told, keep=chosen.keep)
            table = make(chosen.draws or draws)
            print(f"\n{name}\n\n{table}", flush=True)
            if chosen.write:
                insert(name, table, by="surface_rates", page=DOC)


if __name__ == "__main__":
    main()
