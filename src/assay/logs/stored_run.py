"""A stored run of ours as a trial: its scorecard's bars are the dimensions.

A run holds outputs and no scores, so it can be compared once it was judged. The bars are the
scorer: runs judged under different ones are not compared.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.digests import digest, parse_object, short
from assay.errors import SpecError, storage
from assay.files import read_bounded
from assay.logs.trial import Trial

HEAD = "run.json"
MOST_BYTES = 64 << 20


def is_stored_run(folder: Path) -> bool:
    """Whether a folder is one that `assay try --save` or a study made."""
    with storage(folder):
        return (folder / HEAD).is_file()


def read_stored_run(folder: Path) -> tuple[list[Trial], bytes]:
    """The trial of a run's folder, and the bytes that name it."""
    data = read_bounded(folder / HEAD, MOST_BYTES)
    head = parse_object(data, where=str(folder / HEAD))
    card = _scorecard(folder)
    try:
        if card["unscored"] or not head["complete"]:
            raise SpecError(f"{folder}: items of this run are unscored, so it cannot be compared")
        trial = Trial(
            instance=f"{head['benchmark']['name']}@{short(head['benchmark']['digest'])}",
            trial=str(head["seed"]),
            dimensions={bar["id"]: bar["value"] for bar in card["bars"]},
            harness={str(key): str(value) for key, value in head["harness"].items()},
            scorer=f"bars {card['bars_version']}@{short(card['digests']['bars'])}",
            run=digest(data),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise SpecError(f"{folder}: no run that Assay wrote: {error}") from None
    return [trial], data


def _scorecard(folder: Path) -> Mapping[str, Any]:
    """The last scorecard of a run: beside it, or in the study that it lies in."""
    with storage(folder):
        beside = sorted((folder / "scorecards").glob("*.json"))
        study = folder.resolve().parent.parent / "scorecards"
        found = beside or sorted(study.glob(f"{folder.resolve().name}@*.json"))
        if not found:
            raise SpecError(
                f"{folder}: a run holds outputs, and there is no scorecard of this one",
                hint=f"Judge it first: assay score {folder}",
            )
        cards = [parse_object(read_bounded(path, MOST_BYTES), where=str(path)) for path in found]
    made = [card for card in cards if isinstance(card.get("scorecard"), dict)]
    if not made:
        raise SpecError(f"{folder}: its scorecards hold no scores")
    last = max(made, key=lambda card: str(card.get("judged", "")))
    card: Mapping[str, Any] = last["scorecard"]
    return card
