"""What a run leaves behind: its records, and what produced them. Holds no score."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from assay.evidence.confine import Level
from assay.evidence.outputs import Output
from assay.plan.bars import Task
from assay.plan.benchmark import Benchmark


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why an item has no output: the word of the error's kind, and what it said."""

    kind: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Record:
    """What came of one item; exactly one of `output` and `error` is there."""

    item: str
    output: Output | None
    error: Failure | None
    ms: float


@dataclass(frozen=True, kw_only=True)
class Source:
    """A benchmark by name and digest."""

    name: str
    digest: str

    @classmethod
    def of(cls, benchmark: Benchmark) -> Self:
        """The name and digest of a benchmark."""
        return cls(name=benchmark.name, digest=benchmark.digest)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One output per item under one condition, and what produced them. Holds no score."""

    method: str
    method_digest: str | None
    task: Task
    benchmark: Source
    second: Source | None
    seed: int
    folds: int | None
    isolation: Level
    environment: tuple[str, ...]
    harness: Mapping[str, str]
    printed: int
    complete: bool
    records: tuple[Record, ...]
    sealed: bool = False
