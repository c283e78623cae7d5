import gzip
import json

import pytest
from helpers.corpora import HALUEVAL_QA, gathered, lines

from assay import load_benchmark
from assay.benchmark.benchmark import Item
from assay.benchmark.corpora import corpus_files as records
from assay.benchmark.corpora.collected_items import Gathering, written
from assay.errors import SpecError

LINE = json.dumps(HALUEVAL_QA[0])


def test_the_same_records_are_read_from_lines_an_array_and_packed(tmp_path):
    plain = lines(tmp_path / "qa_data.json", HALUEVAL_QA)
    (tmp_path / "array.json").write_text(json.dumps(HALUEVAL_QA, indent=2))
    data = plain.read_bytes()
    (tmp_path / "qa.jsonl.gz").write_bytes(gzip.compress(data[:100]) + gzip.compress(data[100:]))
    expected = gathered("halueval-qa", plain)
    for name in ("array.json", "qa.jsonl.gz"):
        assert gathered("halueval-qa", tmp_path / name) == expected


def test_what_is_written_reads_as_the_same_benchmark_and_as_the_same_bytes(tmp_path):
    found = gathered("halueval-qa", lines(tmp_path / "qa_data.json", HALUEVAL_QA))
    data = written(found.items)
    (tmp_path / "out.jsonl").write_bytes(data)
    benchmark = load_benchmark(tmp_path / "out.jsonl")
    assert benchmark.items == found.items
    assert benchmark.grouping == "named"
    assert written(gathered("halueval-qa", tmp_path / "qa_data.json").items) == data


def test_records_of_several_files_have_ids_of_their_own(tmp_path):
    one = lines(tmp_path / "a.json", HALUEVAL_QA[:1])
    two = lines(tmp_path / "b.json", HALUEVAL_QA[1:2])
    found = gathered("halueval-qa", one, two)
    assert sorted(item.id for item in found.items) == ["1#1", "1#2", "2.1#1", "2.1#2"]
    with pytest.raises(SpecError, match=r"c.json: the same bytes as a.json"):
        gathered("halueval-qa", one, lines(tmp_path / "c.json", HALUEVAL_QA[:1]))


def test_an_id_that_is_wanted_twice_is_given_once():
    out = Gathering()
    given = [out.name(name) for name in ("a", "a~2", "b", "a", "a", "a~2")]
    assert given == ["a", "a~2", "b", "a~3", "a~4", "a~2~2"]


BAD = {
    "duplicate key": (b'{"question": "a", "question": "b"}', "line 1: key 'question' occurs twice"),
    "NaN": (b'{"question": NaN}', "line 1: NaN is not JSON"),
    "not UTF-8": (LINE.encode() + b'\n{"question": "\xff"}', "line 2: byte 14 (0xff) is not UTF-8"),
    "half a pair": (b'{"question": "\\ud800"}', "half of a surrogate pair"),
    "not an object": (b"[1]", "record 1: expected an object, got 1"),
    "a number": (b"7", "line 1: expected an object, got 7"),
    "nothing": (b"\n \n", "no records"),
    "an endless line": (b'{"a": "' + b"x" * (1 << 20) + b'"}', "at most 1,048,576 allowed"),
    "cut off": (b'{"question": "a', "not JSON"),
    "a cut gzip file": (gzip.compress(LINE.encode())[:-9], "the gzip file is cut off"),
    "no gzip file": (b"\x1f\x8bxxxxxxxxxxxxxxxx", "not gzip"),
    "more behind a gzip file": (gzip.compress(LINE.encode()) + b"more", "4 bytes after the end"),
    "a missing field": (b'{"question": "a"}', "expected the fields hallucinated_answer, question"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_file_that_is_none_is_refused_with_its_place(tmp_path, what):
    data, words = BAD[what]
    (tmp_path / "qa_data.json").write_bytes(data)
    with pytest.raises(SpecError) as refused:
        gathered("halueval-qa", tmp_path / "qa_data.json")
    assert "qa_data.json" in refused.value.message
    assert words in refused.value.message


def test_what_a_file_unpacks_to_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MOST_BYTES", 1 << 20)
    (tmp_path / "bomb.jsonl.gz").write_bytes(gzip.compress(bytes(1 << 24)))
    with pytest.raises(SpecError, match=r"bomb.jsonl.gz: unpacks to more than 1,048,576 bytes"):
        gathered("halueval-qa", tmp_path / "bomb.jsonl.gz")
    two = gzip.compress(b" " * (1 << 19))
    (tmp_path / "parts.jsonl.gz").write_bytes(two * 3)
    with pytest.raises(SpecError, match="unpacks to more than"):
        gathered("halueval-qa", tmp_path / "parts.jsonl.gz")
    (tmp_path / "long.json").write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(SpecError, match="more than 1,048,576 bytes"):
        gathered("halueval-qa", tmp_path / "long.json")


def test_a_record_that_no_line_can_hold_is_refused():
    with pytest.raises(SpecError, match=r"a#1: 1,048,6.. bytes in one record"):
        written([Item(id="a#1", question="q", response="x" * (1 << 20), label=True)])
