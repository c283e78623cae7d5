"""What must not change a scorecard or an audit: order, names, the units of a score, copies."""

import numpy as np
import pytest
from helpers.scale import scale
from msgspec.structs import replace
from surface_situations import draw_benchmark
from verdicts import drawn_run

from assay.benchmark.benchmark import Benchmark
from assay.confounding.judge import confounds
from assay.digests import digest
from assay.gauntlet.judge import score
from assay.gauntlet.load import load_bars

SIZE = 120


def drawn(seed):
    """Records whose surface leans, and scores with a signal of their own."""
    rng = np.random.default_rng(seed)
    benchmark = draw_benchmark(rng, size=SIZE, shape="weak")
    scores = rng.normal(size=SIZE) + benchmark.label + benchmark.features[:, 0] / 2.0
    return list(benchmark.benchmark.items), scores


def made(items):
    return Benchmark(name="made", digest=digest(repr(items).encode()), items=tuple(items))


def judged(items, scores):
    """Every figure of a scorecard under v4, and of an audit with the method."""
    benchmark = made(items)
    card = score(drawn_run(benchmark, list(map(float, scores))), benchmark, load_bars("v4"))
    named = {item.id: float(x) for item, x in zip(items, scores, strict=True)}
    audit = confounds(benchmark, scores={"method": named})
    return card, audit


def figures(card, audit):
    (method,) = audit.methods
    return {
        "verdict": card.verdict,
        "outcomes": [bar.outcome for bar in card.bars],
        "values": [bar.value for bar in card.bars],
        "bounds": [bar.lower_bound for bar in card.bars],
        "audit": audit.verdict,
        "joint": audit.joint.auc,
        "beyond": (method.beyond.value, method.beyond.low, method.beyond.high),
        "share": method.surface_share,
    }


def same(one, other):
    for name, value in one.items():
        if isinstance(value, (float, tuple, list)) and not isinstance(value, str):
            if name == "outcomes":
                assert value == other[name]
            else:
                assert other[name] == pytest.approx(value, abs=1e-9), name
        else:
            assert value == other[name], name


def turned(items, scores, rng):
    order = rng.permutation(len(items))
    return [items[i] for i in order], scores[order]


def renamed(items, scores, rng):
    names = rng.permutation(len(items)).tolist()
    return [replace(item, id=f"x{n}") for item, n in zip(items, names, strict=True)], scores


def bent(items, scores, rng):
    return items, np.exp(3.0 * scores) - 7.0


def scaled(items, scores, rng):
    return items, 1e-6 * scores + 1e3


@pytest.mark.parametrize("how", [turned, renamed, bent, scaled], ids=lambda how: how.__name__)
@pytest.mark.parametrize("seed", scale([1], range(1, 6)))
def test_neither_order_nor_names_nor_units_change_a_figure(how, seed):
    items, scores = drawn(seed)
    rng = np.random.default_rng(seed)
    same(figures(*judged(items, scores)), figures(*judged(*how(items, scores, rng))))


def test_another_order_of_scores_would_be_seen():
    items, scores = drawn(1)
    with pytest.raises(AssertionError):
        same(figures(*judged(items, scores)), figures(*judged(items, scores[::-1])))


@pytest.mark.parametrize("seed", scale([1], range(1, 6)))
def test_every_record_written_twice_adds_no_evidence(seed):
    """Equal questions are one group: nothing is decided that was not, and no bound is higher."""
    items, scores = drawn(seed)
    grouped = [replace(item, group=f"g{i}") for i, item in enumerate(items)]
    copies = [replace(item, id=f"again {item.id}") for item in grouped]
    once, _ = judged(items, scores)
    twice, _ = judged(grouped + copies, np.concatenate([scores, scores]))
    for one, other in zip(once.bars, twice.bars, strict=True):
        assert other.value == pytest.approx(one.value, abs=0.03)
        assert other.lower_bound <= one.lower_bound + 0.01
        assert other.outcome in (one.outcome, "unresolved")


def test_try_and_confounds_give_the_same_figure_beyond_the_surface():
    items, scores = drawn(3)
    card, audit = judged(items, scores)
    (bar,) = [bar for bar in card.bars if bar.id == "D5"]
    (method,) = audit.methods
    values = [part.value for part in bar.parts]
    assert method.beyond.value == pytest.approx(values[0], abs=1e-12)
