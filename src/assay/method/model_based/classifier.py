"""Logistic regression on the vectors of a sentence encoder, out of fold."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from assay.errors import ModelError
from assay.method.model_based.opening import OpenModel, open_models
from assay.method.model_based.similarity import Example, Vector, vectors

Predictions = list[object]


class EmbeddingClassifier:
    """A class from the question's vector, or a score from that of question and response.

    Classes are weighted by how rare they are. Higher scores mean more like the positives of the
    training folds.
    """

    def __init__(self, models: Sequence[str]) -> None:
        self._models = models

    def fit(
        self, examples: Sequence[Example]
    ) -> Callable[[list[str], list[str | None]], Predictions]:
        """Fit to the examples. The model is opened here, in the copy that is fitted and asked."""
        (opened,) = open_models(self._models)
        targets = [example["target"] for example in examples]
        classes = isinstance(targets[0], str)
        model: Any = LogisticRegression(class_weight="balanced", max_iter=1000)
        if classes:
            model = OneVsRestClassifier(model)

        def text(question: object, response: object) -> str:
            return f"{question}" if classes or response is None else f"{question}\n{response}"

        learnt = [text(example["question"], example["response"]) for example in examples]
        model.fit(np.array(_known(vectors(opened, learnt))), targets)

        def predict(questions: list[str], responses: list[str | None]) -> Predictions:
            texts = [text(*pair) for pair in zip(questions, responses, strict=True)]
            return _predicted(model, opened, texts, classes=classes)

        return predict


def _known(found: Sequence[Vector | ModelError]) -> list[Vector]:
    """The vectors, where all are needed: the first error is raised."""
    known = []
    for each in found:
        if isinstance(each, ModelError):
            raise each
        known.append(each)
    return known


def _predicted(
    model: Any,  # noqa: ANN401 - scikit-learn has no types
    opened: OpenModel,
    texts: Sequence[str],
    *,
    classes: bool,
) -> Predictions:
    """A class or a score for each text, or the error of its call."""
    answers: Predictions = []
    for vector in vectors(opened, texts):
        if isinstance(vector, ModelError):
            answers.append(vector)
            continue
        row = np.array([vector])
        answers.append(model.predict(row)[0] if classes else model.predict_proba(row)[0, 1])
    return answers
