"""Values in the repository that a number of the text may be meant to state.

A number that matches at its printed precision is a candidate; a count that nearly matches is one
too, and the better find: "13 files match, the text says ten". Those whose names share words with
the sentence come first.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from assay.claim_audit.agreement import number_of
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.scan.meaning import has_unit, is_in, speaks_of_column, timed_forms
from assay.claim_audit.scan.other_forms import exchanged_forms, scaled_forms
from assay.claim_audit.scan.repository_numbers import MOST_BYTES, Found, RepositoryNumbers
from assay.claim_audit.texts.mentions import Mention
from assay.tables.numbers.printed_numbers import Printed

_MOST_NUMBERS = 200_000
_MOST_LOOKED_AT = 2_000
_LARGEST_POWER = 300
_MOST_SHOWN = 3
_SPECIFIC = 3
"""Significant digits from which a matching number is hardly a coincidence."""
_WORD = re.compile(r"[^\W\d_]{3,}|(?<![^\W_])[A-Za-z]\d{1,2}(?![^\W_])")
_COMMON = frozenset(
    "all and are but csv for from had has have its json jsonl not parquet that the their there"
    " these this tsv was were with".split()
)


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A checker that could cover a number, the value it finds, and how well that matches.

    `related` says whether its names share a word with the sentence; otherwise the match may be a
    coincidence.
    """

    checker: str
    args: Mapping[str, Any]
    value: float | int
    match: Literal["equal", "near"]
    related: bool = True

    @property
    def comment(self) -> str:
        """The comment that makes the claim."""
        told = " ".join(f"{name}={_as_told(value)}" for name, value in self.args.items())
        return f"<!-- claim: {self.checker} {told} -->"


class NumberIndex:
    """The numbers of a repository, in order of their values.

    `cut` says what is not in it; None where all is.
    """

    def __init__(self, evidence: EvidenceReader) -> None:
        numbers = RepositoryNumbers(evidence)
        self.cut: str | None = None
        held: list[tuple[Decimal, Found]] = []
        try:
            for found in numbers:
                number = number_of(found.value)
                if number is None or number.adjusted() > _LARGEST_POWER:
                    continue
                if "-->" not in str(found.args):  # which would end the comment
                    held.append((number, found))
                if len(held) >= _MOST_NUMBERS:
                    self.cut = f"only the first {_MOST_NUMBERS:,} numbers were looked at"
                    break
        except Unverifiable as refusal:
            self.cut = refusal.why
        if numbers.too_large and self.cut is None:
            self.cut = (
                f"{numbers.too_large:,} files of more than {MOST_BYTES:,} bytes were not read"
            )
        held.sort(key=lambda one: (one[0], sorted(one[1].args.items())))
        self._values = [number for number, _ in held]
        self._found = [found for _, found in held]
        self._counts = [n for n, found in enumerate(self._found) if found.counts]
        self._places: dict[str, list[int]] = {}
        for n, found in enumerate(self._found):
            for word in {word for value in found.args.values() for word in words_of(value)}:
                self._places.setdefault(word, []).append(n)

    def candidates(self, mention: Mention) -> list[Candidate]:
        """What could cover a number: equal values first, then counts that are nearly the same."""
        printed = mention.printed
        if printed is None:
            return []
        found = self._equal(mention, printed)
        for other, args in () if found else scaled_forms(printed):
            scaled = [one for one in self._equal(mention, other) if one.related]
            found += [replace(one, args={**one.args, **args}) for one in scaled]
        for other, unit, scale in () if found else timed_forms(printed, mention):
            timed = [one for one in self._equal(mention, other) if is_in(one.args, unit)]
            args = {"scale": scale}
            found += [replace(one, args={**one.args, **args}, related=True) for one in timed]
        for other in () if found else exchanged_forms(printed):
            typed = [one for one in self._equal(mention, other) if one.related]
            found += [replace(one, match="near") for one in typed]
        if found:
            return found[:_MOST_SHOWN]
        near = self._near(printed)
        shared = self._shared(mention, 0, len(self._values), set(near).__contains__)
        return self._told(printed, shared, near, match="near") if near else []

    def _equal(self, mention: Mention, printed: Printed) -> list[Candidate]:
        """What prints as a number does."""
        reach = printed.last_place * Decimal("0.51")
        low = bisect_left(self._values, printed.value - reach)
        high = bisect_right(self._values, printed.value + reach)

        def fits(n: int) -> bool:
            return printed.admits(self._values[n])

        equal = [n for n in islice(range(low, high), _MOST_LOOKED_AT) if fits(n)]
        shared = self._shared(mention, low, high, fits)
        shared.update(n for n in equal if has_unit(self._found[n].args, mention))
        return self._told(printed, shared, equal) if equal else []

    def _near(self, printed: Printed) -> list[int]:
        """The counts of files or rows that are off by a little."""
        if printed.last_place != 1 or printed.value < 3:
            return []
        reach = max(Decimal(3), printed.value * Decimal("0.3"))
        low = bisect_left(self._counts, printed.value - reach, key=self._values.__getitem__)
        high = bisect_right(self._counts, printed.value + reach, key=self._values.__getitem__)
        return self._counts[low:high][:_MOST_LOOKED_AT]

    def _shared(
        self, mention: Mention, low: int, high: int, fits: Callable[[int], bool]
    ) -> Counter[int]:
        """How many words of the sentence are in the names of each number between two places."""
        shared: Counter[int] = Counter()
        for word in words_of(mention.sentence):
            places = self._places.get(word, [])
            inside = islice(places, bisect_left(places, low), bisect_left(places, high))
            shared.update(n for n in islice(inside, _MOST_LOOKED_AT) if fits(n))
        return Counter({n: count for n, count in shared.items() if self._is_meant(n, mention)})

    def _is_meant(self, n: int, mention: Mention) -> bool:
        """Whether the words that a value's names share with a sentence speak of the value."""
        found = self._found[n]
        if found.counts or "column" not in found.args:
            return True
        named = words_of(found.args["column"]) | words_of(found.args.get("statistic", ""))
        return speaks_of_column(named, words_of(mention.sentence), mention)

    def _told(
        self,
        printed: Printed,
        shared: Counter[int],
        others: Sequence[int],
        *,
        match: Literal["equal", "near"] = "equal",
    ) -> list[Candidate]:
        related = sorted(shared, key=lambda n: (-shared[n], n))[:_MOST_SHOWN]
        unspecific = len(others) > _MOST_SHOWN and _digits(printed) < _SPECIFIC
        rest = [] if unspecific else [n for n in others if n not in shared]
        chosen: Iterable[int] = [*related, *rest][:_MOST_SHOWN]
        return [
            Candidate(
                checker=self._found[n].checker,
                args=self._found[n].args,
                value=self._found[n].value,
                match=match,
                related=n in shared,
            )
            for n in chosen
        ]


@lru_cache(maxsize=1 << 16)
def words_of(text: str) -> frozenset[str]:
    """The words of a sentence or a name, without their plural, in lower case."""
    words = {word.lower() for word in _WORD.findall(text)} - _COMMON
    return frozenset(word.rstrip("s") if len(word) > 3 else word for word in words)


def quoted(text: str) -> str:
    """A text as a comment has it."""
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return json.dumps(text, ensure_ascii=False) if "'" in text else f"'{text}'"


def _as_told(value: object) -> str:
    if isinstance(value, (bool, float)):
        return str(value).lower()
    return quoted(str(value))


def _digits(printed: Printed) -> int:
    return len(printed.value.normalize().as_tuple().digits)
