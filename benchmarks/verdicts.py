"""Whole scorecards from benchmarks with a known truth, through the same door as real ones."""

import math

import numpy as np
from situations import shift

from assay.evidence.confine import Level
from assay.evidence.record import Record, Run, Source
from assay.judges.score import score
from assay.judges.scorecard import Verdict
from assay.plan.bars import BarSet, load_bars
from assay.plan.benchmark import Benchmark, Item

CLASSES = {"truth": 55, "folklore": 34, "factual-error": 13, "pseudoscience": 6}


def rates(version: str, draws: int, seed: int) -> tuple[float, float]:
    """The shares of PASS and of FAIL for a method whose true value stands exactly at a bar.

    Under v1 its AUC is .70 on both partitions. From v2 on, responses have a number of words that
    follows a Poisson law, three more for misconceptions, and the method's AUC is that of counting
    words plus .10, so that D3 is met exactly and the other bars with room to spare.
    """
    rng = np.random.default_rng(seed)
    bars = load_bars(version)
    target = 0.70 if version == "v1" else _words_auc() + 0.10
    verdicts = [_draw(rng, bars, target) for _ in range(draws)]
    return verdicts.count(Verdict.PASS) / draws, verdicts.count(Verdict.FAIL) / draws


def _draw(rng: np.random.Generator, bars: BarSet, target: float) -> Verdict:
    classes = [name for name, count in CLASSES.items() for _ in range(count)]
    false = np.array([name != "truth" for name in classes])
    words = rng.poisson(np.where(false, 7.0, 4.0))
    scores = rng.normal(false * shift(target, False), 1.0)
    items = tuple(
        Item(id=str(i), question="q", response="w " * int(k), cls=name)
        for i, (name, k) in enumerate(zip(classes, words, strict=True))
    )
    benchmark = Benchmark(name="drawn", digest="sha256:0", items=items)
    return score(_run(benchmark, scores.tolist()), benchmark, bars).verdict


def _words_auc() -> float:
    """P(more words) + P(as many) / 2 for Poisson counts of mean 7 and 4."""

    def mass(k: int, mean: float) -> float:
        return math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1))

    truths = [mass(k, 4.0) for k in range(60)]
    return sum(mass(k, 7.0) * (sum(truths[:k]) + truths[k] / 2.0) for k in range(60))


def _run(benchmark: Benchmark, scores: list[float]) -> Run:
    return Run(
        method="drawn",
        method_digest=None,
        task="detection",
        benchmark=Source.of(benchmark),
        second=None,
        seed=0,
        folds=None,
        isolation=Level.TRUSTED,
        environment=(),
        harness={},
        printed=0,
        complete=True,
        records=tuple(
            Record(item=item.id, output=value, error=None, ms=0.0)
            for item, value in zip(benchmark.items, scores, strict=True)
        ),
    )
