"""Find the commit that is the witness of a seal."""

import os

from assay.benchmark.benchmark import BUNDLED
from assay.digests import digest
from assay.errors import BrokenChain, NotWitnessed
from assay.study.commits.commit_files import how_to_commit, seal_files
from assay.study.entries import read_records
from assay.study.git import repository_of
from assay.study.locate import LEDGER
from assay.study.study import StudyFolder
from assay.study.submissions.sealed import SealedPrereg


def witness_of(study: StudyFolder, sealed: SealedPrereg, *, unwitnessed: bool) -> str | None:
    """The commit that holds the seal and all it names; without one, an error, or None."""
    lacking = _lacking(study, sealed)
    if isinstance(lacking, list):
        if unwitnessed:
            return None
        reason = f"no commit holds the seal of {sealed.id} yet"
        how = how_to_commit(study, seal_files(study, sealed.id), f"Seal {sealed.id}")
        hint = f"Commit it: {how}"
        if not lacking:
            reason = f"{sealed.id} has no witness: the study is not in a git repository"
            hint = "Put it into one and commit, or run it unwitnessed: `unwitnessed=True`."
        elif _ignored(study, lacking):
            reason = f"git ignores {_ignored(study, lacking)} (see .gitignore)"
            hint = "A study is published completely: remove that line, or use `git add -f`."
        elif lacking[0] != LEDGER:
            reason = f"the last commit does not hold {lacking[0]} as it was sealed"
        raise NotWitnessed(reason, hint=hint)
    return lacking


def _ignored(study: StudyFolder, names: list[str]) -> str | None:
    """The first of these files that a .gitignore names."""
    repository = repository_of(study.root)
    ignored = [] if repository is None else repository.ignored(names)
    return ignored[0] if ignored else None


def _lacking(study: StudyFolder, sealed: SealedPrereg) -> str | list[str]:
    """The commit that holds everything sealed, or the sealed files that the last commit lacks."""
    repository = repository_of(study.root)
    if repository is None:
        return []
    head = repository.head()
    if head is None:
        return [LEDGER]
    chain = study.chain()
    committed = (repository.read(head, LEDGER) or b"").split(b"\n")[:-1]
    if chain.lines[: len(committed)] != committed:
        raise BrokenChain(
            f"{LEDGER} does not continue the ledger of the last commit: entries were changed or"
            " removed",
            hint=f"Restore it: git checkout HEAD -- {os.path.relpath(study.root / LEDGER)}",
        )
    number = read_records(chain.entries).submissions[sealed.id].seal.n
    missing = [] if number < len(committed) else [LEDGER]
    expected = [(f"preregs/{sealed.id}/seal.json", sealed.digest)]
    expected += [(name, file.digest) for name, file in sealed.seal.files.items()]
    for corpus in (sealed.seal.benchmark, sealed.seal.second):
        place = None if corpus is None else corpus.origin.place
        # No commit can hold data outside the repository; sealing says so.
        if corpus is not None and place and place not in BUNDLED and repository.holds(place):
            expected.append((place, corpus.file or corpus.digest))
    for name, sealed_digest in expected:
        data = repository.read(head, name)
        if data is None or digest(data) != sealed_digest:
            missing.append(name)
    return missing or f"git:{head}"
