from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assay.benchmark.benchmark import Item
from assay.benchmark.folds import assign_folds, fold_units

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


def test_what_shares_a_group_or_a_question_is_never_split():
    def item(i: int, question: int, group: str | None = None) -> Item:
        return Item(id=str(i), question=f"q{question}", label=bool(i % 2), group=group)

    crossed = [item(i, i // 2, str((i + 1) // 2 % 20)) for i in range(40)]
    assert len(set(fold_units(crossed))) == 1
    by_question = [item(i, i % 20) for i in range(40)]
    assert len(set(fold_units(by_question))) == 20
    named_otherwise = [item(i, i % 20, "one" if i == 0 else None) for i in range(40)]
    assert len(set(fold_units(named_otherwise))) == 20
    fixed_prompt = [item(i, 0) for i in range(40)]
    assert len(set(fold_units(fixed_prompt))) == 40
