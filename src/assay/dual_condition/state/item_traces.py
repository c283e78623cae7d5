"""Find the items that a text repeats: in their words, in nearly their words, or by a digest.

An item has three texts: its question, its response, and both together. A text identifies an item
only if few items have it: a shared question identifies none, and neither does an answer such as "I
do not know". A text of a state repeats an item if it is the same; or, from four words on, if it
shares nine tenths of all words with it or contains it word by word; or, from eight words on, if it
is the item's beginning, cut off anywhere. A response alone needs three words: "Paris" is not a
trace of one item.

A digest of such a text (hexadecimal, base 64 or bytes, whole or its beginning) counts as the text.
"""

import base64
import binascii
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial

from assay.benchmark.benchmark import Item

_START, _CUT = 4, 8
_LONG_CHARACTERS = 16
_RESPONSE_WORDS, _RESPONSE_CHARACTERS = 3, 12
_QUESTION_SHARE, _RESPONSE_SHARE, _FEW = 0.1, 0.01, 2
_ALGORITHMS = (
    partial(hashlib.md5, usedforsecurity=False),
    partial(hashlib.sha1, usedforsecurity=False),
    hashlib.sha256,
    hashlib.sha512,
    hashlib.sha3_256,
    hashlib.blake2b,
    partial(hashlib.blake2b, digest_size=32),
)
_HEAD = 6
"""The number of first bytes by which a digest is recognised."""
_WORD = re.compile(r"[^\W_]+")
_HEXADECIMAL = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{12,128}(?![0-9A-Za-z])")
_BASE_64 = re.compile(r"(?<![0-9A-Za-z+/_-])[0-9A-Za-z+/_-]{20,128}={0,2}(?![0-9A-Za-z+/_=-])")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class ItemTraces:
    """Finds some items in texts."""

    def __init__(self, items: Sequence[Item]) -> None:
        questions = [_in_words(item.question) for item in items]
        responses = [_in_words(item.response or "") for item in items]
        many = Counter(questions), Counter(responses)
        asked_by = max(_FEW, _QUESTION_SHARE * len(items))
        said_by = max(_FEW, _RESPONSE_SHARE * len(items))
        self.ids = frozenset(item.id for item in items)
        self._exact: dict[str, set[str]] = defaultdict(set)
        # Texts that identify an item and are too short to prove a trace of it.
        self._short: dict[str, set[str]] = defaultdict(set)
        self._short_questions: dict[str, set[str]] = defaultdict(set)
        self._sources: list[tuple[Item, bool, bool]] = []
        for item, question, response in zip(items, questions, responses, strict=True):
            by_question = bool(question) and many[0][question] <= asked_by
            by_response = bool(response) and many[1][response] <= said_by
            if by_question:
                self._enter(question, item.id, proves=_is_long(question))
                self._short_questions[question].add(item.id)
            if by_response:
                words = response.count(" ") + 1
                proves = words >= _RESPONSE_WORDS and len(response) >= _RESPONSE_CHARACTERS
                self._enter(response, item.id, proves=proves)
            if response:
                self._enter(f"{question} {response}".strip(), item.id, proves=True)
            self._sources.append((item, by_question, by_response))
        self.ids_are_digests = any(looks_like_digest(item.id) for item in items[:100])

    def _enter(self, words: str, item: str, *, proves: bool) -> None:
        (self._exact if proves else self._short)[words].add(item)

    def of_texts(
        self, texts: Sequence[str], *, short: bool = False
    ) -> Mapping[str, frozenset[str]]:
        """For each text that repeats items, those items; with `short`, any question is a trace."""
        distinct = list(dict.fromkeys(texts))
        plain = list(map(_in_words, distinct))
        alike = self._alike(plain)
        found = {}
        for text, words in zip(distinct, plain, strict=True):
            named = self._exact.get(words) or alike.get(words, set()) | self._contained(words)
            named = named or self._cut_off(words)
            named = named | self.by_digest(text)
            if short:
                named = named | self._short_questions.get(words, set())
            if named:
                found[text] = frozenset(named)
        return found

    def in_passage(self, text: str) -> set[str]:
        """The items whose words or digests occur in a long text."""
        return self._contained(_in_words(text)) | self.by_digest(text)

    def is_short_text(self, text: str) -> bool:
        """Whether a text is all of an item's question or response, too short to prove anything."""
        return _in_words(text) in self._short

    def by_digest(self, text: str) -> set[str]:
        """The items with a digest in a text."""
        items: set[str] = set()
        for digest in _digests_in(text):
            items |= self.of_bytes(digest)
        return items

    def of_bytes(self, data: bytes) -> set[str]:
        """The items of which these bytes are a digest, or its beginning."""
        if len(data) < _HEAD:
            return set()
        known = self._digests.get(data[:_HEAD], ())
        return {item for digest, item in known if digest.startswith(data)}

    @cached_property
    def _digests(self) -> Mapping[bytes, list[tuple[bytes, str]]]:
        """Digests of every text in its usual spellings, by their first bytes."""
        digests: dict[bytes, list[tuple[bytes, str]]] = defaultdict(list)
        for item, by_question, by_response in self._sources:
            texts = [item.id]
            texts += [item.question] if by_question else []
            texts += [item.response or ""] if by_response else []
            if item.response:
                texts += [f"{item.question}{gap}{item.response}" for gap in ("", " ", "\n", "|")]
            spelled = {spelling for text in texts for spelling in _spellings(text)}
            for data in (spelling.encode() for spelling in spelled if spelling):
                for algorithm in _ALGORITHMS:
                    digest = algorithm(data).digest()
                    digests[digest[:_HEAD]].append((digest, item.id))
        return digests

    @cached_property
    def _starts(self) -> Mapping[tuple[str, ...], list[tuple[str, set[str]]]]:
        """The long texts by their first words, each with its items."""
        starts: dict[tuple[str, ...], list[tuple[str, set[str]]]] = defaultdict(list)
        for text, named in self._exact.items():
            if _is_long(text):
                starts[tuple(text.split()[:_START])].append((text, named))
        return starts

    def _alike(self, texts: Sequence[str]) -> dict[str, set[str]]:
        """For each long text, the items with nearly the same words."""
        ours = list(filter(_is_long, dict.fromkeys(texts)))
        if not ours:
            return {}
        from assay.surface.near_duplicates import families  # with numpy, which not all need

        theirs = list(filter(_is_long, self._exact))
        codes = families([*ours, *theirs]).tolist()
        owners: dict[int, set[str]] = defaultdict(set)
        for words, code in zip(theirs, codes[len(ours) :], strict=True):
            owners[code] |= self._exact[words]
        return {
            text: owners[code]
            for text, code in zip(ours, codes[: len(ours)], strict=True)
            if code in owners
        }

    def _cut_off(self, text: str) -> set[str]:
        """The items that begin with a text, if they are few; its last word may be cut."""
        words = text.split()
        if len(words) < _CUT:
            return set()
        items: set[str] = set()
        for wanted, named in self._starts.get(tuple(words[:_START]), ()):
            items |= named if wanted.startswith(text) else set()
        return items if len(items) <= _FEW else set()

    def _contained(self, text: str) -> set[str]:
        """The items with a text that another text contains word by word."""
        words = text.split()
        items: set[str] = set()
        for place in range(len(words) - _START + 1):
            for wanted, named in self._starts.get(tuple(words[place : place + _START]), ()):
                size = wanted.count(" ") + 1
                if " ".join(words[place : place + size]) == wanted:
                    items |= named
        return items


