"""All surface features of all records at once, as columns.

The definitions are those of `surface/features.py`; a test checks that both agree on any text.
Properties of a token are computed once per *distinct* token and summed over each text, so a hundred
thousand records take seconds. One column has no oracle, since it needs more than a single text:
`truncated`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Item
from assay.stats.arrays import Places, coded
from assay.surface import features as surface

Column = NDArray[np.float64]
On = Literal["response", "question", "both"]

_SHARES: Mapping[str, Callable[[str], bool]] = {
    "capitalized_token_ratio": surface.is_capitalized,
    "hedge_density": surface.is_hedged,
    "numeric_token_ratio": surface.is_numeric,
    "uppercase_ratio": surface.is_shouted,
}
_OPENINGS: Mapping[str, Collection[str]] = {
    "opens_yes_no": surface.YES_NO,
    "opens_auxiliary": surface.AUXILIARIES,
    "opens_wh": surface.WH_WORDS,
}
SHORTEST_CUT = 40
FEWEST_CUT = 5
_ENDINGS = ".!? \n\t"


@dataclass(frozen=True, kw_only=True, eq=False)
class Feature:
    """One number per record, from the response, the question, or both."""

    name: str
    on: On
    values: Column

    @property
    def label(self) -> str:
        """The display name, which says whether it is of the question or the response."""
        return f"{surface.OF_QUESTION}{self.name}" if self.on == "question" else self.name


def feature_table(items: Sequence[Item]) -> tuple[Feature, ...]:
    """The declared features of some records, the eight of the gauntlet paper first."""
    questions = _Texts([item.question for item in items])
    table: list[Feature] = []
    if any(item.response is not None for item in items):
        responses = _Texts([item.response or "" for item in items])
        table += [
            Feature(name=name, on="response", values=responses.column(name))
            for name in surface.TEXT_FEATURES
        ]
        table += [
            Feature(name="truncated", on="response", values=truncated(responses.texts)),
            Feature(name="question_overlap", on="both", values=_overlap(questions, responses)),
        ]
    table += [
        Feature(name=name, on="question", values=questions.column(name))
        for name in surface.QUESTION_FEATURES
    ]
    return tuple(table)


def truncated(texts: Sequence[str]) -> Column:
    """1 if a text has a length at which many were cut off and does not end a sentence, else 0.

    A cut shows as an exact length (in characters) that many different texts share, that hardly any
    exceeds, and that is far more frequent than the lengths just under it.
    """
    different = set(texts)
    lengths = np.fromiter(map(len, different), dtype=np.intp, count=len(different))
    cut = cut_length(lengths)
    if cut is None:
        return np.zeros(len(texts))
    return np.array([float(len(text) == cut and text[-1].isalnum()) for text in texts])


def cut_length(lengths: NDArray[np.intp], *, shortest: int = SHORTEST_CUT) -> int | None:
    """The length at which texts were cut off; None if they were not."""
    counts = Counter(lengths.tolist())
    enough = max(FEWEST_CUT, len(lengths) // 100)
    for length, count in sorted(counts.items(), reverse=True):
        if length < shortest or (lengths > length).sum() > len(lengths) // 100:
            return None
        nearby = sum(counts.get(length - step, 0) for step in range(1, 11)) / 10.0
        if count >= enough and count >= 5.0 * nearby:
            return int(length)
    return None


class _Texts:
    """Texts as one long array of tokens, each coded by its number among the distinct tokens."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        split = [text.split() for text in texts]
        sizes = np.fromiter(map(len, split), dtype=np.intp, count=len(split))
        self.sizes = sizes.astype(np.float64)
        self.edges = np.concatenate([[0], np.cumsum(sizes)])
        known = Places()
        self.codes = coded(chain.from_iterable(split), known=known)
        self.distinct = [str(token) for token in known]
        self.bare = [surface.bare(token) for token in self.distinct]
        self.is_word = np.fromiter(map(bool, self.bare), dtype=bool, count=len(self.bare))

    def column(self, name: str) -> Column:
        """A feature of every text."""
        if name in _SHARES:
            return _divide(self.total(self._of_tokens(_SHARES[name])), self.sizes)
        if name in _OPENINGS:
            return self._opening(_OPENINGS[name])
        special = getattr(self, f"_{name}", None)
        if special is not None:
            return np.asarray(special())
        feature = surface.QUESTION_FEATURES[name]
        return np.fromiter(map(feature, self.texts), dtype=np.float64, count=len(self.texts))

    def _of_tokens(self, holds: Callable[[str], bool]) -> NDArray[np.intp]:
        holding = np.fromiter(map(holds, self.distinct), dtype=np.intp, count=len(self.distinct))
        return np.asarray(holding[self.codes])

    def total(self, of_tokens: NDArray[np.intp]) -> Column:
        """The sum over the tokens of each text."""
        running = np.concatenate([[0], np.cumsum(of_tokens)])
        return np.asarray((running[self.edges[1:]] - running[self.edges[:-1]]).astype(np.float64))

    def _word_length(self) -> Column:
        return self.sizes

    def _single_token_flag(self) -> Column:
        return np.asarray(self.sizes == 1, dtype=np.float64)

    def _sentence_count(self) -> Column:
        return np.fromiter(map(_sentences, self.texts), dtype=np.float64, count=len(self.texts))

    def _char_length(self) -> Column:
        return np.fromiter(map(len, self.texts), dtype=np.float64, count=len(self.texts))

    def _type_token_ratio(self) -> Column:
        lowered = Places()
        kinds = coded((token.lower() for token in self.distinct), known=lowered)
        text = np.repeat(np.arange(len(self.texts)), self.sizes.astype(np.intp))
        pairs = np.sort(text * max(len(lowered), 1) + kinds[self.codes])
        owner = pairs[np.diff(pairs, prepend=-1) > 0] // max(len(lowered), 1)
        types = np.bincount(owner, minlength=len(self.texts)).astype(np.float64)
        return _divide(types, self.sizes)

    def _mean_word_length(self) -> Column:
        lengths = np.fromiter(map(len, self.bare), dtype=np.intp, count=len(self.bare))
        letters = self.total(lengths[self.codes])
        return _divide(letters, self.total(self.is_word[self.codes].astype(np.intp)))

    def _negation_flag(self) -> Column:
        negating = np.fromiter(
            (word in surface.NEGATIONS for word in self.bare), dtype=np.intp, count=len(self.bare)
        )
        return (self.total(negating[self.codes]) > 0).astype(np.float64)

    def _opening(self, openings: Collection[str]) -> Column:
        """Whether the first word of each text is one of these."""
        is_word = self.is_word[self.codes]
        seen = np.concatenate([[0], np.cumsum(is_word)])
        before = np.repeat(seen[self.edges[:-1]], self.sizes.astype(np.intp))
        first = is_word & (seen[:-1] == before)
        opening = np.fromiter(
            (word in openings for word in self.bare), dtype=bool, count=len(self.bare)
        )
        return self.total((first & opening[self.codes]).astype(np.intp))


