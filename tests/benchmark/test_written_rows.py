import bz2
import gzip
import io
import json
import lzma
import os

import polars
import pytest
from backports import zstd

import assay
from assay.benchmark.benchmark import Item
from assay.benchmark.subset import subset_bytes
from assay.errors import DigestMismatch, SpecError
from assay.tables.compressed import unpacked

ROWS = [
    {"id": f"r{i}", "question": f"Q{i}?", "response": f'a, "b"\n{i}', "label": i % 2}
    for i in range(6)
]
KEPT = ("r1", "r2", "r5")


@pytest.fixture
def written(tmp_path):
    def write(data, name="mine.jsonl"):
        (tmp_path / name).write_bytes(data)
        return assay.load_benchmark(tmp_path / name)

    return write


def read_again(tmp_path, data, name):
    (tmp_path / name).write_bytes(data)
    return assay.load_benchmark(tmp_path / name)


def test_lines_of_jsonl_are_kept_byte_for_byte_in_their_order(written):
    lines = [
        b'{"id":"a",  "question":"Q?",\t"label":1, "odd": [1.0, 1e5, null]}\r',
        '{"label": 0, "question": "é 🜨", "id": "b"}'.encode(),
        b'  {"id": "c", "question": "\\u00e9", "label": 1}  ',
    ]
    benchmark = written(b"\n".join([lines[0], b"", b" \t", lines[1], lines[2]]))
    assert subset_bytes(benchmark, ("c", "a"), ".jsonl") == lines[0] + b"\n" + lines[2] + b"\n"
    assert subset_bytes(benchmark, (), ".jsonl") == b""
    everything = subset_bytes(benchmark, {"a", "b", "c", "unknown"}, ".JSONL")
    assert everything == b"".join(line + b"\n" for line in lines)


def test_records_without_ids_are_known_by_their_number(written):
    lines = [b'{"question": "Q%d?", "label": %d}' % (i, i % 2) for i in range(4)]
    benchmark = written(b"\n\n".join(lines))
    assert subset_bytes(benchmark, ("2", "4"), ".jsonl") == lines[1] + b"\n" + lines[3] + b"\n"


@pytest.mark.parametrize(("name", "separator"), [("mine.csv", ","), ("mine.tsv", "\t")])
def test_rows_of_csv_are_read_back_as_they_were(written, tmp_path, name, separator):
    frame = polars.DataFrame([{**row, "more": "x\ty;z", "none": ""} for row in ROWS])
    data = frame.write_csv(separator=separator, line_terminator="\r\n").encode()
    benchmark = written(b"\xef\xbb\xbf" + data, name)
    kept = subset_bytes(benchmark, KEPT, f".{name[-3:]}")
    assert kept.splitlines()[0] == separator.join([*ROWS[0], "more", "none"]).encode()
    again = read_again(tmp_path, kept, f"kept{name}")
    assert again.items == tuple(item for item in benchmark.items if item.id in KEPT)


def test_rows_of_parquet_keep_their_types(tmp_path):
    frame = polars.DataFrame(ROWS).with_columns(
        nested=polars.Series([[{"a": i}] for i in range(6)]),
        small=polars.Series(range(6), dtype=polars.Int8),
        name=polars.Series(list("aabbcc"), dtype=polars.Categorical),
    )
    frame.write_parquet(tmp_path / "mine.parquet")
    benchmark = assay.load_benchmark(tmp_path / "mine.parquet")
    (tmp_path / "kept.parquet").write_bytes(subset_bytes(benchmark, KEPT, ".parquet"))
    kept = polars.read_parquet(tmp_path / "kept.parquet")
    assert kept.schema == frame.schema
    assert kept.equals(frame.filter(polars.col("id").is_in(KEPT)))


def test_a_bundled_benchmark_gives_its_own_lines():
    benchmark = assay.load_benchmark("darkcore")
    ids = [item.id for item in benchmark.items[::10]]
    lines = subset_bytes(benchmark, ids, ".jsonl").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ids


def test_another_ending_is_refused(written):
    benchmark = written(json.dumps(ROWS[0]).encode())
    for ending in (".csv", "", ".ndjson", "jsonl"):
        with pytest.raises(SpecError, match="the records are in "):
            subset_bytes(benchmark, (), ending)


def test_a_file_that_has_changed_or_gone_gives_nothing(written, tmp_path):
    benchmark = written(json.dumps(ROWS[0]).encode())
    (tmp_path / "mine.jsonl").write_text(json.dumps(ROWS[0]) + "\n")
    with pytest.raises(DigestMismatch, match="has changed since it was read"):
        subset_bytes(benchmark, (), ".jsonl")
    (tmp_path / "mine.jsonl").unlink()
    with pytest.raises(assay.StorageError):
        subset_bytes(benchmark, (), ".jsonl")


