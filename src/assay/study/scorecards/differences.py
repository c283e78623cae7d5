"""Where a stored judgement or grade differs from the one made again."""

import msgspec

from assay.differences import differences
from assay.gauntlet.result import Judgement, Scorecard

_FIGURES = ("verdict", "point", "bars", "items", "unscored", "sealed", "digests")
_OF_THE_RUN = ("unwitnessed", "unsealed-code", "resumed", "unscored", "learner")
"""Caveats that every version knows, and that only the run decides."""


def record_difference(stored: msgspec.Struct, again: msgspec.Struct) -> str | None:
    """The first difference between two records, in words; None where there is none."""
    return _difference(msgspec.to_builtins(stored), msgspec.to_builtins(again), "")


def card_difference(stored: Judgement, again: Judgement) -> str | None:
    """The first difference between two judgements.

    Another version of Assay may word a caveat otherwise or know one more; the figures must agree,
    and so must what is said of the run itself, or a stated version would be a licence to leave out.
    """
    if stored.scorecard is None and again.scorecard is None:
        kinds = [str(judgement.error).partition(":")[0] for judgement in (stored, again)]
        return None if kinds[0] == kinds[1] else f"error is {kinds[0]}, and comes to {kinds[1]}"
    if stored.scorecard is None or again.scorecard is None:
        return record_difference(stored, again)
    if _version(stored.scorecard) == _version(again.scorecard):
        return record_difference(stored, again)
    before, after = (msgspec.to_builtins(each.scorecard) for each in (stored, again))
    for name in _FIGURES:
        difference = _difference(before[name], after[name], name)
        if difference is not None:
            return f"{difference} (made by {_version(stored.scorecard)})"
    old, new = _of_the_run(stored.scorecard), _of_the_run(again.scorecard)
    return None if old == new else f"caveats are {old}, and come to {new}"


def _of_the_run(card: Scorecard) -> list[str]:
    return [caveat.code for caveat in card.caveats if caveat.code in _OF_THE_RUN]


def _version(card: Scorecard) -> str:
    return card.signature.rpartition(" · ")[2]


def _difference(stored: object, again: object, where: str) -> str | None:
    """The first difference in words; a missing key equals a null."""
    first = next(differences(stored, again, where, absent=None), None)
    if first is None:
        return None
    before, after = first.left, first.right
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        return f"{first.path} has {len(before)} parts, and comes to {len(after)}"
    return f"{first.path} is {before!r:.80}, and comes to {after!r:.80}"
