"""Dual-condition evaluations: specs, outputs, journals, results, matrices, and states."""

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
from helpers.dual_cases import bench_rows, gate_file, lay_out, memory_rows, spec_text, write_lines

from assay.benchmark.load import load_benchmark
from assay.digests import FileEntry, digest, manifest_digest
from assay.dual_condition.commit_gate import is_result
from assay.dual_condition.committed_file import check_contents
from assay.dual_condition.evidence import (
    Code,
    DualEvidence,
    DualRun,
    Inputs,
    Items,
    ItemTrace,
    LayerEvidence,
    Past,
    Remains,
    StateEvidence,
    Thresholds,
)
from assay.dual_condition.journal import begin_journal
from assay.dual_condition.judge.judge import judge_dual
from assay.dual_condition.result_file import (
    DIGEST,
    checksum,
    evidence_of,
    result_bytes,
    result_digest,
    result_record,
)
from assay.dual_condition.spec import load_dual_spec
from assay.dual_condition.state.item_traces import ItemTraces
from assay.dual_condition.state.remains import remains_of
from assay.dual_condition.state.rows import drop_rows, kind_of_file, rows_in, shuffle_rows, texts_in
from assay.dual_condition.store import matrix_in, read_result
from assay.dual_condition.system.item_files import AskedItems
from assay.report.matrix import WRITERS
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile, ScratchFiles, joined, lines
from fuzzing.targets import target

MADE = "2026-02-03T04:05:06Z"
PLAN = b'{"spec": "x", "seeds": [1, 2]}'
_COUNT = 8
_MARK = digest(b"x")
_FILES = (FileEntry(path="memory.jsonl", size=3, digest=_MARK),)
_STATES = {"A": _FILES, "B": (), "C": _FILES}


def _run(condition: str, seed: int) -> DualRun:
    begun = manifest_digest(_STATES[condition])
    return DualRun(
        condition=condition,
        seed=seed,
        items=_MARK,
        before=begun,
        after=begun,
        opened=("memory.jsonl",) if condition != "B" else (),
        changed=(),
        code={"system.py": _MARK},
        undeclared=(),
        outside=(),
        production=(),
        peers=(),
        all_noted=True,
        unscored=0,
        seconds=0.5,
        python="3.11",
    )


def evidence() -> DualEvidence:
    """The evidence of a small evaluation: eight items, two seeds, A, B and C."""
    gains = {"A": 0.9, "B": 0.2, "C": 0.5}
    return DualEvidence(
        corpus="small",
        system="system.py",
        metric="auroc",
        threshold=0.5,
        thresholds=Thresholds(),
        seeds=(1, 2),
        conditions=("A", "B", "C"),
        inputs=Inputs(
            benchmark="bench.jsonl",
            benchmark_digest=_MARK,
            items={"1": _MARK, "2": _MARK},
            changes={"new-ids": "2 of 8 records."},
        ),
        state=StateEvidence(
            route="parameter",
            private=True,
            canary="it was seen",
            canary_caught=True,
            snapshot=manifest_digest(_FILES),
            initial=manifest_digest(()),
            after=manifest_digest(_FILES),
            undeclared=(),
            layers={"memory": LayerEvidence(files=("memory.jsonl",), mentions=("q1",), rows=4)},
            manifests=_STATES,
            remains=Remains(
                files=1, traces=(ItemTrace(file="memory.jsonl", items=1, example="q1"),)
            ),
        ),
        code=Code(spec=_MARK, python="3.11", files={"system.py": _MARK}),
        runs=tuple(_run(condition, seed) for condition in "ABC" for seed in (1, 2)),
        items=Items(
            id=tuple(f"q{n}" for n in range(_COUNT)),
            positive=tuple(n % 2 == 1 for n in range(_COUNT)),
        ),
        scores={
            condition: {
                str(seed): [gain * (n % 2) + 0.13 * (n * seed % 5) for n in range(_COUNT)]
                for seed in (1, 2)
            }
            for condition, gain in gains.items()
        },
        history=(Past(made="2025-01-01T00:00:00Z", checksum=_MARK, value=0.5, low=0.4, high=0.6),),
    )


def result() -> bytes:
    """A result file."""
    held = evidence()
    return result_bytes(result_record(held, judge_dual(held), made=MADE))


def resealed(data: bytes) -> bytes:
    """A result with its checksums made anew, as a forger would who knows how."""
    with contextlib.suppress(Exception):  # no result any more: it is read as it is
        record = json.loads(data)
        record["reproducibility_checksum"] = checksum(evidence_of(record, where="x"))
        record[DIGEST] = result_digest(record)
        return result_bytes(record)
    return data


def _no_matrix(_: object) -> str | None:
    return None


