"""Benchmarks from files as people have them: nested, encoded, in folders, from a pipe."""

import io
import json
import sys

import polars
import pytest

import assay
from assay.benchmark.benchmark import Columns
from assay.benchmark.load import load_benchmark, read_fields
from assay.benchmark.subset import subset_bytes
from assay.errors import SpecError
from assay.study.create import new_study

ROWS = [
    {"doc": {"q": f"Q{i}?", "a": f"A{i}"}, "scores": [{"value": i % 2}], "n": i} for i in range(4)
]
FLAT = [{"id": str(i), "question": f"Q{i}?", "label": i % 2} for i in range(4)]
INSIDE = Columns(question="doc.q", response="doc.a", label="scores.0.value")


@pytest.fixture
def written(tmp_path):
    def write(data, name="file.json"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def test_dotted_names_lead_inside(written):
    found = load_benchmark(written(json.dumps(ROWS)), columns=INSIDE)
    assert [(item.question, item.response, item.label) for item in found.items][1] == (
        "Q1?",
        "A1",
        True,
    )
    assert found.named_columns == " (question=doc.q, response=doc.a, label=scores.0.value)"
    assert read_fields(found) == {"n": [0, 1, 2, 3]}


def test_nested_names_are_listed_and_suggested(written):
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(json.dumps(ROWS)), columns=Columns(label="scores.0.value"))
    assert "no column 'question'; the columns are 'doc', 'scores', 'n'," in caught.value.message
    assert "'doc.q', 'doc.a'" in caught.value.message
    asked = [{"doc": {"question": "Q?"}, "label": 1}]
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(json.dumps(asked)))
    assert caught.value.hint.startswith("Did you mean 'doc.question'?")


def test_one_record_without_a_nested_value_is_a_fault_of_that_record(written):
    path = written(json.dumps([*ROWS, {"doc": {}, "scores": [{"value": 1}]}]))
    with pytest.raises(SpecError, match=r"element 5: no column 'doc\.q'"):
        load_benchmark(path, columns=INSIDE)
    kept = load_benchmark(
        path, columns=Columns(question="doc.q", label="scores.0.value", missing="exclude")
    )
    assert [record.place for record in kept.left_out] == ["element 5"]


def test_the_encoding_is_part_of_how_a_file_was_read(written):
    data = "question,label\ncafé,1\nthé,0\n".encode("cp1252")
    found = load_benchmark(written(data, "file.csv"), columns=Columns(encoding="cp1252"))
    assert [item.question for item in found.items] == ["café", "thé"]
    assert found.named_columns == " (encoding=cp1252)"
    assert read_fields(found) == {}
    with pytest.raises(SpecError, match="unknown text encoding"):
        Columns(encoding="hex")


def test_every_fault_of_an_array_is_told_at_once(written):
    rows = [FLAT[0], {"question": "Q?", "label": 5}, FLAT[0], {"question": " ", "label": 1}, 7]
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(json.dumps(rows)))
    told = [caught.value.message, *caught.value.details]
    assert len(told) == 4
    assert all(any(f"element {n}" in one for one in told) for n in (2, 3, 4, 5))


def test_a_folder_of_shards_is_one_benchmark(tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    for number in (0, 1):
        part = polars.DataFrame(FLAT[2 * number : 2 * number + 2])
        part.write_parquet(folder / f"train-0000{number}-of-00002.parquet")
    found = load_benchmark(folder)
    assert (found.name, len(found.items)) == ("set", 4)
    polars.DataFrame(FLAT).write_parquet(folder / "test.parquet")
    with pytest.raises(SpecError, match="expected one split, got 2: test, train"):
        load_benchmark(folder)
    chosen = load_benchmark(folder, columns=Columns(split="train"))
    assert chosen.digest == found.digest
    assert chosen.named_columns == " (split=train)"
    (folder / "train-00001-of-00002.parquet").write_bytes(b"PAR1")
    with pytest.raises(assay.errors.DigestMismatch):
        read_fields(chosen)


def test_faults_in_shards_name_the_shard_and_the_line(tmp_path):
    for number in (0, 1):
        rows = [FLAT[number], {"question": "Q?", "label": 9}]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"part-{number}.jsonl").write_text(text)
    with pytest.raises(SpecError) as caught:
        load_benchmark(tmp_path)
    assert f"{tmp_path}, part-0.jsonl, line 2, field 'label'" in caught.value.message
    assert caught.value.details[0].startswith("part-1.jsonl, line 2, field 'label'")


def test_standard_input_is_a_benchmark_that_can_be_read_again(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(FLAT).encode())))
    found = load_benchmark("-")
    assert found.name == "standard input"
    assert json.loads(subset_bytes(found, ["1"], "kept.json")) == [FLAT[1]]
    with pytest.raises(SpecError, match="named twice"):
        load_benchmark("-")


@pytest.mark.parametrize("place", ["folder", "-"])
def test_a_study_keeps_one_file(tmp_path, monkeypatch, place):
    rows = [{**row, "label": i % 2} for i, row in enumerate(FLAT * 10)]
    data = "".join(json.dumps({**row, "id": str(i)}) + "\n" for i, row in enumerate(rows)).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "part-0.jsonl").write_bytes(data)
    benchmark = load_benchmark("-" if place == "-" else tmp_path / place)
    with pytest.raises(SpecError) as caught:
        new_study(tmp_path / "study", benchmark)
    assert "a study keeps its benchmark as one file" in caught.value.message
    assert "Save the records as one file" in caught.value.hint
    assert not (tmp_path / "study").exists()
