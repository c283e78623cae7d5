"""Classes of methods: by what a method tells a wrong answer from a right one."""

from assay.method.registry import CRITIQUE, REGISTERED

METHOD_CLASSES = (
    *("uninformed", "surface", "lexical", "embedding", "likelihood", "entailment"),
    *("perturbation", "consensus", "critique"),
)
_LEXICAL = ("tfidf:word", "tfidf:char", "token-overlap")
_UNINFORMED = ("constant", "hash-random", "majority")


def method_class(reference: str) -> str | None:
    """The class of a bundled method or of a critique by a model; None for the user's own code."""
    if reference.startswith(CRITIQUE):
        return "critique"
    if reference not in REGISTERED:
        return None
    if reference in _UNINFORMED:
        return "uninformed"
    return "lexical" if reference in _LEXICAL else "surface"
