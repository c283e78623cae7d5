"""The bundled benchmarks are what they are said to be."""

import re
from collections import Counter, defaultdict

import pytest

from assay.benchmark.benchmark import BUNDLED
from assay.benchmark.load import load_benchmark
from assay.stats.auc import auc
from assay.surface.features import ORACLES, TEXT_FEATURES

DARK, PAIRS, TWO = (load_benchmark(name) for name in ("darkcore", "minimal-pairs", "folklore-two"))


def surface_auc(benchmark, oracle, positive):
    def scores(chosen):
        return [oracle(i.question, i.response) for i in benchmark.items if chosen(i.cls)]

    return auc(scores(positive), scores(lambda cls: cls == "truth"))


PARTITIONS = {"D1": lambda cls: cls != "truth", "D2": lambda cls: cls == "folklore"}


def test_darkcore_has_the_classes_of_the_source():
    assert DARK.classes == {"truth": 55, "folklore": 34, "factual-error": 13, "pseudoscience": 6}


@pytest.mark.parametrize("partition", PARTITIONS)
def test_darkcore_is_flawed_on_purpose_as_the_source_was(partition):
    found = {
        name: surface_auc(DARK, oracle, PARTITIONS[partition]) for name, oracle in ORACLES.items()
    }
    assert 0.74 <= found["word_length"] <= 0.86
    assert found["capitalized_token_ratio"] <= 0.29
    inert = (
        "sentence_count",
        "question_mark_count",
        "exclamation_count",
        "hedge_density",
        "type_token_ratio",
        "numeric_token_ratio",
        "single_token_flag",
        "uppercase_ratio",
    )
    for name in inert:
        assert abs(found[name] - 0.5) < 0.10, name


def test_minimal_pairs_has_over_two_hundred_questions_each_with_a_truth_and_a_misconception():
    groups = defaultdict(list)
    for item in PAIRS.items:
        groups[item.group].append(item)
    assert len(groups) >= 200
    for pair in groups.values():
        assert len(pair) == 2
        assert pair[0].question == pair[1].question
        assert sorted(item.label for item in pair) == [False, True]
    assert len({pair[0].question for pair in groups.values()}) == len(groups)


def test_minimal_pairs_match_in_length_form_capitals_negation_and_opening():
    groups = defaultdict(list)
    for item in PAIRS.items:
        groups[item.group].append(item.response)
    same = (
        "word_length",
        "sentence_count",
        "question_mark_count",
        "exclamation_count",
        "capitalized_token_ratio",
        "hedge_density",
        "numeric_token_ratio",
        "uppercase_ratio",
        "comma_count",
        "negation_flag",
        "opens_yes_no",
        "ends_with_full_stop",
    )
    for name, (one, other) in groups.items():
        for feature in same:
            assert TEXT_FEATURES[feature](one) == TEXT_FEATURES[feature](other), (name, feature)
        assert abs(len(one) - len(other)) <= 4, name


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("name", ORACLES)
def test_no_surface_feature_tells_anything_on_minimal_pairs(name, partition):
    assert abs(surface_auc(PAIRS, ORACLES[name], PARTITIONS[partition]) - 0.5) <= 0.05


def test_folklore_two_is_another_form_with_all_four_classes():
    assert len(TWO.items) >= 60
    assert set(TWO.classes) == set(DARK.classes)
    assert TWO.classes["folklore"] >= 20

    def mean(benchmark, text):
        return sum(len(text(item).split()) for item in benchmark.items) / len(benchmark.items)

    assert mean(TWO, lambda i: i.question) > 1.5 * mean(DARK, lambda i: i.question)
    assert mean(TWO, lambda i: i.response) > 2 * mean(DARK, lambda i: i.response)


@pytest.mark.parametrize("benchmark", [DARK, PAIRS, TWO], ids=lambda b: b.name)
def test_texts_are_clean(benchmark):
    for item in benchmark.items:
        for text in (item.question, item.response):
            assert text == " ".join(text.split())
            assert text.isascii()
        assert item.question.endswith("?") or item.question.endswith("."), item.id
        assert item.source
        assert re.fullmatch(r"(darkcore|two)-\d{3}|pair-\d{3}-[12]", item.id)


def test_the_second_of_a_pair_is_as_often_the_true_one():
    seconds = [item.label for item in PAIRS.items if item.id.endswith("-2")]
    assert abs(sum(seconds) / len(seconds) - 0.5) < 0.05


@pytest.mark.parametrize("benchmark", [DARK, TWO, PAIRS], ids=lambda b: b.name)
def test_the_order_of_the_file_tells_nothing(benchmark):
    places = {item.id: place for place, item in enumerate(benchmark.items)}
    above = [places[i.id] for i in benchmark.items if i.label]
    below = [places[i.id] for i in benchmark.items if not i.label]
    assert abs(auc(above, below) - 0.5) < 0.1


def test_no_question_stands_in_two_benchmarks():
    seen = Counter(
        question.lower()
        for benchmark in (DARK, PAIRS, TWO)
        for question in {item.question for item in benchmark.items}
    )
    assert [question for question, count in seen.items() if count > 1] == []


def test_every_bundled_name_loads():
    for name in BUNDLED:
        assert load_benchmark(name).name == name
