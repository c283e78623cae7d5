"""Two records are the same up to the last digits of their numbers, and a difference is named."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.differences import ABSENT, Difference, differences

RECORD = {"verdict": "pass", "bars": [{"id": "auc", "value": 0.7}, {"id": "gain", "value": None}]}


def found(left, right, **rules):
    return list(differences(left, right, **rules))


PLANTED = {
    "another text": (("verdict",), "fail", Difference("verdict", "pass", "fail")),
    "another figure": (("bars", 0, "value"), 0.7001, Difference("bars[0].value", 0.7, 0.7001)),
    "a figure for none": (("bars", 1, "value"), 0.0, Difference("bars[1].value", None, 0.0)),
    "another kind": (("bars", 1), [], Difference("bars[1]", RECORD["bars"][1], [])),
    "a key more": (("extra",), 1, Difference("extra", ABSENT, 1)),
}


@pytest.mark.parametrize(("place", "value", "expected"), PLANTED.values(), ids=PLANTED)
def test_a_planted_difference_is_found_and_named(place, value, expected):
    changed = copy.deepcopy(RECORD)
    inner = changed
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    assert found(RECORD, changed) == [expected]


def test_every_difference_is_found_in_order():
    assert [each.path for each in found({"a": 1, "b": [1, 2]}, {"b": [2, 3], "c": 4})] == [
        *("a", "b[0]", "b[1]", "c")
    ]


def test_lists_of_different_lengths_differ_as_a_whole():
    assert found({"a": [1]}, {"a": [1, 2]}) == [Difference("a", [1], [1, 2])]


def test_floats_may_differ_in_their_last_digits():
    assert found({"a": 0.1 + 0.2}, {"a": 0.3}) == []
    assert found({"a": 0.3}, {"a": 0.3 + 1e-6})


def test_a_missing_key_is_a_null_only_where_the_caller_says_so():
    assert found({"a": None}, {}) == [Difference("a", None, ABSENT)]
    assert found({"a": None}, {}, absent=None) == []


def test_the_caller_decides_which_values_are_the_same():
    assert found(True, 1) == []
    strict = found(True, 1, same=lambda left, right: type(left) is type(right) and left == right)
    assert strict == [Difference("", True, 1)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(JSON)
def test_a_record_does_not_differ_from_its_copy(record):
    assert found(record, copy.deepcopy(record)) == []
