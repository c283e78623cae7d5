"""That no number can be taken from a text, and why."""

from assay.claim_audit.texts.boundaries import part_of
from assay.claim_audit.texts.markup.marks import CLAIM, OPAQUE


class NotWhole(Exception):
    """No number can be taken from a text; `why` says what stands there."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(why)
        self.why = f"{why}; {hint}"


def refuse_part(text: str, start: int, end: int) -> None:
    """Refuse a number that is a part of something larger."""
    whole = part_of(text, start, end)
    if whole is not None:
        raise NotWhole(
            f"{text[start:end]!r:.40} is only a part of the number in {shown(whole)!r:.80}, which"
            " has no form that is read",
            'write it otherwise, or say expected="..." with what is meant',
        )


def shown(text: str) -> str:
    """A stretch as a message shows it."""
    return " ".join(text.replace(CLAIM, "").replace(OPAQUE, "\u25af").split())
