"""How near a response is to its question, by the vectors of a sentence encoder."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from assay.errors import ModelError
from assay.method.model_based.opening import Answer, OpenModel, open_models, vector_of
from assay.models.requests import Embedding
from assay.models.vectors import cosine

Vector = tuple[float, ...]
Example = Mapping[str, object]


def vectors(opened: OpenModel, texts: Sequence[str]) -> list[Vector | ModelError]:
    """The vector of each text; equal texts are asked about once."""
    distinct = list(dict.fromkeys(text or " " for text in texts))
    replies = opened.ask(Embedding(text=text) for text in distinct)
    known = {text: vector_of(reply) for text, reply in zip(distinct, replies, strict=True)}
    return [known[text or " "] for text in texts]


def certain(answers: Sequence[Answer]) -> list[float]:
    """The scores, where a learner needs every one: the first error is raised."""
    scores = []
    for answer in answers:
        if isinstance(answer, ModelError):
            raise answer
        scores.append(float(answer))  # type: ignore[arg-type]  # a similarity is never abstained
    return scores


def similarities(
    opened: OpenModel, questions: Sequence[str], responses: Sequence[str]
) -> list[float | ModelError]:
    """The cosine of each question's and response's vectors."""
    found = vectors(opened, [*questions, *responses])
    return [
        one if isinstance(one, ModelError) else other if isinstance(other, ModelError)
        else cosine(one, other)
        for one, other in zip(found[: len(questions)], found[len(questions) :], strict=True)
    ]  # fmt: skip


class SimilarityDetector:
    """The cosine of question and response. Higher means that they are nearer to each other.

    It measures topic and not truth: a response that refutes the question is on its topic.
    """

    def __init__(self, models: Sequence[str]) -> None:
        (self._opened,) = open_models(models)

    def __call__(self, questions: Sequence[str], responses: Sequence[str]) -> list[Answer]:
        """A score for each response."""
        return [*similarities(self._opened, questions, responses)]


class SimilarityResidual:
    """The cosine of question and response, less what the response's length predicts of it.

    The prediction is a line through the training folds, in words and characters. No label is used.
    Higher means nearer to the question than responses of this length are.
    """

    def __init__(self, models: Sequence[str]) -> None:
        self._models = models

    def fit(self, examples: Sequence[Example]) -> Callable[[list[str], list[str]], list[Answer]]:
        """Find the line. The model is opened here, in the copy that is fitted and asked."""
        (opened,) = open_models(self._models)
        questions = [str(example["question"]) for example in examples]
        responses = [str(example["response"]) for example in examples]
        scores = certain(similarities(opened, questions, responses))
        weights = np.linalg.lstsq(_lengths(responses), np.array(scores), rcond=None)[0]

        def detect(questions: list[str], responses: list[str]) -> list[Answer]:
            expected = (_lengths(responses) @ weights).tolist()
            found = similarities(opened, questions, responses)
            return [
                score if isinstance(score, ModelError) else score - line
                for score, line in zip(found, expected, strict=True)
            ]

        return detect


def _lengths(responses: Sequence[str]) -> npt.NDArray[np.float64]:
    """One, the number of words and the number of characters of each response."""
    rows = [(1.0, float(len(text.split())), float(len(text))) for text in responses]
    return np.array(rows, dtype=np.float64)
