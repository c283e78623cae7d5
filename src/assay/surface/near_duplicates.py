"""Find texts with nearly the same words, without comparing all pairs.

Texts are compared by their words, after `normalised` has removed case and punctuation.

Two texts are alike if their word sets have a Jaccard index (shared words over all words) of 9/10 or
more. Sets of eight words or fewer are then equal. For larger ones we use the first level of
PartEnum (Arasu, Ganti & Kaushik 2006), which, unlike min-hashing, misses no pair: alike sets differ
in at most 1/19 of the sum of their sizes, k words, so if the vocabulary is divided into k + 1
parts, both sets agree in at least one part, and equal parts meet in one bucket.

Within a bucket a text is compared with only a few earlier ones, to stay linear; so in a crowded
bucket, and only there, a pair can be missed.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Codes, coded
from assay.surface.features import bare

HEADS = 4
"""A text is compared with so many first texts of its bucket, and as many further unlike ones."""
_FEWEST_THAT_MAY_DIFFER = 9
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHARED, _OF = 9, 10


class _Words(dict[str, str]):
    """The word of a token, computed once per distinct token."""

    def __missing__(self, token: str) -> str:
        word = self[token] = bare(token.casefold())
        return word


def nearly_equal(a: frozenset[object], b: frozenset[object]) -> bool:
    """Whether two word sets have a Jaccard index of 9/10 or more; True for two empty sets."""
    return (_SHARED + _OF) * len(a & b) >= _SHARED * (len(a) + len(b))


def families(texts: Sequence[str]) -> Codes:
    """A code for each normalised text; alike texts, and chains of alike texts, share a code."""
    known = coded(texts)
    sets = _WordSets(list(dict.fromkeys(texts)))
    parent = list(range(sets.count))
    for bucket in sets.buckets():
        heads: list[int] = []
        for place in bucket:
            like = _join(place, heads, parent, sets)
            if len(heads) < (HEADS if like else 2 * HEADS):
                heads.append(place)
    roots = np.array([_root(parent, i) for i in range(sets.count)], dtype=np.intp)
    return np.asarray(roots[sets.of_text][known])


def _join(place: int, heads: Sequence[int], parent: list[int], sets: "_WordSets") -> bool:
    """Join a set with the heads that are like it; True if there are any."""
    words, ours, like = sets.words(place), _root(parent, place), False
    for head in heads:
        theirs = _root(parent, head)
        if ours == theirs or nearly_equal(words, sets.words(head)):
            parent[max(ours, theirs)] = min(ours, theirs)
            ours, like = min(ours, theirs), True
    return like


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


class _WordSets:
    """The distinct word sets of some texts, smallest first, as one long array of words.

    `of_text` is the index of each text's set. Each word has a random number, and a set or a part of
    it the sum of its words' numbers, by which equal ones are found.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        # Normalised words are separated by single spaces, so all texts can be split as one.
        sizes = np.array([text.count(" ") + bool(text) for text in texts], dtype=np.intp)
        codes = coded(" ".join(texts).split())
        vocabulary = int(codes.max(initial=0)) + 1
        rng = np.random.default_rng(0)
        self._number = rng.integers(0, 2**64, size=vocabulary, dtype=np.uint64)
        self._part = rng.integers(0, 2**62, size=vocabulary, dtype=np.int64)
        owners = np.repeat(np.arange(len(texts)), sizes)
        pairs = np.sort(owners * vocabulary + codes)  # many times faster than np.unique
        owners, words = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], vocabulary)
        sums = np.zeros(len(texts), dtype=np.uint64)
        np.add.at(sums, owners, self._number[words])
        _, first, same = np.unique(sums, return_index=True, return_inverse=True)
        sizes = np.bincount(owners, minlength=len(texts))[first]
        order = np.argsort(sizes, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        self.of_text: Codes = rank[same.reshape(-1)]
        self.count = int(order.size)
        self._sizes = sizes[order]
        kept = first[same.reshape(-1)][owners] == owners
        owners, words = self.of_text[owners[kept]], words[kept]
        by_owner = np.argsort(owners, kind="stable")
        self._owners, self._row = owners[by_owner], words[by_owner]
        self._edges = np.concatenate([[0], np.cumsum(self._sizes)])
        self._known: dict[int, frozenset[int]] = {}

    def words(self, i: int) -> frozenset[int]:
        """One set."""
        if i not in self._known:
            start, end = self._edges[i], self._edges[i + 1]
            self._known[i] = frozenset(self._row[start:end].tolist())
        return self._known[i]

    def buckets(self) -> Iterator[list[int]]:
        """Groups of sets that share a part.

        A set is compared within its own range of sizes and with the next range, so that any two
        sets that can be alike meet where there are enough parts for the larger.
        """
        largest = int(self._sizes.max(initial=0))
        starts = [_FEWEST_THAT_MAY_DIFFER]
        while starts[-1] <= largest:
            starts.append(starts[-1] * _OF // _SHARED + 1)
        edges = [*np.searchsorted(self._sizes, starts).tolist(), self.count]
        for level in range(len(starts) - 1):
            most = starts[level + 1] - 1
            parts = (most + most * _OF // _SHARED) // (_SHARED + _OF) + 1
            for bucket in self._equal_parts(edges[level], edges[level + 2], parts):
                # Pairs within the next range are found in its own pass.
                if bucket[0] < edges[level + 1]:
                    yield bucket

    def _equal_parts(self, start: int, end: int, parts: int) -> Iterator[list[int]]:
        """Groups of sets from `start` to `end` that share one of `parts` parts, smallest first."""
        inside = slice(self._edges[start], self._edges[end])
        words = self._row[inside]
        keys = np.tile(np.arange(parts, dtype=np.uint64) * _ODD, end - start)
        slots = (self._owners[inside] - start) * parts + self._part[words] % parts
        np.add.at(keys, slots, self._number[words])
        order = np.argsort(keys, kind="stable")
        for run in _runs(keys[order]):
            yield (order[run] // parts + start).tolist()


def _runs(keys: NDArray[np.uint64]) -> Iterator[slice]:
    """The ranges of repeated keys in a sorted array."""
    edges = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1], [True]]))
    several = np.flatnonzero(np.diff(edges) > 1)
    for start, end in zip(edges[several].tolist(), edges[several + 1].tolist(), strict=True):
        yield slice(start, end)


def normalised(texts: Sequence[str]) -> list[str]:
    """Texts with case folded, white space collapsed and punctuation around words dropped.

    A text of punctuation only keeps it, since "?" and "!" are different answers.
    """
    words = _Words()
    return [
        " ".join(filter(None, map(words.__getitem__, text.split())))
        or " ".join(text.casefold().split())
        for text in texts
    ]
