"""One reader for each kind of ledger entry: it checks the entry, and adds it to the records.

A new kind of entry needs a reader here.
"""

from collections.abc import Callable, Mapping

from assay.digests import is_digest
from assay.errors import IntegrityError
from assay.files import is_record_path
from assay.ledger.entry import Entry
from assay.study.graded_once.kinds import KINDS, result_file
from assay.study.locate import FILE
from assay.study.ratify.standing import standing
from assay.study.records import BarsRecord, GradedOnce, StudyRecords, SubmissionRecord
from assay.study.study import RECORDS, bars_in

NOTHING = "none"
"""Stands for the digest of a missing file or folder."""
LONGEST_REASON = 1000
"""How many characters the reason of a withdrawal may have."""


def _study(records: StudyRecords, entry: Entry, where: str) -> None:
    if FILE not in entry.files:
        raise IntegrityError(f"{where}: it does not name {FILE}")
    records.opening = entry
    for name in entry.files:
        if name != FILE:
            _add_bars(records, entry, name, where)
    if not records.bars:
        raise IntegrityError(f"{where}: it does not name any bars")
    for task in {bars.task for bars in records.bars}:
        if len(records.versions(task)) > 1:
            raise IntegrityError(f"{where}: it names several versions of the {task} bars")


def control_files(bars: str) -> tuple[str, ...]:
    """Where the run of a revision's control is stored, by the name of the bars."""
    return tuple(f"controls/{bars}/{name}" for name in ("outputs.jsonl", "run.json"))


def _bars(records: StudyRecords, entry: Entry, where: str) -> None:
    name = f"bars/{entry.subject}.toml"
    controls = control_files(entry.subject)
    stored = any(path in entry.files for path in controls)
    _expect(entry, where, name, *(controls if stored else ()))
    _add_bars(records, entry, name, where)


def _add_bars(records: StudyRecords, entry: Entry, name: str, where: str) -> None:
    parsed = bars_in(name)
    if parsed is None:
        raise IntegrityError(f"{where}: {name!r:.80} is not a bars file")
    task, version = parsed
    if any(bars.version == version for bars in records.versions(task)):
        raise IntegrityError(f"{where}: {task} bars {version} were entered before")
    records.bars.append(
        BarsRecord(task=task, version=version, path=name, digest=entry.files[name], entry=entry)
    )


def _seal(records: StudyRecords, entry: Entry, where: str) -> None:
    _expect(entry, where, f"preregs/{entry.subject}/seal.json")
    if entry.subject in records.submissions:
        raise IntegrityError(f"{where}: it was sealed before")
    records.submissions[entry.subject] = SubmissionRecord(id=entry.subject, seal=entry)


def _withdraw(records: StudyRecords, entry: Entry, where: str) -> None:
    _expect(entry, where)
    record = _submission(records, entry, where)
    if record.withdrawn is not None:
        raise IntegrityError(f"{where}: it was withdrawn before")
    if record.started is not None:
        raise IntegrityError(f"{where}: it was started before, so it cannot be withdrawn")
    reason = entry.said.get("because", "").strip()
    if not reason or len(reason) > LONGEST_REASON:
        raise IntegrityError(f"{where}: it does not give a valid reason")
    record.withdrawn = entry


def _started(records: StudyRecords, entry: Entry, where: str) -> None:
    _expect(entry, where)
    record = _submission(records, entry, where)
    if record.withdrawn is not None:
        raise IntegrityError(f"{where}: it was withdrawn before")
    if record.started is not None:
        raise IntegrityError(f"{where}: it was started before")
    record.started = entry


def _resumed_or_stopped(records: StudyRecords, entry: Entry, where: str) -> None:
    _expect(entry, where)
    record = _submission(records, entry, where)
    resumed = entry.kind == "run-resumed"
    if record.started is None or record.run is not None:
        action = "no interrupted run to resume" if resumed else "no run to stop"
        raise IntegrityError(f"{where}: {action}")
    (record.resumed if resumed else record.stopped).append(entry)


def _run(records: StudyRecords, entry: Entry, where: str) -> None:
    folder = f"runs/{entry.subject}"
    _expect(entry, where, f"{folder}/outputs.jsonl", f"{folder}/run.json")
    record = _submission(records, entry, where)
    if record.started is None:
        raise IntegrityError(f"{where}: a result of a run that was never started")
    if record.run is not None:
        raise IntegrityError(f"{where}: a second result")
    record.run = entry


def _score(records: StudyRecords, entry: Entry, where: str) -> None:
    record = _finished(records, entry, where)
    version = entry.said.get("bars", "")
    _expect(entry, where, f"scorecards/{entry.subject}@{version}.json")
    if version in record.scores:
        raise IntegrityError(f"{where}: it was judged under {version} before")
    if not any(bars.version == version for bars in records.bars):
        raise IntegrityError(f"{where}: no bars {version!r:.60} were entered before")
    record.scores[version] = entry


def _grade(records: StudyRecords, entry: Entry, where: str) -> None:
    _expect(entry, where, f"grades/{entry.subject}.json")
    record = _finished(records, entry, where)
    if record.grade is not None:
        raise IntegrityError(f"{where}: its prediction was graded before")
    record.grade = entry


