"""Two conditions at five seeds against running the same command ten times by hand.

python benchmarks/dual_speed.py
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import by_turns, command, cost

ITEMS, SEEDS = 10_000, (1, 2, 3, 4, 5)
_SYSTEM = """
import json, sys
from pathlib import Path

items, outputs, seed, state = sys.argv[1:]
memory = Path(state) / "memory.jsonl"
known = {}
if memory.exists():
    with memory.open() as lines:
        for line in lines:
            row = json.loads(line)
            known[row["item"]] = row["verdict"]
with open(items) as asked, open(outputs, "w") as said:
    for line in asked:
        item = json.loads(line)
        score = known.get(item["id"], len(item["response"]) % 7 / 7)
        said.write(json.dumps({"id": item["id"], "score": score}) + "\\n")
"""
_SPEC = """
[system]
command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]
[state]
root = "state"
[state.layers.memory]
files = ["memory.jsonl"]
provenance = "item"
[evaluation]
benchmark = "bench.jsonl"
positive = "label == 1"
seeds = [1, 2, 3, 4, 5]
conditions = ["A", "B"]
"""


def duals() -> None:
    """The whole command, from a cold start, against the system's own command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _lay_out(folder)
        assay = Path(sys.executable).with_name("assay")
        whole = command(assay, "dual", folder / "dual.toml")

        def ours() -> None:
            shutil.rmtree(folder / "results", ignore_errors=True)
            whole()

        def by_hand() -> None:
            for state in ("state", "empty"):
                for seed in SEEDS:
                    words = [sys.executable, "system.py", "items.jsonl", "out.jsonl", str(seed)]
                    subprocess.run([*words, state], cwd=folder, check=True)

        taken, peer = by_turns(5, ours, by_hand)
    what = f"assay dual, 2 conditions x {len(SEEDS)} seeds x {ITEMS:,} items"
    cost(what, taken, peer, "the command ten times by hand", 1.5)


def _lay_out(folder: Path) -> None:
    (folder / "system.py").write_text(_SYSTEM, encoding="utf-8")
    (folder / "dual.toml").write_text(_SPEC, encoding="utf-8")
    (folder / "state").mkdir()
    (folder / "empty").mkdir()
    asked, labelled, known = [], [], []
    for number in range(ITEMS):
        item = {"id": f"q{number}", "question": f"Is {number} as it says?"}
        item["response"] = "so " * (number % 11 + 1)
        asked.append(json.dumps(item))
        labelled.append(json.dumps(item | {"label": number % 2}))
        if number % 10 == 0:
            known.append(json.dumps({"item": item["id"], "verdict": number % 2}))
    for name, lines in (("items", asked), ("bench", labelled), ("state/memory", known)):
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    duals()
