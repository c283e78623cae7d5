"""The verdict on a benchmark: evidence for clean, evidence for confounded, or neither."""

from types import SimpleNamespace

import numpy as np
import pytest

import assay
from assay.benchmark.benchmark import Benchmark, Item
from assay.confounding.result import FeatureResult, Fitness, Joint
from assay.confounding.verdict import decide

CLEAN, CONFOUNDED, UNDECIDED, UNFIT = (
    Fitness.CLEAN,
    Fitness.CONFOUNDED,
    Fitness.UNDECIDED,
    Fitness.UNFIT,
)


def joint(auc, low, high):
    return Joint(auc=auc, low=low, high=high, left=1.0, importance=(), given_away=())


def feature(least):
    return FeatureResult(
        name="words", on="response", auc=max(least, 0.5), low=least, high=1.0, least=least,
        direction="higher", rho_length=None, flag="inert",
    )  # fmt: skip


def model(told=0.5):
    """What a surface leaves of 400 labels, of which it tells so much."""
    label = np.arange(400) % 2 == 0
    probability = np.where(label, told, 1.0 - told)
    return SimpleNamespace(label=label, fit=SimpleNamespace(probability=probability))


@pytest.mark.parametrize(
    ("together", "alone", "verdict"),
    [
        (joint(0.51, 0.45, 0.58), 0.49, CLEAN),
        (joint(0.56, 0.52, 0.595), 0.55, CLEAN),
        (joint(0.51, 0.45, 0.58), 0.61, CONFOUNDED),
        (joint(0.51, 0.45, 0.61), 0.49, UNDECIDED),
        (joint(0.51, 0.45, 0.61), 0.51, CONFOUNDED),
        (joint(0.688, 0.447, 0.849), 0.49, UNDECIDED),
        (joint(0.688, 0.447, 0.849), 0.55, CONFOUNDED),
        (joint(0.70, 0.62, 0.77), 0.49, CONFOUNDED),
        (joint(0.35, 0.196, 0.552), 0.49, UNDECIDED),
    ],
)
def test_clean_and_confounded_both_ask_for_evidence(together, alone, verdict):
    assert decide(model(), together, [feature(0.3), feature(alone)]) is verdict


def test_a_surface_that_leaves_nothing_is_unfit_and_no_model_is_no_verdict():
    assert decide(model(told=0.999), joint(0.99, 0.97, 1.0), [feature(0.9)]) is UNFIT
    assert decide(None, None, [feature(0.9)]) is UNDECIDED


def test_sixty_records_with_two_features_near_eight_tenths_are_not_clean():
    rng = np.random.default_rng(3)
    items = tuple(
        Item(
            id=f"r{i}",
            question=f"What is {i}?",
            response=" ".join(rng.choice(["alpha", "beta", "gamma"], 4 + rng.integers(6) + 3 * up))
            + ("," if rng.random() < 0.2 + 0.5 * up else ""),
            label=bool(up),
        )
        for i, up in enumerate(rng.permutation(np.arange(60) % 2))
    )
    audit = assay.confounds(Benchmark(name="sixty", digest="sha256:0", items=items))
    assert sorted(one.auc for one in audit.features)[-2] > 0.7
    assert audit.verdict in (CONFOUNDED, UNFIT)
    assert not audit.favourable


def shuffled(size, *, leak=False):
    rng = np.random.default_rng(4)
    label = rng.permutation(np.arange(size) % 2).astype(bool)
    items = tuple(
        Item(
            id=f"{'ab'[up] if leak else 'r'}{i}",
            question=f"What is {i}?",
            response=" ".join(rng.choice(["alpha", "beta", "gamma"], 4 + rng.integers(6))),
            label=bool(up),
        )
        for i, up in enumerate(label.tolist())
    )
    return Benchmark(name="shuffled", digest="sha256:0", items=items)


def test_few_records_cannot_show_that_the_surface_tells_nothing_and_it_says_how_many_would():
    few = assay.confounds(shuffled(80))
    assert few.verdict is UNDECIDED
    assert 200 < few.needed_records < 3_000
    assert f"about {few.needed_records:,} records would" in few.because
    many = assay.confounds(shuffled(900))
    assert (many.verdict, many.needed_records) == (CLEAN, None)
    assert many.favourable


def test_an_id_that_gives_the_label_away_is_named_and_keeps_clean_from_being_the_last_word():
    audit = assay.confounds(shuffled(900, leak=True))
    assert audit.verdict is CLEAN
    assert audit.telling == ("label-leak",)
    assert audit.because.endswith(", but the data have a fault: label-leak")
    (leak,) = (finding for finding in audit.lint if finding.code == "label-leak")
    assert f"label-leak: {leak.message} {leak.remedy}" in str(audit).splitlines()
    assert not audit.favourable


def test_a_feature_is_corrected_for_all_that_were_looked_at():
    audit = assay.confounds(shuffled(200), joint=False)
    for one in audit.features:
        assert one.least <= one.low
