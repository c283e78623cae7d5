"""One seal, one place: refuse a second study of the same origin in the work tree.

An author could run a study and a copy of it, and delete the worse one. In the work tree a second
folder of the same origin is a breach; one in another checkout is noted. `history` searches the
history.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from assay.errors import IntegrityError, SpecError, StorageError
from assay.files import path_names, read_bounded
from assay.study.git import is_checkout
from assay.study.locate import FILE, LEDGER
from assay.study.study import MAX_PLAN_BYTES
from assay.study.verify.context import Verifying
from assay.study.verify.history import check_history, origin_in


def check_one_place(at: Verifying) -> list[str]:
    """Refuse a second study of this origin; returns notes about the history."""
    mine = at.study.root.resolve()
    notes = []
    for place, apart in _studies_around(at, mine):
        if place == mine or _origin_there(place / FILE) != at.study.config.origin:
            continue
        copy = f"{_shown(place, mine)} is another study of the origin {at.study.config.origin}"
        if not apart:
            raise IntegrityError(
                f"{copy}: a seal belongs in one place",
                hint="A copy could be run too. Remove the one that was never published.",
            )
        notes.append(f"{copy}, in another checkout")
    if at.repository is None or at.repository.head() is None:
        return notes
    for repository in (at.repository, *at.around):
        notes += check_history(at, repository)
        if repository.is_shallow():
            cut = "this clone is shallow, so older commits were not searched for copies"
            notes += [cut] if cut not in notes else []
    return notes


def _studies_around(at: Verifying, mine: Path) -> Iterator[tuple[Path, bool]]:
    """The studies of the work tree, and whether they are in another checkout.

    Outside git, the studies beside this one.
    """
    if at.repository is None:
        yield from ((path.parent, False) for path in mine.parent.glob(f"*/{FILE}"))
        return
    depth = len(Path(at.repository.prefix).parts)
    top = mine if depth == 0 else mine.parents[depth - 1]
    checkouts: set[Path] = set()
    for here, folders, files in os.walk(top):
        place = Path(here)
        if place != top and (place.parent in checkouts or is_checkout(place)):
            checkouts.add(place)
        if FILE in files and LEDGER in files:
            yield place, place in checkouts
        folders[:] = [name for name in folders if name != ".git"]


def _shown(place: Path, mine: Path) -> str:
    return path_names([os.path.relpath(place, mine.parent)], most=1)[0]


def _origin_there(path: Path) -> str | None:
    try:
        return origin_in(read_bounded(path, MAX_PLAN_BYTES))
    except (SpecError, StorageError):  # no plan that a study could have
        return None
