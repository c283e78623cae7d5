import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import proportions as share
from assay.stats import rank

flags = st.lists(st.booleans(), min_size=1, max_size=40)


@given(flags)
def test_an_accuracy_lies_in_its_interval(correct):
    found = share.accuracy(correct).estimate()
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high > found.low


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_f1_is_twice_the_hits_over_what_is_and_what_was_called(pairs):
    is_class, called = zip(*pairs, strict=True)
    hits = sum(a and b for a, b in pairs)
    total = sum(is_class) + sum(called)
    if total:
        found = share.f1(is_class, called).estimate()
        assert found.value == pytest.approx(2 * hits / total)
        assert found.low <= found.value <= found.high


def test_copies_within_a_group_add_no_evidence():
    correct = [True] * 7 + [False] * 3
    names = [str(i) for i in range(10)]
    alone = share.accuracy(correct, groups=names).interval()
    copied = share.accuracy(correct * 20, groups=names * 20).interval()
    free = share.accuracy(correct * 20).interval()
    assert copied[1] - copied[0] > 0.8 * (alone[1] - alone[0])
    assert free[1] - free[0] < 0.4 * (alone[1] - alone[0])


def test_all_right_in_few_groups_is_not_certain():
    low, high = share.accuracy([True] * 100, groups=[str(i % 5) for i in range(100)]).interval()
    assert high == 1.0
    assert low < 0.6


def test_a_share_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no item counts"):
        share.f1([False], [False])


values = st.lists(st.integers(-5, 5).map(float), min_size=5, max_size=40)


@given(values)
def test_rank_correlation_with_itself_is_one_unless_constant(x):
    found = rank.rho(x, x)
    assert found is None if len(set(x)) == 1 else found == pytest.approx(1.0)


@given(values)
def test_ranks_are_means_of_the_places_they_span(x):
    found = rank.ranks(x)
    for value, place in zip(x, found, strict=True):
        below, same = sum(v < value for v in x), x.count(value)
        assert place == below + (same + 1) / 2


def test_a_constant_has_no_rank_correlation():
    assert rank.rho([1, 1, 1], [1, 2, 3]) is None
    assert rank.spearman([1, 1, 1, 1], [1, 2, 3, 4]) is None
    assert rank.spearman([1, 2, 3], [1, 2, 3]) is None


def test_a_perfect_order_has_a_one_sided_interval():
    found = rank.spearman(np.arange(30), np.arange(30) ** 3)
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0.7 < found.low < 1


def test_groups_widen_a_rank_correlation():
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(20), 10)
    x = rng.normal(size=20)[group] + rng.normal(0, 0.1, 200)
    y = rng.normal(size=20)[group] + rng.normal(0, 0.1, 200)
    free, tied = rank.spearman(x, y), rank.spearman(x, y, groups=group.astype(str))
    assert tied.value == free.value
    assert tied.high - tied.low > 2 * (free.high - free.low)
