"""What counts as an answer.

A method answers with a number (a score), a text (a class), or a mapping with `score`, `class` or
both; or it abstains, with a mapping that holds the reason alone: `{"abstain": "no idea"}`.
Everything else, and every score that is not finite, is a `BadOutput`: an answer that cannot be
ranked is not a low answer. So is a text that could not be stored and read back.
"""

import math
from collections.abc import Collection, Mapping

from assay.benchmark.benchmark import Task
from assay.bounds import text_fault
from assay.errors import Abstained, BadOutput

Output = float | str | dict[str, float | str]


def check_output(raw: object, task: Task, classes: Collection[str]) -> Output:
    """The answer in its stored form, or a BadOutput with what was got and expected."""
    if type(raw) is float and task == "detection" and math.isfinite(raw):
        return raw  # nearly every answer, so looked at first
    if isinstance(raw, Mapping):
        return _check_mapping(raw, task, classes)
    if task == "detection":
        return _score(raw)
    return _class(raw, classes)


def score_of(output: Output) -> float:
    """The score in a checked answer to a detection task."""
    score = output["score"] if isinstance(output, dict) else output
    return float(score)


def class_of(output: Output) -> str:
    """The class in a checked answer to a classification task."""
    return str(output["class"] if isinstance(output, dict) else output)


def _check_mapping(
    raw: Mapping[object, object], task: Task, classes: Collection[str]
) -> dict[str, float | str]:
    if raw.keys() == {"abstain"}:
        raise Abstained(f"{raw['abstain']!s:.200}")
    needed = "score" if task == "detection" else "class"
    if needed not in raw:
        raise BadOutput(f"got a mapping with {_keys(raw)}; {task} needs the key {needed!r}")
    unknown = [key for key in raw if key not in ("score", "class")]
    if unknown:
        raise BadOutput(f"got a mapping with {_keys(raw)}; only 'score' and 'class' are read")
    checked: dict[str, float | str] = {}
    if "score" in raw:
        checked["score"] = _score(raw["score"])
    if "class" in raw:
        # What the task does not ask for is kept, but need not be a class of these data.
        text = raw["class"]
        if task == "detection" and isinstance(text, str):
            checked["class"] = _storable(text)
        else:
            checked["class"] = _class(text, classes)
    return checked


def _score(raw: object) -> float:
    if isinstance(raw, float | int):
        try:
            number = float(raw)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
        raise BadOutput(f"got {raw!r:.40} as score, expected a finite number")
    raise BadOutput(f"got {_shown(raw)} as score, expected a finite number")


def _class(raw: object, classes: Collection[str]) -> str:
    if isinstance(raw, str) and raw in classes:
        return _storable(raw)
    raise BadOutput(f"got {_shown(raw)} as class, expected one of {', '.join(sorted(classes))}")


def _storable(text: str) -> str:
    fault = text_fault(text)
    if fault is not None:
        raise BadOutput(f"got {fault}, as class")
    return str.__str__(text)  # of a subclass too, which no record holds


def _shown(raw: object) -> str:
    text = f"{raw!r:.60}"
    return text if isinstance(raw, str) else f"{type(raw).__name__} {text}"


def _keys(raw: Mapping[object, object]) -> str:
    return ", ".join(f"{key!r:.40}" for key in raw) or "no keys"
