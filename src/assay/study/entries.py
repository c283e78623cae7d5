"""The kinds of ledger entry: how each is read, which order the protocol allows, and how to append.

Reading enforces the protocol: bars first, a seal before its run is started or it is withdrawn, a
start before its result, one of each, and judgements only of results. Appending reads the ledger
with the new entry first. A new kind of entry takes a reader in this file.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from assay.benchmark.benchmark import Task
from assay.clock import now
from assay.digests import is_digest, is_name
from assay.errors import IntegrityError
from assay.files import is_record_path
from assay.ledger.entry import Entry
from assay.ledger.file import LedgerFile
from assay.study.locate import FILE
from assay.study.study import RECORDS, Study, bars_in

NOTHING = "none"
"""The digest of a missing file or folder."""
LONGEST_REASON = 1000
"""How many characters the reason of a withdrawal may have."""


@dataclass(frozen=True, kw_only=True)
class BarsRecord:
    """One version of the bars, and the entry that brought it."""

    task: Task
    version: str
    path: str
    digest: str
    entry: Entry


@dataclass(kw_only=True)
class SubmissionRecord:
    """The entries about one submission."""

    id: str
    seal: Entry
    withdrawn: Entry | None = None
    started: Entry | None = None
    resumed: list[Entry] = field(default_factory=list)
    stopped: list[Entry] = field(default_factory=list)
    run: Entry | None = None
    scores: dict[str, Entry] = field(default_factory=dict)
    grade: Entry | None = None


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """A submission whose files are not what the ledger says, or cannot be read, and why.

    It is skipped and named, and the others go on; `verify` calls it a breach.
    """

    submission: str
    why: str


@dataclass(kw_only=True)
class StudyRecords:
    """The entries of a ledger, by subject: the opening, bars, submissions, ratified artifacts.

    `duals` are those of dual-condition results, `authorities` and `timestamps` those that attest
    times.
    """

    opening: Entry | None = None
    bars: list[BarsRecord] = field(default_factory=list)
    submissions: dict[str, SubmissionRecord] = field(default_factory=dict)
    ratified: list[Entry] = field(default_factory=list)
    duals: list[Entry] = field(default_factory=list)
    authorities: list[Entry] = field(default_factory=list)
    timestamps: list[Entry] = field(default_factory=list)

    def versions(self, task: Task) -> list[BarsRecord]:
        """Every version of a task's bars, oldest first; the last is in force."""
        return [bars for bars in self.bars if bars.task == task]

    def submission(self, name: str) -> SubmissionRecord:
        """A sealed submission; one that the ledger lost is a breach."""
        if name not in self.submissions:
            raise IntegrityError(
                f"the ledger does not know {name} any more",
                hint="It was put back to an older state; put back what it was: git checkout",
            )
        return self.submissions[name]

    def in_force(self, task: Task, entry: Entry) -> str | None:
        """The version of a task's bars that was in force when an entry was made."""
        known = [bars.version for bars in self.versions(task) if bars.entry.n < entry.n]
        return known[-1] if known else None

    @property
    def newest_duals(self) -> dict[str, Entry]:
        """The newest entry of each dual-condition result, by its path."""
        return {name: entry for entry in self.duals for name in entry.files}

    @property
    def files(self) -> dict[str, Entry]:
        """Which entry brought each file."""
        entries = [bars.entry for bars in self.bars]
        entries += [] if self.opening is None else [self.opening]
        for record in self.submissions.values():
            own = (record.seal, record.started, record.run, record.grade, *record.scores.values())
            entries += [entry for entry in own if entry is not None]
        entries += [*self.ratified, *self.duals]
        entries += [*self.authorities, *self.timestamps]
        return {name: entry for entry in entries for name in entry.files}


def records_of(study: Study) -> StudyRecords:
    """Read the ledger of a study."""
    return read_records(study.chain().entries)


def read_records(entries: Sequence[Entry]) -> StudyRecords:
    """Read entries in order; the first that the protocol forbids is a breach."""
    records = StudyRecords()
    for entry in entries:
        where = f"entry {entry.n} ({entry.kind} {entry.subject:.64})"
        if not is_name(entry.subject):
            raise IntegrityError(f"entry {entry.n}: {entry.subject!r:.80} is no name")
        if (entry.n == 0) is not (entry.kind == "study"):
            raise IntegrityError(f"{where}: a ledger opens with its study, and only there")
        _READERS.get(entry.kind, _unknown)(records, entry, where)
    return records


