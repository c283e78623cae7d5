import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmark.benchmark import Item
from assay.method.baselines import token_overlap
from assay.surface.feature_table import feature_table
from assay.surface.features import (
    ORACLES,
    QUESTION_FEATURES,
    TEXT_FEATURES,
    question_overlap,
    words,
)

CASES = {
    "word_length": {"": 0, "a b  c": 3, "one": 1},
    "char_length": {"": 0, "a b": 3},
    "sentence_count": {
        "": 0,
        "No stop": 1,
        "A. B! C?": 3,
        "e.g. this": 3,
        "...": 1,
        "Wait... what": 2,
    },
    "question_mark_count": {"": 0, "Why?? Oh?": 3},
    "exclamation_count": {"": 0, "No!": 1},
    "capitalized_token_ratio": {
        "": 0,
        "Paris": 1,
        "the Eiffel Tower": 2 / 3,
        "1789": 0,
        '"Paris"': 0,
    },
    "hedge_density": {"": 0, "it is often said so": 2 / 5, "unsaid": 1, "plain": 0},
    "type_token_ratio": {"": 0, "a A b": 2 / 3, "a b": 1},
    "numeric_token_ratio": {"": 0, "in 1492": 1 / 2, "7up 3": 1},
    "single_token_flag": {"": 0, "one": 1, "one two": 0},
    "uppercase_ratio": {"": 0, "NASA lied": 1 / 2, "I am": 0, "A B": 0, "U.S. law": 1 / 2},
    "comma_count": {"": 0, "a, b, c": 2},
    "mean_word_length": {"": 0, "ab, abcd!": 3, "...": 0},
    "negation_flag": {"": 0, "It is not so": 1, "It isn’t": 1, "nothing": 1, "notable": 0},
    "opens_yes_no": {"": 0, "Yes, it is": 1, "No.": 1, "Nobody": 0, "It is, yes": 0},
    "ends_with_full_stop": {"": 0, "Done. ": 1, "Done": 0, "Done!": 0},
    "opens_auxiliary": {"": 0, "Is it so?": 1, "“Isn’t it?”": 1, "It is": 0, "... does it": 1},
    "opens_wh": {"": 0, "What is it?": 1, "How?": 1, "So what?": 0},
}


@pytest.mark.parametrize("name", QUESTION_FEATURES)
def test_features_read_what_they_say(name):
    for text, value in CASES[name].items():
        assert QUESTION_FEATURES[name](text) == pytest.approx(value), text
        assert ORACLES[f"question.{name}"](text, "a response") == QUESTION_FEATURES[name](text)
        if name in TEXT_FEATURES:
            assert ORACLES[name]("a question", text) == TEXT_FEATURES[name](text)


@given(st.text(max_size=60))
def test_no_text_breaks_a_feature(text):
    for feature in TEXT_FEATURES.values():
        assert feature(text) >= 0.0
    assert 0 <= question_overlap(text, text) <= 1
    assert 0 <= token_overlap(text, text) <= 1


SAID = st.text(st.sampled_from("abcNS İΣς.!?,;'’\"0١ \n\t\u2003\x1f-"), max_size=30)


@given(st.lists(st.tuples(SAID, SAID), min_size=1, max_size=6))
def test_columns_are_the_features_of_each_record(texts):
    items = [
        Item(id=str(i), question=question, response=response, label=True)
        for i, (question, response) in enumerate(texts)
    ]
    for feature in feature_table(items):
        if feature.name != "truncated":
            alone = [ORACLES[feature.label](*pair) for pair in texts]
            assert feature.values.tolist() == alone, feature.label


def test_words_lose_their_punctuation():
    assert words("“Hello,” she said... (twice)") == ["hello", "she", "said", "twice"]


def test_overlap_is_the_share_of_words_copied_from_the_question():
    assert question_overlap("Is the sky blue?", "The sky is green") == 3 / 4
    assert question_overlap("Is the sky blue?", "") == 0


def test_token_overlap_is_one_minus_hedges_times_one_minus_novelty():
    assert token_overlap("does x cause y", "x cause y") == 1
    assert token_overlap("does x cause y", "z") == 0
    assert token_overlap("is x often y", "x often") == pytest.approx(1 / 2)
    assert token_overlap("q", "") == 0
