"""A method as a command: reads items, asks the method about each, writes scores.

    python -c BOOT HOME KIND TARGET ATTRIBUTE KEY ITEMS OUTPUTS SEED

KEY is `score`, or `answer` if items are solved.

So a method runs like any other system: watched, on a copy of its state, which an environment
variable names.
"""

import json
import sys
from pathlib import Path

from assay.errors import AssayError, MethodNotLoaded
from assay.method.registry import MethodRef
from assay.runs import method_loader as calling
from assay.runs.answers import check_output, score_of

_HOME = Path(__file__).resolve().parents[3]
_BOOT = (
    "import sys; sys.path.append(sys.argv[1]);"
    " from assay.dual_condition.system.method_command import main; main()"
)


def method_words(method: MethodRef, *, solved: bool) -> tuple[str, ...]:
    """The command that asks a method, with places for items, outputs and seed."""
    named = (method.kind, method.target, method.attribute, "answer" if solved else "score")
    places = ("{items}", "{outputs}", "{seed}")
    return ("python", "-P", "-c", _BOOT, str(_HOME), *named, *places)


def main() -> None:
    """Ask about every item; an error is the last line printed."""
    kind, target, attribute, key, items, outputs, seed = sys.argv[-7:]
    sys.argv[1:] = []
    try:
        calling.seed_everything(int(seed))
        loaded = calling.load(kind, target, attribute)
        if loaded.learner:
            raise MethodNotLoaded(f"{target}:{attribute} learns from labels, but there are none")
        calling.seed_everything(int(seed))
        _ask(loaded, key, Path(items), Path(outputs))
    except AssayError as error:
        sys.exit(f"{error.message}")


def _ask(loaded: calling.Loaded, key: str, items: Path, outputs: Path) -> None:
    with items.open(encoding="utf-8") as asked, outputs.open("w", encoding="utf-8") as written:
        for line in asked:
            item = json.loads(line)
            raw = calling.call(loaded, item["question"], item["response"])
            if key == "score":
                raw = score_of(check_output(raw, task="detection", classes=()))
            elif not isinstance(raw, str | int | float):
                sys.exit(f"expected an answer, a text or a number, got {raw!r:.60}")
            written.write(json.dumps({"id": item["id"], key: raw}) + "\n")