def _divide(hits: Column, of: Column) -> Column:
    return np.asarray(np.divide(hits, of, out=np.zeros_like(hits), where=of > 0))


def _sentences(text: str) -> float:
    """`sentence_count`, with a shortcut for texts that have marks only at the end."""
    body = text.rstrip(_ENDINGS)
    if text and not ("." in body or "!" in body or "?" in body):
        return 1.0
    return surface.sentence_count(text)


def _overlap(questions: _Texts, responses: _Texts) -> Column:
    """`question_overlap` of every record.

    A word of a record is coded as one number, so shared words are shared numbers.
    """
    words = Places()
    asked, answered = (
        coded(texts.bare, known=words)[texts.codes] for texts in (questions, responses)
    )
    width = len(words)
    asked_at, answered_at = (
        np.repeat(np.arange(len(texts.texts)) * width, texts.sizes.astype(np.intp))
        for texts in (questions, responses)
    )
    asked_words = np.sort(asked + asked_at)
    answered_words = answered + answered_at
    place = np.minimum(np.searchsorted(asked_words, answered_words), max(asked_words.size - 1, 0))
    is_word = responses.is_word[responses.codes]
    hits = (
        is_word & (asked_words[place] == answered_words)
        if asked_words.size
        else np.zeros(is_word.size, dtype=bool)
    )
    return _divide(responses.total(hits.astype(np.intp)), responses.total(is_word.astype(np.intp)))
