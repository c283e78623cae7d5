"""One seal, one place: there is no second study of the same origin here, nor in the history.

A copy of a study can be run as well as the study, and the worse of the two deleted. In the tree a
second folder of the same origin is a breach. In the history up to HEAD, so is a commit that holds
two, and a ledger of this origin with a record, other than a seal, that the present one has not.
"""

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

from assay.errors import BrokenChain, IntegrityError
from assay.journal import whole_lines
from assay.ledger.chain import read_chain
from assay.study.git import Repository
from assay.study.locate import FILE, LEDGER
from assay.study.verify.context import Verifying

_MOST_BYTES = 1 << 20


def check_one_place(at: Verifying) -> list[str]:
    """Refuse a second study of this origin; what of the history a reader must know."""
    mine = at.study.root.resolve()
    for place in _studies_around(at, mine):
        if place != mine and _origin_there(place / FILE) == at.study.config.origin:
            raise IntegrityError(
                f"{_shown(place, mine)} is another study of the origin {at.study.config.origin}:"
                " a seal has one place",
                hint="A copy can be run as well. Remove the one that was never published.",
            )
    if at.repository is None or at.repository.head() is None:
        return []
    notes = _check_history(at, at.repository)
    if at.repository.is_shallow():
        notes.append("the history was cut off here, and other copies in it were not looked for")
    return notes


def _studies_around(at: Verifying, mine: Path) -> Iterator[Path]:
    """The studies of the work tree; outside git, those beside this one.

    A folder with a `.git` of its own is another checkout.
    """
    if at.repository is None:
        yield from (path.parent for path in mine.parent.glob(f"*/{FILE}"))
        return
    depth = len(Path(at.repository.prefix).parts)
    top = mine if depth == 0 else mine.parents[depth - 1]
    for here, folders, files in os.walk(top):
        place = Path(here)
        if place != top and ".git" in (*folders, *files):
            folders.clear()
        elif FILE in files and LEDGER in files:
            yield place
        folders[:] = [name for name in folders if name != ".git"]


def _shown(place: Path, mine: Path) -> str:
    return os.path.relpath(place, mine.parent)


def _origin_there(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return _origin(file.read(_MOST_BYTES))
    except OSError:
        return None


def _origin(data: bytes) -> str | None:
    """The origin that a plan names; None where it can be none of ours."""
    try:
        origin = tomllib.loads(data.decode()).get("origin")
    except (ValueError, RecursionError):
        return None
    return origin if isinstance(origin, str) else None


def _check_history(at: Verifying, repository: Repository) -> list[str]:
    """Refuse two places in one commit, and a ledger that lost a record; what to note besides."""
    commits, places = repository.history(LEDGER)
    asked = [
        (commit, _inner(place, name))
        for commit in commits
        for place in places
        for name in (FILE, LEDGER)
    ]
    blobs = repository.blobs(asked)
    plans = {blob for (_, path), blob in blobs.items() if path.endswith(FILE)}
    ours = {blob for blob in plans if _origin(repository.blob(blob)) == at.study.config.origin}
    ledgers: dict[str, tuple[str, str]] = {}
    for commit in commits:
        holding = [
            place
            for place in places
            if blobs.get((commit, _inner(place, FILE))) in ours
            and (commit, _inner(place, LEDGER)) in blobs
        ]
        if len(holding) > 1:
            raise IntegrityError(
                f"commit {commit[:12]} holds two studies of the origin {at.study.config.origin}:"
                f" {holding[0]} and {holding[1]}; a seal has one place"
            )
        for place in holding:
            ledgers.setdefault(blobs[commit, _inner(place, LEDGER)], (commit, place))
    notes = [
        note
        for blob, (commit, place) in ledgers.items()
        for note in _left_behind(at, repository.blob(blob), commit, place)
    ]
    return notes[:3] + ([f"and {len(notes) - 3} more seals were"] if notes[3:] else [])


def _left_behind(at: Verifying, old: bytes, commit: str, place: str) -> list[str]:
    """Seals of an older ledger that the present one has not; anything else it lost is a breach.

    A seal that was never run shows nothing: two branches may seal, and one of them seal again after
    the other was merged. What never was a ledger is an accident that was mended, such as a conflict
    that git left in it.
    """
    whole = whole_lines(old)
    lines = whole.split(b"\n")[:-1]
    if at.chain.lines[: len(lines)] == lines:
        return []
    try:
        entries = read_chain(whole, where=commit).entries
    except BrokenChain:
        return []
    pairs = zip(lines, at.chain.lines, strict=False)
    same = next((n for n, (then, now) in enumerate(pairs) if then != now), len(at.chain.lines))
    lost = entries[same:]
    if all(entry.kind == "seal" for entry in lost):
        return [f"commit {commit[:12]} sealed {entry.subject:.64} otherwise" for entry in lost]
    raise IntegrityError(
        f"the ledger of this study in commit {commit[:12]} ({place}) went on otherwise from line"
        f" {same + 1}: there were two of one origin, or a record was taken back",
        hint="A record is not taken back. Where two branches went on from one ledger, keep what was"
        " published; what the other has run is no result of this study.",
    )


def _inner(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"
