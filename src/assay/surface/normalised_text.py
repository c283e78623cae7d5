"""Texts reduced to their words, so that those which say the same compare equal."""

from collections.abc import Sequence

from assay.surface.features import bare


class _Words(dict[str, str]):
    """The word in a token, worked out once per distinct token."""

    def __missing__(self, token: str) -> str:
        word = self[token] = bare(token.casefold())
        return word


def normalised(texts: Sequence[str]) -> list[str]:
    """Texts with case folded, white space collapsed and punctuation around words dropped.

    A text of nothing but punctuation keeps it, since "?" and "!" are different answers.
    """
    words = _Words()
    return [
        " ".join(filter(None, map(words.__getitem__, text.split())))
        or " ".join(text.casefold().split())
        for text in texts
    ]
