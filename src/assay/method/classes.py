"""Classes of methods: what kind of evidence a score is made from."""

from collections.abc import Mapping
from types import MappingProxyType

from assay.errors import SpecError
from assay.wording import did_you_mean

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


def check_class(method: str, stated: str | None) -> None:
    """Refuse a class that does not exist, or that the reference of the method contradicts."""
    if stated is None:
        return
    if stated not in METHOD_CLASSES:
        listed = f"The classes are: {', '.join(METHOD_CLASSES)}."
        raise SpecError(
            f"method_class = {stated!r:.80} is not a class of method",
            hint=did_you_mean(stated, METHOD_CLASSES, most=1) or listed,
        )
    known = method_class(method)
    if known not in (None, stated):
        raise SpecError(
            f"method_class = {stated!r}, but {method:.80} is of the class {known!r}",
            hint="Leave it out: the reference says it.",
        )
