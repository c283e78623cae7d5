"""TF-IDF and logistic regression, on words or on characters: what vocabulary alone can do.

Learners: each is fitted to the training folds and asked only about the fold left out. The
gauntlet's own versions (its submissions 005 and 006) were fitted to the rows they were tested on.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Example = Mapping[str, object]


class WordTfidf:
    """One and two words; a class from the question, or a score from question and response."""

    analyzer, span = "word", (1, 2)

    def __init__(self) -> None:
        # Here and not in fit(): a worker builds the learner once and forks a copy per fold.
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        def build() -> Any:  # noqa: ANN401 - scikit-learn has no types
            vectorizer = TfidfVectorizer(analyzer=self.analyzer, ngram_range=self.span)
            return make_pipeline(vectorizer, LogisticRegression(max_iter=1000))

        self._build = build

    def fit(self, examples: Sequence[Example]) -> Callable[[str, str | None], object]:
        """Fit to the examples and return what answers."""
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
