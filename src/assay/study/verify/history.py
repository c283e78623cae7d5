"""Part of step 3: what the history up to HEAD held of this study, and in its place.

A breach is a commit that holds two studies of this origin, and a ledger of this study with a
record, other than a seal, that the present one has not. A ledger is ours by its first line,
whatever lies beside it, or by the plan beside it. Noted is another ledger in the same place: a
study can be deleted and founded anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.errors import BrokenChain, IntegrityError, SpecError
from assay.journal import whole_lines
from assay.ledger.chain import read_chain
from assay.study.git import Blob, Repository
from assay.study.locate import FILE, LEDGER
from assay.study.study import MAX_PLAN_BYTES
from assay.study.verify.context import Verifying
from assay.toml import read_toml

_MOST_NOTED = 3


@dataclass(frozen=True, kw_only=True)
class _Past:
    """The commits that touched a plan or a ledger, the folders of those, and their files."""

    commits: list[str]
    places: list[str]
    files: Mapping[tuple[str, str], Blob]
    ledgers: dict[Blob, list[tuple[str, str]]] = field(default_factory=dict)

    def file(self, commit: str, place: str, name: str) -> Blob | None:
        return self.files.get((commit, _inner(place, name)))


def check_history(at: Verifying, repository: Repository) -> list[str]:
    """Refuse two places in one commit, and a ledger that lost a record; what to note besides."""
    past = _past_of(repository)
    planned = _check_one_a_commit(at, repository, past)
    first_line = b"".join(at.chain.lines[:1])
    ours: set[str] = {repository.prefix}
    others: dict[bytes, list[tuple[str, str]]] = {}
    notes: list[str] = []
    for blob, held in past.ledgers.items():
        old = repository.blob(blob.name)
        opening = old.partition(b"\n")[0]
        if opening == first_line or blob in planned:
            notes += _left_behind(at, old, *held[0])
            ours |= {place for _, place in held}
        elif opening:
            others.setdefault(opening, []).extend(held)
    founded = [next((each for each in held if each[1] in ours), None) for held in others.values()]
    notes += [
        f"commit {each[0][:12]} held another ledger in {each[1]}: the study may have been founded"
        " anew"
        for each in founded
        if each is not None
    ]
    more = len(notes) - _MOST_NOTED
    return notes[:_MOST_NOTED] + ([f"and {more} more in the history"] if more > 0 else [])


def _past_of(repository: Repository) -> _Past:
    commits, places = repository.history(FILE, LEDGER)
    names = (FILE, LEDGER)
    asked = [
        (commit, _inner(place, name)) for commit in commits for place in places for name in names
    ]
    past = _Past(commits=commits, places=places, files=repository.blobs(asked))
    for commit in commits:
        for place in places:
            ledger = past.file(commit, place, LEDGER)
            if ledger is not None:
                past.ledgers.setdefault(ledger, []).append((commit, place))
    return past


def _check_one_a_commit(at: Verifying, repository: Repository, past: _Past) -> set[Blob]:
    """The ledgers beside a plan of this origin; a commit that holds two of these is a breach."""
    plans = {
        blob
        for (_, path), blob in past.files.items()
        if path.endswith(FILE) and blob.size <= MAX_PLAN_BYTES
    }
    origin = at.study.config.origin
    ours = {blob for blob in plans if origin_in(repository.blob(blob.name)) == origin}
    planned: set[Blob] = set()
    for commit in past.commits:
        holding = {
            place: ledger
            for place in past.places
            if past.file(commit, place, FILE) in ours
            and (ledger := past.file(commit, place, LEDGER)) is not None
        }
        if len(holding) > 1:
            raise IntegrityError(
                f"commit {commit[:12]} holds two studies of the origin {origin}:"
                f" {' and '.join(list(holding)[:2])}; a seal has one place"
            )
        planned |= set(holding.values())
    return planned


def origin_in(data: bytes) -> str | None:
    """The origin that a plan names; None where it can be none of ours."""
    try:
        origin = read_toml(data, where=FILE).get("origin")
    except SpecError:
        return None
    return origin if isinstance(origin, str) else None


def _left_behind(at: Verifying, old: bytes, commit: str, place: str) -> list[str]:
    """Seals of an older ledger that the present one has not; anything else it lost is a breach.

    A seal that was never run shows nothing: two branches may seal, and one of them seal again after
    the other was merged. One that cannot be read, such as with a conflict that git left in it, is
    named: a result may have been in it.
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
        return [f"commit {commit[:12]} sealed {entry.subject:.64} otherwise" for entry in lost]
    raise IntegrityError(
        f"the ledger of this study in commit {commit[:12]} ({place}) went on otherwise from line"
        f" {same + 1}: there were two of one origin, or a record was taken back",
        hint="A record is not taken back. Where two branches went on from one ledger, keep what was"
        " published; what the other has run is no result of this study.",
    )


def _inner(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"
