"""Out-of-fold predictions of a label, or of a method's scores, from surface features.

Every record is predicted by models fitted without its fold, so a prediction shows what the features
predict, not what was memorised. The caller gives several deals of folds, and predictions are
averaged over them.

Predictions of several models (`surface/learners.py`) are combined with the non-negative weights
that fit the target best out of fold: if one model finds a function exactly, the errors of the
others must not remain, and if the features predict nothing, all weights go to 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.arrays import Codes, Floats
from assay.stats.auc import auc
from assay.stats.ranks import ranks
from assay.surface.learners import (
    ENSEMBLE,
    few_threads,
    label_models,
    linear_models,
    predict,
    score_models,
)

Folds = NDArray[np.intp]
Step = Callable[[], None]


def normal_scores(values: ArrayLike) -> Floats:
    """Values as standardised normal scores of their ranks, so that only their order counts."""
    from statistics import NormalDist  # its inverse is compiled, but importing it is slow

    distinct, codes = np.unique(ranks(values), return_inverse=True)
    size, inverse = codes.size, NormalDist().inv_cdf
    scores = np.array([inverse((rank - 0.5) / size) for rank in distinct.tolist()])[codes]
    spread = scores.std()
    return np.asarray((scores - scores.mean()) / spread) if spread > 0.0 else np.zeros(size)


def design(columns: Sequence[Floats]) -> Floats:
    """Features as normal scores, records x features; constant features become 0."""
    return np.stack([normal_scores(column) for column in columns], axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelFit:
    """Out-of-fold predictions of the label from the features.

    `ensemble` is the plain mean over deals of logistic regression and boosted trees; its AUC is
    what a model without meaning achieves. `probability` uses all models and is calibrated: the base
    rate, plus as much of each model's deviation from it as the labels support. `fitted` are the
    models of the first deal by fold, used for feature importance, and `seen` their inputs for the
    held-out records.
    """

    ensemble: Floats
    probability: Floats
    fitted: Sequence[Sequence[Any]]
    seen: Floats
    folds: Folds

    def moved(self, places: Codes) -> "LabelFit":
        """The fit with the records in another order."""
        return LabelFit(
            ensemble=self.ensemble[places],
            probability=self.probability[places],
            fitted=self.fitted,
            seen=self.seen[places],
            folds=self.folds[places],
        )


def fit_label(
    features: Floats,
    label: NDArray[np.bool_],
    deals: Sequence[Folds],
    *,
    seed: int,
    categories: Codes | None = None,
    on_step: Step = lambda: None,
) -> LabelFit:
    """Predict the label of every record from its features.

    `categories` is a feature with many values (dozens of sources): it enters as the mean target of
    the other records with the same value, also out of fold.
    """
    total, fitted, seen = _out_of_fold(
        label_models, features, label, deals, seed, categories, on_step
    )
    base = float(label.mean())
    departure = _best_weights(total - base, label.astype(np.float64) - base) @ (total - base)
    return LabelFit(
        ensemble=total[:ENSEMBLE].mean(axis=0),
        probability=np.clip(base + departure, 0.001, 0.999),
        fitted=fitted,
        seen=seen,
        folds=deals[0],
    )


def fit_scores(
    features: Floats,
    scores: Floats,
    deals: Sequence[Folds],
    *,
    seed: int,
    categories: Codes | None = None,
    on_step: Step = lambda: None,
) -> Floats:
    """Predict a method's scores from the features, without labels."""
    if not scores.any():
        return np.zeros(scores.size)
    total, _, _ = _out_of_fold(score_models, features, scores, deals, seed, categories, on_step)
    return np.asarray(_best_weights(total, scores) @ total)


def fit_linear(features: Floats, target: Floats, deals: Sequence[Folds]) -> Floats:
    """Predict a label or scores by linear models alone, for speed."""
    mean = float(target.mean())
    total, _, _ = _out_of_fold(
        lambda _size, _seed: linear_models(), features, target, deals, 0, None, lambda: None
    )
    return np.asarray(mean + _best_weights(total - mean, target - mean) @ (total - mean))


