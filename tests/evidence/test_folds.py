from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.folds import assign_folds

targets = st.lists(st.sampled_from("abc"), min_size=10, max_size=60)


@given(targets, st.integers(0, 99))
def test_every_class_is_spread_evenly(classes, seed):
    folds = assign_folds(classes, list(map(str, range(len(classes)))), folds=5, seed=seed)
    for cls in set(classes):
        counts = Counter(f for f, c in zip(folds, classes, strict=True) if c == cls)
        assert max(counts.values()) - min(counts.get(f, 0) for f in range(5)) <= 1


@given(targets, st.integers(0, 99))
def test_a_group_is_never_split(classes, seed):
    groups = [str(i // 3) for i in range(len(classes))]
    folds = assign_folds(classes, groups, folds=5, seed=seed)
    for group in set(groups):
        assert len({f for f, g in zip(folds, groups, strict=True) if g == group}) == 1


def test_the_seed_decides():
    one, again, other = (
        assign_folds("ab" * 20, list(map(str, range(40))), folds=5, seed=s) for s in (1, 1, 2)
    )
    assert one == again != other
