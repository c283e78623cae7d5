"""How often a comparison is wrong, in short simulations with fixed seeds.

A limit is passed by a true rate of 5 % in about one seed of ten thousand; by three times that rate
most of the time, and at the full length of `make stress` by twice.
"""

from collections import Counter

import numpy as np
import pytest
from helpers.scale import scale
from scipy import stats

import assay
from assay.comparison.judge.compare import compare
from assay.comparison.result import NetVerdict

REPEATS = scale(150, 350)


def limit(rate=0.05, repeats=REPEATS):
    return stats.binom.ppf(0.9999, repeats, rate)


def runs(values, *, ids=True):
    """Trials from an array for each instance (trials x dimensions)."""
    return [
        assay.Trial(
            instance=f"i{index}",
            trial=str(trial) if ids else None,
            dimensions={f"d{column}": value for column, value in enumerate(row)},
        )
        for index, rows in enumerate(values)
        for trial, row in enumerate(np.asarray(rows, dtype=float).tolist())
    ]


def verdicts(make, *, seed, repeats=REPEATS, ids=True, **options):
    """How often each verdict fell, `make` giving both sides anew from a generator."""
    rng = np.random.default_rng(seed)
    found = Counter()
    for _ in range(repeats):
        first, second = make(rng)
        result = compare(
            baseline=runs(first, ids=ids), candidate=runs(second, ids=ids), resamples=199, **options
        )
        found[result.verdict] += 1
    return found


def shares(rng, instances, trials, rate, columns=3):
    return [rng.random((trials, columns)) < rate for _ in range(instances)]


def wrong(found, *, repeats=REPEATS):
    for verdict in (NetVerdict.RATIFY, NetVerdict.REJECT):
        assert found[verdict] <= limit(repeats=repeats), found


@pytest.mark.parametrize("pairs", [6, 9, 10, 40])
def test_pairs_without_an_effect_are_seldom_judged(pairs):
    def make(rng):
        shared = rng.random((2, pairs, 1, 1))
        own = rng.random((2, pairs, 1, 5))
        return (np.where(rng.random(own.shape) < 0.6, shared, own) < 0.7).astype(float)

    wrong(verdicts(make, seed=pairs))


def test_twenty_related_dimensions_without_an_effect_are_seldom_judged():
    def make(rng):
        level = rng.standard_normal((2, 25, 1, 1)) + rng.standard_normal((2, 25, 1, 20))
        return 1.0 / (1.0 + np.exp(-level))

    wrong(verdicts(make, seed=2))


@pytest.mark.parametrize("trials", [2, 4])
def test_effects_on_instances_that_cancel_are_seldom_judged(trials):
    def make(rng):
        effects = rng.choice([-0.3, 0.3], 12)
        first = [rng.random((trials, 3)) < 0.55 - one / 2 for one in effects]
        second = [rng.random((trials, 3)) < 0.55 + one / 2 for one in effects]
        return first, second

    wrong(verdicts(make, seed=trials))


@pytest.mark.parametrize(("first", "second"), [(20, 1), (1, 20), (1, 5)])
def test_more_runs_on_one_side_of_each_instance_are_no_effect(first, second):
    def make(rng):
        return shares(rng, 15, first, 0.93), shares(rng, 15, second, 0.93)

    wrong(verdicts(make, seed=3, ids=False))


@pytest.mark.parametrize(("first", "second"), [(12, 12), (3, 60), (60, 3)])
def test_unpaired_runs_without_an_effect_are_seldom_judged(first, second):
    def make(rng):
        return shares(rng, 1, first, 0.8, 5), shares(rng, 1, second, 0.8, 5)

    wrong(verdicts(make, seed=4, ids=False))


