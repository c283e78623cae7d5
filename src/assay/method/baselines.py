"""The bundled methods: baselines without knowledge, rules on words, TF-IDF, the surface model.

A method must beat these before its number means anything. Learners are fitted to the training folds
and predict the rest (the gauntlet's own TF-IDF was fitted to the rows it was tested on).
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.surface.features import ORACLES, hedge_density, opens_auxiliary, question_overlap

CLASSES = ("truth", "folklore", "factual-error", "pseudoscience")


def constant(question: str) -> dict[str, object]:  # noqa: ARG001 - it ignores what it is asked
    """The same answer to everything."""
    return {"score": 0.0, "class": "truth"}


def hash_random(question: str) -> dict[str, object]:
    """A score and a class from the hash of the question: repeatable chance."""
    data = question.encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.sha256(data).digest()[:8], "big")
    return {"score": number / 2**64, "class": CLASSES[number % len(CLASSES)]}


def question_length(question: str) -> str:
    """A class from the number of words in the question alone."""
    words = len(question.split())
    for limit, name in ((6, "truth"), (9, "folklore"), (12, "factual-error")):
        if words <= limit:
            return name
    return "pseudoscience"


class Majority:
    """The most frequent class of the training folds, for every item."""

    @staticmethod
    def fit(examples: Sequence[Mapping[str, object]]) -> Callable[[str], object]:
        """Find the most frequent target; ties go to the first."""
        common = Counter(example["target"] for example in examples).most_common(1)[0][0]
        return lambda question: common  # noqa: ARG005 - it ignores what it is asked


def auxiliary_copy(question: str, response: str) -> float:
    """1 for a question that opens with an auxiliary verb, plus the share of copied words.

    On the gauntlet's own benchmark this passes all four of its bars: each bar subtracts one
    feature, and this combines two.
    """
    return opens_auxiliary(question) + question_overlap(question, response)


def token_overlap(question: str, response: str) -> float:
    """(1 - hedge density) x (1 - novelty density).

    Novelty is the share of the response's distinct tokens that are not in the question, so a
    response that only restates its question scores 1.
    """
    answered = set(response.lower().split())
    if not answered:
        return 0.0
    novelty = len(answered - set(question.lower().split())) / len(answered)
    return (1.0 - hedge_density(response)) * (1.0 - novelty)


Example = Mapping[str, object]


class WordTfidf:
    """One and two words; a class from the question, or a score from question and response."""

    analyzer, span = "word", (1, 2)

    def __init__(self) -> None:
        # Here, not in fit(): a worker builds the learner once and forks a copy per fold.
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        def build() -> Any:  # noqa: ANN401 - scikit-learn has no types
            vectorizer = TfidfVectorizer(analyzer=self.analyzer, ngram_range=self.span)
            return make_pipeline(vectorizer, LogisticRegression(max_iter=1000))

        self._build = build

    def fit(self, examples: Sequence[Example]) -> Callable[[str, str | None], object]:
        """Fit to the examples and return the function that answers."""
        targets = [example["target"] for example in examples]
        classes = isinstance(targets[0], str)

        def text(question: object, response: object) -> str:
            return f"{question}" if classes or response is None else f"{question}\n{response}"

        model = self._build()
        model.fit([text(e["question"], e["response"]) for e in examples], targets)

        def predict(question: str, response: str | None) -> object:
            asked = [text(question, response)]
            return model.predict(asked)[0] if classes else model.predict_proba(asked)[0, 1]

        return predict


class CharTfidf(WordTfidf):
    """Two to four characters within words."""

    analyzer, span = "char_wb", (2, 4)


class SurfaceModel:
    """Logistic regression and boosted trees on every surface feature, out of fold."""

    @staticmethod
    def fit(examples: Sequence[Mapping[str, object]]) -> Callable[[str, str], float]:
        """Learn the label from features of question and response."""
        import numpy as np
        from sklearn.preprocessing import StandardScaler

        from assay.surface.learners import ENSEMBLE, few_threads, label_models, predict

        def read(question: object, response: object) -> list[float]:
            return [oracle(str(question), str(response or "")) for oracle in ORACLES.values()]

        rows = np.array([read(example["question"], example["response"]) for example in examples])
        targets = np.array([example["target"] for example in examples])
        scale = StandardScaler().fit(rows)
        models = label_models(len(examples), 0)[:ENSEMBLE]
        with few_threads(len(examples)):
            for model in models:
                model.fit(scale.transform(rows), targets)

        def detect(question: str, response: str) -> float:
            row = scale.transform(np.array([read(question, response)]))
            with few_threads(1):
                return float(sum(predict(model, row)[0] for model in models)) / len(models)

        return detect
