"""Where a new number goes in a marked-up source: only the characters that differ are rewritten."""

from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import Covered

Piece = tuple[int, int, str]


def edited_pieces(document: Document, covered: Covered, new: str) -> list[Piece] | None:
    """The changes of the source that turn what a claim covers into new words.

    Markup around and inside the number stays. None if a change would cut through it.
    """
    source, plain = document.text, document.plain
    old = covered.claim.printed or ""
    if source[covered.start : covered.end] == old:
        return [(covered.start, covered.end, new)]
    first = plain.place_of(covered.start)
    if plain.text[first : first + len(old)] != old:
        return None
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if not left:
        place = plain.starts[first + head] if head < len(old) else covered.end
        return [(place, place, right)]
    start, end = plain.source_span(first + head, first + head + len(left))
    if source[start:end] == left or len(left) == 1:
        return [(start, end, right)]
    if len(left) != len(right):
        return None
    pieces = []
    for at, (before, after) in enumerate(zip(left, right, strict=True), first + head):
        if before != after:
            pieces.append((*plain.source_span(at, at + 1), after))
    return pieces


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
