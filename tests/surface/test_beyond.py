"""The beyond-surface AUC, on arrays whose surface is known."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from assay.stats.auc import auc
from assay.surface.beyond import WIDEST, beyond_surface, weights, widest_without_signal
from assay.surface.crossfit import design, fit_label, fit_scores, importance, normal_scores

N = 600
RNG = np.random.default_rng(11)
X = RNG.normal(size=(N, 4))
TRUE_P = 1.0 / (1.0 + np.exp(-1.5 * X[:, 0]))
Y = RNG.random(N) < TRUE_P
DEALS = [RNG.permutation(np.arange(N) % 5) for _ in range(2)]
FIT = fit_label(X, Y, DEALS, seed=0)


NO_FEATURES = np.zeros((N, 1))


def beyond(scores, *, groups=None, probability=None, predicted=None):
    z = normal_scores(scores)
    return beyond_surface(
        features=X,
        label=Y,
        probability=FIT.probability if probability is None else probability,
        scores=z,
        predicted=fit_scores(X, z, DEALS, seed=0) if predicted is None else predicted,
        groups=groups,
        seed=0,
    )


def test_the_same_seed_gives_the_same_draws_and_another_does_not():
    one, again, other = (
        np.concatenate(list(weights(Y.astype(int), draws=50, seed=seed))) for seed in (1, 1, 2)
    )
    assert (one == again).all()
    assert (one != other).any()


def test_every_draw_keeps_the_size_of_each_stratum():
    for block in weights(Y.astype(int), draws=200, seed=3):
        assert (block[:, Y].sum(axis=1) == Y.sum()).all()
        assert (block[:, ~Y].sum(axis=1) == (~Y).sum()).all()


def test_the_formula_is_the_one_that_is_written_down():
    rng = np.random.default_rng(1)
    z = normal_scores(rng.normal(size=N) + 2.0 * Y)
    p, g = 0.2 + 0.6 * rng.random(N), rng.normal(size=N) / 3
    u, v, y = Y - p, z - g, Y.astype(float)
    c = np.mean(u * v) / (math.sqrt(np.mean(u * u)) * z.std())
    d = math.sqrt(c * c / (np.mean(u * u) - c * c * y.var()))
    whole = np.corrcoef(y, z)[0, 1]
    plain = NormalDist().inv_cdf(auc(z[Y], z[~Y])) * math.sqrt(2.0)
    drawn_in = min(plain / (whole / (y.std() * math.sqrt(1.0 - whole**2))), 1.0)
    expected = NormalDist().cdf(math.copysign(drawn_in * d, c) / math.sqrt(2.0))
    found = beyond_surface(
        features=NO_FEATURES, label=Y, probability=p, scores=z, predicted=g, groups=None, seed=0
    )
    assert drawn_in > 0.9
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.share == pytest.approx(max(0.0, 1.0 - np.mean(v * v)))


def test_without_any_surface_it_is_the_auc():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=N) + 1.0 * Y
    z = normal_scores(scores)
    found = beyond_surface(
        features=NO_FEATURES,
        label=Y,
        probability=np.full(N, Y.mean()),
        scores=z,
        predicted=np.zeros(N),
        groups=None,
        seed=0,
    )
    assert found.value == pytest.approx(auc(scores[Y], scores[~Y]), abs=0.01)
    assert found.share == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "surface",
    [lambda x: x[:, 0], lambda x: -x[:, 0], lambda x: np.exp(x[:, 0]), lambda x: x[:, 0] > 0.3],
    ids=["itself", "turned round", "bent", "cut"],
)
def test_a_function_of_the_surface_is_left_with_nothing(surface):
    found = beyond(surface(X).astype(float))
    assert abs(found.value - 0.5) < 0.04
    assert found.share > 0.8


def test_a_signal_of_its_own_is_kept():
    rng = np.random.default_rng(3)
    found = beyond(rng.normal(size=N) + 2.0 * Y).estimate()
    assert found.value == pytest.approx(NormalDist().cdf(math.sqrt(2.0)), abs=0.04)
    assert found.low > 0.8


def test_turning_a_method_round_turns_its_value_round():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=N) + Y
    assert beyond(-scores).value == pytest.approx(1.0 - beyond(scores).value, abs=0.01)


def test_only_the_order_of_scores_counts():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=N) + Y
    assert beyond(np.exp(scores)).value == beyond(scores).value


def test_the_answers_themselves_are_perfect_with_a_one_sided_interval():
    found = beyond(Y.astype(float)).estimate()
    assert found.value > 0.99
    assert 0.9 < found.low < found.value


def test_constant_scores_say_nothing():
    found = beyond(np.full(N, 3.0))
    assert found.value == 0.5
    assert found.interval(0.95) == (0.5, 0.5)
    assert found.share == 0.0


def test_a_flag_that_one_record_has_does_not_break_the_bootstrap():
    rare = np.zeros(N)
    rare[0] = 1.0
    low, high = beyond(rare, predicted=np.zeros(N)).interval(0.90)
    assert 0.3 < low <= high < 0.7


def test_copies_in_groups_of_their_own_add_no_evidence():
    rng = np.random.default_rng(6)
    z = normal_scores(rng.normal(size=N) + Y)
    twice = {
        "features": np.repeat(X, 2, axis=0),
        "label": np.repeat(Y, 2),
        "probability": np.repeat(FIT.probability, 2),
        "scores": np.repeat(z, 2),
        "predicted": np.zeros(2 * N),
        "seed": 0,
    }
    alone = beyond(z, predicted=np.zeros(N)).interval(0.95)
    grouped = beyond_surface(**twice, groups=np.repeat(np.arange(N), 2)).interval(0.95)
    ignored = beyond_surface(**twice, groups=None).interval(0.95)
    assert np.ptp(grouped) == pytest.approx(np.ptp(alone), rel=0.1)
    assert np.ptp(ignored) < 0.8 * np.ptp(alone)


def test_the_more_the_surface_tells_the_less_is_left_to_tell_by():
    few = np.arange(100) % 2 == 0
    ignorant, knowing = np.full(100, 0.5), np.where(few, 0.95, 0.05)
    assert widest_without_signal(few, ignorant) < WIDEST < widest_without_signal(few, knowing)
    assert widest_without_signal(few, few.astype(float)) == 1.0


def test_the_forecast_width_is_what_noise_gets():
    rng = np.random.default_rng(7)
    widths = []
    for _ in range(5):
        found = beyond(rng.normal(size=N), predicted=np.zeros(N))
        widths.append(np.ptp(found._between(found.drawn, found.drawn, 0.95)))
    expected = widest_without_signal(Y, FIT.probability)
    assert np.mean(widths) == pytest.approx(expected, rel=0.15)


def test_features_that_tell_nothing_leave_the_base_rate():
    rng = np.random.default_rng(8)
    blind = fit_label(rng.normal(size=(N, 3)), Y, DEALS, seed=0)
    assert np.std(blind.probability) < 0.06
    assert np.std(blind.ensemble) > np.std(blind.probability)


def test_the_feature_that_carries_the_label_matters_most():
    drops = importance(FIT, Y, [[0], [1], [2], [3]], seed=0)
    assert drops[0] > 0.15
    assert np.abs(drops[1:]).max() < 0.03


def test_an_interaction_of_two_features_is_found_in_few_records():
    rng = np.random.default_rng(9)
    few = rng.normal(size=(150, 4))
    label = few[:, 0] * few[:, 1] > 0
    deals = [rng.permutation(np.arange(150) % 5)]
    fit = fit_label(few, label, deals, seed=0)
    assert np.mean(np.square(label - fit.probability)) < 0.15


def test_normal_scores_keep_order_ties_and_unit_spread():
    found = normal_scores([3.0, 1.0, 1.0, 2.0])
    assert found[1] == found[2] < found[3] < found[0]
    assert found.std() == pytest.approx(1.0)
    assert design([np.ones(4), np.arange(4.0)])[:, 0].tolist() == [0.0] * 4
