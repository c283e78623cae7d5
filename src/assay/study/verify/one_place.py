"""One seal, one place: there is no second study of the same origin in the work tree.

A copy of a study can be run as well as the study, and the worse of the two deleted. In the tree a
second folder of the same origin is a breach; one in a checkout of its own is noted. The history is
looked at in `history`.
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
    """Refuse a second study of this origin; what of the history a reader must know."""
    mine = at.study.root.resolve()
    notes = []
    for place, apart in _studies_around(at, mine):
        if place == mine or _origin_there(place / FILE) != at.study.config.origin:
            continue
        copy = f"{_shown(place, mine)} is another study of the origin {at.study.config.origin}"
        if not apart:
            raise IntegrityError(
                f"{copy}: a seal has one place",
                hint="A copy can be run as well. Remove the one that was never published.",
            )
        notes.append(f"{copy}, in a checkout of its own")
    if at.repository is None or at.repository.head() is None:
        return notes
    for repository in (at.repository, *at.around):
        notes += check_history(at, repository)
        if repository.is_shallow():
            cut = "the history was cut off here, and other copies in it were not looked for"
            notes += [cut] if cut not in notes else []
    return notes


def _studies_around(at: Verifying, mine: Path) -> Iterator[tuple[Path, bool]]:
    """The studies of the work tree, and whether they are in a checkout of their own.

    Outside git they are those beside this one.
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
