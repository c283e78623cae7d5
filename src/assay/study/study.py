"""A study: one folder with its plan, its records and its ledger.

study.toml              which benchmark, and which bars to begin with
bars/TASK-VERSION.toml  every version of the bars
preregs/ID/             a method, its prediction, and its seal
runs/ID/                what the one run of it gave
scorecards/ID@VERSION.json   what that is worth under each version of the bars
grades/ID.json          what became of the prediction
controls/TASK-VERSION/  the run of the cheat that a revision of the bars stops
checkpoints/            checkpoints of the ledger that were kept, and timestamps of them
authorities/            certificates of the authorities that timestamps come from
comparisons/            what artifacts were ratified by
claims/NAME/            files of claims, as sealed, and the audit that graded them
faithfulness/NAME/      the plan of a faithfulness audit, as sealed, and the audit
asymmetry/NAME/         the plan of an asymmetry experiment, as sealed, and its result
ledger.jsonl            one line for everything that happened
"""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec

from assay.benchmark.benchmark import BUNDLED, POLICIES, Benchmark, Columns, Origin, Task
from assay.benchmark.load import load_benchmark
from assay.bounds import MAX_TOML_BYTES
from assay.digests import is_name, short
from assay.errors import DigestMismatch, IntegrityError, NotHere, SpecError, storage
from assay.files import inside, read_inside
from assay.ledger.chain import Chain
from assay.ledger.file import LedgerFile, read_ledger
from assay.study.graded_once.kinds import KINDS
from assay.study.locate import FILE, LEDGER, study_root
from assay.study.submissions.spec import SealedCorpus
from assay.toml import read_toml

FORMAT = "assay-study/1"
MAX_PLAN_BYTES = MAX_TOML_BYTES
"""The most bytes of study.toml that are read; copies of a study are recognised by this file."""
RECORDS = frozenset(
    {FILE, LEDGER, "bars", "preregs", "runs", "scorecards", "grades", "controls", "checkpoints"}
    | {"comparisons", "authorities", *KINDS}
)
"""The study's own files and folders."""
PAGES = frozenset({"BOARD.md", "CALIBRATION.md", "FALSIFIED.md"})
"""The pages made from its records."""
_BARS = re.compile(r"bars/(?P<task>detection|classification)-(?P<version>[a-z0-9._-]+)\.toml")


