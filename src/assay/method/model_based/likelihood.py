"""How probable a response is after its question, under one model or under two."""

import math
from collections.abc import Sequence

from assay.errors import ModelError
from assay.method.model_based.opening import (
    Answer,
    OpenModel,
    abstention,
    logprobs_of,
    open_models,
)
from assay.method.model_based.prompts import prompts
from assay.models.requests import Likelihood

Logprobs = tuple[float, ...] | ModelError


class LikelihoodDetector:
    """The mean log-probability of a response's tokens after the question.

    Higher means that the response is more probable under the model.
    """

    def __init__(self, models: Sequence[str]) -> None:
        (self._opened,) = open_models(models)

    def __call__(self, questions: Sequence[str], responses: Sequence[str]) -> list[Answer]:
        """A score for each response."""
        return [_mean(each) for each in _logprobs(self._opened, questions, responses)]


class LikelihoodDifference:
    """How much more probable a response is under the second model than under the first.

    The total logarithms are subtracted, and divided by the number of the first model's tokens. For
    models of one vocabulary this is the difference of the means per token. With two vocabularies
    those means are per different units, while the totals are of the same text.
    Higher means that the second model, usually the larger, finds the response more probable.
    """

    def __init__(self, models: Sequence[str]) -> None:
        self._first, self._second = open_models(models)

    def __call__(self, questions: Sequence[str], responses: Sequence[str]) -> list[Answer]:
        """A score for each response."""
        first = _logprobs(self._first, questions, responses)
        second = _logprobs(self._second, questions, responses)
        return [_difference(*pair) for pair in zip(first, second, strict=True)]


def _logprobs(
    opened: OpenModel, questions: Sequence[str], responses: Sequence[str]
) -> list[Logprobs]:
    """The logarithms of every response's tokens, after the question in a fixed form."""
    form = prompts("likelihood")
    requests = (
        Likelihood(context=form.filled(question=question)[0], text=f" {response}")
        for question, response in zip(questions, responses, strict=True)
    )
    return [logprobs_of(reply) for reply in opened.ask(requests)]


def _mean(logprobs: Logprobs) -> Answer:
    if isinstance(logprobs, ModelError):
        return logprobs
    return math.fsum(logprobs) / len(logprobs) if logprobs else _nothing()


def _difference(first: Logprobs, second: Logprobs) -> Answer:
    if isinstance(first, ModelError):
        return first
    if isinstance(second, ModelError):
        return second
    if not first or not second:
        return _nothing()
    return (math.fsum(second) - math.fsum(first)) / len(first)


def _nothing() -> dict[str, str]:
    return abstention("the response has no tokens with a probability")
