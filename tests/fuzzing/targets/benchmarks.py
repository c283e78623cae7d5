"""Benchmarks from files of every form, their columns and labels, and files of scores."""

import io
import json
from pathlib import Path
from typing import Any

import polars

from assay.benchmark.benchmark import Columns
from assay.benchmark.expression import parse_expression
from assay.benchmark.load import load_benchmark, load_second, read_fields
from assay.benchmark.records import items_from_rows
from assay.benchmark.subset import subset_bytes
from assay.digests import parse_object
from assay.logs.scores import load_scores
from assay.tables.compressed import pack
from assay.tables.faults import Faults
from assay.tables.rows import rows_of
from assay.tables.source import read_table
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


@target("benchmark: JSON", thousands=300)
def _json_forms(_: Path) -> Reader:
    read = _read_rows("bench.json", Columns(missing="exclude")).read
    columns = {name: [row[name] for row in ROWS] for name in ("id", "question", "label")}
    wrapped = {"version": 1, "data": ROWS, "tags": ["x"]}
    forms = [ROWS, columns, wrapped]
    seeds = [json.dumps(form, indent=indent).encode() for form in forms for indent in (None, 1)]
    return Reader(read=read, seeds=seeds)


@target("benchmark: any text", thousands=200)
def _any_text(_: Path) -> Reader:
    """Nothing tells the form but the content."""
    read = _read_rows("bench", Columns(missing="exclude", ids="repair")).read
    seeds = [_CSV, _CSV.replace(b",", b";"), _CSV.replace(b",", b"|"), lines(ROWS)]
    seeds += [json.dumps(ROWS).encode()]
    return Reader(read=read, seeds=seeds, language="csv")


@target("benchmark: encodings", thousands=100)
def _encodings(_: Path) -> Reader:
    path = Path("bench.csv")

    def read(data: bytes) -> object:
        """The first line names the encoding; the rest is the file."""
        first, _, rest = data.partition(b"\n")
        encoding = first.decode("utf-8", "replace")
        return list(rows_of(path, rest, faults=Faults("bench.csv"), encoding=encoding))

    names = ("utf-16", "cp1252", "utf-7", "shift_jis", "utf-32-be")
    seeds = [name.encode() + b"\n" + _CSV.decode().encode(name) for name in names]
    return Reader(read=read, seeds=seeds, language="text")


@target("benchmark: packed", thousands=30)
def _packed(_: Path) -> Reader:
    read = _read_rows("bench.jsonl", Columns()).read
    seeds = [pack(lines(ROWS), kind) for kind in ("gzip", "bzip2", "xz", "zstandard")]
    return Reader(read=read, seeds=seeds, language="text")


@target("benchmark: Arrow", thousands=1)
def _arrow(_: Path) -> Reader:
    """A process for each: slow, so few."""
    read = _read_rows("bench.arrow", Columns()).read
    seeds = []
    for write in ("write_ipc_stream", "write_ipc"):
        out = io.BytesIO()
        frame = polars.DataFrame([{k: row[k] for k in ("id", "question", "label")} for row in ROWS])
        getattr(frame, write)(out)
        seeds.append(out.getvalue())
    return Reader(read=read, seeds=seeds, language="text")


@target("benchmark: folder", thousands=40)
def _folder(scratch: Path) -> Reader:
    folder = scratch / "set"
    folder.mkdir()
    (folder / "part-0.jsonl").write_bytes(lines(ROWS))
    file = ScratchFile(folder / "state.json")

    def read(data: bytes) -> object:
        """What describes a folder is as untrusted as its files."""
        return list(read_table(file.put(data).parent).rows())

    state: dict[str, Any] = {"_data_files": [{"filename": "part-0.jsonl"}], "_split": "train"}
    twice = {**state, "_data_files": 2 * state["_data_files"], "_indices_data_files": []}
    return Reader(read=read, seeds=[json.dumps(state).encode(), json.dumps(twice).encode()])


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
        {"positive": "1", "negative": "0", "unknown": "exclude", "label": "label", "ids": "repair"},
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
