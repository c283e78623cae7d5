"""Surface features: numbers computed from a text without its meaning.

A feature maps one text to one number. Used as a method, a feature is a *surface oracle*: it scores
a response by that number alone, so its AUC is what the data give away for free. The first eight,
with the hedge words and the naive splitting on white space, are defined exactly as in the gauntlet
paper's code, so that its table can be reproduced; the next three are those the paper names as
missing; the rest are ours.

This module is imported by the worker, so it needs nothing but the standard library.
"""

import re
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

NEGATIONS = frozenset(
    "no not never none nobody nothing nowhere neither nor cannot without "
    "isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't "
    "shouldn't hasn't haven't hadn't".split()
)
AUXILIARIES = frozenset(
    "am are aren't can can't could couldn't did didn't do does doesn't don't had has have is "
    "isn't may might must shall should shouldn't was wasn't were weren't will won't would "
    "wouldn't".split()
)
YES_NO = frozenset({"yes", "no"})
WH_WORDS = frozenset("how what what's when where which who who's whom whose why".split())
# Matched as substrings of lower-cased tokens, as the source does ("unsaid" counts).
_HEDGE = re.compile(
    "associated|believed|commonly|considered|generally|often|popularly|purportedly|reportedly|said"
    "|supposedly|thought|typically|widely"
)
_SENTENCE_END = re.compile(r"[.!?]+")
_EDGES = ".,;:!?\"'()[]{}“”‘’…"


def bare(token: str) -> str:
    """A token in lower case without the punctuation around it; may be empty."""
    return token.lower().replace("’", "'").strip(_EDGES)


def words(text: str) -> list[str]:
    """The bare tokens of a text, without empty ones."""
    return [word for word in map(bare, text.split()) if word]


def is_capitalized(token: str) -> bool:
    """Whether a token begins with an upper-case letter."""
    return token[0].isupper()


def is_hedged(token: str) -> bool:
    """Whether a token contains a hedge word."""
    return _HEDGE.search(token.lower()) is not None


def is_numeric(token: str) -> bool:
    """Whether a token contains a digit."""
    return any(map(str.isdigit, token))


def is_shouted(token: str) -> bool:
    """Whether a token is all capitals, with two letters or more."""
    return token.isupper() and sum(map(str.isalpha, token)) > 1


def _share(hits: int, of: int) -> float:
    return hits / of if of else 0.0


def _share_of(text: str, holds: Callable[[str], bool]) -> float:
    tokens = text.split()
    return _share(sum(map(holds, tokens)), len(tokens))


def _opens_with(text: str, openings: Collection[str]) -> float:
    return float(any(word in openings for word in words(text)[:1]))


def word_length(text: str) -> float:
    """Number of tokens between white space."""
    return float(len(text.split()))


def char_length(text: str) -> float:
    """Number of characters, including spaces."""
    return float(len(text))


def sentence_count(text: str) -> float:
    """Non-blank pieces between runs of `.`, `!`, `?`; at least 1 unless the text is empty."""
    if not text:
        return 0.0
    pieces = sum(1 for piece in _SENTENCE_END.split(text) if piece.strip())
    return float(max(pieces, 1))


def question_mark_count(text: str) -> float:
    """Number of question marks."""
    return float(text.count("?"))


def exclamation_count(text: str) -> float:
    """Number of exclamation marks."""
    return float(text.count("!"))


def capitalized_token_ratio(text: str) -> float:
    """Share of tokens whose first character is an upper-case letter."""
    return _share_of(text, is_capitalized)


def hedge_density(text: str) -> float:
    """Share of tokens that contain a hedge word."""
    return _share_of(text, is_hedged)


def type_token_ratio(text: str) -> float:
    """Distinct lower-cased tokens over all tokens."""
    tokens = text.lower().split()
    return _share(len(set(tokens)), len(tokens))


def numeric_token_ratio(text: str) -> float:
    """Share of tokens that contain a digit."""
    return _share_of(text, is_numeric)


def single_token_flag(text: str) -> float:
    """1 for a one-token text, else 0."""
    return float(len(text.split()) == 1)


def uppercase_ratio(text: str) -> float:
    """Share of tokens in all capitals, two letters or more (NASA, DNA, WHO)."""
    return _share_of(text, is_shouted)


def comma_count(text: str) -> float:
    """Number of commas."""
    return float(text.count(","))


def mean_word_length(text: str) -> float:
    """Mean number of characters in a token, without its punctuation."""
    bare_words = words(text)
    return _share(sum(map(len, bare_words)), len(bare_words))


def negation_flag(text: str) -> float:
    """1 if the text contains a negating word, else 0."""
    return float(any(word in NEGATIONS for word in words(text)))


def opens_yes_no(text: str) -> float:
    """1 if the first word is yes or no, else 0."""
    return _opens_with(text, YES_NO)


def ends_with_full_stop(text: str) -> float:
    """1 if the last visible character is a full stop, else 0."""
    return float(text.rstrip().endswith("."))


def opens_auxiliary(text: str) -> float:
    """1 if the first word is an auxiliary verb (is, does, can: a yes-or-no question), else 0."""
    return _opens_with(text, AUXILIARIES)


def opens_wh(text: str) -> float:
    """1 if the first word is a question word (what, who, when, why, how), else 0."""
    return _opens_with(text, WH_WORDS)


TEXT_FEATURES: Mapping[str, Callable[[str], float]] = MappingProxyType(
    {
        feature.__name__: feature
        for feature in (
            word_length,
            char_length,
            sentence_count,
            question_mark_count,
            exclamation_count,
            capitalized_token_ratio,
            hedge_density,
            type_token_ratio,
            numeric_token_ratio,
            single_token_flag,
            uppercase_ratio,
            comma_count,
            mean_word_length,
            negation_flag,
            opens_yes_no,
            ends_with_full_stop,
        )
    }
)
"""Every feature of one text, by name, the eight of the gauntlet paper first."""

QUESTION_FEATURES: Mapping[str, Callable[[str], float]] = MappingProxyType(
    {**TEXT_FEATURES, "opens_auxiliary": opens_auxiliary, "opens_wh": opens_wh}
)
"""Every feature of a question: those of any text, and its form."""


Pair = Callable[[str, str], float]


def question_overlap(question: str, response: str) -> float:
    """Share of the response's words that occur in the question: copying, not knowing."""
    asked = set(words(question))
    answered = words(response)
    return _share(sum(word in asked for word in answered), len(answered))


def _of_response(feature: Callable[[str], float]) -> Pair:
    def of_response(question: str, response: str) -> float:  # noqa: ARG001 - blind to the question
        return feature(response)

    of_response.__doc__ = feature.__doc__
    return of_response


def _of_question(feature: Callable[[str], float]) -> Pair:
    def of_question(question: str, response: str) -> float:  # noqa: ARG001 - blind to the response
        return feature(question)

    of_question.__doc__ = f"Of the question: {feature.__doc__}"
    return of_question


OF_QUESTION = "question."
"""The prefix of features of the question."""

ORACLES: Mapping[str, Pair] = MappingProxyType(
    {
        **{name: _of_response(feature) for name, feature in TEXT_FEATURES.items()},
        "question_overlap": question_overlap,
        **{
            OF_QUESTION + name: _of_question(feature) for name, feature in QUESTION_FEATURES.items()
        },
    }
)
"""Every feature of a response, of a response beside its question, or of a question, by name."""