@target("dual: spec", thousands=30)
def _spec(scratch: Path) -> Reader:
    path = lay_out(scratch / "home", count=4)
    file = ScratchFile(path)
    (scratch / "home" / "other").mkdir()
    more = '[placebo]\nshuffle = ["verdict"]\n[thresholds]\npolish = 0.01\nmemory_floor = 0.6\n'
    texts = [
        spec_text(),
        spec_text(conditions="", evaluation='metric = "f1"\nthreshold = 0.7', more=more),
        spec_text(layer='in_c = "keep"', conditions="", more='[placebo]\nstate = "other"\n'),
    ]
    return Reader(
        read=lambda data: load_dual_spec(file.put(data)),
        seeds=[text.encode() for text in texts],
        language="toml",
    )


def _asked(scratch: Path, *, solved: bool) -> AskedItems:
    rows = [{**row, "class": "4"} for row in bench_rows(3)]
    return AskedItems(load_benchmark(write_lines(scratch / "b.jsonl", rows)), solved=solved)


@target("dual: scores of a run", thousands=150)
def _scores(scratch: Path) -> Reader:
    items, file = _asked(scratch, solved=False), ScratchFile(scratch / "out.jsonl")
    rows = [{"id": f"q{n}", "score": 0.5 * n} for n in range(3)]
    return Reader(read=lambda data: items.scores(file.put(data), "A"), seeds=[lines(rows)])


@target("dual: answers of a run", thousands=100)
def _solved(scratch: Path) -> Reader:
    items, file = _asked(scratch, solved=True), ScratchFile(scratch / "out.jsonl")
    rows = [{"id": "q0", "answer": "Four"}, {"id": "q1", "answer": 4}, {"id": "q2", "answer": 4.0}]
    return Reader(read=lambda data: items.scores(file.put(data), "A"), seeds=[lines(rows)])


@target("dual: plan and journal", thousands=80)
def _journal(scratch: Path) -> Reader:
    files = ScratchFiles(scratch / "runs", "plan.json", "runs.jsonl")
    plan = json.loads(PLAN)
    row = {"run": msgspec.to_builtins(_run("A", 1)), "scores": [0.5, None, 1.0]}

    def read(data: bytes) -> object:
        return begin_journal(files.put(data), plan)

    return Reader(read=read, seeds=[joined(PLAN, lines([row, row]))])


@target("dual: results at the gate", thousands=30)
def _gate(_: Path) -> Reader:
    def read(data: bytes) -> object:
        return check_contents("r.json", ".json", data, matrix_fault=_no_matrix)

    return Reader(read=read, seeds=[result()])


@target("dual: forged results at the gate", thousands=4)
def _forged(_: Path) -> Reader:
    def read(data: bytes) -> object:
        return check_contents("r.json", ".json", resealed(data), matrix_fault=_no_matrix)

    return Reader(read=read, seeds=[result()])


@target("dual: lines of results at the gate", thousands=12)
def _lined(_: Path) -> Reader:
    def read(data: bytes) -> object:
        return check_contents("r.jsonl", ".jsonl", data, matrix_fault=_no_matrix)

    one = json.dumps(json.loads(result())).encode() + b"\n"
    return Reader(read=read, seeds=[one, one + b'{"a": 1}\n'])


@target("dual: matrices at the gate", thousands=6)
def _matrices(scratch: Path) -> Reader:
    (scratch / "results").mkdir()
    (scratch / "results" / "small.json").write_bytes(result())
    matrix = matrix_in(scratch / "results")
    made = {end: write(matrix, of="results", history=False) for end, write in WRITERS.items()}
    files = {ending: ScratchFile(scratch / f"matrix{ending}") for ending in made}

    def read(data: bytes) -> object:
        """The first line is the ending of the file."""
        ending, _, rest = data.partition(b"\n")
        file = files.get(ending.decode("utf-8", "replace"), files[".md"])
        return gate_file(file.put(rest), within=scratch)

    seeds = [f"{ending}\n{text}".encode() for ending, text in made.items()]
    return Reader(read=read, seeds=seeds, language="csv")


@target("dual: matrix of forged results", thousands=3)
def _matrix(scratch: Path) -> Reader:
    (scratch / "results").mkdir()
    (scratch / "results" / "older.json").write_bytes(result())
    file = ScratchFile(scratch / "results" / "small.json")

    def read(data: bytes) -> object:
        is_result(read_result(file.put(resealed(data))))
        matrix = matrix_in(scratch / "results")
        return [write(matrix, of="results", history=True) for write in WRITERS.values()]

    return Reader(read=read, seeds=[result().replace(b"04:05:06", b"04:05:07")])


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
        drop_rows(path, kind, lambda row: len(row) % 2 == 1)
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
    everything: Callable[[Path], object] = lambda folder: remains_of(  # noqa: E731 - one call
        folder, {}, traces, in_b=frozenset(), rewritten=frozenset()
    )

    def read(data: bytes) -> object:
        return everything(file.put(data).parent)

    rows = [
        *memory_rows(range(2)),
        {"text": "Is statement number 3 of the long list true?", "mark": digest(b"q1")},
    ]
    return Reader(read=read, seeds=[lines(rows)])
