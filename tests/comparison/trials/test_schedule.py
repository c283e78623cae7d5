from collections import Counter
from itertools import pairwise

from assay.comparison.judge.pairing import MANY_INSTANCES
from assay.comparison.trials.schedule import schedule


def names(count):
    return [f"i{number}" for number in range(count)]


def test_every_instance_and_trial_is_run_once_by_both_arms():
    for count in (1, 3, MANY_INSTANCES, 30):
        pairs = schedule(names(count), 4, 1)
        assert [pair.number for pair in pairs] == list(range(1, 4 * count + 1))
        assert Counter((pair.instance, pair.trial) for pair in pairs) == Counter(
            (name, trial) for name in names(count) for trial in range(1, 5)
        )
        assert all(set(pair.order) == {"baseline", "candidate"} for pair in pairs)


def test_the_same_seed_gives_the_same_order_and_another_seed_another():
    assert schedule(names(20), 3, 5) == schedule(names(20), 3, 5)
    assert schedule(names(20), 3, 5) != schedule(names(20), 3, 6)
    assert schedule(names(3), 9, -1) != schedule(names(3), 9, 10**30)


def test_which_arm_comes_first_is_a_toss_of_a_coin():
    pairs = schedule(names(200), 10, 0)
    first = sum(pair.order[0] == "baseline" for pair in pairs)
    assert 900 < first < 1100
    along = [pair.order[0] for pair in pairs]
    changes = sum(one != other for one, other in pairwise(along))
    assert 900 < changes < 1100


def test_with_many_instances_the_pairs_of_one_stand_together():
    pairs = schedule(names(MANY_INSTANCES), 5, 2)
    groups = [{pair.instance for pair in pairs[at : at + 5]} for at in range(0, len(pairs), 5)]
    assert all(len(group) == 1 for group in groups)
    assert [next(iter(group)) for group in groups] != names(MANY_INSTANCES)


def test_with_few_instances_they_are_mixed():
    pairs = schedule(names(3), 20, 2)
    groups = [{pair.instance for pair in pairs[at : at + 20]} for at in range(0, len(pairs), 20)]
    assert all(len(group) > 1 for group in groups)


def test_seeds_differ_between_pairs_and_not_within_one():
    """A pair has one seed, which both arms are given."""
    pairs = schedule(names(50), 20, 0)
    assert len({pair.seed for pair in pairs}) == len(pairs)
    assert all(0 <= pair.seed < 1 << 31 for pair in pairs)


def test_a_pair_keeps_its_seed_when_there_are_more_instances():
    few = {(pair.instance, pair.trial): pair.seed for pair in schedule(names(5), 3, 4)}
    many = {(pair.instance, pair.trial): pair.seed for pair in schedule(names(50), 3, 4)}
    assert all(many[key] == seed for key, seed in few.items())


def test_names_that_are_no_text_have_seeds_too():
    assert schedule(["\ud800", "a"], 1, 0)[0].seed >= 0
