"""Sign flips, label shuffles and the step-down against scipy and against plain enumeration."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.stats.permutation import Resampled, flip_signs, shuffle_labels

EVERY = 1 << 14
LATTICE = st.integers(-4, 4).map(lambda x: x / 4.0)


def matrices(min_units=1, max_units=8, min_columns=1, max_columns=4):
    return st.tuples(
        st.integers(min_units, max_units), st.integers(min_columns, max_columns)
    ).flatmap(
        lambda shape: st.lists(
            st.lists(LATTICE, min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        ).map(np.array)
    )


@st.composite
def labelled(draw, max_columns=3):
    """Rows of one to three strata, each with both sides in it: few enough to go through."""
    counts = draw(
        st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=3).filter(
            lambda found: math.prod(math.comb(a + b, b) for a, b in found) <= 300
        )
    )
    second = [flag for a, b in counts for flag in [False] * a + [True] * b]
    strata = [code for code, (a, b) in enumerate(counts) for _ in range(a + b)]
    columns = draw(st.integers(1, max_columns))
    row = st.lists(LATTICE, min_size=columns, max_size=columns)
    values = draw(st.lists(row, min_size=len(second), max_size=len(second)))
    return np.array(values), np.array(second), np.array(strata, dtype=np.intp)


def flipped(differences):
    return flip_signs(differences, draws=EVERY, seed=0)


def shuffled(values, second, strata, draws=EVERY, seed=0):
    return shuffle_labels(values, second, strata, draws=draws, seed=seed)


def all_standardised(differences):
    """Every way of flipping, by plain Python: one list of standardised sums a way."""
    units, columns = len(differences), len(differences[0])
    roots = [math.sqrt(sum(row[c] ** 2 for row in differences)) or 1.0 for c in range(columns)]
    return [
        [
            sum(s * row[c] for s, row in zip(signs, differences, strict=True)) / roots[c]
            for c in range(columns)
        ]
        for signs in itertools.product((1, -1), repeat=units)
    ]


def westfall_young(ways, observed):
    """Step-down max-T by the book (Westfall and Young 1993, algorithm 2.8), in plain Python."""
    left = sorted(range(len(observed)), key=lambda c: -observed[c])
    adjusted, floor = [0.0] * len(observed), 0.0
    while left:
        as_large = [max(way[c] for c in left) >= observed[left[0]] - 1e-9 for way in ways]
        floor = max(floor, sum(as_large) / len(ways))
        adjusted[left[0]] = floor
        left = left[1:]
    return adjusted


@given(matrices(min_units=2, max_columns=3))
@settings(max_examples=40, deadline=None)
def test_sign_flips_have_the_p_values_of_scipy(differences):
    found = flipped(differences)
    for column, p in zip(differences.T, found.p_values(), strict=True):
        reference = stats.permutation_test(
            (column, np.zeros_like(column)),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
            alternative="two-sided",
        )
        ways = np.abs(reference.null_distribution)
        assert p == pytest.approx(np.mean(ways >= abs(reference.statistic) - 1e-12))
        assert p == pytest.approx(min(1.0, reference.pvalue), abs=1e-12)


@pytest.mark.parametrize(("first", "other"), [(4, 4), (5, 4), (2, 8), (9, 2)])
def test_shuffled_labels_of_one_stratum_have_the_p_values_of_scipy(first, other):
    rng = np.random.default_rng(first)
    values = rng.random((first + other, 3)) ** 2
    second = np.repeat([False, True], [first, other])
    found = shuffled(values, second, np.zeros(len(values), dtype=np.intp))
    assert found.exact
    assert len(found.chance) == math.comb(first + other, other)
    for column, p in zip(values.T, found.p_values(), strict=True):
        reference = stats.permutation_test(
            (column[second], column[~second]),
            lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
            permutation_type="independent",
            vectorized=True,
            n_resamples=np.inf,
        )
        assert p == pytest.approx(min(1.0, reference.pvalue))


@given(labelled(max_columns=2))
@settings(max_examples=50, deadline=None)
def test_shuffles_within_strata_agree_with_plain_enumeration(data):
    values, second, strata = data
    found = shuffled(values, second, strata)
    members = [np.flatnonzero(strata == code) for code in range(strata.max() + 1)]
    choices = [itertools.combinations(rows, int(second[rows].sum())) for rows in members]
    ways = []
    for way in itertools.product(*choices):
        gaps = []
        for rows, chosen in zip(members, way, strict=True):
            rest = [row for row in rows if row not in chosen]
            gaps.append(values[list(chosen)].mean(axis=0) - values[rest].mean(axis=0))
        ways.append(np.mean(gaps, axis=0))
    observed = np.mean(
        [
            values[rows][second[rows]].mean(axis=0) - values[rows][~second[rows]].mean(axis=0)
            for rows in members
        ],
        axis=0,
    )
    tails = [(side * np.array(ways) >= side * observed - 1e-9).mean(axis=0) for side in (1, -1)]
    assert found.exact
    assert found.p_values() == pytest.approx(np.minimum(2 * np.minimum(*tails), 1.0))


@given(labelled(max_columns=1))
@settings(max_examples=50, deadline=None)
def test_shuffling_spreads_a_standardised_column_by_one(data):
    values, second, strata = data
    chance = shuffled(values, second, strata).chance[:, 0]
    assert np.mean(chance) == pytest.approx(0.0, abs=1e-9)
    spread = np.sqrt(np.mean(np.square(chance)))
    assert spread == pytest.approx(1.0) or spread == pytest.approx(0.0, abs=1e-9)


@given(matrices(min_columns=2))
@settings(deadline=None)
def test_the_step_down_agrees_with_the_book_by_enumeration(differences):
    ways = np.abs(all_standardised(differences.tolist())).tolist()
    assert flipped(differences).adjusted() == pytest.approx(westfall_young(ways, ways[0]))


@given(labelled())
@settings(max_examples=50, deadline=None)
def test_the_step_down_of_shuffled_labels_agrees_with_the_book(data):
    _, second, strata = data
    found = shuffled(*data)
    even = all(2 * second[strata == code].sum() == (strata == code).sum() for code in set(strata))
    assert found.symmetric == even
    sides = [
        westfall_young((side * found.chance).tolist(), (side * found.observed).tolist())
        for side in (1, -1)
    ]
    expected = [min(1.0, 2 * min(p)) for p in zip(*sides, strict=True)]
    if even:
        expected = westfall_young(np.abs(found.chance).tolist(), np.abs(found.observed).tolist())
    assert found.adjusted() == pytest.approx(expected)


def test_a_small_side_against_a_large_one_errs_in_neither_direction_more_than_in_the_other():
    rng = np.random.default_rng(6)
    repeats, up = 800, 0
    second, strata = np.arange(63) >= 3, np.zeros(63, dtype=np.intp)
    for seed in range(repeats):
        values = (rng.random((63, 5)) < 0.8).astype(float)
        found = shuffled(values, second, strata, draws=199, seed=seed)
        up += int(((found.adjusted() <= 0.05) & (found.observed > 0.0)).any())
    assert up <= stats.binom.ppf(0.95, repeats, 0.05)


def test_the_step_down_is_less_strict_than_one_step_for_all():
    rng = np.random.default_rng(11)
    differences = rng.standard_normal((10, 4)) + np.array([2.0, 0.9, 0.5, 0.0])
    found = flipped(differences)
    greatest = np.abs(found.chance).max(axis=1)
    one_step = [(greatest >= abs(value) - 1e-9).mean() for value in found.observed]
    assert (found.adjusted() <= np.array(one_step) + 1e-12).all()
    assert (found.adjusted() < np.array(one_step) - 0.01).any()


@given(matrices(), st.sampled_from([0.04, 0.05, 0.25]))
@settings(deadline=None)
def test_a_column_is_over_its_critical_size_just_where_its_adjusted_p_value_is_small(
    differences, alpha
):
    found = flipped(differences)
    over = np.abs(found.observed) > found.critical(alpha) * (1.0 + 1e-8) + 1e-12
    assert (over == (found.adjusted() <= alpha)).all()


@pytest.mark.parametrize("seed", range(20))
def test_so_it_is_where_sides_are_of_unequal_size_and_ways_are_drawn(seed):
    rng = np.random.default_rng(seed)
    values = rng.random((14, 3)) + np.outer(np.arange(14) >= 10, [0.0, 0.6, -0.6])
    found = shuffled(values, np.arange(14) >= 10, np.zeros(14, dtype=np.intp), draws=199, seed=seed)
    assert not found.symmetric
    over = np.abs(found.observed) > found.critical(0.05)
    assert (over == (found.adjusted() <= 0.05)).all()


def test_statistics_can_be_held_against_the_same_chance():
    found = flipped(np.random.default_rng(5).standard_normal((7, 3)))
    assert found.as_if(found.observed).adjusted() == pytest.approx(found.adjusted())
    assert (found.as_if(np.zeros(3)).adjusted() == 1.0).all()


def test_columns_can_be_split():
    found = flipped(np.random.default_rng(5).standard_normal((7, 3)))
    first, last = found.split(2)
    assert first.observed.size == 2
    assert last.p_values() == pytest.approx(found.p_values()[2:])


@given(matrices())
@settings(deadline=None)
def test_an_adjusted_p_value_is_never_below_its_own(differences):
    found = flipped(differences)
    assert (found.adjusted() >= found.p_values() - 1e-12).all()


@given(matrices(max_columns=1))
@settings(deadline=None)
def test_a_single_column_needs_no_adjusting(differences):
    found = flipped(differences)
    assert found.adjusted() == pytest.approx(found.p_values())


@given(matrices())
@settings(deadline=None)
def test_turning_every_difference_round_turns_the_signs_and_no_p_value(differences):
    there, back = flipped(differences), flipped(-differences)
    assert back.observed == pytest.approx(-there.observed)
    assert back.p_values() == pytest.approx(there.p_values())
    assert back.adjusted() == pytest.approx(there.adjusted())


@given(labelled())
@settings(max_examples=50, deadline=None)
def test_swapping_the_sides_turns_the_signs_and_no_p_value(data):
    values, second, strata = data
    there, back = shuffled(values, second, strata), shuffled(values, ~second, strata)
    assert back.observed == pytest.approx(-there.observed)
    assert back.p_values() == pytest.approx(there.p_values())
    assert back.adjusted() == pytest.approx(there.adjusted())


@given(matrices(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_units_and_columns_changes_nothing(differences, random):
    rows, columns = list(range(len(differences))), list(range(differences.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    plain, moved = flipped(differences), flipped(differences[rows][:, columns])
    assert moved.p_values() == pytest.approx(plain.p_values()[columns])
    assert moved.adjusted() == pytest.approx(plain.adjusted()[columns])


@given(labelled(), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_runs_changes_nothing(data, random):
    values, second, strata = data
    rows = list(range(len(values)))
    random.shuffle(rows)
    plain, moved = shuffled(*data), shuffled(values[rows], second[rows], strata[rows])
    assert moved.observed == pytest.approx(plain.observed)
    assert moved.adjusted() == pytest.approx(plain.adjusted())


@given(matrices(), st.sampled_from([1e-6, 0.01, 3.0, 1e5]))
@settings(deadline=None)
def test_scaling_a_column_changes_no_p_value(differences, factor):
    scaled = differences.copy()
    scaled[:, 0] *= factor
    assert flipped(scaled).p_values() == pytest.approx(flipped(differences).p_values())
    assert flipped(scaled).adjusted() == pytest.approx(flipped(differences).adjusted())


@given(labelled(), st.sampled_from([1e-3, 3.0, 1e5]), st.sampled_from([-2.0, 0.0, 7.0]))
@settings(max_examples=50, deadline=None)
def test_scaling_and_moving_a_column_of_runs_changes_no_p_value(data, factor, offset):
    values, second, strata = data
    scaled = values.copy()
    scaled[:, 0] = factor * scaled[:, 0] + offset
    plain, other = shuffled(*data), shuffled(scaled, second, strata)
    assert other.p_values() == pytest.approx(plain.p_values())
    assert other.adjusted() == pytest.approx(plain.adjusted())


@given(matrices())
@settings(deadline=None)
def test_the_same_column_twice_changes_no_adjusted_p_value(differences):
    plain = flipped(differences).adjusted()
    twice = flipped(np.hstack([differences, differences[:, [0]]])).adjusted()
    assert twice[:-1] == pytest.approx(plain)
    assert twice[-1] == pytest.approx(plain[0])


@given(matrices(min_columns=2))
@settings(deadline=None)
def test_another_column_never_makes_one_more_significant(differences):
    fewer, more = flipped(differences[:, :-1]).adjusted(), flipped(differences).adjusted()
    assert (more[:-1] >= fewer - 1e-12).all()


@given(matrices())
@settings(deadline=None)
def test_a_column_without_any_difference_has_p_one_and_changes_nothing(differences):
    with_it = flipped(np.hstack([differences, np.zeros((len(differences), 1))]))
    assert with_it.p_values()[-1] == 1.0
    assert with_it.adjusted()[-1] == 1.0
    assert with_it.adjusted()[:-1] == pytest.approx(flipped(differences).adjusted())


@given(labelled(), st.sampled_from([0.0, 1.0, 0.1, -3.7]))
@settings(max_examples=50, deadline=None)
def test_a_constant_column_has_p_one_and_changes_nothing(data, constant):
    values, second, strata = data
    with_it = np.hstack([values, np.full((len(values), 1), constant)])
    found = shuffled(with_it, second, strata)
    assert found.p_values()[-1] == 1.0
    assert found.adjusted()[-1] == 1.0
    assert found.adjusted()[:-1] == pytest.approx(shuffled(*data).adjusted())


@pytest.mark.parametrize(("pairs", "least"), [(5, 2 / 32), (6, 2 / 64), (13, 2 / 8192)])
def test_few_pairs_are_all_gone_through(pairs, least):
    found = flip_signs(np.ones((pairs, 1)), draws=9_999, seed=0)
    assert found.exact
    assert found.p_values()[0] == pytest.approx(least)


def test_many_pairs_are_drawn_and_the_observed_way_counts_among_them():
    found = flip_signs(np.ones((40, 1)), draws=199, seed=0)
    assert not found.exact
    assert found.p_values()[0] == pytest.approx(1 / 200)


def test_many_runs_are_drawn_and_the_observed_way_counts_among_them():
    values, second = np.repeat([[0.0], [1.0]], 20, axis=0), np.repeat([False, True], 20)
    found = shuffled(values, second, np.zeros(40, dtype=np.intp), draws=199)
    assert not found.exact
    assert found.p_values()[0] == pytest.approx(1 / 200)


def test_drawn_flips_come_near_all_flips():
    rng = np.random.default_rng(8)
    differences = rng.standard_normal((12, 3)) + np.array([0.6, 0.3, 0.0])
    exact, drawn = flipped(differences), flip_signs(differences, draws=4_000, seed=3)
    assert exact.exact
    assert not drawn.exact
    assert drawn.adjusted() == pytest.approx(exact.adjusted(), abs=0.035)
    assert np.abs(drawn.chance.mean(axis=0)).max() < 0.07


def test_drawn_shuffles_come_near_all_shuffles():
    rng = np.random.default_rng(8)
    values, second = rng.random((12, 3)), np.array([False] * 6 + [True] * 6)
    strata = np.array([0, 0, 0, 1, 1, 1] * 2, dtype=np.intp)
    values[second] += np.array([0.3, 0.1, 0.0])
    exact = shuffled(values, second, strata)
    drawn = shuffled(values, second, strata, draws=399, seed=3)
    assert exact.exact
    assert not drawn.exact
    assert drawn.adjusted() == pytest.approx(exact.adjusted(), abs=0.11)


def test_draws_keep_every_stratum_s_numbers_of_runs():
    values = np.arange(40.0)[:, None]
    second = np.array(([False] * 3 + [True] * 7) * 4)
    strata = np.repeat(np.arange(4), 10).astype(np.intp)
    between = np.repeat([[0.0], [1.0], [5.0], [9.0]], 10, axis=0)
    found = shuffled(np.hstack([values, between]), second, strata, draws=500, seed=2)
    assert np.abs(found.chance[:, 1]).max() < 1e-9
    assert found.p_values()[1] == 1.0


def test_the_same_seed_draws_the_same_and_another_does_not():
    differences = np.random.default_rng(0).standard_normal((30, 2))
    one, same, other = (flip_signs(differences, draws=99, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.chance, same.chance)
    assert not np.array_equal(one.chance, other.chance)


def test_draws_in_several_blocks_are_as_many_as_asked_for():
    differences = np.ones((100_000, 1))
    found = flip_signs(differences, draws=100, seed=0)
    assert found.chance.shape == (100, 1)
    assert len({round(float(one), 9) for one in found.chance[:, 0]}) > 50


def test_ties_by_rounding_count_as_ties():
    found = Resampled(
        observed=np.array([0.3]), chance=np.array([[0.1 + 0.2], [0.3 - 1e-16], [0.0]]), exact=True
    )
    assert found.p_values()[0] == pytest.approx(2 / 3)


@pytest.mark.parametrize("units", [6, 8, 30])
def test_without_an_effect_the_p_values_are_small_no_more_often_than_they_say(units):
    rng = np.random.default_rng(units)
    repeats, shown = 1500, 0
    for seed in range(repeats):
        shared = rng.standard_normal((units, 1))
        differences = np.round(shared + rng.standard_normal((units, 5)))
        found = flip_signs(differences, draws=99, seed=seed)
        shown += int(found.adjusted().min() <= 0.05)
    assert shown <= stats.binom.ppf(0.9999, repeats, 0.05)
