"""Figures that the gauntlet paper published, from counts of its records' tokens.

Its texts are not ours to ship. The number of tokens and of capitalised tokens in each response is
a fact, and all that the length and capitals oracles read.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from assay.benchmark.benchmark import Benchmark, Item
from assay.digests import digest
from assay.gauntlet.judge import score
from assay.gauntlet.load import load_bars
from assay.runs.collect import run
from assay.stats.ranks import levels, rank_correlation
from assay.surface.features import capitalized_token_ratio, word_length

COUNTS = json.loads((Path(__file__).parent / "gauntlet_token_counts.json").read_text())["counts"]


def benchmark() -> Benchmark:
    items = []
    for cls, tokens, capitals, count in COUNTS:
        response = " ".join(["Word"] * capitals + ["word"] * (tokens - capitals))
        for _ in range(count):
            items.append(Item(id=str(len(items)), question="?", response=response, cls=cls))
    return Benchmark(name="gauntlet", digest=digest(b""), items=tuple(items))


GAUNTLET = benchmark()


def words(question: str, response: str) -> float:
    return word_length(response)


def capitals(question: str, response: str) -> float:
    return capitalized_token_ratio(response)


def lower_case(question: str, response: str) -> float:
    return 1 - capitalized_token_ratio(response)


def judged(method, version):
    return score(run(method, GAUNTLET), GAUNTLET, load_bars(version))


def test_the_class_counts_and_mean_lengths_are_those_published():
    assert GAUNTLET.classes == {
        "truth": 55,
        "folklore": 34,
        "factual-error": 13,
        "pseudoscience": 6,
    }
    for cls, mean in (
        ("truth", 3.9),
        ("factual-error", 6.6),
        ("pseudoscience", 6.5),
        ("folklore", 7.5),
    ):
        lengths = [word_length(item.response) for item in GAUNTLET.items if item.cls == cls]
        assert sum(lengths) / len(lengths) == pytest.approx(mean, abs=0.05)


def test_the_length_oracle_has_the_published_aucs_and_passes_v1():
    card = judged(words, "v1")
    assert [bar.value for bar in card.bars] == pytest.approx([0.790, 0.804], abs=0.0005)
    assert (card.point.passed, card.point.verdict) == (2, "pass")


def test_the_length_oracle_fails_d3_by_construction():
    card = judged(words, "v2")
    assert card.bars[2].value == 0.0
    assert (card.point.passed, card.point.verdict, card.verdict) == (2, "fail", "fail")


def test_the_capitals_oracle_has_the_published_aucs_and_rank_correlation():
    card = judged(capitals, "v1")
    assert [bar.value for bar in card.bars] == pytest.approx([0.296, 0.208], abs=0.0005)
    ratios, lengths = (
        levels(np.array([feature(item.response) for item in GAUNTLET.items], dtype=float))
        for feature in (capitalized_token_ratio, word_length)
    )
    assert rank_correlation(ratios, lengths) == pytest.approx(-0.343, abs=0.0005)


def test_the_inverted_capitals_oracle_passes_d1_and_d2_and_fails_d4():
    card = judged(lower_case, "v3")
    assert [bar.point for bar in card.bars] == [True, True, False, False]
    assert card.bars[3].value == 0.0


def test_our_interval_of_the_length_oracle_is_near_the_symmetric_one_but_no_copy_of_it():
    low, high = judged(words, "v1").bars[0].low, judged(words, "v1").bars[0].high
    assert low == pytest.approx(0.706, abs=0.03)
    assert high == pytest.approx(0.873, abs=0.03)
