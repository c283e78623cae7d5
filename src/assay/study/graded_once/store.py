"""Seal files under a name, and grade them once.

The files are copied into the study and entered in its ledger before anything is looked at. Grading
reads the sealed copies; its result is stored and entered, good or bad.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from assay.digests import digest, is_name, pretty_json
from assay.errors import AlreadyRun, AlreadySealed, DigestMismatch, NotSealed, SpecError, storage
from assay.files import is_record_path, read_as, write_whole
from assay.ledger.entry import Entry
from assay.result import Result
from assay.study.entries import enter, read_records, records_of
from assay.study.graded_once.kinds import KINDS, result_file, result_noun
from assay.study.records import GradedOnce, StudyRecords
from assay.study.study import StudyFolder
from assay.wording import some

Made = TypeVar("Made", bound=Result)


def seal_files(study: StudyFolder, kind: str, name: str, files: Mapping[str, bytes]) -> Entry:
    """Copy files, by their own names, into the study, and enter them in its ledger."""
    stored = stored_names(kind, name, files)
    with study.ledger as ledger:
        known = read_records(ledger.entries).graded_once.get((kind, name))
        if known is not None:
            raise AlreadySealed(
                f"{kind} {name}: sealed by entry {known.seal.n}",
                hint="Seal it under another name.",
            )
        for inner, data in stored.items():
            path = study.path(inner)
            with storage(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data)
        digests = {inner: digest(data) for inner, data in stored.items()}
        return enter(ledger, f"{kind}-seal", name, files=digests)


def stored_names(kind: str, name: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files by their names in the study; a name that cannot be stored is refused."""
    if not is_name(name):
        raise SpecError(
            f"{name!r:.80} is not a valid name", hint="Use small letters, digits, '-' and '_'."
        )
    stored = {f"{kind}/{name}/{own}": data for own, data in files.items()}
    for inner in stored:
        if not is_record_path(inner) or inner == result_file(kind, name):
            raise SpecError(f"{inner!r:.80} cannot be stored", hint="Give the file another name.")
    return stored


def sealed_contents(root: Path, record: GradedOnce) -> list[bytes]:
    """The sealed files, which must be as they were sealed, in the order of their names."""
    files = record.seal.files
    return [read_as(root, name, files[name]) for name in sorted(files)]


def grade_once(
    study: StudyFolder, kind: str, name: str, grade: Callable[[GradedOnce], Made]
) -> Made:
    """Grade what was sealed, unless it was graded; the result is stored and entered."""
    record = _ungraded(kind, name, records_of(study))
    sealed = digest(b"".join(sealed_contents(study.root, record)))
    made = grade(record)
    if digest(b"".join(sealed_contents(study.root, record))) != sealed:
        raise DigestMismatch(f"{kind} {name} changed while it was graded")
    stored = result_file(kind, name)
    told = {"format": f"assay-{kind}/1", "name": name, "sealed": sealed}
    data = pretty_json(told | {result_noun(kind): made.to_dict()})
    with study.ledger as ledger:
        _ungraded(kind, name, read_records(ledger.entries))
        write_whole(study.path(stored), data)
        enter(ledger, kind, name, files={stored: digest(data)})
    return made


def _ungraded(kind: str, name: str, records: StudyRecords) -> GradedOnce:
    record = records.graded_once.get((kind, name))
    if record is None:
        known = sorted(other for its, other in records.graded_once if its == kind)
        sealed = f"; sealed are {some(known)}" if known else ""
        raise NotSealed(
            f"no {kind} {name!r:.80} in the ledger{sealed}",
            hint=f"Seal it first: {KINDS[kind].how}",
        )
    if record.grade is not None:
        raise AlreadyRun(
            f"{kind} {name}: graded by entry {record.grade.n}",
            hint=f"The {result_noun(kind)} is in {result_file(kind, name)}.",
        )
    return record
