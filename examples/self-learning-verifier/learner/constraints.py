"""Constraint memory: what must hold, mined from steps whose outcome was told.

A right step fixes the claim for its key ("inches > centimetres", 127/50). A wrong one rules its own
claim out. Each row names the item that it came from.
"""

import sqlite3
from functools import cached_property
from pathlib import Path

from learner.reading import Reading

TABLE = """CREATE TABLE IF NOT EXISTS constraints
(key TEXT NOT NULL, claim TEXT NOT NULL, wrong INTEGER NOT NULL, item TEXT NOT NULL,
UNIQUE (key, claim, wrong, item))"""


class Constraints:
    """A keyed store in SQLite, opened when there is first something to look up."""

    def __init__(self, state: Path) -> None:
        self.path = state / "constraints.db"
        self.new: list[tuple[str, str, bool, str]] = []

    @cached_property
    def known(self) -> dict[str, dict[str, set[bool]]]:
        """For each key, the claims made and how they turned out."""
        found: dict[str, dict[str, set[bool]]] = {}
        if self.path.exists():
            store = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True)
            for key, claim, wrong in store.execute("SELECT key, claim, wrong FROM constraints"):
                found.setdefault(key, {}).setdefault(claim, set()).add(bool(wrong))
            store.close()
        return found

    def opinion(self, reading: Reading) -> float:
        """1 if a constraint is broken, -1 if one is met, 0 if none is known."""
        if reading.key is None or reading.claim is None:
            return 0.0
        claims = self.known.get(reading.key, {})
        if reading.claim in claims:
            return 1.0 if True in claims[reading.claim] else -1.0
        return 1.0 if any(False in outcomes for outcomes in claims.values()) else 0.0

    def append(self, item: dict[str, str], reading: Reading, wrong: bool) -> None:
        """Mine one more step."""
        if reading.key is not None and reading.claim is not None:
            self.known.setdefault(reading.key, {}).setdefault(reading.claim, set()).add(wrong)
            self.new.append((reading.key, reading.claim, wrong, item["id"]))

    def save(self) -> None:
        """Add the new constraints to the store."""
        if self.new:
            store = sqlite3.connect(self.path)
            with store:
                store.execute(TABLE)
                store.executemany("INSERT OR IGNORE INTO constraints VALUES (?, ?, ?, ?)", self.new)
            store.close()