def test_a_file_is_found_from_another_folder(written, tmp_path, monkeypatch):
    written(json.dumps(ROWS[0]).encode())
    monkeypatch.chdir(tmp_path)
    benchmark = assay.load_benchmark("mine.jsonl")
    os.chdir("/")
    assert json.loads(subset_bytes(benchmark, ("r0",), ".jsonl")) == ROWS[0]


def test_what_was_made_in_memory_has_no_file():
    item = Item(id="a", question="Q?", label=True)
    benchmark = assay.Benchmark(name="mine", digest="sha256:0", items=(item,))
    with pytest.raises(SpecError, match="made in memory"):
        subset_bytes(benchmark, (), ".jsonl")


def test_a_carriage_return_in_a_cell_survives(written, tmp_path):
    b = written(b'id,question,response,label\na,Q?,"x\ry",1\nb,Q2?,z,0\n', "mine.csv")
    assert read_again(tmp_path, subset_bytes(b, ("a", "b"), ".csv"), "k.csv").items == b.items


def test_a_mark_on_a_line_of_its_own_is_no_record(written):
    b = written(b'\xef\xbb\xbf\n{"question": "Q?", "label": 1}\n')
    assert b"Q?" in subset_bytes(b, ("1",), ".jsonl")


PACKS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}


@pytest.mark.parametrize("pack", PACKS)
def test_what_was_packed_is_packed_again(written, tmp_path, pack):
    lines = [json.dumps(row).encode() + b"\n" for row in ROWS]
    benchmark = written(PACKS[pack](b"".join(lines)), f"mine.jsonl{pack}")
    kept = subset_bytes(benchmark, KEPT, f"kept.jsonl{pack}")
    assert unpacked(kept, where="") == lines[1] + lines[2] + lines[5]
    assert kept == subset_bytes(benchmark, KEPT, f"other.jsonl{pack}")
    with pytest.raises(SpecError, match=rf"in \.jsonl\{pack}, but the new file ends in '\.jsonl'"):
        subset_bytes(benchmark, KEPT, "kept.jsonl")
    with pytest.raises(SpecError, match="but the new file has no ending"):
        subset_bytes(benchmark, KEPT, "kept")


def test_elements_of_an_array_are_kept_letter_for_letter(written, tmp_path):
    odd = (
        '[{"id":"a",  "question":"Q?","label":1, "x": 1e5},\n {"label":0,"question":"R?","id":"b"}]'
    )
    benchmark = written(odd.encode(), "mine.json")
    kept = subset_bytes(benchmark, ("a",), "kept.json")
    assert kept == b'[\n{"id":"a",  "question":"Q?","label":1, "x": 1e5}\n]\n'
    assert read_again(tmp_path, kept, "kept.json").items == benchmark.items[:1]
    assert json.loads(subset_bytes(benchmark, (), "kept.json")) == []


@pytest.mark.parametrize("mark", [";", "|"])
def test_the_separator_and_the_encoding_are_kept(tmp_path, mark):
    text = f"id{mark}question{mark}label\na{mark}café?{mark}1\nb{mark}R?{mark}0\n"
    (tmp_path / "mine.csv").write_bytes(text.encode("cp1252"))
    benchmark = assay.load_benchmark(tmp_path / "mine.csv", encoding="cp1252")
    kept = subset_bytes(benchmark, ("a",), "kept.csv")
    assert kept.decode("cp1252") == f"id{mark}question{mark}label\na{mark}café?{mark}1\n"


def test_what_has_no_form_of_its_own_is_written_as_lines(written, tmp_path):
    wrapped = written(json.dumps({"v": 1, "data": ROWS}).encode(), "mine.json")
    with pytest.raises(SpecError) as caught:
        subset_bytes(wrapped, KEPT, "kept.json")
    assert "is one JSON object around its records, so its subset is" in caught.value.message
    assert caught.value.hint == "Give it the ending .jsonl"
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    out = io.BytesIO()
    polars.DataFrame(ROWS).with_columns(x=float("nan")).write_ipc_stream(out)
    shards = tmp_path / "set"
    shards.mkdir()
    polars.DataFrame(ROWS).write_parquet(shards / "train.parquet")
    others = [
        wrapped,
        written(json.dumps(columns).encode(), "columns.json"),
        written(out.getvalue(), "mine.arrow"),
        assay.load_benchmark(shards),
    ]
    for benchmark in others:
        kept = subset_bytes(benchmark, KEPT, "kept.jsonl")
        found = [json.loads(line) for line in kept.splitlines()]
        assert [{name: row[name] for name in ROWS[0]} for row in found] == [
            row for row in ROWS if row["id"] in KEPT
        ]