def looks_like_digest(token: str) -> bool:
    """Whether a word looks like a digest, a key or a random number."""
    if _UUID.fullmatch(token):
        return True
    if _HEXADECIMAL.fullmatch(token):
        return len(token) >= 16 and not token.isdigit()
    kinds = (str.isupper, str.islower, str.isdigit)
    return bool(_BASE_64.fullmatch(token)) and all(any(map(kind, token)) for kind in kinds)


def _in_words(text: str) -> str:
    """The words of a text, case folded; everything between them is ignored."""
    return " ".join(_WORD.findall(text.casefold()))


def _spellings(text: str) -> Iterator[str]:
    """The forms of a text that are usually digested."""
    for spelled in (text, text.strip(), " ".join(text.split())):
        yield from (spelled, spelled.lower())
    yield _in_words(text)


def _is_long(text: str) -> bool:
    return text.count(" ") + 1 >= _START and len(text) >= _LONG_CHARACTERS


def _digests_in(text: str) -> Iterator[bytes]:
    """The possible digests in a text, as bytes."""
    for match in _HEXADECIMAL.finditer(text):
        yield bytes.fromhex(match[0][: len(match[0]) // 2 * 2])
    for match in _UUID.finditer(text):
        yield bytes.fromhex(match[0].replace("-", ""))
    for match in _BASE_64.finditer(text):
        bare = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            yield base64.b64decode(bare[: len(bare) // 4 * 4])
        except binascii.Error:
            continue
