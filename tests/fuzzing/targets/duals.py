"""Dual-condition evaluations: specs, outputs, journals, results and matrices."""

import json
from pathlib import Path

import msgspec
from helpers.dual_cases import bench_rows, gate_file, lay_out, spec_text, write_lines

from assay.benchmark.load import load_benchmark
from assay.dual_condition.commit_gate import is_result
from assay.dual_condition.committed_file import check_contents
from assay.dual_condition.journal import begin_journal
from assay.dual_condition.spec import load_dual_spec
from assay.dual_condition.store import matrix_in, read_result
from assay.dual_condition.system.item_files import AskedItems
from assay.report.matrix import WRITERS
from fuzzing.campaign import Reader
from fuzzing.dual_results import observed, resealed, result
from fuzzing.files import ScratchFile, ScratchFiles, joined, lines
from fuzzing.targets import target

PLAN = b'{"spec": "x", "seeds": [1, 2]}'


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
    return Reader(read=lambda data: items.outputs(file.put(data), "A"), seeds=[lines(rows)])


@target("dual: answers of a run", thousands=100)
def _solved(scratch: Path) -> Reader:
    items, file = _asked(scratch, solved=True), ScratchFile(scratch / "out.jsonl")
    rows = [{"id": "q0", "answer": "Four"}, {"id": "q1", "answer": 4}, {"id": "q2", "answer": 4.0}]
    return Reader(read=lambda data: items.outputs(file.put(data), "A"), seeds=[lines(rows)])


@target("dual: plan and journal", thousands=80)
def _journal(scratch: Path) -> Reader:
    files = ScratchFiles(scratch / "runs", "plan.json", "runs.jsonl")
    plan = json.loads(PLAN)
    row = {"run": msgspec.to_builtins(observed("A", 1)), "scores": [0.5, None, 1.0]}

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