def test_a_small_side_that_varies_more_is_no_effect():
    def make(rng):
        return [rng.beta(50, 50, (50, 1))], [rng.beta(0.5, 0.5, (6, 1))]

    wrong(verdicts(make, seed=5, ids=False))


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("pairs", [52, 80])
def test_a_gated_loss_of_the_margin_is_seldom_ratified_unless_spotless(pairs, strict):
    def make(rng):
        first, second = np.ones((pairs, 1, 2)), np.ones((pairs, 1, 2))
        first[:, 0, 1] = rng.random(pairs) < 0.3
        second[:, 0, 0] = rng.random(pairs) < 0.95
        return first, second

    found = verdicts(make, seed=6, gated=("d0",), policies={"strict_gates": strict})
    spotless = 0.0 if strict else 0.95**pairs
    assert found[NetVerdict.RATIFY] <= limit(max(0.05, spotless))


def test_a_true_gain_is_ratified_and_a_true_harm_rejected():
    def gain(rng):
        return shares(rng, 40, 1, 0.4), shares(rng, 40, 1, 0.75)

    def harm(rng):
        return gain(rng)[::-1]

    assert verdicts(gain, seed=7, repeats=100)[NetVerdict.RATIFY] > 80
    assert verdicts(harm, seed=7, repeats=100)[NetVerdict.REJECT] > 80


def test_a_loss_of_exactly_the_margin_is_seldom_called_no_effect():
    def make(rng):
        first, second = np.ones((150, 1, 1)), np.ones((150, 1, 1))
        second[:, 0, 0] = rng.random(150) < 0.95
        return first, second

    found = verdicts(make, seed=8)
    assert found[NetVerdict.NO_EFFECT] <= limit()


@pytest.mark.parametrize("trials", [1, 3])
def test_looking_after_every_unit_judges_no_more_often(trials):
    def make(rng):
        effects = rng.choice([-0.2, 0.0, 0.2], 60)
        first = [rng.random((trials, 3)) < 0.5 - one for one in effects]
        second = [rng.random((trials, 3)) < 0.5 + one for one in effects]
        return first, second

    wrong(verdicts(make, seed=9, repeats=120, sequential=True), repeats=120)


def test_looking_after_every_unit_seldom_ratifies_a_gated_loss_of_the_margin():
    def make(rng):
        first, second = np.ones((150, 1, 2)), np.ones((150, 1, 2))
        first[:, 0, 1] = rng.random(150) < 0.3
        second[:, 0, 0] = rng.random(150) < 0.95
        return first, second

    found = verdicts(
        make,
        seed=10,
        repeats=100,
        sequential=True,
        gated=("d0",),
        policies={"strict_gates": True},
    )
    assert found[NetVerdict.RATIFY] <= limit(0.05, 100)


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize(
    ("instances", "trials", "ids"), [(30, 1, True), (15, 3, True), (2, 12, False)]
)
def test_reported_intervals_hold_the_true_difference(instances, trials, ids, sequential):
    rng = np.random.default_rng(11)
    held, repeats = 0, 150
    for _ in range(repeats):
        first = shares(rng, instances, trials, 0.6, 1)
        second = shares(rng, instances, trials, 0.75, 1)
        found = compare(
            baseline=runs(first, ids=ids),
            candidate=runs(second, ids=ids),
            resamples=99,
            sequential=sequential,
        ).dimensions[0]
        held += int(found.low <= 0.15 <= found.high)
    assert held >= repeats - limit(0.05, repeats)


@pytest.mark.parametrize("order", ["gains first", "losses first"])
def test_a_file_sorted_by_gain_is_decided_no_more_often_than_any_other(order):
    rng = np.random.default_rng(21)
    decided = 0
    for seed in range(60):
        before, after = rng.random((2, 60)) < 0.6
        gains = after.astype(int) - before.astype(int)
        sort = np.argsort(-gains if order == "gains first" else gains, kind="stable")
        arms = [
            [
                assay.Trial(instance=f"i{k}", dimensions={"right": float(side[k])})
                for k in sort.tolist()
            ]
            for side in (before, after)
        ]
        found = compare(baseline=arms[0], candidate=arms[1], sequential=True, seed=seed)
        decided += found.verdict in ("ratify", "reject")
    assert decided <= 8
