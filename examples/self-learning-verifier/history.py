"""Lets the verifier learn from nothing, stage by stage.

python history.py 1
python history.py 2

Stage 1 takes in one stream of each kind. Stage 2 goes on from there: more of everything, and
arithmetic again and again, as happens to a benchmark that is run after every change. Then it is
released, and what production has made of the number of checks becomes the default.
"""

import json
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the code

from learner.weights import INITIAL  # noqa: E402
from verifier import learn  # noqa: E402

HERE = Path(__file__).parent
STAGES = {
    "1": ("conversions-1", "programs-1", "entailment-1", "arithmetic-1"),
    "2": (
        *("entailment-2", "conversions-2", "programs-2"),
        *("arithmetic-2", "arithmetic-2", "arithmetic-2", "arithmetic-2"),
    ),
}
ELSEWHERE = ("conversions-1", "conversions-2")  # all that the placebo state has met


def release(folder: Path, checks: dict[str, int]) -> None:
    """Write what a fresh installation starts from."""
    path = folder / "initial/weights.json"
    path.parent.mkdir(exist_ok=True)
    held = {"weights": INITIAL, "checks": checks}
    path.write_text(json.dumps(held, indent=2) + "\n", encoding="utf-8")


def elsewhere(folder: Path) -> None:
    """A fresh installation that has met other things only: the placebo."""
    other = folder / "other-state"
    shutil.rmtree(other, ignore_errors=True)
    other.mkdir()
    shutil.copy(folder / "initial/weights.json", other)
    for name in ELSEWHERE:
        learn(str(folder / f"streams/{name}.jsonl"), str(other))


def main(stage: str, folder: Path) -> None:
    """One stage: the first begins with nothing, the second goes on."""
    if stage == "1":
        shutil.rmtree(folder / "state", ignore_errors=True)
        release(folder, {})
    for name in STAGES[stage]:
        learn(str(folder / f"streams/{name}.jsonl"), str(folder / "state"))
        sys.stdout.write(f"stage {stage}: learnt {name}\n")
    if stage == "2":
        tuned = json.loads((folder / "state/weights.json").read_text(encoding="utf-8"))
        release(folder, tuned["checks"])
    elsewhere(folder)


if __name__ == "__main__":
    if sys.argv[1:] not in (["1"], ["2"]):
        sys.exit(__doc__)
    main(sys.argv[1], HERE)
