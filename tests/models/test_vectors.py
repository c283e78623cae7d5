import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models.prompts import filled
from assay.models.vectors import cosine

numbers = st.floats(-1e3, 1e3)
vectors = st.lists(numbers, min_size=3, max_size=3).map(tuple)


@given(vectors, vectors)
def test_a_cosine_is_symmetric_and_within_its_ends(one, other):
    assert -1.0 <= cosine(one, other) == cosine(other, one) <= 1.0


@given(vectors)
def test_equal_vectors_give_exactly_one_and_none_gives_nothing(vector):
    assert cosine(vector, vector) == (1.0 if any(vector) else 0.0)
    assert cosine(vector, (0.0, 0.0, 0.0)) == 0.0


def test_the_cosine_is_that_of_the_angle():
    assert cosine((1.0, 0.0), (math.cos(1.0), math.sin(1.0))) == pytest.approx(math.cos(1.0))
    assert cosine((1.0, 0.0), (-2.0, 0.0)) == -1.0


def test_what_is_put_into_a_prompt_is_not_searched_for_places():
    told = filled("{question} {answer} {other} {}", {"question": "{answer}", "answer": "a"})
    assert told == "{answer} a {other} {}"
