"""Benchmarks from JSONL, CSV and Parquet, their columns and labels, and files of scores."""

import io
import json
from pathlib import Path

import polars

from assay.benchmark.benchmark import Columns
from assay.benchmark.expression import parse_expression
from assay.benchmark.load import load_benchmark, load_second, read_fields
from assay.benchmark.records import items_from_rows
from assay.benchmark.rows import Faults, rows_of, subset_bytes
from assay.digests import parse_object
from assay.logs.scores import load_scores
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile, lines
from fuzzing.targets import target

ROWS = [
    {
        "id": "a",
        "question": "Is it?",
        "response": "Yes.",
        "label": 1,
        "class": "truth",
        "group": "h",
    },
    {
        "id": "b",
        "question": "Or not?",
        "response": "No.",
        "label": 0,
        "class": "myth",
        "group": "g",
    },
    {
        "id": "c",
        "question": "So?",
        "response": "Sì",
        "label": True,
        "class": "x",
        "group": "g",
        "n": 1.5,
    },
]
_CSV = (
    b"id,question,response,label,source\n"
    b'1,"Is it, then?","Yes\nand no",1,quiz\n2,Is that so?,"He said ""no""",0,\n'
)
FIELDS = {"id": "a", "label": "1", "class": "truth", "source": "quiz", "group": "g"}


def _read_rows(name: str, columns: Columns) -> Reader:
    path = Path(name)

    def read(data: bytes) -> object:
        faults = Faults(name)
        return items_from_rows(rows_of(path, data, faults=faults), columns, faults)

    return Reader(read=read, seeds=[])


@target("benchmark: JSONL", thousands=500)
def _jsonl(_: Path) -> Reader:
    read = _read_rows("bench.jsonl", Columns()).read
    return Reader(
        read=read, seeds=[lines(ROWS), lines(ROWS[:1]), b"\xef\xbb\xbf" + lines(ROWS[1:])]
    )


@target("benchmark: CSV", thousands=500)
def _csv(_: Path) -> Reader:
    read = _read_rows("bench.csv", Columns(missing="exclude", ids="repair")).read
    return Reader(read=read, seeds=[_CSV, _CSV.replace(b"\n", b"\r\n")], language="csv")


@target("benchmark: TSV", thousands=200)
def _tsv(_: Path) -> Reader:
    read = _read_rows("bench.tsv", Columns()).read
    return Reader(read=read, seeds=[b"question\tlabel\nIs it?\t1\nOr not?\t0\n"], language="csv")


@target("benchmark: Parquet", thousands=10)
def _parquet(_: Path) -> Reader:
    read = _read_rows("bench.parquet", Columns()).read
    seeds = []
    for compression in ("uncompressed", "zstd", "snappy"):
        out = io.BytesIO()
        frame = polars.DataFrame([{k: row[k] for k in ("id", "question", "label")} for row in ROWS])
        frame.write_parquet(out, compression=compression)
        seeds.append(out.getvalue())
    return Reader(read=read, seeds=seeds, language="text")


@target("benchmark: columns and policies", thousands=200)
def _columns(_: Path) -> Reader:
    path = Path("bench.jsonl")
    known = set(Columns.__struct_fields__)

    def read(data: bytes) -> object:
        """The first line names columns, as flags would; the rest are rows."""
        first, _, rest = data.partition(b"\n")
        given = parse_object(first, where="flags")
        named = {key: text for key, text in given.items() if key in known and isinstance(text, str)}
        faults = Faults("bench.jsonl")
        columns = Columns(**named)
        return items_from_rows(rows_of(path, rest, faults=faults), columns, faults)

    flags: list[dict[str, str]] = [
        {"positive": "class != truth", "unknown": "exclude", "missing": "exclude", "ids": "none"},
        {"positive": "label == 1 or class == myth", "id": "id", "question": "question"},
        {"positive": "1", "negative": "0", "label": "label", "source": "class", "ids": "repair"},
        {"positive": "class == 'truth'", "cls": "class", "group": "group", "response": "response"},
    ]
    return Reader(read=read, seeds=[lines([flag, *ROWS]) for flag in flags])


@target("benchmark: file", thousands=60)
def _file(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "bench.jsonl")

    def read(data: bytes) -> object:
        found = load_benchmark(file.put(data))
        subset_bytes(found, [found.items[0].id], ".jsonl")
        return read_fields(found)

    return Reader(read=read, seeds=[lines(ROWS), lines([{**row, "more": [1]} for row in ROWS])])


@target("benchmark: CSV file, written again", thousands=40)
def _csv_file(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "bench.csv")

    def read(data: bytes) -> object:
        found = load_second(file.put(data))
        return subset_bytes(found, [found.items[0].id], ".csv")

    return Reader(read=read, seeds=[_CSV], language="csv")


@target("expressions", thousands=700)
def _expression(_: Path) -> Reader:
    def read(data: bytes) -> object:
        text = data.decode("utf-8", "surrogateescape")
        return parse_expression(text).holds(FIELDS)

    seeds = [
        b"class != truth",
        b"label == 1 and source == 'a quiz' or group != \"g h\"",
        b"id == a or class == b and label != 0",
    ]
    return Reader(read=read, seeds=seeds, language="text")


@target("scores: JSONL", thousands=100)
def _scores(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "scores.jsonl")

    def read(data: bytes) -> object:
        return load_scores(file.put(data), ids=["a", "b", "c"])

    rows = [{"id": "a", "score": 0.5}, {"id": "b", "score": "1e3"}, {"id": "c", "score": None}]
    return Reader(read=read, seeds=[lines(rows), lines(rows[:2])])


@target("scores: CSV", thousands=60)
def _scores_csv(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "scores.csv")

    def read(data: bytes) -> object:
        return load_scores(file.put(data), ids=["1", "2"], column="s", id_column="n")

    return Reader(read=read, seeds=[b"n,s\n1,0.5\n2,\n"], language="csv")


@target("JSON", thousands=1000)
def _json(_: Path) -> Reader:
    def read(data: bytes) -> object:
        return parse_object(data, where="file")

    whole = {"a": [1, -2.5, {"b": None}], "c": {"d": "\u20ac", "e": [[], {}]}, "f": True}
    return Reader(read=read, seeds=[json.dumps(whole).encode(), json.dumps(ROWS[0]).encode()])