def _out_of_fold(
    make: Callable[[int, int], list[Any]],
    features: Floats,
    target: NDArray[Any],
    deals: Sequence[Folds],
    seed: int,
    categories: Codes | None,
    on_step: Step,
) -> tuple[Floats, list[list[Any]], Floats]:
    """Each model's prediction of each record, averaged over the deals.

    Also the first deal's models, and their inputs for the held-out records.
    """
    size = target.size
    total = np.zeros((len(make(size, seed)), size))
    kept: list[list[Any]] = []
    seen = features if categories is None else np.column_stack([features, np.zeros(size)])
    for deal, folds in enumerate(deals):
        for fold in range(int(folds.max()) + 1):
            in_fold = folds == fold
            if not in_fold.any():
                continue
            models = make(size, seed + deal)
            shown = features
            if categories is not None:
                shown = np.column_stack([features, _read_means(categories, target, folds, fold)])
            with few_threads(size):
                for row, model in zip(total, models, strict=True):
                    model.fit(shown[~in_fold], target[~in_fold])
                    row[in_fold] += predict(model, shown[in_fold])
            if deal == 0:
                kept.append(models)
                seen = np.where(in_fold[:, None], shown, seen)
            on_step()
    return total / len(deals), kept, seen


def _read_means(categories: Codes, target: NDArray[Any], folds: Folds, in_fold: int) -> Floats:
    """The mean target of each record's category, from folds other than its own and the held-out.

    Shrunk to the overall mean as if by one more record, and standardised.
    """
    size = int(categories.max()) + 1
    usable = folds != in_fold
    base = float(target[usable].mean())
    means = np.empty(target.size)
    for fold in np.unique(folds):
        rest = usable & (folds != fold)
        counts = np.bincount(categories[rest], minlength=size)
        sums = np.bincount(categories[rest], weights=target[rest], minlength=size)
        own = folds == fold
        means[own] = ((sums + base) / (counts + 1.0))[categories[own]]
    spread = means.std()
    return np.asarray((means - means.mean()) / spread if spread > 0.0 else means * 0.0)


def _best_weights(predictions: Floats, target: Floats) -> Floats:
    """Non-negative least squares for a few predictors, by trying every subset."""
    k = len(predictions)
    best, least = np.zeros(k), float(target @ target)
    for size in range(1, k + 1):
        for chosen in combinations(range(k), size):
            rows = predictions[list(chosen)]
            weights = np.linalg.lstsq(rows.T, target, rcond=None)[0]
            miss = target - weights @ rows
            if (weights >= 0.0).all() and float(miss @ miss) < least:
                least = float(miss @ miss)
                best = np.zeros(k)
                best[list(chosen)] = weights
    return best


def importance(
    fit: LabelFit,
    label: NDArray[np.bool_],
    blocks: Sequence[Sequence[int]],
    *,
    seed: int,
    on_step: Step = lambda: None,
) -> Floats:
    """The loss of the first deal's AUC when a block of columns is shuffled, out of fold."""
    held_out = [np.flatnonzero(fit.folds == fold) for fold in range(len(fit.fitted))]
    features = fit.seen
    base = _auc_with(fit, features, label, held_out)
    losses = []
    for number, block in enumerate(blocks):
        rng = np.random.default_rng([seed, number])
        shuffled = features.copy()
        for rows in held_out:
            mixed = rng.permutation(rows)
            for column in block:
                shuffled[rows, column] = features[mixed, column]
        losses.append(base - _auc_with(fit, shuffled, label, held_out))
        on_step()
    return np.array(losses)


def _auc_with(
    fit: LabelFit, features: Floats, label: NDArray[np.bool_], held_out: Sequence[NDArray[np.intp]]
) -> float:
    scores = np.zeros(label.size)
    with few_threads(label.size):
        for rows, models in zip(held_out, fit.fitted, strict=True):
            for model in models[:ENSEMBLE]:
                scores[rows] += predict(model, features[rows])
    return auc(scores[label], scores[~label])
