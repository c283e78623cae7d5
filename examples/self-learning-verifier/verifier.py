"""A small step verifier that learns from feedback.

python verifier.py judge ITEMS OUTPUTS SEED STATE    scores steps: higher is more likely wrong
python verifier.py learn STREAM STATE                takes labelled steps in

It reads a step, makes a few cheap checks drawn by SEED, asks its memory, and weighs what it hears.
All that it keeps is in the folder STATE. An empty folder will do: then the checks are all there is.
"""

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

sys.dont_write_bytecode = True  # a run leaves nothing beside the code

from learner import arguments, code_steps, equations, quantities  # noqa: E402
from learner.cache import Cache  # noqa: E402
from learner.constraints import Constraints  # noqa: E402
from learner.reading import Reading  # noqa: E402
from learner.relay import Relay  # noqa: E402
from learner.weights import Weights  # noqa: E402

READERS = (equations.read, arguments.read, quantities.read, code_steps.read)
UNREADABLE = Reading(kind="unreadable", shape="unreadable", check=lambda chance, checks: (0.5, 0.5))


def read(question: str, response: str) -> Reading:
    """The step, as the first reader that makes sense of it understands it."""
    readings = (reader(question, response) for reader in READERS)
    return next((reading for reading in readings if reading is not None), UNREADABLE)


class Verifier:
    """The checks, and the four layers of memory beside them."""

    def __init__(self, state: Path) -> None:
        self.relay = Relay(state)
        self.constraints = Constraints(state)
        self.cache = Cache(state)
        self.weights = Weights(state)

    def listen(self, item: dict[str, Any], reading: Reading, seed: str) -> dict[str, float]:
        """What each voice says about a step."""
        chance = Random(f"{seed}: {item['question']} {item['response']}")
        failed, doubt = reading.check(chance, self.weights.budget(reading.kind))
        return {
            "bias": 1.0,
            "failed": failed,
            "doubt": doubt,
            "rate": self.relay.rate(reading),
            "constraint": self.constraints.opinion(reading),
            "neighbour": self.cache.opinion(f"{item['question']} {item['response']}"),
        }

    def judge(self, item: dict[str, Any], seed: str) -> float:
        """How likely a step is wrong. It goes into the relay, unresolved."""
        reading = read(item["question"], item["response"])
        score = self.weights.score(self.listen(item, reading, seed))
        self.relay.append(item, reading, score, None)
        return score

    def learn(self, item: dict[str, Any], seed: str) -> None:
        """Judge a step, and let every layer take in how it turned out."""
        reading, wrong = read(item["question"], item["response"]), bool(item["label"])
        voices = self.listen(item, reading, seed)
        self.relay.append(item, reading, self.weights.score(voices), wrong)
        self.weights.tune(reading.kind, voices, wrong)
        self.constraints.append(item, reading, wrong)
        self.cache.append(f"{item['question']} {item['response']}", wrong)


def rows(path: str) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def judge(items: str, outputs: str, seed: str, state: str) -> None:
    """Score every item, and log what was judged."""
    verifier = Verifier(Path(state))
    scored = [{"id": item["id"], "score": verifier.judge(item, seed)} for item in rows(items)]
    Path(outputs).write_text("".join(json.dumps(row) + "\n" for row in scored), encoding="utf-8")
    verifier.relay.save()


def learn(stream: str, state: str) -> None:
    """Take in a stream of labelled items, one after the other."""
    Path(state).mkdir(parents=True, exist_ok=True)
    verifier = Verifier(Path(state))
    for item in rows(stream):
        verifier.learn(item, Path(stream).stem)
    for layer in (verifier.relay, verifier.constraints, verifier.cache, verifier.weights):
        layer.save()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["judge", items, outputs, seed, state]:
            judge(items, outputs, seed, state)
        case ["learn", stream, state]:
            learn(stream, state)
        case _:
            sys.exit(__doc__)
