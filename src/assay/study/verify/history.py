"""Part of step 3: check the history up to HEAD, for this study and for its folder.

Two things are a breach: a commit that holds two studies of this origin, and an earlier ledger of
this study with a record, other than a seal, that the present one lacks. A ledger belongs to this
study by its first line, whatever is beside it, or by the plan beside it. Another ledger in the same
place is noted: a study can be deleted and opened again.
"""

import posixpath
from collections.abc import Collection, Iterator, Sequence

from assay.errors import BrokenChain, IntegrityError, NotHere, SpecError
from assay.journal import whole_lines
from assay.ledger.chain import read_chain
from assay.study.git import Blob, FileChange, Repository
from assay.study.locate import FILE, LEDGER
from assay.study.study import MAX_PLAN_BYTES
from assay.study.verify.context import Verifying
from assay.toml import read_toml

_MOST_NOTED = 3
_BATCH = 20_000
_MOST_LOOKED_UP = 1_000_000
"""The most folders times commits; git looks up some hundred thousand a second."""


def check_history(at: Verifying, repository: Repository) -> list[str]:
    """Refuse two places in one commit, and a ledger that lost a record; returns notes."""
    changes = repository.history(FILE, LEDGER)
    planned = _check_one_a_commit(at, repository, changes)
    ledgers: dict[Blob, list[tuple[str, str]]] = {}
    for commit, path, blob in changes:
        if blob is not None and posixpath.basename(path) == LEDGER:
            ledgers.setdefault(blob, []).append((commit, _folder(path)))
    first_line = b"".join(at.chain.lines[:1])
    ours: set[str] = {repository.prefix}
    others: dict[bytes, list[tuple[str, str]]] = {}
    notes: list[str] = []
    for blob, held in ledgers.items():
        old = repository.blob(blob.name)
        opening = old.partition(b"\n")[0]
        if opening == first_line or blob in planned:
            notes += _left_behind(at, old, *held[0])
            ours |= {place for _, place in held}
        elif opening:
            others.setdefault(opening, []).extend(held)
    founded = [next((each for each in held if each[1] in ours), None) for held in others.values()]
    notes += [
        f"commit {each[0][:12]} held another ledger in {each[1]}: the study may have been opened"
        " again"
        for each in founded
        if each is not None
    ]
    more = len(notes) - _MOST_NOTED
    return notes[:_MOST_NOTED] + ([f"and {more} more in the history"] if more > 0 else [])


def _check_one_a_commit(
    at: Verifying, repository: Repository, changes: Sequence[FileChange]
) -> set[Blob]:
    """The ledgers beside a plan of this origin; a commit that holds two of these is a breach.

    Only folders that ever had such a plan and a ledger are looked up, and only in the commits that
    changed one of them: in between they stay the same.
    """
    plans = {
        (change.blob, _folder(change.path))
        for change in changes
        if change.blob is not None
        and posixpath.basename(change.path) == FILE
        and change.blob.size <= MAX_PLAN_BYTES
    }
    origin = at.study.config.origin
    different = {blob for blob, _ in plans}
    ours = {blob for blob in different if origin_in(repository.blob(blob.name)) == origin}
    kept = {_folder(each.path) for each in changes if posixpath.basename(each.path) == LEDGER}
    places = sorted({place for blob, place in plans if blob in ours} & kept)
    known = frozenset(places)
    commits = list(dict.fromkeys(each.commit for each in changes if _folder(each.path) in known))
    if len(commits) * len(places) > _MOST_LOOKED_UP:
        raise NotHere(
            f"{len(commits):,} commits changed {len(places):,} folders of the origin {origin}:"
            f" more than {_MOST_LOOKED_UP:,} to look up"
        )
    planned: set[Blob] = set()
    for commit, holding in _holding(repository, commits, places, ours):
        if len(holding) > 1:
            raise IntegrityError(
                f"commit {commit[:12]} holds two studies of the origin {origin}:"
                f" {' and '.join(list(holding)[:2])}; a seal belongs in one place"
            )
        planned |= set(holding.values())
    return planned


def _holding(
    repository: Repository, commits: Sequence[str], places: Sequence[str], plans: Collection[Blob]
) -> Iterator[tuple[str, dict[str, Blob]]]:
    """The ledgers, by folder, that each commit holds beside one of these plans."""
    step = max(1, _BATCH // max(1, len(places)))
    for begin in range(0, len(commits), step):
        batch = commits[begin : begin + step]
        paths = [_inner(place, name) for place in places for name in (FILE, LEDGER)]
        files = repository.blobs([(commit, path) for commit in batch for path in paths])
        for commit in batch:
            yield (
                commit,
                {
                    place: ledger
                    for place in places
                    if files.get((commit, _inner(place, FILE))) in plans
                    and (ledger := files.get((commit, _inner(place, LEDGER)))) is not None
                },
            )


def origin_in(data: bytes) -> str | None:
    """The origin that a plan names; None if it is not a plan of ours."""
    try:
        origin = read_toml(data, where=FILE).get("origin")
    except SpecError:
        return None
    return origin if isinstance(origin, str) else None


def _left_behind(at: Verifying, old: bytes, commit: str, place: str) -> list[str]:
    """Seals of an older ledger that the present one lacks; any other lost record is a breach.

    A seal that was never run shows nothing: two branches may seal, and one of them may seal again
    after the other was merged. An unreadable ledger, such as one with a git conflict in it, is
    named: it may have held a result.
    """
    whole = whole_lines(old)
    lines = whole.split(b"\n")[:-1]
    if at.chain.lines[: len(lines)] == lines:
        return []
    try:
        entries = read_chain(whole, where=commit).entries
    except BrokenChain:
        return [f"commit {commit[:12]} holds a ledger of this study that cannot be read"]
    pairs = zip(lines, at.chain.lines, strict=False)
    same = next((n for n, (then, now) in enumerate(pairs) if then != now), len(at.chain.lines))
    lost = entries[same:]
    if all(entry.kind == "seal" for entry in lost):
        return [
            f"commit {commit[:12]} holds a seal of {entry.subject:.64} that this ledger lacks"
            for entry in lost
        ]
    raise IntegrityError(
        f"the ledger in commit {commit[:12]} ({place}) differs from line {same + 1} on: the study"
        " was forked, or a record was removed",
        hint="Records must not be removed. If two branches continued one ledger, keep the"
        " published one; the runs of the other are not results.",
    )


def _folder(path: str) -> str:
    return posixpath.dirname(path) or "."


def _inner(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"
