import numpy as np
import pytest

from assay.stats import auc
from assay.stats.bootstrap import _by_pairs, _by_rank, auc_statistic, bootstrap, weights

RNG = np.random.default_rng(11)
LABEL = np.arange(80) < 35
SCORE = np.round(RNG.normal(LABEL * 1.0, 1.0), 1)


def test_the_same_seed_gives_the_same_draws_and_another_does_not():
    one, again, other = (
        np.concatenate(list(weights(LABEL, draws=50, seed=seed))) for seed in (1, 1, 2)
    )
    assert (one == again).all()
    assert (one != other).any()


def test_every_draw_keeps_the_size_of_each_stratum():
    for block in weights(LABEL, draws=200, seed=3):
        assert (block[:, LABEL].sum(axis=1) == LABEL.sum()).all()
        assert (block[:, ~LABEL].sum(axis=1) == (~LABEL).sum()).all()


def test_items_of_one_group_are_drawn_together():
    group = np.repeat(np.arange(20), 4).astype(str)
    mixed = np.tile([True, False, True, False], 20)
    for block in weights(mixed, draws=50, seed=4, groups=group):
        assert (block.reshape(-1, 20, 4) == block.reshape(-1, 20, 4)[:, :, :1]).all()
        assert (block.sum(axis=1) == 80).all()


@pytest.mark.parametrize("way", [_by_pairs, _by_rank])
def test_a_weight_of_two_is_an_item_twice(way):
    drawn = next(weights(LABEL, draws=5, seed=5))
    statistic = way(SCORE, LABEL)
    for row, value in zip(drawn.astype(int), statistic(drawn), strict=True):
        above = np.repeat(SCORE[LABEL], row[LABEL])
        below = np.repeat(SCORE[~LABEL], row[~LABEL])
        assert value == pytest.approx(auc.auc(above, below))


def test_the_bootstrap_interval_is_near_delongs():
    found = bootstrap(auc_statistic(SCORE, LABEL), LABEL, draws=4000, seed=6)
    low, high = auc.fit(SCORE[LABEL], SCORE[~LABEL]).interval()
    assert found.value == auc.auc(SCORE[LABEL], SCORE[~LABEL])
    assert found.low == pytest.approx(low, abs=0.03)
    assert found.high == pytest.approx(high, abs=0.03)
    assert "seed 6" in found.how


def test_a_stratum_of_one_group_is_refused_and_an_odd_group_is_not():
    with pytest.raises(ValueError, match="only one group"):
        next(weights([True, False], draws=5, seed=1, groups=["a", "b"]))
    label = [True, False] * 6 + [True]
    group = [str(i // 2) for i in range(12)] + ["odd"]
    drawn = np.concatenate(list(weights(label, draws=200, seed=1, groups=group)))
    assert drawn[:, -1].std() > 0
    assert (drawn[:, np.array(label)].sum(axis=1) > 0).all()
