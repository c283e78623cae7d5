"""A range holds its value or not, and costs its width and its misses."""

import pytest

from assay.errors import SpecError
from assay.predicted.ranges import Range, check_range, grade_range, range_grades


def stated(low=0.2, high=0.4, level=0.8):
    return Range(metric="m", low=low, high=high, level=level)


@pytest.mark.parametrize(
    ("value", "where", "score"),
    [(0.2, "inside", 0.2), (0.4, "inside", 0.2), (0.5, "above", 1.2), (0.1, "below", 1.2)],
)
def test_a_miss_costs_its_distance_by_the_level(value, where, score):
    graded = grade_range(stated(), value)
    assert graded.where == where
    assert graded.score == pytest.approx(score)


def test_what_has_no_value_is_counted_and_not_graded():
    made = range_grades([grade_range(stated(), value) for value in (0.3, 0.5, None)])
    assert (made.inside, made.total, len(made.ranges)) == (1, 2, 3)
    assert made.score == pytest.approx(0.7)
    assert str(made).endswith("1 cannot be told")
    assert range_grades([]) is None
    assert range_grades([grade_range(stated(), None)]).score is None


@pytest.mark.parametrize(
    "wrong",
    [stated(0.5, 0.4), stated(-0.1), stated(high=1.1), stated(level=1.0), stated(float("nan"))],
)
def test_what_is_no_range_is_refused(wrong):
    assert check_range(stated(), least=0.0, where="x") == stated()
    with pytest.raises(SpecError, match="x: m"):
        check_range(wrong, least=0.0, where="x")
