"""Run folders.

A run folder holds `run.json` (what produced the outputs) and `outputs.jsonl` (one line an item).
Each output is handed to the disk before the next item is asked, so an interrupted run keeps what
was made. `run.json` is written at the start, as incomplete, and replaced whole at the end; it
then carries the digest of the outputs as they were written, and reading checks it. Digests are
computed from the bytes in memory as they are written, never from a file that could have been
changed, so a method that rewrites the file is detected.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from assay.benchmark.benchmark import BUNDLED
from assay.bounds import MAX_FILE_BYTES, MAX_LINE_BYTES
from assay.clock import now
from assay.differences import undeclared
from assay.digests import decode_utf8, digest, json_lines, parse_json, pretty_json
from assay.errors import DigestMismatch, IntegrityError, SpecError, storage
from assay.files import read_bounded, write_whole
from assay.journal import cut_torn, write_all
from assay.runs.result import RESOURCES, Record, Run, Source
from assay.tables.source import NO_PATHS

FORMAT = "assay-run/1"
HEAD, OUTPUTS = "run.json", "outputs.jsonl"
_OUTPUTS = {"digest": None, "lines": None}


class RunFolder:
    """A new folder being filled by one run: begin, add each record, finish.

    Nothing is created before `begin`, so a method that cannot be loaded leaves no folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with storage(path):
            if self.path.exists() and any(self.path.iterdir()):
                raise SpecError(
                    f"{path} is not empty", hint="A run is never overwritten: name a new folder."
                )
        self._written = hashlib.sha256()
        self._head = b""
        self._started = now()
        self.begun = False
        self.lines = self._size = 0

    @classmethod
    def resume(cls, path: Path) -> tuple["RunFolder", tuple[Record, ...]]:
        """The folder of an interrupted run, and its records; half a line at the end is dropped.

        If nothing was written yet, it is like a new folder.
        """
        folder = object.__new__(cls)
        folder.path, folder._written, folder._started = path, hashlib.sha256(), now()
        folder._head, folder.begun, folder.lines, folder._size = b"", False, 0, 0
        outputs = path / OUTPUTS
        with storage(path):
            if not outputs.exists():
                return folder, ()
            whole = cut_torn(outputs)
        made = parse_records(whole, str(outputs))
        with storage(path):
            folder._outputs = outputs.open("ab", buffering=0)
        folder._written.update(whole)
        folder._size, folder.lines = len(whole), whole.count(b"\n")
        folder.begun = True
        return folder, made

    def begin(self, run: Run) -> None:
        """Make the folder and write what is about to run."""
        if not self.begun:
            with storage(self.path):
                self.path.mkdir(parents=True, exist_ok=True)
                self._outputs = (self.path / OUTPUTS).open("xb", buffering=0)
            self.begun = True
        self._write_head(run, {})

    @property
    def digest(self) -> str:
        """The digest of the bytes written, even if the file has changed since."""
        return f"sha256:{self._written.hexdigest()}"

    @property
    def files(self) -> dict[str, str]:
        """The digest of each file as it was written, even if it has changed since."""
        return {HEAD: digest(self._head), OUTPUTS: self.digest}

    def add(self, record: Record) -> None:
        """Hand one record to the disk."""
        line = record_line(record)
        with storage(self.path):
            write_all(self._outputs, line)
        self._written.update(line)
        self._size += len(line)
        self.lines += 1

    def finish(self, run: Run) -> None:
        """Make the outputs durable and write what produced them, with the digest of their bytes."""
        file = self.path / OUTPUTS
        with storage(self.path):
            os.fsync(self._outputs.fileno())
            self._outputs.close()
        made = self.digest
        hint = "Another process wrote to the file during the run; its outputs cannot be used."
        try:
            stored = digest(read_bounded(file, self._size))
        except SpecError as error:
            raise DigestMismatch(
                f"{error.message}: not what was written to it", hint=hint
            ) from None
        if stored != made:
            raise DigestMismatch(
                f"{file}: its digest is {stored}, expected {made}, that of the bytes written",
                hint=hint,
            )
        outputs = {"digest": made, "lines": len(run.records)}
        self._write_head(run, {"finished": now(), "outputs": outputs})

    def close(self) -> None:
        """Close the outputs file of an ended run; a second call does nothing."""
        if self.begun:
            self._outputs.close()

    def _write_head(self, run: Run, ending: dict[str, Any]) -> None:
        head = {"format": FORMAT, **msgspec.to_builtins(run), "started": self._started, **ending}
        del head["records"]
        for corpus in (head["benchmark"], head["second"]):
            if corpus is not None and corpus["origin"] is not None:
                corpus["origin"]["place"] = self._seen_from_here(corpus["origin"]["place"])
        self._head = pretty_json(head)
        write_whole(self.path / HEAD, self._head)

    def _seen_from_here(self, place: str) -> str:
        if place in BUNDLED or place in NO_PATHS:
            return place
        return os.path.relpath(place, self.path.resolve())