class Corpus(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A benchmark: its path, relative to the study's folder, and its digest.

    `file` is the digest of the file's bytes, if `digest` also covers what was left out.
    """

    place: str
    digest: str
    file: str | None = None
    columns: Mapping[str, str] = {}


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `study.toml`, which never change once the study is opened."""

    format: str
    name: str
    origin: str
    benchmark: Corpus
    bars: Mapping[Task, str]
    second: Corpus | None = None


@dataclass(frozen=True)
class StudyFolder:
    """A folder, and the plan in its `study.toml`."""

    root: Path
    config: Config
    _read: dict[tuple[object, ...], Benchmark] = field(default_factory=dict, repr=False)

    def path(self, name: str) -> Path:
        """A path inside the study."""
        return inside(self.root, name)

    def chain(self) -> Chain:
        """The present ledger, every link checked."""
        return read_ledger(self.root / LEDGER)

    @cached_property
    def ledger(self) -> LedgerFile:
        """The ledger for appending."""
        return LedgerFile(self.root / LEDGER)

    def corpus(self, corpus: Corpus) -> Benchmark:
        """A benchmark of the study, which must be unchanged."""
        place = corpus.place
        key: tuple[object, ...] = (place,)
        if place not in BUNDLED:
            with storage(place):
                path = (self.root / place).resolve()
                if not path.exists():
                    raise NotHere(
                        f"the data file {place} is missing; its digest should be"
                        f" {short(corpus.digest)}",
                        hint="Put it where study.toml says it is.",
                    )
                if path.is_dir():
                    raise SpecError(f"{place} is a folder, but a study keeps one file")
                if path.is_file():
                    known = path.stat()
                    key = (path, known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns)
                    if key not in self._read:
                        # Before anything is parsed, so that no error shows what is in the file.
                        with path.open("rb") as file:
                            sha = hashlib.file_digest(file, "sha256").hexdigest()
                        _check_digest(f"sha256:{sha}", corpus, corpus.file or corpus.digest)
            place = str(path)
        if key not in self._read:
            self._read[key] = load_benchmark(place, columns=_columns(corpus))
        _check_digest(self._read[key].digest, corpus, corpus.digest)
        return self._read[key]

    def benchmark(self, *, second: bool) -> Benchmark:
        """The study's benchmark, and its second corpus if requested."""
        benchmark = self.corpus(self.config.benchmark)
        if second and self.config.second is not None:
            return benchmark.with_second(self.corpus(self.config.second))
        return benchmark

    def data_files(self) -> list[Path]:
        """The path of the study's data; bundled data have none."""
        corpora = [corpus for corpus in (self.config.benchmark, self.config.second) if corpus]
        return [
            (self.root / corpus.place).resolve()
            for corpus in corpora
            if corpus.place not in BUNDLED
        ]

    def sealed_corpus(self, benchmark: Benchmark) -> SealedCorpus:
        """A benchmark as a seal names it, its path relative to the study's folder."""
        mine = self.config.benchmark
        if benchmark.digest != mine.digest and self.config.second is not None:
            mine = self.config.second
        origin = Origin(place=mine.place, columns=_columns(mine) or Columns())
        return SealedCorpus(
            name=benchmark.name, digest=benchmark.digest, origin=origin, file=mine.file
        )


def _check_digest(present: str, corpus: Corpus, expected: str) -> None:
    if present != expected:
        raise DigestMismatch(
            f"{corpus.place}: the benchmark's digest is {short(present)}, but the study was opened"
            f" with {short(expected)}",
            hint="The data of a study never change. For other data, open another study.",
        )


def _columns(corpus: Corpus) -> Columns | None:
    return msgspec.convert(corpus.columns, Columns) if corpus.columns else None


def open_study(root: str | Path) -> StudyFolder:
    """The study in a folder."""
    root = Path(root)
    where = str(root / FILE)
    with storage(root):
        complete = (root / FILE).is_file() and (root / LEDGER).exists()
    if not complete:
        raise SpecError(
            f"{str(root)!r} is not a study: it needs {FILE} and {LEDGER}",
            hint="Make one: assay new STUDY `benchmark=FILE`",
        )
    with storage(root):
        if (root / FILE).stat().st_size > MAX_PLAN_BYTES:
            raise SpecError(f"{where}: more than {MAX_PLAN_BYTES:,} bytes")
    data = read_inside(root, FILE)
    try:
        config = msgspec.convert(read_toml(data, where=where), Config)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {error}") from None
    if config.format != FORMAT:
        raise SpecError(f"{where}: format {config.format!r:.40}, expected {FORMAT!r}")
    for corpus in (config.benchmark, config.second):
        if corpus is not None and not set(corpus.columns) <= set(Columns.__struct_fields__):
            raise SpecError(f"{where}: unknown columns: {', '.join(corpus.columns)}")
        for name, words in POLICIES.items():
            if corpus is not None and corpus.columns.get(name, words[0]) not in words:
                raise SpecError(f"{where}: columns.{name}: expected {' or '.join(words)}")
    return StudyFolder(root=root, config=config)


_WHERE = "Go into one, or name it: `study=DIR`. `assay new STUDY` makes one."


def find_study(start: Path, *, hint: str = _WHERE) -> StudyFolder:
    """The study that a folder is, or lies in; `hint` says how to name one."""
    if not start.exists():
        raise SpecError(f"there is no {str(start)!r}", hint=hint)
    root = study_root(start)
    if root is not None:
        return open_study(root)
    bare = study_root(start, ledger=False)
    if bare is not None:
        raise IntegrityError(
            f"{os.path.relpath(bare / LEDGER)} is missing",
            hint="If it was committed, restore it: git checkout HEAD -- ledger.jsonl",
        )
    raise SpecError(
        f"{'this folder' if str(start) == '.' else repr(str(start))} is not in a study",
        hint=hint,
    )


def check_id(submission: str) -> None:
    """Refuse an invalid submission name."""
    if not is_name(submission):
        raise SpecError(
            f"{submission!r:.80} is not a valid submission name",
            hint="Use letters a-z, digits, dots, dashes and underscores: 019, overlap-2.",
        )


def bars_in(name: str) -> tuple[Task, str] | None:
    """Task and version of a bars file, by its path in the study."""
    match = _BARS.fullmatch(name)
    if match is None:
        return None
    task: Task = "detection" if match["task"] == "detection" else "classification"
    return task, match["version"]
