"""Collect the items of a corpus, and count the records left out by reason."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.benchmark.benchmark import Item
from assay.bounds import MAX_LINE_BYTES
from assay.errors import SpecError

EMPTY = "empty question or response"
AGAIN = "the same question and response again"
BOTH = "the same question and response under both labels"


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """The items of a corpus in order, and the counts of records left out by reason."""

    items: tuple[Item, ...]
    left_out: Mapping[str, int]

    @property
    def positives(self) -> int:
        """How many items have label 1."""
        return sum(bool(item.label) for item in self.items)

    @property
    def groups(self) -> int:
        """The number of groups; an item without a group counts as one."""
        return len({item.unit for item in self.items})


class Gathering:
    """Collects items, and counts the records left out."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._left_out: Counter[str] = Counter()
        self._used: Counter[str] = Counter()
        self._groups: dict[str, str] = {}

    def name(self, wanted: str) -> str:
        """An id for a record: as wanted, or with a number if that is taken."""
        name = wanted
        while self._used[name]:
            self._used[wanted] += 1
            name = f"{wanted}~{self._used[wanted]}"
        self._used[name] += 1
        return name

    def group(self, text: str, name: str) -> str:
        """The group of all records with this text, named after the first of them."""
        return self._groups.setdefault(text, name)

    def add(self, item: Item) -> None:
        """Add an item, unless its question or response is empty."""
        if not item.question.strip() or not (item.response or "").strip():
            self.leave_out(EMPTY)
        else:
            self._items.append(item)

    def leave_out(self, why: str, count: int = 1) -> None:
        """Count records that are left out."""
        self._left_out[why] += count

    def finished(self) -> Gathered:
        """All items, without copies and without those that have both labels."""
        labels = defaultdict(set)
        for item in self._items:
            labels[item.question, item.response].add(item.label)
        kept: dict[tuple[str, str | None], Item] = {}
        for item in self._items:
            both = (item.question, item.response)
            if len(labels[both]) > 1:
                self.leave_out(BOTH)
            elif both in kept:
                self.leave_out(AGAIN)
            else:
                kept[both] = item
        return Gathered(items=tuple(kept.values()), left_out=dict(sorted(self._left_out.items())))


def shuffled(responses: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Responses with their labels, in an order that is independent of the labels.

    The order gives them their numbers: an item's id must not reveal its label. It is the order of
    the texts' digests, the same on every machine.
    """
    return sorted(responses, key=lambda response: hashlib.sha256(response[0].encode()).digest())


def written(items: Iterable[Item]) -> bytes:
    """Items as the lines of a benchmark's file; the same items give the same bytes."""
    lines = []
    for item in items:
        fields = {
            "id": item.id,
            "question": item.question,
            "response": item.response,
            "label": int(bool(item.label)),
            "class": item.cls,
            "source": item.source,
            "group": item.group,
        }
        kept = {name: value for name, value in fields.items() if value is not None}
        line = json.dumps(kept, ensure_ascii=False).encode()
        if len(line) > MAX_LINE_BYTES:
            raise SpecError(
                f"{item.id}: {len(line):,} bytes in one record, at most {MAX_LINE_BYTES:,} allowed"
            )
        lines.append(line + b"\n")
    return b"".join(lines)