def save_run(run: Run, path: str | Path) -> None:
    """Keep a run that was made in memory in a new folder.

    Example:
        >>> import assay
        >>> assay.save_run(assay.run("constant", "darkcore"), "runs/constant")
        >>> assay.score("runs/constant", bars="v1").method
        'constant'
    """
    folder = RunFolder(path)
    folder.begin(run)
    for record in run.records:
        folder.add(record)
    folder.finish(run)


def load_run(path: str | Path) -> Run:
    """Read a run folder, checking the outputs against the digest in `run.json`.

    Example:
        >>> import assay
        >>> made = assay.run("constant", "darkcore", save="runs/same")
        >>> assay.load_run("runs/same").records == made.records
        True
    """
    folder = Path(path)
    head_file, outputs_file = folder / HEAD, folder / OUTPUTS
    with storage(path):
        for file in (head_file, outputs_file):
            if not file.is_file():
                raise SpecError(
                    f"{path} is not a run folder: it has no {file.name}",
                    hint="Make one: assay try METHOD `save=DIR`",
                )
    head, stored = (read_bounded(file, MAX_FILE_BYTES) for file in (head_file, outputs_file))
    return parse_run(folder, head, stored)


def parse_run(folder: Path, head_bytes: bytes, stored: bytes) -> Run:
    """A run from the bytes of its two files, which lie in a folder."""
    head_file, outputs_file = folder / HEAD, folder / OUTPUTS
    head = parse_json(decode_utf8(head_bytes, where=str(head_file)), where=str(head_file))
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        got = head.get("format") if isinstance(head, dict) else head
        raise SpecError(f"{head_file}: expected format {FORMAT!r}, got {got!r:.60}")
    outputs = head.get("outputs")
    if not isinstance(outputs, dict):
        raise SpecError(
            f"{folder}: the run was interrupted",
            hint=f"The outputs made are in {outputs_file}.",
        )
    if digest(stored) != outputs.get("digest"):
        raise DigestMismatch(
            f"{outputs_file}: its digest is {digest(stored)},"
            f" and run.json says {outputs.get('digest')!r:.80}",
            hint="The outputs were changed after the run; nothing can be judged from them.",
        )
    limits = head.get("limits")
    if isinstance(limits, dict):  # what was not written down did not hold
        head["limits"] = {**dict.fromkeys(RESOURCES), **limits}
    try:
        run = msgspec.convert({**head, "records": ()}, Run)
    except msgspec.ValidationError as error:
        raise SpecError(f"{head_file}: {error}") from None
    ending = {"format": FORMAT, "started": None, "finished": None, "outputs": _OUTPUTS}
    unknown = undeclared(head, {**msgspec.to_builtins(run), **ending})
    if unknown is not None:
        raise SpecError(f"{head_file} has {unknown!r:.80}, which no run has")
    records = parse_records(stored, str(outputs_file))
    if outputs.get("lines") != len(records):
        raise IntegrityError(
            f"{outputs_file}: {len(records)} lines, and run.json says {outputs.get('lines')!r:.20}"
        )
    return replace(
        run,
        records=records,
        benchmark=_seen_from(folder, run.benchmark),
        second=None if run.second is None else _seen_from(folder, run.second),
    )


def record_line(record: Record) -> bytes:
    """A record in its stored form; refused if it could not be read back."""
    try:
        line = msgspec.json.encode(record)
    except (UnicodeEncodeError, TypeError) as error:
        raise SpecError(f"item {record.item!r:.60}: no record can hold this: {error}") from None
    if len(line) > MAX_LINE_BYTES:
        raise SpecError(
            f"item {record.item!r:.60}: a record of {len(line):,} bytes, at most"
            f" {MAX_LINE_BYTES:,} fit"
        )
    return line + b"\n"


def parse_records(stored: bytes, where: str) -> tuple[Record, ...]:
    """The records of an outputs file."""
    records = []
    for number, value in json_lines(stored, where=where):
        try:
            records.append(msgspec.convert(value, Record))
        except (msgspec.ValidationError, SpecError) as error:
            raise SpecError(f"{where}, line {number}: {error}") from None
    return tuple(records)


def _seen_from(folder: Path, source: Source) -> Source:
    """A source whose path was relative to the folder, now relative to the current one."""
    if source.origin is None or source.origin.place in (*BUNDLED, *NO_PATHS):
        return source
    with storage(source.origin.place):
        place = str((folder / source.origin.place).resolve())
    return replace(source, origin=replace(source.origin, place=place))
