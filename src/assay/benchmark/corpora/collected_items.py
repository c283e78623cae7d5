"""What a corpus gives: the items, and how many records were left out, and why."""

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
    """The items of a corpus in order, and what was left out, counted by reason."""

    items: tuple[Item, ...]
    left_out: Mapping[str, int]

    @property
    def positives(self) -> int:
        """How many items have label 1."""
        return sum(bool(item.label) for item in self.items)

    @property
    def groups(self) -> int:
        """How many groups there are; an item without one is a group of its own."""
        return len({item.unit for item in self.items})


class Gathering:
    """Collects items, and keeps count of what is not taken."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._left_out: Counter[str] = Counter()
        self._used: Counter[str] = Counter()
        self._groups: dict[str, str] = {}

    def name(self, wanted: str) -> str:
        """An id for a record: as wanted, or with a number where that was given away already."""
        name = wanted
        while self._used[name]:
            self._used[wanted] += 1
            name = f"{wanted}~{self._used[wanted]}"
        self._used[name] += 1
        return name

    def group(self, text: str, name: str) -> str:
        """The group of everything that has this text in common: the first record's name."""
        return self._groups.setdefault(text, name)

    def add(self, item: Item) -> None:
        """Take an item, if there is something to judge."""
        if not item.question.strip() or not (item.response or "").strip():
            self.leave_out(EMPTY)
        else:
            self._items.append(item)

    def leave_out(self, why: str, count: int = 1) -> None:
        """Count what is not taken."""
        self._left_out[why] += count

    def finished(self) -> Gathered:
        """All items but copies, and but those that stand under both labels."""
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
    """Responses with their labels, in an order that has nothing to do with either.

    It numbers them: the id of an item must not tell its label. The digest of a text is the same on
    every machine.
    """
    return sorted(responses, key=lambda response: hashlib.sha256(response[0].encode()).digest())


def written(items: Iterable[Item]) -> bytes:
    """Items as the lines of a benchmark's file, the same bytes whenever they are the same items."""
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
