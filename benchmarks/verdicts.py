"""Whole scorecards from benchmarks with a known truth, through the same door as real ones."""

import math

import numpy as np
from situations import Floats, shift

from assay.benchmark.benchmark import Benchmark, Item
from assay.digests import digest
from assay.gauntlet.judge import score
from assay.gauntlet.load import load_bars
from assay.gauntlet.result import Scorecard, Verdict
from assay.gauntlet.spec import BarSet, parse_bars
from assay.runs.result import Limits, Record, Run, Source
from assay.sandbox.levels import Level

CLASSES = {"truth": 55, "folklore": 34, "factual-error": 13, "pseudoscience": 6}
BOUNDARIES = ("v1", "v2", "v3", "a control read in the better direction")
_BETTER = """
task = "detection"
version = "better"
because = "An uninformative control, read in whichever direction looks better."
[partition.p]
positive = "class != truth"
negative = "class == truth"
[[bar]]
id = "B1"
metric = "auc"
partitions = ["p"]
at_least = 0.20
minus = { feature = "capitalized_token_ratio", direction = "better" }
"""


def rates(boundary: str, draws: int, seed: int) -> tuple[float, float]:
    """The shares of PASS and of FAIL for a method whose true value stands exactly at a bar.

    Under v1 its AUC is .70 on both partitions. From v2 on, responses have a number of words that
    follows a Poisson law, three more for misconceptions, and the method's AUC is that of counting
    words plus .10, so that D3 is met exactly and the other bars with room to spare. The last has an
    AUC of .70 and a control that tells nothing, at a margin of .20.
    """
    rng = np.random.default_rng(seed)
    better = boundary not in ("v1", "v2", "v3")
    bars = parse_bars(_BETTER.encode(), where="better") if better else load_bars(boundary)
    target = 0.70 if better or boundary == "v1" else _words_auc() + 0.10
    verdicts = [_draw(rng, bars, target).verdict for _ in range(draws)]
    return verdicts.count(Verdict.PASS) / draws, verdicts.count(Verdict.FAIL) / draws


def forecast(cell: tuple[float, str], draws: int, seed: int) -> tuple[int, float]:
    """The number of records said to settle it, where the sample is as the truth; how often it did.

    The two bars of v1, the truth the same on both. The sample from which the forecast is made has
    scores at the quantiles of their distribution, so that its estimates are right.
    """
    truth, wanted = cell
    bars = load_bars("v1")
    card = _judge(_quantile_scores(truth), bars)
    needed = card.records_needed or 0
    rng = np.random.default_rng(seed)
    times = needed / sum(CLASSES.values())
    found = [_draw(rng, bars, truth, times=times).verdict.value for _ in range(draws)]
    return needed, found.count(wanted) / draws


def _draw(rng: np.random.Generator, bars: BarSet, target: float, times: float = 1.0) -> Scorecard:
    classes = _classes(times)
    false = np.array([name != "truth" for name in classes])
    words = rng.poisson(np.where(false, 7.0, 4.0))
    capitals = rng.binomial(words, 0.3)
    scores = rng.normal(false * shift(target, False), 1.0)
    texts = ["W " * int(c) + "w " * int(k - c) for k, c in zip(words, capitals, strict=True)]
    return _judge(scores, bars, texts=texts, times=times)


def _classes(times: float) -> list[str]:
    return [name for name, count in CLASSES.items() for _ in range(max(round(count * times), 2))]


def _quantile_scores(truth: float) -> Floats:
    parts = []
    for name, count in CLASSES.items():
        centre = 0.0 if name == "truth" else shift(truth, False)
        places = (np.arange(count) + 0.5) / count
        parts.append(np.array([centre + _normal_quantile(p) for p in places]))
    return np.concatenate(parts)


def _normal_quantile(p: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


def _judge(
    scores: Floats, bars: BarSet, *, texts: list[str] | None = None, times: float = 1.0
) -> Scorecard:
    classes = _classes(times)
    texts = texts or ["w"] * len(classes)
    items = tuple(
        Item(id=str(i), question=f"q{i}", response=text, cls=name)
        for i, (name, text) in enumerate(zip(classes, texts, strict=True))
    )
    benchmark = Benchmark(name="drawn", digest=digest(b"drawn"), items=items)
    return score(drawn_run(benchmark, scores.tolist()), benchmark, bars)


def _words_auc() -> float:
    """P(more words) + P(as many) / 2 for Poisson counts of mean 7 and 4."""

    def mass(k: int, mean: float) -> float:
        return math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1))

    truths = [mass(k, 4.0) for k in range(60)]
    return sum(mass(k, 7.0) * (sum(truths[:k]) + truths[k] / 2.0) for k in range(60))


def drawn_run(benchmark: Benchmark, *by_seed: list[float]) -> Run:
    """A run as if a method had given these scores, seed by seed."""
    return Run(
        method="drawn",
        method_digest=None,
        task="detection",
        benchmark=Source.of(benchmark),
        second=None,
        seed=0,
        folds=None,
        isolation=Level.TRUSTED,
        limits=Limits(),
        keep_going=False,
        environment=(),
        harness={},
        printed=0,
        complete=True,
        records=tuple(
            Record(item=item.id, output=value, error=None, ms=0.0, seed=seed)
            for seed, scores in enumerate(by_seed)
            for item, value in zip(benchmark.items, scores, strict=True)
        ),
        seeds=len(by_seed),
    )
