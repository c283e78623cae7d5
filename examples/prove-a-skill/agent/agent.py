"""A small agent that converts units: from a skill where it has one, else from memory.

python agent.py ITEM SEED OUT
"""

import json
import random
import re
import sys
from pathlib import Path

FACTOR = re.compile(r"^- 1 (\S+) is ([0-9.]+) (\S+)$")
REMEMBERED = 0.55


def skills() -> dict[tuple[str, str], float]:
    """The factors that the skills in this folder teach."""
    found = {}
    for page in sorted(Path("skills").glob("*.md")):
        for line in page.read_text(encoding="utf-8").splitlines():
            match = FACTOR.match(line)
            if match:
                found[match[1], match[3]] = float(match[2])
    return found


def answer(item: dict[str, str], seed: int) -> tuple[float, bool, int]:
    """The answer, whether it is looked up, and how many tokens it took."""
    chance = random.Random(f"{seed}:{item['instance']}")
    known = skills()
    factor = known.get((item["from"], item["to"]))
    tokens = 80 + 6 * len(known) + chance.randrange(40)
    if factor is not None:
        return float(item["amount"]) * factor, True, tokens
    right = chance.random() < REMEMBERED
    guess = float(item["factor"]) * (1.0 if right else chance.choice((0.1, 0.9, 1.1, 10.0)))
    return float(item["amount"]) * guess, False, tokens


if __name__ == "__main__":
    value, looked_up, tokens = answer(json.loads(Path(sys.argv[1]).read_text()), int(sys.argv[2]))
    said = {"value": value, "looked_up": looked_up, "tokens": tokens}
    Path(sys.argv[3], "answer.json").write_text(json.dumps(said))
