"""From the most probable first tokens of a reply to the probability that an answer is rejected.

What a model says is one word, in whichever spelling: "NO", "no", " No", "**No". So the spellings of
each word are pooled. A token can be the beginning of a word ("Y" for "YES"), and it competes with
the whole word. A server lists the likeliest tokens only, so a spelling that is not listed is not
impossible: it has at most what the list leaves over. So a score is an interval, whose ends are what
the tokens bear at worst; it is never 0 or 1 because a token was missing.
"""

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from assay.models.replies import TokenOption

MIN_MASS = 0.2
"""Under this probability for YES and NO together, the model does not answer: it abstains."""
UNLISTED_SPELLINGS = 24
"""Spellings of a word that a list may lack, each at most as likely as the last one listed."""
_YES, _NO = "yes", "no"
_AROUND = " \t\r\n\"'`*_.,:;!?()[]{}<>#-\u2581\u0120\u010a\u201c\u201d\u2018\u2019\u2014"
"""What stands around a word: spaces as vocabularies write them, quotes, emphasis, full stops."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """The probability that the answer is rejected, its bounds, and the mass it rests on.

    `p_no` is None if the model abstains. `unseen` is what the listed tokens leave over.
    """

    p_no: float | None
    low: float
    high: float
    mass: float
    unseen: float


class _Words(msgspec.Struct):
    """Probability of a whole word, and of its beginning."""

    whole: float = 0.0
    begun: float = 0.0

    @property
    def all(self) -> float:
        return self.whole + self.begun


def judge(
    first: Sequence[TokenOption], *, wrong: Literal["yes", "no"], min_mass: float = MIN_MASS
) -> Judgement:
    """Read the first tokens; `wrong` is the word that rejects the answer."""
    words = {_YES: _Words(), _NO: _Words()}
    probabilities = [math.exp(option.logprob) for option in first]
    for option, probability in zip(first, probabilities, strict=True):
        spelled = _spelled(option.text)
        for word, pooled in words.items():
            if spelled == word:
                pooled.whole += probability
            elif spelled and word.startswith(spelled):
                pooled.begun += probability
    unseen = max(1.0 - sum(probabilities), 0.0)
    missing = min(unseen, UNLISTED_SPELLINGS * min(probabilities, default=1.0))
    rejects, accepts = words[wrong], words[_NO if wrong == _YES else _YES]
    mass = rejects.all + accepts.all
    return Judgement(
        p_no=rejects.all / mass if mass >= min_mass and mass > 0.0 else None,
        low=_share(rejects.whole, accepts.all + missing),
        high=1.0 - _share(accepts.whole, rejects.all + missing),
        mass=min(mass, 1.0),
        unseen=unseen,
    )


def _share(part: float, rest: float) -> float:
    """The part of the whole; of nothing, the least that it can be."""
    return part / (part + rest) if part + rest > 0.0 else 0.0


def _spelled(token: str) -> str:
    return token.strip(_AROUND).casefold()


def pool(judgements: Sequence[Judgement]) -> Judgement:
    """One judgement from those under several wordings: the mean of those that were given.

    Where most wordings gave none, neither does the pool.
    """
    given = [each for each in judgements if each.p_no is not None]
    enough = 2 * len(given) >= len(judgements) and given
    known = given if enough else judgements
    return Judgement(
        p_no=_mean([each.p_no for each in given if each.p_no is not None]) if enough else None,
        low=_mean([each.low for each in known]),
        high=_mean([each.high for each in known]),
        mass=_mean([each.mass for each in judgements]),
        unseen=_mean([each.unseen for each in judgements]),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