def _frozen(records: StudyRecords, entry: Entry, where: str) -> None:
    """Each step must start from the artifact that the step before left in place."""
    if entry.kind == "revert" and entry.files:
        raise IntegrityError(f"{where}: it names files, expected none")
    if entry.kind == "ratify" and [n.startswith("comparisons/") for n in entry.files] != [True]:
        raise IntegrityError(f"{where}: it does not name a comparison")
    path, artifact = entry.said.get("path", ""), entry.said.get("artifact", "")
    previous = entry.said.get("previous", "")
    versions = all(text == NOTHING or is_digest(text) for text in (artifact, previous))
    if not is_record_path(path) or not versions:
        raise IntegrityError(f"{where}: it does not say which artifact was put in which place")
    before = [step for step in records.ratified if step.said["path"] == path]
    if before and before[-1].said["artifact"] != previous:
        raise IntegrityError(f"{where}: it does not follow the artifact that was in place before")
    if entry.kind == "ratify" and artifact == NOTHING:
        raise IntegrityError(f"{where}: it puts nothing in place")
    if entry.kind == "revert":
        stack = standing(before)
        if not stack:
            raise IntegrityError(f"{where}: there was no ratification to revert")
        if stack[-1].said["previous"] != artifact:
            raise IntegrityError(f"{where}: it does not restore the artifact that was there before")
    records.ratified.append(entry)


def _dual(records: StudyRecords, entry: Entry, where: str) -> None:
    names = [
        name
        for name in entry.files
        if is_record_path(name) and name.split("/")[0] not in RECORDS and name.endswith(".json")
    ]
    if len(names) != 1 or len(entry.files) != 1:
        raise IntegrityError(f"{where}: expected the name of one result file")
    records.duals.append(entry)


def _sealed_once(records: StudyRecords, entry: Entry, where: str) -> None:
    kind = entry.kind.removesuffix("-seal")
    folder = f"{kind}/{entry.subject}/"
    inner = [name.removeprefix(folder) for name in entry.files if name.startswith(folder)]
    plain = [name for name in inner if is_record_path(name) and "/" not in name]
    result = result_file(kind, entry.subject)
    if not plain or len(plain) < len(entry.files) or result in entry.files:
        raise IntegrityError(f"{where}: expected the names of files of {kind} in {folder}")
    if (kind, entry.subject) in records.graded_once:
        raise IntegrityError(f"{where}: sealed before")
    record = GradedOnce(kind=kind, name=entry.subject, seal=entry)
    records.graded_once[kind, entry.subject] = record


def _graded_once(records: StudyRecords, entry: Entry, where: str) -> None:
    _expect(entry, where, result_file(entry.kind, entry.subject))
    record = records.graded_once.get((entry.kind, entry.subject))
    if record is None:
        raise IntegrityError(f"{where}: never sealed")
    if record.grade is not None:
        raise IntegrityError(f"{where}: graded before")
    record.grade = entry


def _authority(records: StudyRecords, entry: Entry, where: str) -> None:
    _expect(entry, where, f"authorities/{entry.subject}.pem")
    if any(pinned.subject == entry.subject for pinned in records.authorities):
        raise IntegrityError(f"{where}: it was pinned before")
    records.authorities.append(entry)


def _timestamp(records: StudyRecords, entry: Entry, where: str) -> None:
    name = f"checkpoints/{entry.subject}"
    _expect(entry, where, f"{name}.tsq", f"{name}.tsr")
    if any(known.subject == entry.subject for known in records.timestamps):
        raise IntegrityError(f"{where}: the checkpoint had a timestamp before")
    if entry.said.get("authority") not in [pinned.subject for pinned in records.authorities]:
        raise IntegrityError(f"{where}: its authority was not pinned before")
    records.timestamps.append(entry)


def _finished(records: StudyRecords, entry: Entry, where: str) -> SubmissionRecord:
    record = _submission(records, entry, where)
    if record.run is None:
        raise IntegrityError(f"{where}: there is no result to judge")
    return record


def _submission(records: StudyRecords, entry: Entry, where: str) -> SubmissionRecord:
    if entry.subject not in records.submissions:
        result = "has a result and " if entry.kind == "run" else ""
        raise IntegrityError(f"{where}: {entry.subject} {result}was never sealed")
    return records.submissions[entry.subject]


def _expect(entry: Entry, where: str, *names: str) -> None:
    if sorted(entry.files) != sorted(names):
        listed = ", ".join(entry.files) or "nothing"
        expected = ", ".join(names) or "nothing"
        raise IntegrityError(f"{where}: it names {listed:.200}, expected {expected}")


READERS: Mapping[str, Callable[[StudyRecords, Entry, str], None]] = {
    "study": _study,
    "bars": _bars,
    "seal": _seal,
    "withdraw": _withdraw,
    "run-started": _started,
    "run-stopped": _resumed_or_stopped,
    "run-resumed": _resumed_or_stopped,
    "run": _run,
    "score": _score,
    "grade": _grade,
    "ratify": _frozen,
    "revert": _frozen,
    "dual": _dual,
    **{f"{kind}-seal": _sealed_once for kind in KINDS},
    **dict.fromkeys(KINDS, _graded_once),
    "authority": _authority,
    "timestamp": _timestamp,
}
"""The reader of each kind of entry: it checks the entry and adds it to the records."""
