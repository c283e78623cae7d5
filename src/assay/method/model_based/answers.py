"""Methods that let models answer, and score how far the answers differ.

Higher means that they differ more. They are reference points: on their source's benchmark none of
them found the errors that several models share.
"""

from collections.abc import Sequence

from assay.errors import ModelError
from assay.method.model_based.divergence import Texts, divergences, joined, moved, spread, texts
from assay.method.model_based.opening import Answer, open_models
from assay.method.model_based.prompts import prompts
from assay.models.reference import ENCODER


class Rephrasing:
    """Asks the question in several fixed rephrasings. Higher means more fragile answers."""

    def __init__(self, models: Sequence[str]) -> None:
        self._model, self._encoder = open_models((*models, ENCODER))
        self._prompts = prompts("rephrasing")

    def __call__(self, questions: Sequence[str]) -> list[Answer]:
        """A score for each question; its response is not looked at."""
        said = texts(self._model, [self._prompts.filled(question=each) for each in questions])
        return divergences(self._encoder, said, spread)


class Disagreement:
    """Lets several models answer the question. Higher means that they disagree more."""

    def __init__(self, models: Sequence[str]) -> None:
        *self._models, self._encoder = open_models((*models, ENCODER))
        self._prompts = prompts("answer")

    def __call__(self, questions: Sequence[str]) -> list[Answer]:
        """A score for each question; its response is not looked at."""
        asked = [self._prompts.filled(question=each) for each in questions]
        by_model = [texts(model, asked) for model in self._models]
        said = [joined(parts) for parts in zip(*by_model, strict=True)]
        return divergences(self._encoder, said, spread)


class Justification:
    """Asks for reasons for the given response. Higher means that the reasons differ more."""

    def __init__(self, models: Sequence[str]) -> None:
        self._model, self._encoder = open_models((*models, ENCODER))
        self._prompts = prompts("justification")

    def __call__(self, questions: Sequence[str], responses: Sequence[str]) -> list[Answer]:
        """A score for each response."""
        asked = [
            self._prompts.filled(question=question, response=response)
            for question, response in zip(questions, responses, strict=True)
        ]
        return divergences(self._encoder, texts(self._model, asked), spread)


class Injection:
    """Tells the model that its own answer is wrong, and asks again.

    What is told denies the model's answer, so it is contrary to it whatever that is; `prime` names
    who is said to deny it. Higher means that the answer moved further.
    """

    def __init__(self, models: Sequence[str], *, prime: str) -> None:
        self._model, self._encoder = open_models((*models, ENCODER))
        self._free, self._primed = prompts("answer"), prompts(prime)

    def __call__(self, questions: Sequence[str]) -> list[Answer]:
        """A score for each question; its response is not looked at."""
        first = texts(self._model, [self._free.filled(question=each) for each in questions])
        told = [self._told(*pair) for pair in zip(questions, first, strict=True)]
        again = texts(self._model, told)
        said = [joined(parts) for parts in zip(first, again, strict=True)]
        return divergences(self._encoder, said, moved)

    def _told(self, question: str, first: Texts) -> list[str]:
        """The prompts with the answer denied; nothing is asked where there is none."""
        if isinstance(first, ModelError) or not all(first):
            return []
        return self._primed.filled(question=question, answer=first[0])
