"""Verifying a study: a numbered procedure, each step reported, the first breach ends it.

 1. Chain. Every line of the ledger is strictly what Assay writes, carries the digest of the line
    before, and continues what the last commit (or the revision one names) holds.
 2. Checkpoints. Every checkpoint that was kept or is shown saw the beginning of this ledger.
 3. Seals before runs. Entries stand in the order that the protocol allows; the commit that
    witnessed a seal holds it, does not yet hold its run, and comes before the present one; and
    there is no seal, run, scorecard or grade that the ledger does not know.
 4. Closures. Everything that a seal names has the bytes that were sealed, and nothing was added.
 5. Outputs. Every stored run has the digests of its entry, is of its seal, and is complete.
 6. Scorecards. Judging the stored outputs again gives every stored scorecard; so with grades.
 7. Versions. Every result is judged under every version of its task's bars.
 8. Views. What was written from the records is what the records give.
 9. Runs again, if asked for: every submission gives the outputs that are stored.

Nothing of a submission is executed before step 9.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from assay.digests import digest
from assay.errors import AssayError, BrokenChain, DigestMismatch, IntegrityError, SpecError, storage
from assay.evidence.record import Run
from assay.judges.judgement import Judgement
from assay.ledger.chain import Chain
from assay.ledger.checkpoint import Checkpoint, check_extends, parse_checkpoint
from assay.ledger.note import VerifierKey
from assay.study.auditing import audit_run
from assay.study.files import read_as, read_inside
from assay.study.folder import LEDGER, Study
from assay.study.git import Repository, repository_of
from assay.study.judgements import (
    grade_of,
    judge,
    load_result,
    load_version,
    read_grade,
    read_judgement,
)
from assay.study.records import Records, SubmissionRecord, read_records
from assay.study.same import same_card, same_record
from assay.study.sealed import SealedPrereg, load_sealed

_UNBORN = "0" * 40
View = Callable[[Study, Records], str]


class Outcome(StrEnum):
    """How a step ended."""

    OK = "ok"
    NOTED = "noted"
    BREACH = "breach"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step: what was looked at, and what was found."""

    number: int
    name: str
    outcome: Outcome
    found: str


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """The steps up to the first breach, and where the ledger stands."""

    study: str
    intact: bool
    steps: tuple[Step, ...]
    entries: int
    root: str | None


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What is held against a study: checkpoints, keys, a revision whose ledger it must continue."""

    checkpoints: tuple[Checkpoint, ...] = ()
    keys: tuple[VerifierKey, ...] = ()
    since: str | None = None
    rerun: bool = False


def verify(study: Study, views: Mapping[str, View], shown: Shown | None = None) -> Verification:
    """Go through the procedure; the last step is the breach, where there is one."""
    verifier = _Verifier(study, views, shown or Shown())
    steps: list[Step] = []
    for number, (name, check) in enumerate(verifier.procedure(), 1):
        try:
            found = check()
        except AssayError as error:
            said = f"{error.message} {error.hint or ''}".strip()
            steps.append(Step(number=number, name=name, outcome=Outcome.BREACH, found=said))
            break
        outcome = Outcome.NOTED if found.startswith(_NOTE) else Outcome.OK
        said = found.removeprefix(_NOTE)
        steps.append(Step(number=number, name=name, outcome=outcome, found=said))
    chain = verifier.chain
    return Verification(
        study=study.config.name,
        intact=steps[-1].outcome is not Outcome.BREACH,
        steps=tuple(steps),
        entries=0 if chain is None else len(chain.lines),
        root=None if chain is None else chain.tree().root().hex(),
    )


_NOTE = "note: "


class _Verifier:
    """Holds what one step hands to the next."""

    def __init__(self, study: Study, views: Mapping[str, View], shown: Shown) -> None:
        self.study = study
        self.views = views
        self.shown = shown
        self.repository: Repository | None = repository_of(study.root)
        self.chain: Chain | None = None
        self.records = Records()
        self.sealed: dict[str, SealedPrereg] = {}
        self.runs: dict[str, Run] = {}

    def procedure(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """The steps, in order."""
        yield "chain", self.check_chain
        yield "checkpoints", self.check_checkpoints
        yield "seals before runs", self.check_order
        yield "closures", self.check_closures
        yield "outputs", self.check_outputs
        yield "scorecards", self.check_scorecards
        yield "versions", self.check_versions
        yield "views", self.check_views
        if self.shown.rerun:
            yield "runs again", self.check_again

    def check_chain(self) -> str:
        """Step 1."""
        self.chain = self.study.chain()
        since = self._since()
        said = f"{len(self.chain.lines)} entries"
        if since is not None and self.repository is not None:
            name, commit = since
            old = self.repository.read(commit, LEDGER)
            if old is not None:
                self._check_continues(old[: old.rfind(b"\n") + 1], name)
                said += f", continuing those of {name}"
        if self.chain.torn:
            return f"{_NOTE}{said}; {self.chain.torn} bytes of a line that was cut off follow"
        return said

    def _since(self) -> tuple[str, str] | None:
        """The revision whose ledger must be the beginning of this one."""
        asked = self.shown.since
        if self.repository is None:
            if asked is not None:
                raise SpecError(f"no revision {asked!r:.80}: the study is in no git repository")
            return None
        if asked == _UNBORN:  # what a push of a new branch names as its predecessor
            return None
        commit = self.repository.commit(asked or "HEAD")
        if commit is None and asked is not None:
            raise SpecError(
                f"no revision {asked!r:.80} in this clone", hint="Fetch the whole history."
            )
        return None if commit is None else (asked or "HEAD", commit)

    def _check_continues(self, old: bytes, name: str) -> None:
        chain = self._chain()
        lines = old.split(b"\n")[:-1]
        for number, line in enumerate(lines):
            if number >= len(chain.lines):
                raise BrokenChain(
                    f"{LEDGER}: {len(chain.lines)} entries, and {name} had {len(lines)}:"
                    " some were taken away"
                )
            if chain.lines[number] != line:
                raise BrokenChain(f"{LEDGER}, line {number + 1} is not what it was in {name}")

    def check_checkpoints(self) -> str:
        """Step 2."""
        kept = list(self._kept_checkpoints())
        every = [*kept, *self.shown.checkpoints]
        check_extends(self._chain(), every, origin=self.study.config.origin)
        signed = 0
        for checkpoint in every:
            signed += any(key.signed(checkpoint.text, checkpoint.signatures) for key in self._keys)
        for checkpoint in self.shown.checkpoints:
            if self._keys and not any(
                key.signed(checkpoint.text, checkpoint.signatures) for key in self._keys
            ):
                raise IntegrityError(
                    f"the checkpoint of {checkpoint.size} entries is not signed by"
                    f" {' or '.join(key.name for key in self._keys)}"
                )
        if not every:
            return (
                f"{_NOTE}none kept and none shown: a ledger that was rewritten as a whole would"
                " not be noticed"
            )
        largest = max(checkpoint.size for checkpoint in every)
        by = f", {signed} signed by a key that was given" if signed else ""
        return f"{len(every)} checkpoints, up to {largest} entries{by}"

    @property
    def _keys(self) -> Sequence[VerifierKey]:
        return self.shown.keys

    def _kept_checkpoints(self) -> Iterator[Checkpoint]:
        folder = self.study.root / "checkpoints"
        with storage(folder):
            names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        for name in names:
            data = read_inside(self.study.root, f"checkpoints/{name}")
            yield parse_checkpoint(data, where=f"checkpoints/{name}")

    def check_order(self) -> str:
        """Step 3."""
        self.records = read_records(self._chain().entries)
        if self.records.opening is None:
            raise IntegrityError(f"{LEDGER} is empty: the study was never opened")
        if self.records.opening.subject != self.study.config.name:
            raise IntegrityError(f"{LEDGER} is of the study {self.records.opening.subject}")
        self._check_strays()
        started = [one for one in self.records.submissions.values() if one.started is not None]
        unwitnessed = sum(not self._check_witness(one) for one in started)
        finished = sum(one.run is not None for one in self.records.submissions.values())
        said = f"{len(self.records.submissions)} seals, {len(started)} runs, {finished} results"
        if started and self.repository is None:
            return f"{_NOTE}{said}; not in git here, so no witness was checked"
        if unwitnessed:
            return f"{_NOTE}{said}; {unwitnessed} runs had no witness"
        return said

    def _check_strays(self) -> None:
        """Refuse what looks like a record and is in no entry."""
        known = self.records.files
        root = self.study.root
        started = {one.id for one in self.records.submissions.values() if one.started is not None}
        with storage(root):
            seals = list(root.glob("preregs/*/seal.json"))
            kept = [p for name in ("scorecards", "grades", "bars") for p in root.glob(f"{name}/*")]
            runs = [path for path in root.glob("runs/*") if path.name not in started]
        for path in (*seals, *kept):
            name = path.relative_to(root).as_posix()
            if name not in known:
                raise IntegrityError(
                    f"{name} is in no entry of the ledger: it was put there by hand, or an entry"
                    " was lost",
                    hint=_stray_hint(path),
                )
        for path in runs:
            raise IntegrityError(
                f"runs/{path.name} is a result without a seal: the ledger knows no run of it"
            )

    def _check_witness(self, one: SubmissionRecord) -> bool:
        """Whether a run had a witness; one that does not stand is a breach."""
        assert one.started is not None  # noqa: S101 - only such are asked about
        said = one.started.said.get("witness", "")
        if not said.startswith("git:"):
            return False
        if self.repository is None:
            return True
        commit = self.repository.commit(said.removeprefix("git:"))
        head = self.repository.head()
        where = f"the witness of {one.id}, commit {said.removeprefix('git:')[:12]},"
        if commit is None:
            cut = " (this clone is shallow: git fetch --unshallow)"
            raise IntegrityError(
                f"{where} is not in this repository"
                f"{cut if self.repository.is_shallow() else ': its history was rewritten'}"
            )
        if head is None or not self.repository.is_ancestor(commit, head):
            raise IntegrityError(f"{where} does not come before what is checked out")
        for name, expected in one.seal.files.items():
            held = self.repository.read(commit, name)
            if held is None or digest(held) != expected:
                raise IntegrityError(f"{where} does not hold the seal that was run")
        lines = (self.repository.read(commit, LEDGER) or b"").split(b"\n")
        chain = self._chain()
        if chain.lines[one.seal.n] not in lines or chain.lines[one.started.n] in lines:
            raise IntegrityError(f"{where} does not stand between the seal and the run")
        return True

    def check_closures(self) -> str:
        """Step 4."""
        opening = self.records.opening
        files = {} if opening is None else dict(opening.files)
        files |= {bars.path: bars.digest for bars in self.records.bars}
        for name, expected in files.items():
            read_as(self.study.root, name, expected)
        for bars in self.records.bars:
            load_version(self.study, bars)
        for name in self.records.submissions:
            self.sealed[name] = load_sealed(self.study, name, distributions=False)
        named = sum(len(sealed.seal.files) for sealed in self.sealed.values())
        return f"{len(self.sealed)} seals name {named} files, all as they were sealed"

    def check_outputs(self) -> str:
        """Step 5."""
        for one in self.records.submissions.values():
            if one.run is not None:
                self.runs[one.id] = self._checked_run(one)
        lines = sum(len(run.records) for run in self.runs.values())
        return f"{len(self.runs)} runs with {lines} outputs, all as they were made"

    def _checked_run(self, one: SubmissionRecord) -> Run:
        run, sealed = load_result(self.study, one), self.sealed[one.id]
        where = f"runs/{one.id}"
        assert run.provenance is not None and one.started is not None  # noqa: S101 - read so
        second = None if run.second is None else run.second.digest
        expected = None if sealed.seal.second is None else sealed.seal.second.digest
        said = one.started.said.get("witness", "none")
        for what, got, wanted in (
            ("method", run.method, sealed.seal.method),
            ("task", run.task, sealed.seal.task),
            ("benchmark", run.benchmark.digest, sealed.seal.benchmark.digest),
            ("second corpus", second, expected),
            ("seed", run.seed, sealed.seed),
            ("witness", run.provenance.witness or "none", said),
            ("number of resumptions", run.provenance.resumed, len(one.resumed)),
            ("completeness", run.complete, True),
        ):
            if got != wanted:
                raise IntegrityError(f"{where}: {what} {got!r:.80}, expected {wanted!r:.80}")
        items = {key for key, _ in sealed.benchmark.keyed_items()}
        if {record.item for record in run.records} != items:
            raise IntegrityError(f"{where}: its outputs are not one for each item")
        return run

    def check_scorecards(self) -> str:
        """Step 6."""
        count = 0
        versions = {(bars.task, bars.version): bars for bars in self.records.bars}
        for one in self.records.submissions.values():
            for version, entry in one.scores.items():
                run = self.runs[one.id]
                if (run.task, version) not in versions:
                    raise IntegrityError(f"{one.id} was judged under bars for another task")
                again = judge(
                    self.study, run, load_version(self.study, versions[run.task, version])
                )
                self._check_same(one.id, read_judgement(self.study, entry), again)
                count += 1
            self._check_grade(one)
        return f"{count} scorecards and their grades, judged again from the outputs"

    def _check_same(self, submission: str, stored: Judgement, again: Judgement) -> None:
        difference = same_card(stored, again)
        if difference is not None:
            raise DigestMismatch(
                f"scorecards/{submission}@{stored.bars}.json is not what the outputs give:"
                f" {difference}"
            )

    def _check_grade(self, one: SubmissionRecord) -> None:
        if one.grade is None:
            if one.run is not None:
                raise IntegrityError(
                    f"the prediction of {one.id} was never graded",
                    hint=f"Finish its run: assay run {one.id}",
                )
            return
        sealed = self.sealed[one.id]
        again = grade_of(self.study, self.records, one, sealed.prediction, sealed.bars)
        difference = same_record(read_grade(self.study, one.grade), again)
        if difference is not None:
            raise DigestMismatch(f"grades/{one.id}.json is not what the result gives: {difference}")

    def check_versions(self) -> str:
        """Step 7."""
        for one in self.records.submissions.values():
            if one.run is None:
                continue
            for bars in self.records.versions(self.runs[one.id].task):
                if bars.version not in one.scores:
                    raise IntegrityError(
                        f"{one.id} was not judged under {bars.task} bars {bars.version}, which"
                        f" entry {bars.entry.n} brought",
                        hint="Judge everything again: assay score --all",
                    )
        versions = len(self.records.bars)
        return f"{len(self.runs)} results under every one of {versions} versions of the bars"

    def check_views(self) -> str:
        """Step 8."""
        present = [name for name in self.views if (self.study.root / name).exists()]
        for name in present:
            if (
                read_inside(self.study.root, name)
                != self.views[name](self.study, self.records).encode()
            ):
                raise IntegrityError(
                    f"{name} is not what the records give",
                    hint="Views are made from records, never by hand: write it again (--write).",
                )
        return f"{', '.join(present)}: as the records give" if present else "none written"

    def check_again(self) -> str:
        """Step 9."""
        for name in self.runs:
            audit = audit_run(self.study, name)
            if audit.changed or audit.unmatched:
                largest = "" if audit.largest is None else f", by up to {audit.largest:.3g}"
                raise IntegrityError(
                    f"{name}: {audit.changed + audit.unmatched} of {audit.items} outputs came out"
                    f" differently{largest}: it is not deterministic, or its outputs were changed"
                )
        return f"{len(self.runs)} submissions run again, every output the same"

    def _chain(self) -> Chain:
        assert self.chain is not None  # noqa: S101 - step 1 read it
        return self.chain


def _stray_hint(path: Path) -> str | None:
    folder = path.parent.name
    if path.name == "seal.json":
        return f"Seal it: assay seal {folder}"
    if folder in ("scorecards", "grades"):
        return "If a command was cut off: assay score --all"
    return None
