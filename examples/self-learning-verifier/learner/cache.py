"""The fast-path cache: the latest steps, and what the nearest of them turned out to be."""

import json
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

SIZE = 800
NEAR = 0.95  # how alike two steps must be, as shared words over all words
WORD = re.compile(r"[\w.]+|[^\w\s]")


def words(text: str) -> frozenset[str]:
    """The words of a text, and the pairs of words that stand side by side."""
    found = WORD.findall(text)
    return frozenset(found) | {" ".join(pair) for pair in pairwise(found)}


class Cache:
    """The nearest of the latest steps, found by the rarest words they share."""

    def __init__(self, state: Path) -> None:
        self.path = state / "cache.jsonl"
        self.rows: dict[str, bool] = {}
        self.bags: dict[str, frozenset[str]] = {}
        self.having: dict[str, set[str]] = defaultdict(set)
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.append(row["text"], bool(row["wrong"]))

    def opinion(self, text: str) -> float:
        """How alike the nearest step is, as a plus if it was wrong and a minus if it was right."""
        bag = words(text)
        rare = sorted(bag & self.having.keys(), key=lambda word: (len(self.having[word]), word))
        candidates = {other for word in rare[:2] for other in self.having[word]}
        best, nearest = 0.0, ""
        for other in sorted(candidates)[:40]:
            theirs = self.bags[other]
            alike = len(bag & theirs) / len(bag | theirs)
            if alike > best:
                best, nearest = alike, other
        if best < NEAR:
            return 0.0
        return best if self.rows[nearest] else -best

    def append(self, text: str, wrong: bool) -> None:
        """Take one more step in, and let the oldest go."""
        self.forget(text)
        self.rows[text] = wrong
        self.bags[text] = words(text)
        for word in self.bags[text]:
            self.having[word].add(text)
        if len(self.rows) > SIZE:
            self.forget(next(iter(self.rows)))

    def forget(self, text: str) -> None:
        """Drop a step, if it is there."""
        self.rows.pop(text, None)
        for word in self.bags.pop(text, ()):
            self.having[word].discard(text)
            if not self.having[word]:
                del self.having[word]

    def save(self) -> None:
        """Write the whole cache again: it is small."""
        lines = [json.dumps({"text": text, "wrong": wrong}) for text, wrong in self.rows.items()]
        self.path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
