"""Models in memory that say what a test plants, found by their references."""

import threading
from contextlib import contextmanager
from unittest.mock import patch

from assay.errors import ModelError
from assay.method.model_based import opening
from assay.method.model_based.table import MODEL_METHODS
from assay.models.model import Model
from assay.models.replies import (
    ChatReply,
    EmbeddingReply,
    LikelihoodReply,
    TokenOption,
    Usage,
)
from assay.models.requests import Chat, Likelihood


class Planted(Model):
    """Answers each kind of request by a function of its texts; an error in its place is raised."""

    def __init__(self, *, says=None, first=None, logprobs=None, vector=None):
        self.name = "planted"
        self.says, self.first, self.logprobs, self.vector = says, first, logprobs, vector
        self.asked = []
        self._lock = threading.Lock()

    def ask(self, request):
        with self._lock:
            self.asked.append(request)
        if isinstance(request, Chat):
            return self._chat(request.messages[-1].content)
        if isinstance(request, Likelihood):
            found = _raised(self.logprobs(request.context, request.text))
            return LikelihoodReply(tokens=("t",) * len(found), logprobs=found, usage=Usage())
        return EmbeddingReply(vector=_raised(self.vector(request.text)), usage=Usage())

    def _chat(self, prompt):
        text = "" if self.says is None else _raised(self.says(prompt))
        shares = None if self.first is None else _raised(self.first(prompt))
        first = shares and tuple(
            TokenOption(text=word, logprob=logprob) for word, logprob in shares.items()
        )
        return ChatReply(text=text, finish="stop", first=first, usage=Usage())


def _raised(answer):
    if isinstance(answer, ModelError):
        raise answer
    return answer


class Axes:
    """A vector of its own for each text: equal texts are alike, and all others not at all."""

    def __init__(self):
        self._places = {}
        self._lock = threading.Lock()

    def __call__(self, text):
        with self._lock:
            place = self._places.setdefault(text, len(self._places))
        return tuple(float(place == number) for number in range(500))


@contextmanager
def planted(name, **models):
    """The method of this name over these models, by their references.

    `encoder` is the one by which a method compares texts, where it is not the model itself.
    """
    known = {"encoder": Planted(vector=Axes()), **models}
    method = MODEL_METHODS[name]
    given = [reference for reference in models if not (method.compares and reference == "encoder")]
    with patch.object(opening, "open_model", lambda reference, *, cassette: known[reference]):
        yield method.make(given)
