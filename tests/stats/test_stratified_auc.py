import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from surface_rates import within

from assay.stats import auc
from assay.stats.stratified_auc import fit_within


def drawn(seed, size=300, shift=2.0):
    rng = np.random.default_rng(seed)
    source = rng.choice(3, size=size, p=[0.5, 0.3, 0.2])
    label = rng.random(size) < np.array([0.2, 0.5, 0.8])[source]
    return rng.normal(size=size) + shift * source, label, source.astype(str)


def fitted(scores, label, source, **more):
    sides = source[label].tolist(), source[~label].tolist()
    return fit_within(scores[label], scores[~label], sides, **more)


def test_it_is_the_mean_of_the_sources_aucs_weighted_by_their_pairs():
    scores, label, source = drawn(1)
    aucs, pairs = [], []
    for one in np.unique(source):
        own = source == one
        aucs.append(roc_auc_score(label[own], scores[own]))
        pairs.append(label[own].sum() * (~label[own]).sum())
    assert fitted(scores, label, source).value == pytest.approx(np.average(aucs, weights=pairs))


def test_telling_the_sources_apart_is_worth_nothing_within_them():
    scores, label, source = drawn(2, size=2000)
    assert auc.auc(scores[label], scores[~label]) > 0.65
    found = fitted(scores, label, source).estimate()
    assert found.low < 0.5 < found.high


def test_one_stratum_is_the_plain_auc():
    scores, label, _ = drawn(3)
    found = fitted(scores, label, np.full(label.size, "one"))
    plain = auc.fit(scores[label], scores[~label])
    assert found.value == pytest.approx(plain.values[0])
    assert found.interval_at(0.95) == pytest.approx(plain.interval(), abs=0.002)


def test_a_stratum_of_one_class_counts_for_nothing():
    scores, label, source = drawn(4)
    more = np.append(source, ["alone"] * 5)
    with_it = fitted(np.append(scores, [9.0] * 5), np.append(label, [True] * 5), more)
    assert with_it.value == fitted(scores, label, source).value
    assert with_it.n == label.size


def test_strata_without_both_classes_give_nothing():
    assert fit_within(np.ones(3), np.zeros(3), (["a"] * 3, ["b"] * 3)) is None


def test_copies_of_every_record_in_a_group_of_their_own_add_nothing():
    scores, label, source = drawn(5)
    group = np.arange(label.size)
    doubled = [np.repeat(x, 2) for x in (scores, label, source, group)]
    once = fitted(scores, label, source).interval_at(0.95)
    groups = doubled[3][doubled[1]], doubled[3][~doubled[1]]
    twice = fitted(*doubled[:3], groups=groups).interval_at(0.95)
    ignored = fitted(*doubled[:3]).interval_at(0.95)
    assert np.ptp(twice) == pytest.approx(np.ptp(once), rel=0.1)
    assert np.ptp(ignored) < 0.8 * np.ptp(once)


def test_groups_that_are_whole_strata_leave_the_interval_its_width():
    rng = np.random.default_rng(7)
    source = np.repeat(np.arange(20), 6)
    label = np.arange(120) % 2 == 0
    lean = rng.normal(size=20)[source]
    scores = rng.normal(size=120) + label * (0.5 + lean)
    names = source.astype(str)
    grouped = fitted(scores, label, names, groups=(source[label], source[~label])).interval_at(0.95)
    alone = fitted(scores, label, names).interval_at(0.95)
    assert np.ptp(grouped) > 0.8 * np.ptp(alone)


def test_single_records_of_a_class_have_a_spread_too():
    rng = np.random.default_rng(8)
    source = np.repeat(np.arange(20), 6).astype(str)
    label = np.arange(120) % 6 == 0
    widths = np.ptp(fitted(rng.normal(size=120), label, source).interval_at(0.95))
    assert widths > 0.2


def test_its_interval_covers():
    covered, over = within((0.8, 108, False), 200, seed=6)
    assert covered >= 0.91
    assert over <= 0.09
