"""Against R, pROC, scipy and scikit-learn: see tests/reference_values/README.md for provenance."""

import json
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from assay.stats import auc, quantiles
from assay.stats import proportions as share
from assay.stats.auc_interval import hanley_mcneil
from assay.stats.ranks import levels, rank_correlation

REFERENCE = json.loads(
    (Path(__file__).parent.parent / "reference_values/reference_values.json").read_text()
)
close = pytest.approx
EXACT = {"rel": 1e-10, "abs": 1e-14}


def named(section: str):
    return pytest.mark.parametrize("case", REFERENCE[section], ids=lambda case: case.get("name"))


@named("auc")
def test_auc_and_its_variance_are_those_of_proc_sklearn_and_scipy(case):
    fit = auc.fit(case["positive"], case["negative"])
    for program in ("auc_proc", "auc_sklearn", "auc_mannwhitneyu"):
        assert fit.values[0] == close(case["expected"][program], **EXACT)
        assert auc.auc(case["positive"], case["negative"]) == close(case["expected"][program])
    assert fit.covariance[0, 0] == close(case["expected"]["delong_variance"], **EXACT)


@named("paired")
def test_paired_covariance_is_that_of_proc(case):
    label = np.array(case["label"], dtype=bool)
    scores = np.array([case["scores"][name] for name in "ABC"])
    fit = auc.fit(scores[:, label], scores[:, ~label])
    for i, name in enumerate("ABC"):
        assert fit.values[i] == close(case["expected"]["auc"][name], **EXACT)
        assert fit.covariance[i, i] == close(case["expected"]["variance"][name], **EXACT)
    for pair, expected in case["expected"]["pairs"].items():
        i, j = ("ABC".index(name) for name in pair.split("-"))
        assert fit.covariance[i, j] == close(expected["covariance"], **EXACT)
        spread = fit.covariance[i, i] + fit.covariance[j, j] - 2 * fit.covariance[i, j]
        z = (fit.values[i] - fit.values[j]) / spread**0.5
        assert z == close(expected["z"], **EXACT)


@named("clustered")
def test_clustered_variance_is_obuchowskis(case):
    label, score = np.array(case["label"], dtype=bool), np.array(case["score"])
    group = np.array(case["group"])
    fit = auc.fit(score[label], score[~label], groups=(group[label], group[~label]))
    assert fit.values[0] == close(case["expected"]["auc"], **EXACT)
    assert fit.covariance[0, 0] == close(case["expected"]["variance"], **EXACT)
    assert fit.units_positive <= case["expected"]["I10"]
    assert fit.units_negative <= case["expected"]["I01"]


@named("spearman")
def test_spearman_is_that_of_scipy_and_r(case):
    x, y = (levels(np.array(case[side], dtype=float)) for side in "xy")
    for program in ("rho_scipy", "rho_r"):
        assert rank_correlation(x, y) == close(case["expected"][program], **EXACT)


@named("clopper_pearson")
def test_clopper_pearson_is_rs(case):
    hits = np.arange(case["n"]) < case["x"]
    fit = share.accuracy(hits)
    for level in (95, 90):
        low, high = fit.interval(level=level / 100)
        assert low == close(case["expected"][f"ci{level}_lower"], rel=1e-9, abs=1e-12)
        assert high == close(case["expected"][f"ci{level}_upper"], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("row", REFERENCE["quantiles"]["t"])
def test_t_quantiles_are_rs(row):
    assert quantiles.t_quantile(row["p"], row["df"]) == close(row["value"], rel=1e-11)
    assert quantiles.t_quantile(1 - row["p"], row["df"]) == close(-row["value"], rel=1e-9)


def test_normal_quantiles_are_the_standard_librarys():
    for p in (1e-12, 0.001, 0.025, 0.3, 0.499, 0.5, 0.501, 0.8, 0.95, 0.975, 0.9999, 1 - 1e-9):
        assert quantiles.normal_quantile(p) == close(NormalDist().inv_cdf(p), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("row", REFERENCE["quantiles"]["beta"])
def test_beta_quantiles_are_rs(row):
    assert quantiles.beta_quantile(row["p"], row["a"], row["b"]) == close(row["value"], rel=1e-9)


@named("f1")
def test_f1_and_accuracy_are_those_of_sklearn(case):
    true, predicted = np.array(list(case["true"])), np.array(list(case["predicted"]))
    target = case["target_class"]
    found = share.f1(true == target, predicted == target)
    assert found.value == close(case["expected"]["f1_target_class"], **EXACT)
    assert share.accuracy(true == predicted).value == close(case["expected"]["accuracy"], **EXACT)


@named("hanley_mcneil")
def test_hanley_mcneil_variance_is_newcombes(case):
    found = hanley_mcneil(case["auc"], case["m"], case["n"])
    assert found == close(case["expected"]["variance_at_auc"], **EXACT)


def test_an_auc_of_one_has_newcombes_one_sided_interval_with_t():
    """With no spread to measure, the model alone gives the interval; t instead of z widens it."""
    case = next(case for case in REFERENCE["hanley_mcneil"] if case["auc"] == 1.0)
    fit = auc.fit(np.arange(case["m"]) + 100.0, np.arange(case["n"]) * 1.0)
    low, high = fit.interval()
    assert high == 1.0
    assert 0.7 < low < case["expected"]["ci95_lower"]
