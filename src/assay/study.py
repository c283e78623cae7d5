"""What is kept on disk: the only reader, writer and clock for records.

A run folder holds `run.json` (what produced the outputs) and `outputs.jsonl` (one line an item).
Each output is on disk before the next item is asked, so whatever ends a run, what was made is
kept. `run.json` is written at the start as incomplete and replaced whole at the end; it then
carries the digest of the outputs' exact bytes, and reading checks it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from assay.digests import decode_utf8, digest, json_lines, parse_json
from assay.errors import DigestMismatch, SpecError, StorageError
from assay.evidence.outputs import Output
from assay.evidence.record import Failure, Record, Run
from assay.plan.benchmark import Benchmark
from assay.plan.reading import BUNDLED, Columns, load_benchmark

FORMAT = "assay-run/1"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a run's benchmark was read from, so that it can be read again."""

    benchmark: str
    second: str | None = None
    columns: Columns = field(default_factory=Columns)

    def load(self) -> Benchmark:
        """The benchmark as it is now; the caller compares digests."""
        return load_benchmark(self.benchmark, columns=self.columns, second=self.second)

    def located(self) -> "Origin":
        """The same origin with paths that hold from any folder."""
        where = [
            name if name is None or name in BUNDLED else str(Path(name).resolve())
            for name in (self.benchmark, self.second)
        ]
        return replace(self, benchmark=where[0] or "", second=where[1])


@dataclass(frozen=True, kw_only=True)
class StoredRun:
    """A run as it was read from a folder, and where its benchmark came from."""

    run: Run
    origin: Origin


class RunFolder:
    """A folder being filled by one run."""

    def __init__(self, path: Path, *, origin: Origin) -> None:
        self.path = path
        self.origin = origin.located()
        self.started = _now()
        with _storage(path):
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise SpecError(
                    f"{path} is not empty", hint="A run is never overwritten: name a new folder."
                )
            self._outputs = (path / "outputs.jsonl").open("xb", buffering=0)
            self._write_run({"format": FORMAT, "complete": False, "started": self.started})

    def add(self, record: Record) -> None:
        """Put one record on disk."""
        with _storage(self.path):
            line = memoryview(msgspec.json.encode(record) + b"\n")
            while line:
                line = line[self._outputs.write(line) or 0 :]

    def finish(self, run: Run) -> None:
        """Write what produced the outputs, and the digest of their bytes."""
        with _storage(self.path):
            self._outputs.close()
            stored = (self.path / "outputs.jsonl").read_bytes()
            head = asdict(run)
            del head["records"]
            outputs = {"digest": digest(stored), "lines": len(run.records)}
            times = {"started": self.started, "finished": _now()}
            origin = asdict(self.origin)
            self._write_run(
                {"format": FORMAT, **head, **times, "outputs": outputs, "origin": origin}
            )

    def _write_run(self, head: dict[str, Any]) -> None:
        data = msgspec.json.format(msgspec.json.encode(head), indent=2) + b"\n"
        aside = self.path / "run.json.new"
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(self.path / "run.json")


@dataclass(frozen=True, kw_only=True)
class _Line:
    """A line of outputs.jsonl as it is written."""

    item: str
    output: Output | None
    error: Failure | None
    ms: float


def load_run(path: Path) -> StoredRun:
    """Read a run folder, checking the outputs against the digest in `run.json`."""
    head_file, outputs_file = path / "run.json", path / "outputs.jsonl"
    if not head_file.is_file():
        raise SpecError(
            f"{path} is not a run folder: it has no run.json",
            hint="Make one: assay try METHOD --save DIR",
        )
    with _storage(path):
        head_bytes, stored = head_file.read_bytes(), outputs_file.read_bytes()
    head = parse_json(decode_utf8(head_bytes, where=str(head_file)), where=str(head_file))
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise SpecError(f"{head_file}: expected format {FORMAT!r}, got {_format_of(head)!r:.60}")
    if "outputs" not in head:
        raise SpecError(
            f"{path}: the run was cut off before it could be closed",
            hint=f"Its outputs are in {outputs_file}; run the method again to judge it.",
        )
    try:
        named = head["outputs"]["digest"]
        origin = msgspec.convert(head["origin"], Origin)
        records = tuple(
            Record(**asdict(msgspec.convert(value, _Line)))
            for _, value in json_lines(stored, where=str(outputs_file))
        )
        run = msgspec.convert({**head, "records": ()}, Run)
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise SpecError(f"{head_file} or {outputs_file.name}: {error}") from None
    if digest(stored) != named:
        raise DigestMismatch(
            f"{outputs_file}: its digest is {digest(stored)}, and run.json says {named}",
            hint="The outputs were changed after the run; nothing can be judged from them.",
        )
    return StoredRun(run=replace(run, records=records), origin=origin)


def _format_of(head: object) -> object:
    return head.get("format") if isinstance(head, dict) else head


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _storage(path: Path) -> Iterator[None]:
    """Turn what the disk says into a StorageError."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise StorageError(f"{where}: {error.strerror or error}") from None
