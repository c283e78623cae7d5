"""The models behind the joint surface model; scikit-learn is imported only here, when needed.

A label is predicted by regularised logistic regression, which finds nearly linear effects in few
records, and by shallow boosted trees, which find thresholds and interactions in many: these two are
the joint surface model. For the beyond-surface AUC, logistic regression on products of two features
is added, which finds interactions in few records. A method's scores are predicted by ridge
regression, boosted trees, extremely randomised trees, and ridge regression on the products. With
many records products are left out: trees find interactions there, and products need much memory.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from assay.stats.arrays import Floats

ENSEMBLE = 2
"""The first so many label models make up the joint surface model."""
_FEW = 2_000
_TREE_RECORDS = 10_000
"""A randomised tree sees at most so many records, which bounds its memory."""


def label_models(size: int, seed: int) -> list[Any]:
    """The models that predict a label, for so many records."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    return [
        LogisticRegression(C=0.1, max_iter=500),
        HistGradientBoostingClassifier(**_boosting(size), random_state=seed % 2**32),
        *([] if size > _FEW else [_logistic_on_products()]),
    ]


def _logistic_on_products() -> Any:  # noqa: ANN401 - scikit-learn has no types
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    products = PolynomialFeatures(degree=2, interaction_only=True, include_bias=False)
    return make_pipeline(products, LogisticRegression(C=0.01, max_iter=500))


def score_models(size: int, seed: int) -> list[Any]:
    """The models that predict a method's scores, for so many records."""
    from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.linear_model import Ridge

    return [
        Ridge(alpha=1.0),
        HistGradientBoostingRegressor(**_boosting(size), random_state=seed % 2**32),
        ExtraTreesRegressor(
            n_estimators=50,
            max_features=0.5,
            min_samples_leaf=2,
            bootstrap=size > _TREE_RECORDS,
            max_samples=_TREE_RECORDS if size > _TREE_RECORDS else None,
            n_jobs=-1 if size > _TREE_RECORDS else None,
            random_state=seed % 2**32,
        ),
        *([] if size > _FEW else [KernelRidge(kernel="poly", degree=2, coef0=1.0, alpha=0.1)]),
    ]


def linear_models() -> list[Any]:
    """Ridge regression with little, more and much regularisation."""
    from sklearn.linear_model import Ridge

    return [Ridge(alpha=alpha) for alpha in (1.0, 10.0, 100.0)]


@contextmanager
def few_threads(size: int) -> Iterator[None]:
    """Use one thread for few records.

    Trees on a thousand records run thousands of tiny parallel loops. On a busy machine each of them
    waits for a thread that is not running, and seconds become minutes.
    """
    with _thread_pools().limit(limits=1 if size <= _TREE_RECORDS else None):
        yield


@cache
def _thread_pools() -> Any:  # noqa: ANN401 - threadpoolctl has no types
    """The thread pools of this process; looking for them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def predict(model: Any, features: Floats) -> Floats:  # noqa: ANN401 - scikit-learn has no types
    """The probability of the label, or the score."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(features)[:, 1])
    return np.asarray(model.predict(features))


def _boosting(size: int) -> dict[str, Any]:
    return {
        "learning_rate": 0.1,
        "max_iter": 60 if size < 1000 else 100,
        "max_leaf_nodes": 8,
        "min_samples_leaf": 5 if size < 1000 else 20,
        "l2_regularization": 1.0,
        "early_stopping": False,
    }
