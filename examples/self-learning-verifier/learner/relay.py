"""The relay: an append-only log of past steps, the scores given and what turned out to be so."""

import json
from collections import defaultdict
from math import log
from pathlib import Path

from learner.reading import Reading


class Relay:
    """How often each shape of step turned out to be wrong."""

    def __init__(self, state: Path) -> None:
        self.path = state / "relay.jsonl"
        self.counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.new: list[dict[str, object]] = []
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                self.count(json.loads(line))

    def count(self, row: dict[str, object]) -> None:
        """Take in a line. What was judged and never resolved tells nothing."""
        if row["wrong"] is not None:
            self.counts[str(row["shape"])][bool(row["wrong"])] += 1

    def rate(self, reading: Reading) -> float:
        """The log odds that a step of this shape is wrong, drawn towards 0 while there are few."""
        right, wrong = self.counts.get(reading.shape, (0, 0))
        return log((wrong + 2) / (right + 2))

    def append(
        self, item: dict[str, str], reading: Reading, score: float, wrong: bool | None
    ) -> None:
        """Log one more step; `wrong` is None as long as nobody has said."""
        row = {
            "item": item["id"],
            "kind": reading.kind,
            "shape": reading.shape,
            "question": item["question"],
            "response": item["response"],
            "score": round(score, 6),
            "wrong": wrong,
        }
        self.count(row)
        self.new.append(row)

    def save(self) -> None:
        """Write the new lines behind the old ones."""
        with self.path.open("a", encoding="utf-8") as log_file:
            log_file.writelines(json.dumps(row) + "\n" for row in self.new)
