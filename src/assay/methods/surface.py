"""Surface features: what can be read off a text without reading its meaning.

A feature maps one text to one number. Used as a method, a feature is a *surface oracle*: it
scores a response and looks at nothing else, so whatever AUC it reaches is what the data gives
away for free. The first eight, with the hedge words and the naive splitting on white space, are
defined exactly as the gauntlet paper's own code defines them, so that its table reproduces; the
next three are the ones that paper names as missing; the rest are ours.

This module is imported by the worker, so it needs nothing but the standard library.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

# Matched as substrings of lower-cased tokens, as the source does ("unsaid" counts).
HEDGES = (
    "associated",
    "believed",
    "commonly",
    "considered",
    "generally",
    "often",
    "popularly",
    "purportedly",
    "reportedly",
    "said",
    "supposedly",
    "thought",
    "typically",
    "widely",
)
NEGATIONS = frozenset(
    "no not never none nobody nothing nowhere neither nor cannot without "
    "isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't "
    "shouldn't hasn't haven't hadn't".split()
)
_SENTENCE_END = re.compile(r"[.!?]+")
_EDGES = ".,;:!?\"'()[]{}“”‘’…"


def words(text: str) -> list[str]:
    """Lower-cased tokens without the punctuation around them; empty ones dropped."""
    stripped = (token.strip(_EDGES) for token in text.lower().replace("’", "'").split())
    return [token for token in stripped if token]


def _share(hits: int, of: int) -> float:
    return hits / of if of else 0.0


def word_length(text: str) -> float:
    """Tokens between white space."""
    return float(len(text.split()))


def char_length(text: str) -> float:
    """Characters, spaces included."""
    return float(len(text))


def sentence_count(text: str) -> float:
    """Non-blank pieces between runs of `.`, `!`, `?`; at least 1 unless the text is empty."""
    if not text:
        return 0.0
    pieces = sum(1 for piece in _SENTENCE_END.split(text) if piece.strip())
    return float(max(pieces, 1))


def question_mark_count(text: str) -> float:
    """Question marks."""
    return float(text.count("?"))


def exclamation_count(text: str) -> float:
    """Exclamation marks."""
    return float(text.count("!"))


def capitalized_token_ratio(text: str) -> float:
    """Share of tokens whose first character is an upper-case letter."""
    tokens = text.split()
    return _share(sum(token[0].isupper() for token in tokens), len(tokens))


def hedge_density(text: str) -> float:
    """Share of tokens that contain a hedge word."""
    tokens = text.lower().split()
    hedged = sum(any(hedge in token for hedge in HEDGES) for token in tokens)
    return _share(hedged, len(tokens))


def type_token_ratio(text: str) -> float:
    """Distinct lower-cased tokens over all tokens."""
    tokens = text.lower().split()
    return _share(len(set(tokens)), len(tokens))


def numeric_token_ratio(text: str) -> float:
    """Share of tokens that contain a digit."""
    tokens = text.split()
    numeric = sum(any(char.isdigit() for char in token) for token in tokens)
    return _share(numeric, len(tokens))


def single_token_flag(text: str) -> float:
    """1 for a one-token text, else 0."""
    return float(len(text.split()) == 1)


def uppercase_ratio(text: str) -> float:
    """Share of tokens written wholly in capitals, two letters or more (NASA, DNA, WHO)."""
    tokens = text.split()
    shouted = sum(token.isupper() and sum(map(str.isalpha, token)) > 1 for token in tokens)
    return _share(shouted, len(tokens))


def comma_count(text: str) -> float:
    """Commas."""
    return float(text.count(","))


def mean_word_length(text: str) -> float:
    """Mean number of characters in a token, its punctuation stripped."""
    found = words(text)
    return _share(sum(map(len, found)), len(found))


def negation_flag(text: str) -> float:
    """1 where a negating word stands anywhere in the text, else 0."""
    return float(any(word in NEGATIONS for word in words(text)))


def opens_yes_no(text: str) -> float:
    """1 where the first word is yes or no, else 0."""
    return float(words(text)[:1] in (["yes"], ["no"]))


def ends_with_full_stop(text: str) -> float:
    """1 where the last visible character is a full stop, else 0."""
    return float(text.rstrip().endswith("."))


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
"""Every feature of one text, by name, the source's eight first."""


Pair = Callable[[str, str], float]


def question_overlap(question: str, response: str) -> float:
    """Share of the response's words that stand in the question: copying, not knowing."""
    asked = set(words(question))
    answered = words(response)
    return _share(sum(word in asked for word in answered), len(answered))


def _of_response(feature: Callable[[str], float]) -> Pair:
    def of_response(question: str, response: str) -> float:  # noqa: ARG001 - blind to the question
        return feature(response)

    of_response.__doc__ = feature.__doc__
    return of_response


ORACLES: Mapping[str, Pair] = MappingProxyType(
    {
        **{name: _of_response(feature) for name, feature in TEXT_FEATURES.items()},
        "question_overlap": question_overlap,
    }
)
"""Every feature of a response, or of a response beside its question, by name."""
