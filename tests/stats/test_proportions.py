import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import proportions as share

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
