"""From the most probable first tokens of a reply to the probability that an answer is rejected.

What a model says is one word, in whichever spelling: "NO", "no", " No", "**No". So the spellings of
each word are pooled. A token can be the beginning of a word ("Y" for "YES"), and it competes with
the whole word. A server lists the likeliest tokens only, so a spelling that is not listed is not
impossible: it has at most what the list leaves over. So a score is an interval, whose ends are what
the tokens bear at worst; it is never 0 or 1 because a token was missing.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from assay.models.replies import TokenOption

MIN_MASS = 0.2
"""Under this probability for YES and NO together, the model does not answer: it abstains."""
UNLISTED_SPELLINGS = 24
"""Spellings of a word that a list may lack, each at most as likely as the last one listed."""
_AROUND = " \t\r\n\"'`*_.,:;!?()[]{}<>#-\u2581\u0120\u010a\u201c\u201d\u2018\u2019\u2014"
"""What stands around a word: spaces as vocabularies write them, quotes, emphasis, full stops."""


class TokenJudgement(msgspec.Struct, frozen=True, kw_only=True):
    """The probability that the answer is rejected, its bounds, and the mass it rests on.

    `p_no` is None if the model abstains. `unseen` is what the listed tokens leave over.
    """

    p_no: float | None
    low: float
    high: float
    mass: float
    unseen: float


class Words(msgspec.Struct):
    """Probability of a whole word in all its spellings, and of their beginnings."""

    whole: float = 0.0
    begun: float = 0.0

    @property
    def all(self) -> float:
        """Of both."""
        return self.whole + self.begun


_YES_OR_NO: Mapping[str, tuple[str, ...]] = {"yes": ("yes",), "no": ("no",)}


def pooled(
    first: Sequence[TokenOption], answers: Mapping[str, tuple[str, ...]]
) -> Mapping[str, Words]:
    """The probability of each answer, over the words that mean it, in lower case."""
    found = {answer: Words() for answer in answers}
    for option in first:
        spelled = _spelled(option.text)
        for answer, words in answers.items():
            if spelled in words:
                found[answer].whole += math.exp(option.logprob)
            elif spelled and any(word.startswith(spelled) for word in words):
                found[answer].begun += math.exp(option.logprob)
    return found


def judge(
    first: Sequence[TokenOption], *, wrong: Literal["yes", "no"], min_mass: float = MIN_MASS
) -> TokenJudgement:
    """Read the first tokens; `wrong` is the word that rejects the answer."""
    words = pooled(first, _YES_OR_NO)
    probabilities = [math.exp(option.logprob) for option in first]
    unseen = max(1.0 - math.fsum(probabilities), 0.0)
    missing = min(unseen, UNLISTED_SPELLINGS * min(probabilities, default=1.0))
    rejects, accepts = words[wrong], words["no" if wrong == "yes" else "yes"]
    mass = rejects.all + accepts.all
    return TokenJudgement(
        p_no=rejects.all / mass if mass >= min_mass and mass > 0.0 else None,
        low=_share(rejects.whole, accepts.all + missing),
        high=1.0 - _share(accepts.whole, rejects.all + missing),
        mass=min(mass, 1.0),
        unseen=unseen,
    )


def chosen(
    first: Sequence[TokenOption],
    answers: Mapping[str, tuple[str, ...]],
    *,
    min_mass: float = MIN_MASS,
) -> str | None:
    """The answer with more than half of the probability of all; None if there is none."""
    words = pooled(first, answers)
    mass = math.fsum(each.all for each in words.values())
    likeliest = max(words, key=lambda answer: words[answer].all)
    enough = mass >= min_mass and words[likeliest].all > mass / 2.0
    return likeliest if enough else None


def _share(part: float, rest: float) -> float:
    """The part of the whole; of nothing, the least that it can be."""
    return part / (part + rest) if part + rest > 0.0 else 0.0


def _spelled(token: str) -> str:
    return token.strip(_AROUND).casefold()


def pool(judgements: Sequence[TokenJudgement]) -> TokenJudgement:
    """One judgement from those under several wordings: the mean of those that were given.

    Where most wordings gave none, neither does the pool.
    """
    given = [each for each in judgements if each.p_no is not None]
    enough = 2 * len(given) >= len(judgements) and given
    known = given if enough else judgements
    return TokenJudgement(
        p_no=_mean([each.p_no for each in given if each.p_no is not None]) if enough else None,
        low=_mean([each.low for each in known]),
        high=_mean([each.high for each in known]),
        mass=_mean([each.mass for each in judgements]),
        unseen=_mean([each.unseen for each in judgements]),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
