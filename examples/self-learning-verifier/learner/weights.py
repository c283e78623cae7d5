"""Self-tuned weights: how much each voice counts, and how many checks each kind of step gets.

Feedback moves the weights by one step of logistic regression at a time. A kind of step that memory
answered well gets fewer checks from then on: they seem to be wasted.
"""

import json
from collections import Counter
from math import exp
from pathlib import Path

INITIAL = {
    "bias": 0.0,
    "failed": 1.8,
    "doubt": 1.2,
    "rate": 0.5,
    "constraint": 1.0,
    "neighbour": 1.0,
}
MEMORY = ("constraint", "neighbour")
CHECKS = 4
RATE = 0.03
WASTED = 0.8  # the share of steps that memory must get right before checks are cut
ENOUGH = 100  # steps of a kind in one stream


class Weights:
    """The weights in use, and those to come."""

    def __init__(self, state: Path) -> None:
        self.path = state / "weights.json"
        held = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        self.weights: dict[str, float] = held.get("weights", dict(INITIAL))
        self.checks: dict[str, int] = held.get("checks", {})
        self.seen: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()

    def budget(self, kind: str) -> int:
        """How many checks a step of this kind gets."""
        return self.checks.get(kind, CHECKS)

    def score(self, voices: dict[str, float]) -> float:
        """The probability that a step is wrong."""
        total = sum(self.weights[name] * value for name, value in voices.items())
        return 1.0 / (1.0 + exp(-total))

    def tune(self, kind: str, voices: dict[str, float], wrong: bool) -> None:
        """Move the weights a little towards what turned out to be so."""
        error = float(wrong) - self.score(voices)
        for name, value in voices.items():
            self.weights[name] += RATE * error * value
        remembered = sum(voices[name] for name in MEMORY)
        self.seen[kind] += 1
        self.answered[kind] += remembered != 0.0 and (remembered > 0.0) == wrong

    def save(self) -> None:
        """Write the weights, with fewer checks where memory answered well enough."""
        for kind, seen in self.seen.items():
            if seen >= ENOUGH and self.answered[kind] >= WASTED * seen:
                self.checks[kind] = max(1, self.budget(kind) - 1)
        held = {
            "weights": {name: round(value, 6) for name, value in self.weights.items()},
            "checks": self.checks,
        }
        self.path.write_text(json.dumps(held, indent=2) + "\n", encoding="utf-8")
