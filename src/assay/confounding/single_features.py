"""Each surface feature alone: how well it predicts the label, and whether length explains that."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Item
from assay.confounding.result import FeatureResult
from assay.stats import auc
from assay.stats.arrays import Codes, coded
from assay.stats.ranks import levels, rank_correlation
from assay.stats.stratified_auc import fit_within
from assay.surface.feature_table import Feature
from assay.surface.joint_model import FOLDS, SOURCE, deal_folds

BAR = 0.70
RHO = 0.5
ALPHA = 0.05
"""The chance that any feature's corrected interval misses its AUC."""
_AT_ONCE = 8


def feature_results(
    table: Sequence[Feature], label: NDArray[np.bool_], groups: Codes | None
) -> tuple[FeatureResult, ...]:
    """The result of each feature alone, in its better direction."""
    sides = None if groups is None else (groups[label], groups[~label])
    lengths = {
        feature.on: levels(feature.values) for feature in table if feature.name == "word_length"
    }
    results: list[FeatureResult] = []
    looked_at = len(table) + 1  # the source counts too
    for start in range(0, len(table), _AT_ONCE):
        some = table[start : start + _AT_ONCE]
        columns = [levels(feature.values) for feature in some]
        fit = auc.fit_levels(columns, label, groups=sides)
        for i, (feature, column) in enumerate(zip(some, columns, strict=True)):
            length = lengths.get("question" if feature.on == "question" else "response")
            rho = None if length is None else rank_correlation(column, length)
            value = float(fit.values[i])
            corrected = fit.interval(i, level=1.0 - ALPHA / looked_at)
            results.append(_feature_result(feature, value, fit.interval(i), corrected, rho))
    return tuple(results)


def _feature_result(
    feature: Feature,
    value: float,
    interval: tuple[float, float],
    corrected: tuple[float, float],
    rho: float | None,
) -> FeatureResult:
    """The result of a feature in its better direction; a source's share has only one."""
    (low, high), least = interval, corrected[0]
    direction: Literal["higher", "lower"] = "higher"
    if value < 0.5 and feature.name != SOURCE:
        direction = "lower"
        value, low, high, least = 1.0 - value, 1.0 - high, 1.0 - low, 1.0 - corrected[1]
    flag: Literal["inert", "length", "orthogonal"] = "inert"
    if value >= BAR:
        flag = "length" if rho is not None and abs(rho) >= RHO else "orthogonal"
    return FeatureResult(
        name=feature.name,
        on=feature.on,
        auc=value,
        low=low,
        high=high,
        least=least,
        direction=direction,
        rho_length=rho,
        flag=flag,
    )


def source_result(
    items: Sequence[Item], label: NDArray[np.bool_], groups: Codes | None, *, looked_at: int
) -> tuple[FeatureResult, ...]:
    """The source as a feature: the share of positives among its records of other folds.

    With a record's own label, every source with a single record would predict it. Records are
    compared within their fold, where all of one source tie: across folds a record's own label moves
    its source's share in the opposite direction.
    """
    codes = coded(item.source for item in items)
    size = int(codes.max()) + 1
    if size < 2:
        return ()
    folds = deal_folds(items, label, 0)
    rate = np.zeros(label.size)
    for fold in range(FOLDS):
        rest = folds != fold
        counts = np.bincount(codes[rest], minlength=size)
        ups = np.bincount(codes[rest], weights=label[rest], minlength=size)
        rate[~rest] = ((ups + label.mean()) / (counts + 1.0))[codes[~rest]]
    strata = folds.astype(str)
    fit = fit_within(
        rate[label],
        rate[~label],
        (strata[label].tolist(), strata[~label].tolist()),
        groups=None if groups is None else (groups[label], groups[~label]),
    )
    if fit is None:
        return ()
    length = np.array([float(len((item.response or "").split())) for item in items])
    rho = rank_correlation(levels(rate), levels(length))
    feature = Feature(name=SOURCE, on="both", values=rate)
    corrected = fit.interval_at(1.0 - ALPHA / looked_at)
    return (_feature_result(feature, fit.value, fit.interval_at(0.95), corrected, rho),)