def enter(
    ledger: LedgerFile,
    kind: str,
    subject: str,
    *,
    files: Mapping[str, str] | None = None,
    said: Mapping[str, str] | None = None,
) -> Entry:
    """Append an entry under lock, if the protocol allows it there.

    The whole ledger is read with the new entry first: after a roll-back to an older state the entry
    might follow from nothing, and the ledger would be broken for good.
    """
    time = now()
    next_entry = Entry(
        n=len(ledger.entries),
        previous="",
        time=time,
        kind=kind,
        subject=subject,
        files=files or {},
        said=said or {},
    )
    read_records([*ledger.entries, next_entry])
    return ledger.append(time=time, kind=kind, subject=subject, files=files, said=said)


def _unknown(_: StudyRecords, entry: Entry, where: str) -> None:
    raise IntegrityError(f"{where}: entries of kind {entry.kind!r:.60} are not known")


def _study(records: StudyRecords, entry: Entry, where: str) -> None:
    if FILE not in entry.files:
        raise IntegrityError(f"{where}: it does not name {FILE}")
    records.opening = entry
    for name in entry.files:
        if name != FILE:
            _add_bars(records, entry, name, where)
    if not records.bars:
        raise IntegrityError(f"{where}: it names no bars")
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
        raise IntegrityError(f"{where}: {name!r:.80} is no bars file")
    task, version = parsed
    if any(bars.version == version for bars in records.versions(task)):
        raise IntegrityError(f"{where}: {task} bars {version} were there already")
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
        raise IntegrityError(f"{where}: it was started before, and is not withdrawn then")
    reason = entry.said.get("because", "").strip()
    if not reason or len(reason) > LONGEST_REASON:
        raise IntegrityError(f"{where}: it does not say why")
    record.withdrawn = entry


def _started(records: StudyRecords, entry: Entry, where: str) -> None:
    record = _submission(records, entry, where)
    if record.withdrawn is not None:
        raise IntegrityError(f"{where}: it was withdrawn before")
    if record.started is not None:
        raise IntegrityError(f"{where}: it was started before")
    record.started = entry


def _resumed_or_stopped(records: StudyRecords, entry: Entry, where: str) -> None:
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
        raise IntegrityError(f"{where}: there were no bars {version!r:.60}")
    record.scores[version] = entry


def _grade(records: StudyRecords, entry: Entry, where: str) -> None:
    _expect(entry, where, f"grades/{entry.subject}.json")
    record = _finished(records, entry, where)
    if record.grade is not None:
        raise IntegrityError(f"{where}: its prediction was graded before")
    record.grade = entry


def _frozen(records: StudyRecords, entry: Entry, where: str) -> None:
    """What is in place after a step must be what the next step finds there."""
    if entry.kind == "revert" and entry.files:
        raise IntegrityError(f"{where}: it names files, expected none")
    if entry.kind == "ratify" and [n.startswith("comparisons/") for n in entry.files] != [True]:
        raise IntegrityError(f"{where}: it names no comparison")
    path, artifact = entry.said.get("path", ""), entry.said.get("artifact", "")
    previous = entry.said.get("previous", "")
    versions = all(text == NOTHING or is_digest(text) for text in (artifact, previous))
    if not is_record_path(path) or not versions:
        raise IntegrityError(f"{where}: it does not say what was put where")
    before = [step for step in records.ratified if step.said["path"] == path]
    if before and before[-1].said["artifact"] != previous:
        raise IntegrityError(f"{where}: it does not follow what was in place before")
    if entry.kind == "ratify" and artifact == NOTHING:
        raise IntegrityError(f"{where}: it puts nothing in place")
    if entry.kind == "revert":
        standing: list[Entry] = []
        for step in before:
            if step.kind == "ratify":
                standing.append(step)
            else:
                standing.pop()
        if not standing:
            raise IntegrityError(f"{where}: there was nothing to take back")
        if standing[-1].said["previous"] != artifact:
            raise IntegrityError(f"{where}: it does not put back what was there before")
    records.ratified.append(entry)


def _dual(records: StudyRecords, entry: Entry, where: str) -> None:
    names = [
        name
        for name in entry.files
        if is_record_path(name) and name.split("/")[0] not in RECORDS and name.endswith(".json")
    ]
    if len(names) != 1 or len(entry.files) != 1:
        raise IntegrityError(f"{where}: it names no single file that may be a result")
    records.duals.append(entry)


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


_READERS: Mapping[str, Callable[[StudyRecords, Entry, str], None]] = {
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
    "authority": _authority,
    "timestamp": _timestamp,
}
"""The reader of each kind of entry: it checks the entry and adds it to the records."""
