"""Classes of methods: what kind of evidence a score is made from."""

from collections.abc import Mapping
from types import MappingProxyType

METHOD_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "uninformed": "Nothing of the item, or a hash of it.",
        "surface": "Features of form: length, punctuation, words copied from the question.",
        "lexical": "Which words or characters there are.",
        "embedding": "Vectors of texts.",
        "likelihood": "How probable the text is to a language model.",
        "entailment": "Whether the response entails what the question states, by a model.",
        "perturbation": "How far a model's answers differ when it is asked in other ways.",
        "consensus": "How far several models differ.",
        "critique": "A model's judgement of the response.",
    }
)
"""Each class and what its scores are made from, from the least to the most that is used."""


def method_class(reference: str) -> str | None:
    """The class of a bundled method by its reference; None for code of the user's own."""
    from assay.method.registry import bundled

    method = bundled(reference)
    return None if method is None else method.method_class
