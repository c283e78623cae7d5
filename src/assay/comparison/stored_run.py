"""A stored run as a trial: the bars of its scorecard are the dimensions.

A run holds outputs and no scores, so it must be judged before it is compared. The bars are the
scorer: runs judged under different bars are not compared. A study vouches for its own runs. For any
other run the scorecard under the newest bars is used, and recomputed where data and bars are
available; a scorecard that does not match its outputs was edited.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.comparison.result import ComparisonCaveat
from assay.differences import is_close
from assay.digests import digest, parse_object, short
from assay.errors import DigestMismatch, IntegrityError, SpecError, StorageError, storage
from assay.files import read_bounded
from assay.gauntlet.result import Scorecard
from assay.gauntlet.store import kept_scorecards
from assay.logs.trial import Trial

HEAD = "run.json"
MOST_BYTES = 64 << 20
ScorecardReader = Callable[[Path], Scorecard | None]
"""Reads the scorecard of a study's run, checked against its ledger; None for any other folder."""


@dataclass(frozen=True, kw_only=True)
class StoredRun:
    """The trial of a run's folder, its identifying bytes, and caveats on its scorecard."""

    trial: Trial
    head: bytes
    caveats: tuple[ComparisonCaveat, ...] = ()


def is_stored_run(folder: Path) -> bool:
    """Whether a folder is one that `assay try` or a study made."""
    with storage(folder):
        return (folder / HEAD).is_file()


def read_stored_run(folder: Path, *, in_study: ScorecardReader = lambda _: None) -> StoredRun:
    """The trial of a run's folder; `in_study` reads the scorecards of a study's own runs."""
    data = read_bounded(folder / HEAD, MOST_BYTES)
    head = parse_object(data, where=str(folder / HEAD))
    caveats: list[ComparisonCaveat] = []
    vouched = in_study(folder)
    card = vouched or _newest_kept(folder, caveats)
    try:
        if card.unscored or not head["complete"]:
            raise SpecError(f"{folder}: items of this run are unscored, so it cannot be compared")
        trial = Trial(
            instance=f"{head['benchmark']['name']}@{short(head['benchmark']['digest'])}",
            trial=str(head["seed"]),
            dimensions={bar.id: bar.value for bar in card.bars},
            harness={str(key): str(value) for key, value in head["harness"].items()},
            scorer=f"bars {card.bars_version}@{short(str(card.digests['bars']))}",
            run=digest(data),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise SpecError(f"{folder}: not a run written by Assay: {error}") from None
    if vouched is None and not _is_given_by_outputs(folder, card):
        message = f"This concerns {card.method:.80}, under {card.bars_version}."
        caveats.append(ComparisonCaveat(code="unverified-scorecard", message=message))
    return StoredRun(trial=trial, head=data, caveats=tuple(caveats))


def _newest_kept(folder: Path, caveats: list[ComparisonCaveat]) -> Scorecard:
    """The latest scorecard under the newest bars."""
    kept = kept_scorecards(folder)
    if not kept:
        raise SpecError(
            f"{folder}: this run has no scorecard",
            hint=f"Judge it first: assay score {folder}",
        )
    newest = max(kept, key=lambda made: (_order(made.scorecard.bars_version), made.judged))
    versions = sorted({made.scorecard.bars_version for made in kept}, key=_order)
    if len(versions) > 1:
        card = newest.scorecard
        message = f"{card.method:.80}: {card.bars_version}, of {', '.join(versions)}."
        caveats.append(ComparisonCaveat(code="several-bars", message=message))
    return newest.scorecard


def _order(version: str) -> tuple[tuple[str, int, str], ...]:
    """A version in natural order: v2 before v10."""
    parts = re.findall(r"([^0-9]*)0*([0-9]*)", version)
    return tuple((text, len(digits), digits) for text, digits in parts)


def _is_given_by_outputs(folder: Path, card: Scorecard) -> bool:
    """Whether judging the outputs again gives the scorecard; False if they cannot be judged.

    Refuses a scorecard that does not match them.
    """
    # Only where a stored run is compared: loading these takes as long as a small comparison.
    from assay.gauntlet.load import bundled_versions, load_bars
    from assay.gauntlet.rejudge import judge_again
    from assay.runs.store import load_run

    known = {load_bars(name, task=card.task).digest: name for name in bundled_versions(card.task)}
    version = known.get(str(card.digests.get("bars")))
    if version is None:
        return False
    load_run(folder)  # refuses outputs that were edited
    try:
        _, again = judge_again(folder, version)
    except (SpecError, StorageError, DigestMismatch):  # the data are gone, or other data
        return False
    if _figures(card) != _figures(again) or not _close(card, again):
        raise IntegrityError(
            f"{folder}: its scorecard under {version} does not match its outputs",
            hint=f"It was edited, or made by another version. Judge it again: assay score {folder}"
            f" `bars={version}`",
        )
    return True


def _figures(card: Scorecard) -> tuple[object, ...]:
    """The parts of a scorecard that a comparison uses, without the values."""
    return card.bars_version, card.unscored, dict(card.digests), [bar.id for bar in card.bars]


def _close(card: Scorecard, again: Scorecard) -> bool:
    pairs = zip(card.bars, again.bars, strict=True)
    return all(is_close(stored.value, judged.value) for stored, judged in pairs)
