"""A structure-aware mutator: it knows where the values of a text begin and end.

A seed is cut up once, into values (texts, numbers, words, whole lists and objects) and members
(what stands between separators: fields, rows, lines). A mutation then is a splice of bytes at such
a place, whatever the language: another type in place of a value, a member twice, a value of another
seed. Some mutations know nothing of structure: flipped bits, truncation, other encodings.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fuzzing.edge_cases import HEAVY, LANGUAGES, MARKS

_TOKEN = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[\w.+\-/@#~%!<>\x80-\xff][\w.+\-/:@#~%!<>\x80-\xff]*'
    rb"|[\[\]{}]|[,;\n\t=]"
)
_OPENING, _CLOSING = b"[{", b"]}"
_HEAVY_SHARE, _BLUNT_SHARE = 0.001, 0.25
_LARGEST = 1 << 21

Span = tuple[int, int]


@dataclass(frozen=True)
class Seed:
    """A valid input, and where its values and members are."""

    data: bytes
    values: tuple[Span, ...]
    members: tuple[Span, ...]


def cut_up(data: bytes) -> Seed:
    """Find the values and members of a text in JSON, TOML, CSV or anything like them."""
    values: list[Span] = []
    members: list[Span] = []
    opened: list[tuple[int, int]] = []
    begin = 0
    for token in _TOKEN.finditer(data):
        first = token[0][:1]
        if first in _OPENING:
            opened.append((token.start(), begin))
            begin = token.end()
        elif first in _CLOSING:
            members.append((begin, token.start()))
            if opened:
                start, begin = opened.pop()
                values.append((start, token.end()))
        elif first in b",;\n\t":
            members.append((begin, token.end()))
            begin = token.end()
        elif first != b"=":
            values.append(token.span())
    members.append((begin, len(data)))
    kept = [span for span in members if span[0] < span[1]]
    return Seed(data, tuple(values or kept or [(0, len(data))]), tuple(kept or [(0, len(data))]))


class Mutator:
    """Draws inputs from seeds, the same ones for the same number."""

    def __init__(self, seeds: Sequence[bytes], *, language: str, number: int) -> None:
        self.random = random.Random(number)  # noqa: S311 - seeded, so that it can be repeated
        self.seeds = tuple(map(cut_up, seeds))
        self.fragments = LANGUAGES[language]
        self._values = [s.data[a:b] for s in self.seeds for a, b in s.values]

    def draw(self) -> bytes:
        """One more input."""
        rnd = self.random.random
        seed = self.seeds[int(rnd() * len(self.seeds))]
        data = seed.data
        chance = rnd()
        if chance < 1.0 - _BLUNT_SHARE or chance > 0.97:
            data = self._at_values(seed) if rnd() < 0.7 else self._at_members(seed)
        if chance > 1.0 - _BLUNT_SHARE:
            data = self._blunt(data)
        return data[:_LARGEST]

    def _at_values(self, seed: Seed) -> bytes:
        """Put something else in place of one to three values; from the end, so that places stay."""
        rnd, values, data = self.random.random, seed.values, seed.data
        count = 1 if rnd() < 0.6 else 2 + int(rnd() * 2)
        if count == 1:
            start, end = values[int(rnd() * len(values))]
            return data[:start] + self._instead(data[start:end]) + data[end:]
        chosen = sorted((values[int(rnd() * len(values))] for _ in range(count)), reverse=True)
        behind = len(data)
        for start, end in chosen:
            if end <= behind:
                data = data[:start] + self._instead(data[start:end]) + data[end:]
                behind = start
        return data

    def _instead(self, value: bytes) -> bytes:
        rnd = self.random.random
        kind = rnd()
        if kind < _HEAVY_SHARE:
            return HEAVY[int(rnd() * len(HEAVY))]
        if kind < 0.6:
            return self.fragments[int(rnd() * len(self.fragments))]
        if kind < 0.75:
            return self._values[int(rnd() * len(self._values))]
        if kind < 0.85:
            fragment = self.fragments[int(rnd() * len(self.fragments))]
            place = int(rnd() * (len(value) + 1))
            return value[:place] + fragment.strip(b'"') + value[place:]
        if kind < 0.9:
            return b"[" + value + b"]"
        if kind < 0.94:
            return b'{"value": ' + value + b"}"
        if kind < 0.97:
            return value[1:-1]
        return value + value

    def _at_members(self, seed: Seed) -> bytes:
        """Leave out, repeat or exchange members: fields, elements, rows, lines."""
        rnd, members, data = self.random.random, seed.members, seed.data
        start, end = members[int(rnd() * len(members))]
        kind = rnd()
        if kind < 0.4:
            return data[:start] + data[end:]
        if kind < 0.7:
            times = 2 if rnd() < 0.95 else 3 + int(rnd() * 60)
            between = b"" if data[end - 1 : end] in b",;\n\t" else b","
            return data[:start] + between.join([data[start:end]] * times) + data[end:]
        other = self.seeds[int(rnd() * len(self.seeds))]
        a, b = other.members[int(rnd() * len(other.members))]
        if kind < 0.85:
            return data[:start] + other.data[a:b] + data[end:]
        return data[:end] + other.data[a:b] + data[end:]

    def _blunt(self, data: bytes) -> bytes:
        """A mutation that knows nothing of structure."""
        rnd = self.random.random
        size = len(data)
        place = int(rnd() * (size + 1))
        end = min(size, place + 1 + int(rnd() * rnd() * 40))
        kind = int(rnd() * 12)
        if kind == 0 and place < size:
            return data[:place] + bytes((data[place] ^ (1 << int(rnd() * 8)),)) + data[place + 1 :]
        if kind == 1 and place < size:
            return data[:place] + bytes((int(rnd() * 256),)) + data[place + 1 :]
        if kind == 2:
            return data[:place]
        if kind == 3:
            return data[place:]
        if kind == 4:
            return data[:place] + data[end:]
        if kind == 5:
            return data[:end] + data[place:]
        if kind == 6:
            other = self.seeds[int(rnd() * len(self.seeds))].data
            return data[:place] + other[int(rnd() * (len(other) + 1)) :]
        if kind == 7:
            return data[:place] + MARKS[int(rnd() * len(MARKS))] + data[place:]
        if kind == 8:
            return data[:place] + self.fragments[int(rnd() * len(self.fragments))] + data[end:]
        if kind == 9:
            return MARKS[int(rnd() * len(MARKS))] + data
        if kind == 10:
            return data.replace(b"\n", b"\r\n" if rnd() < 0.5 else b"\r")
        return self._encoded(data)

    def _encoded(self, data: bytes) -> bytes:
        names = ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-7")
        encoding = names[int(self.random.random() * len(names))]
        return data.decode("utf-8", "replace").encode(encoding, "replace")
