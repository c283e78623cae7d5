"""A method whose power is words is told from one that has a signal of its own."""

import numpy as np
import pytest

import assay
from assay.benchmark.benchmark import Benchmark, Item
from assay.surface.joint_model import read_surface
from assay.surface.words import rests_on_words

SIZE = 160
WORDS = [f"{a}{b}{c}" for a in "bdfgkl" for b in "aeiou" for c in ("n", "rk", "sting")]


@pytest.fixture(scope="module")
def told_by_words():
    """A benchmark in which a third of the vocabulary leans to one label or the other."""
    rng = np.random.default_rng(7)
    weight = np.zeros(len(WORDS))
    weight[rng.permutation(len(WORDS))[:30]] = rng.choice([-1.5, 1.5], 30)
    label = rng.permutation(np.arange(SIZE) % 2 == 0)
    items = []
    for number, up in enumerate(label.tolist()):
        chance = np.exp(weight if up else -weight)
        words = rng.choice(WORDS, int(rng.integers(6, 16)), p=chance / chance.sum())
        question = f"What about {' '.join(rng.choice(WORDS, 4))}?"
        items.append(
            Item(id=str(number), question=question, response=" ".join(words), label=up,
                 cls="folklore" if up else "truth")
        )  # fmt: skip
    log_odds = np.array([sum(weight[WORDS.index(w)] for w in i.response.split()) for i in items])
    benchmark = Benchmark(name="words", digest="sha256:0", items=tuple(items))
    return benchmark, label, log_odds, 2.0 * label + rng.normal(size=SIZE)


@pytest.fixture(scope="module")
def audit(told_by_words):
    benchmark, _, log_odds, own = told_by_words
    ids = [item.id for item in benchmark.items]
    scores = {
        name: dict(zip(ids, map(float, values), strict=True))
        for name, values in (("words", log_odds), ("own", own))
    }
    return assay.confounds(benchmark, scores=scores)


def test_an_audit_names_the_method_that_rests_on_words_and_not_the_other(audit):
    by_words, own = audit.methods
    assert by_words.beyond.low > 0.65
    assert by_words.beyond.rests_on_words
    assert own.beyond.low > 0.5
    assert not own.beyond.rests_on_words
    noted = [one for one in audit.caveats if one.code == "words-not-ruled-out"]
    assert [one.message for one in noted if "See words." in one.message]
    assert not [one for one in noted if "own" in one.message]


def test_a_scorecard_that_words_passed_says_so(told_by_words):
    from verdicts import drawn_run

    benchmark, _, log_odds, own = told_by_words
    bars = assay.load_bars("v4")
    cards = [
        assay.score(drawn_run(benchmark, values.tolist()), benchmark, bars)
        for values in (log_odds, own)
    ]
    beyond = [next(bar for bar in card.bars if "beyond" in bar.metric) for card in cards]
    assert [bar.outcome.value for bar in beyond] == ["pass", "pass"]
    codes = [{caveat.code for caveat in card.caveats} for card in cards]
    assert "words-not-ruled-out" in codes[0]
    assert "words-not-ruled-out" not in codes[1]


def test_where_words_are_part_of_the_surface_they_are_ruled_out(told_by_words):
    benchmark, label, log_odds, _ = told_by_words
    named = {item.id: float(x) for item, x in zip(benchmark.items, log_odds, strict=True)}
    surface = read_surface(benchmark.items, label, kind="lexical")
    left = surface.beyond(named)
    assert left.value < 0.65
    assert not rests_on_words(surface, named, left)
