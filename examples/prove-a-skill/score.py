"""Scores an answer: is it right, and is it a number one could report? Knows no arm.

python score.py ITEM OUT
"""

import json
import sys
from pathlib import Path

item = json.loads(Path(sys.argv[1]).read_text())
out = Path(sys.argv[2])
said = json.loads((out / "answer.json").read_text())
expected = float(item["amount"]) * float(item["factor"])
scores = {
    "correct": abs(said["value"] - expected) <= 1e-6 * abs(expected),
    "positive": said["value"] > 0.0,
    "tokens": said["tokens"],
}
(out / "eval.json").write_text(json.dumps(scores))
