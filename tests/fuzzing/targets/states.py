"""States of a system under a dual-condition evaluation: their rows, and what is left in them."""

import contextlib
import json
import sqlite3
from pathlib import Path

from helpers.dual_cases import bench_rows, memory_rows, write_lines

from assay.benchmark.load import load_benchmark
from assay.digests import digest
from assay.dual_condition.state.item_traces import ItemTraces
from assay.dual_condition.state.remains import remains_of
from assay.dual_condition.state.rows import drop_rows, kind_of_file, rows_in, shuffle_rows, texts_in
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile, lines
from fuzzing.targets import target


def _reads_state(scratch: Path, name: str, *texts: bytes) -> Reader:
    file = ScratchFile(scratch / "state" / name)

    def read(data: bytes) -> object:
        path = file.put(data)
        kind = kind_of_file(path)
        if kind is None:
            return None
        found = [text for row in rows_in(path, kind) for text in texts_in(row)]
        if kind in ("json", "jsonl"):
            shuffle_rows(path, kind, ["verdict", "value"], lambda count: [*range(count)][::-1])
        drop_rows(path, kind, lambda row: {"q1"} if len(row) % 2 == 1 else set())
        return found

    return Reader(read=read, seeds=texts)


@target("dual: state in JSON lines", thousands=25)
def _state_lines(scratch: Path) -> Reader:
    rows = [*memory_rows(range(2)), "text", 5, '{"a": [1]}']
    return _reads_state(scratch, "memory.jsonl", lines(rows))


@target("dual: state in JSON", thousands=30)
def _state_json(scratch: Path) -> Reader:
    rows = [*memory_rows(range(2))]
    whole = {"memory": rows, "by": {"a": {"item": 1}, "b": {"item": 2}}, "n": 5}
    return _reads_state(
        scratch, "memory.json", json.dumps(whole).encode(), json.dumps(rows).encode()
    )


@target("dual: state in plain lines", thousands=60)
def _state_text(scratch: Path) -> Reader:
    reader = _reads_state(scratch, "notes.txt", b"one line\nanother, longer line\n\nq1 is right\n")
    return Reader(read=reader.read, seeds=reader.seeds, language="text")


@target("dual: state in SQLite", thousands=5)
def _state_sqlite(scratch: Path) -> Reader:
    path = scratch / "cache.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(
            "PRAGMA page_size = 512; CREATE TABLE seen (item TEXT PRIMARY KEY, verdict, blob);"
            "CREATE TABLE log (text TEXT); INSERT INTO seen VALUES ('q1', 1, x'00ff');"
            "INSERT INTO log VALUES ('q1 is right'), (NULL), (1.5);"
        )
    reader = _reads_state(scratch, "cache", path.read_bytes())
    return Reader(read=reader.read, seeds=reader.seeds, language="text")


@target("dual: what is left in a state", thousands=8)
def _remains(scratch: Path) -> Reader:
    traces = ItemTraces(load_benchmark(write_lines(scratch / "b.jsonl", bench_rows(6))).items)
    file = ScratchFile(scratch / "state" / "memory.jsonl")

    def read(data: bytes) -> object:
        folder = file.put(data).parent
        return remains_of(folder, {}, traces, in_b=frozenset(), rewritten=frozenset())

    rows = [
        *memory_rows(range(2)),
        {"text": "Is statement number 3 of the long list true?", "mark": digest(b"q1")},
    ]
    return Reader(read=read, seeds=[lines(rows)])
