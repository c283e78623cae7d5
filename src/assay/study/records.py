"""The entries of a study's ledger, by subject: opening, bars, submissions and their results.

Values only: `entry_readers` fills them, entry by entry.
"""

from dataclasses import dataclass, field

import msgspec

from assay.benchmark.benchmark import Task
from assay.errors import IntegrityError
from assay.ledger.entry import Entry


@dataclass(frozen=True, kw_only=True)
class BarsRecord:
    """One version of the bars, and its entry."""

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


@dataclass(kw_only=True)
class GradedOnce:
    """The entries about files that were sealed to be graded once: their seal, and the grade."""

    kind: str
    name: str
    seal: Entry
    grade: Entry | None = None


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """A submission whose files do not match the ledger or cannot be read, and why.

    It is named and skipped; `verify` reports it as a breach.
    """

    submission: str
    why: str


@dataclass(kw_only=True)
class StudyRecords:
    """The entries of a ledger, by subject: opening, bars, submissions, ratified artifacts.

    `duals` are those of dual-condition results; `graded_once` is by kind and name; `authorities`
    and `timestamps` attest times.
    """

    opening: Entry | None = None
    bars: list[BarsRecord] = field(default_factory=list)
    submissions: dict[str, SubmissionRecord] = field(default_factory=dict)
    ratified: list[Entry] = field(default_factory=list)
    duals: list[Entry] = field(default_factory=list)
    graded_once: dict[tuple[str, str], GradedOnce] = field(default_factory=dict)
    authorities: list[Entry] = field(default_factory=list)
    timestamps: list[Entry] = field(default_factory=list)

    def versions(self, task: Task) -> list[BarsRecord]:
        """Every version of a task's bars, oldest first; the last is in force."""
        return [bars for bars in self.bars if bars.task == task]

    def submission(self, name: str) -> SubmissionRecord:
        """A sealed submission; if the ledger lost it, that is a breach."""
        if name not in self.submissions:
            raise IntegrityError(
                f"the ledger no longer has {name}",
                hint="It was reset to an older state. Restore the newer one: git checkout",
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
        """The entry that names each file."""
        entries = [bars.entry for bars in self.bars]
        entries += [] if self.opening is None else [self.opening]
        for record in self.submissions.values():
            own = (record.seal, record.started, record.run, record.grade, *record.scores.values())
            entries += [entry for entry in own if entry is not None]
        entries += [*self.ratified, *self.duals]
        for sealed in self.graded_once.values():
            entries += [sealed.seal] if sealed.grade is None else [sealed.seal, sealed.grade]
        entries += [*self.authorities, *self.timestamps]
        return {name: entry for entry in entries for name in entry.files}
