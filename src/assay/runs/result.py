"""A run: its records, and what produced them. It has no scores."""

from collections.abc import Mapping
from typing import Any, Self

import msgspec

from assay.benchmark.benchmark import Benchmark, Origin, Task
from assay.bounds import MAX_LINE_BYTES, shown_number
from assay.errors import SpecError
from assay.ledger.attestation import Attestation
from assay.result import Result
from assay.runs.answers import Output
from assay.sandbox.levels import Level
from assay.wording import counted

SEEDS = 5
"""How many seeds a sealed method runs under whose outputs depend on its seed."""

PROBED = 24
"""How many items are asked again under another seed: a method that draws a fifth of its outputs is
seen in 99.5 %."""


BATCH = 32
"""The default batch size for a method that takes batches."""
_LARGEST_BATCH = 10_000


IN_THIS_PROCESS = (
    "The function ran in this process, without isolation: a crash ends the interpreter, and nothing"
    " stops it if it hangs. Named as FILE.py:FUNCTION it runs in its own."
)


class Failure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why an item has no output: the kind of error, and its message."""

    kind: str
    message: str


class Record(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,  # holds no cycle, and a run holds very many
):
    """The result of one item: an output or an error, and the time taken.

    `seed` is 0 under the run's own seed, and counts up under further seeds.
    """

    item: str
    output: Output | None
    error: Failure | None
    ms: float
    seed: int = 0

    def __post_init__(self) -> None:
        if (self.output is None) is (self.error is None):
            raise SpecError(f"item {self.item}: expected either an output or an error")


def batch_size(given: int | None) -> int:
    """The batch size; the default if none is given."""
    if given is None:
        return BATCH
    if not 1 <= given <= _LARGEST_BATCH:
        raise SpecError(
            f"batch = {shown_number(given)}, expected a number of items, 1 to {_LARGEST_BATCH:,}"
        )
    return given


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark by name and digest, and where it was read from."""

    name: str
    digest: str
    origin: Origin | None

    @classmethod
    def of(cls, benchmark: Benchmark) -> Self:
        """The reference to a benchmark."""
        return cls(name=benchmark.name, digest=benchmark.digest, origin=benchmark.origin)


_LARGEST_LIMIT = 1 << 60


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds for importing or fitting, seconds for one item, and the longest answer in bytes.

    The others hold for each process of a worker: bytes of private memory, seconds of processor
    time, processes of the user (not enforced for root), bytes of a file that it writes. None means
    no limit; older stored runs have None.

    Example:
        >>> import assay
        >>> assay.run("constant", limit={"processes": None}).limits.processes is None
        True
        >>> assay.Limits().item_seconds
        30.0
    """

    load_seconds: float = 60.0
    item_seconds: float = 30.0
    answer_bytes: int = MAX_LINE_BYTES
    memory_bytes: int | None = 8 << 30
    cpu_seconds: int | None = 24 * 3600
    processes: int | None = 4096
    file_bytes: int | None = 4 << 30

    def __post_init__(self) -> None:
        for name in RESOURCES:
            most = getattr(self, name)
            if most is not None and not 0 < most <= _LARGEST_LIMIT:
                raise SpecError(
                    f"{name} = {shown_number(most)}, expected a whole number over 0, or none"
                )


RESOURCES = ("memory_bytes", "cpu_seconds", "processes", "file_bytes")
"""The limits that the system enforces."""


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence behind a sealed run.

    `seal` is the digest of its seal, `witness` the commit that held the seal before the run began,
    if there was one. `resumed` counts how often an interrupted run was resumed. `unsealed_code` is
    code that it loaded and the seal does not name, `unsealed_files` other files that it opened, or
    services it connected to. `observed` says whether the kernel reported everything it opened; None
    in older runs. `outside` is the outside value of its seed, if the seal names one; `attested` is
    the time by which the seal existed, if an authority attests one.
    """

    seal: str
    witness: str | None
    outside: str | None = None
    resumed: int = 0
    unsealed_code: tuple[str, ...] = ()
    unsealed_files: tuple[str, ...] = ()
    observed: bool | None = None
    attested: Attestation | None = None


class Run(Result, frozen=True, kw_only=True, dict=True):
    """One output per item under one condition, every output kept, and what produced them.

    `environment` are names of variables that were passed on, `harness` what it ran under,
    `printed` how many bytes the method wrote to its standard output and error. Without `provenance`
    nothing was sealed before it. A sealed method whose outputs depend on its seed has records under
    `seeds` seeds; `probed` is how many items were asked again under another seed with the same
    output. `batch` is the batch size, None for a method that takes one item at a time; a record's
    time is then its share of the batch's.

    Example:
        >>> import assay
        >>> run = assay.run("oracle:word_length", "darkcore")
        >>> run.method, run.benchmark.name, run.task
        ('oracle:word_length', 'darkcore', 'detection')
        >>> run.records[0].error is None
        True
    """

    method: str
    method_digest: str | None
    task: Task
    benchmark: Source
    second: Source | None
    seed: int
    folds: int | None
    isolation: Level
    limits: Limits
    keep_going: bool
    environment: tuple[str, ...]
    harness: Mapping[str, str]
    printed: int
    complete: bool
    records: tuple[Record, ...]
    provenance: Provenance | None = None
    seeds: int = 1
    probed: int = 0
    batch: int | None = None

    def placed(self, benchmark: Benchmark) -> "Run":
        """The same run, with its data at hand and the place of each item in their input."""
        self.__dict__["at_hand"] = benchmark
        places = zip(benchmark.items, benchmark.rows, strict=True)
        self.__dict__["positions"] = {item.id: row for item, row in places}
        return self

    @property
    def data_at_hand(self) -> Benchmark | None:
        """The benchmark of a run that was made in this process; of a loaded one, None."""
        at_hand: Benchmark | None = self.__dict__.get("at_hand")
        return at_hand

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each record, in the order of the input, with its position there, from 0.

        A run that was loaded has its records in the order in which they were asked, and no
        positions; so have the items of a second corpus, which come last.
        """
        places: Mapping[str, int] = self.__dict__.get("positions", {})
        last = len(places)
        records = sorted(
            self.records, key=lambda record: (record.seed, places.get(record.item, last))
        )
        return [
            {
                "item": record.item,
                "position": places.get(record.item),
                **_answer(record.output, self.task),
                "error": None if record.error is None else record.error.message,
                "ms": record.ms,
                "seed": record.seed,
            }
            for record in records
        ]

    def lines(self) -> list[str]:
        """The method, the benchmark, and how many items have an output."""
        failed = sum(record.error is not None for record in self.records)
        made = f"{counted(len(self.records), 'record')}, {failed} without an output"
        return [
            f"{self.method:.60} on {self.benchmark.name:.60}, {self.task}"
            + ("" if self.complete else ", incomplete"),
            made,
            *([IN_THIS_PROCESS] if self.isolation is Level.TRUSTED else []),
            f"isolation {self.isolation} · seed {self.seed}",
        ]


def _answer(output: Output | None, task: Task) -> dict[str, Any]:
    """The score and the class of an output."""
    if isinstance(output, dict):
        return {"score": output.get("score"), "class": output.get("class")}
    detection = task == "detection"
    return {"score": output if detection else None, "class": None if detection else output}
