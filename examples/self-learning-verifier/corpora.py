"""Writes the benchmarks and the streams of feedback that the verifier learns from.

python corpora.py

corpora/*.jsonl are the benchmarks, streams/*.jsonl labelled items from other seeds. Of arithmetic
the streams also have most of the benchmark's own items, of entailment a few, of the rest none;
fractions are in no stream at all.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

sys.dont_write_bytecode = True  # nothing is left beside the code

from problems import arithmetic, conversions, entailment, programs, rationals  # noqa: E402
from problems.item import Item  # noqa: E402

GENERATORS = {
    "arithmetic": arithmetic.generate,
    "conversions": conversions.generate,
    "entailment": entailment.generate,
    "fractions": rationals.generate,
    "programs": programs.generate,
}
PROBLEMS = {
    "arithmetic": 90,
    "conversions": 200,
    "entailment": 150,
    "fractions": 150,
    "programs": 130,
}
STREAMS = {  # how many new problems, and which share of the benchmark's own items
    "arithmetic-1": (120, 0.30),
    "arithmetic-2": (40, 0.65),
    "conversions-1": (150, 0.0),
    "conversions-2": (150, 0.0),
    "entailment-1": (150, 0.10),
    "entailment-2": (150, 0.15),
    "programs-1": (80, 0.0),
    "programs-2": (80, 0.0),
}
PILOT_ITEMS, PILOT_WRONG = 60, 6


def different(items: Iterable[Item], known: Iterable[Item] = ()) -> Iterator[Item]:
    """The items whose question no other problem has asked, here or among the known."""
    asked = {item.question: item.group for item in known}
    for item in items:
        if asked.setdefault(item.question, item.group) == item.group:
            yield item


def pilot(known: list[Item]) -> list[Item]:
    """Programs by a good programmer: far too few of them fail to rank anything by."""
    items = list(different(programs.generate("programs-pilot", 200), known))
    bad = [item for item in items if item.label][:PILOT_WRONG]
    good = [item for item in items if not item.label][: PILOT_ITEMS - PILOT_WRONG]
    return sorted(bad + good, key=lambda item: item.id)


def stream(name: str, benchmark: list[Item]) -> list[Item]:
    """A stream of feedback: new items and some of the benchmark's own, mixed."""
    kind = name.rsplit("-", 1)[0]
    problems, share = STREAMS[name]
    chance = Random(name)
    items = list(different(GENERATORS[kind](name, problems), benchmark))
    items += Random(kind).sample(benchmark, round(share * len(benchmark)))
    chance.shuffle(items)
    return items


def write(path: Path, items: Iterable[Item]) -> None:
    """One JSON object a line."""
    path.parent.mkdir(exist_ok=True)
    lines = [json.dumps(item.row()) + "\n" for item in items]
    path.write_text("".join(lines), encoding="utf-8")


def main(folder: Path) -> None:
    """Write all of them below `folder`."""
    benchmarks = {
        kind: list(different(generate(kind, PROBLEMS[kind])))
        for kind, generate in GENERATORS.items()
    }
    for name in STREAMS:
        write(folder / f"streams/{name}.jsonl", stream(name, benchmarks[name.rsplit("-", 1)[0]]))
    benchmarks["programs-pilot"] = pilot(benchmarks["programs"])
    for kind, items in benchmarks.items():
        write(folder / f"corpora/{kind}.jsonl", items)
        wrong = sum(item.label for item in items)
        sys.stdout.write(f"{kind:<16}{len(items):>4} items, {wrong:>3} of them wrong\n")


if __name__ == "__main__":
    main(Path(__file__).parent)
