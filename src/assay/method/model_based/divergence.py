"""How far texts of a model differ from one another, by the packaged sentence encoder.

Similarity is of topic and not of truth: a text that refutes another one is on its topic, and near
to it. The first published measure of asymmetry was wrong by this.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import fmean

from assay.errors import ModelError
from assay.method.model_based.opening import Answer, OpenModel, abstention, text_of
from assay.method.model_based.similarity import Vector, vectors
from assay.models.requests import asked
from assay.models.vectors import cosine

MOST_TOKENS = 64
"""Tokens of an answer."""
Texts = list[str] | ModelError
"""The texts about one item, or the error of the first call that failed."""
Measure = Callable[[Sequence[Vector]], float]


def spread(found: Sequence[Vector]) -> float:
    """1 less the mean similarity of all pairs."""
    return 1.0 - fmean(cosine(*pair) for pair in combinations(found, 2))


def moved(found: Sequence[Vector]) -> float:
    """1 less the mean similarity of the first to each of the others."""
    first, *others = found
    return 1.0 - fmean(cosine(first, other) for other in others)


def texts(opened: OpenModel, prompts: Sequence[Sequence[str]]) -> list[Texts]:
    """The model's texts to the prompts about each item."""
    requests = (asked(prompt, max_tokens=MOST_TOKENS) for each in prompts for prompt in each)
    replies = iter(opened.ask(requests))
    return [_whole([text_of(next(replies)) for _ in each]) for each in prompts]


def joined(parts: Sequence[Texts]) -> Texts:
    """The texts about one item from several askings."""
    whole: list[str] = []
    for part in parts:
        if isinstance(part, ModelError):
            return part
        whole += part
    return whole


def divergences(encoder: OpenModel, said: Sequence[Texts], measure: Measure) -> list[Answer]:
    """The measure of each item's texts. An empty text is near to nothing: the item is left out."""
    every = [text for each in said if not isinstance(each, ModelError) for text in each]
    known = dict(zip(every, vectors(encoder, every), strict=True))
    answers: list[Answer] = []
    for each in said:
        if isinstance(each, ModelError):
            answers.append(each)
        elif not all(each):
            answers.append(abstention("the model gave an empty answer"))
        else:
            answers.append(_measured([known[text] for text in each], measure))
    return answers


def _measured(found: Sequence[Vector | ModelError], measure: Measure) -> Answer:
    failed = next((each for each in found if isinstance(each, ModelError)), None)
    if failed is not None:
        return failed
    return measure([each for each in found if not isinstance(each, ModelError)])


def _whole(found: Sequence[str | ModelError]) -> Texts:
    failed = next((each for each in found if isinstance(each, ModelError)), None)
    return failed or [each for each in found if not isinstance(each, ModelError)]
