"""Logs that mean harm, or were harmed: a typed error each, in bounded memory.

Archives that lie, leave or are cut off are in test_zip_members.py.
"""

import json
import struct
import tracemalloc

import pytest
from helpers.inspect_logs import archive, header, members, sample, samples, write_eval

from assay import SpecError, load_benchmark
from assay.comparison.collect import Request, compare_paths
from assay.errors import AssayError, StorageError
from assay.logs.format_table import FORMATS, read_log
from assay.logs.harnesses import inspect_ai
from assay.logs.zip_members import ZipMembers

MB = 1 << 20


def peak_of(action):
    """The most memory that an action takes, in bytes."""
    tracemalloc.start()
    try:
        with pytest.raises(AssayError):
            action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packing", ["zstandard", "deflate"])
def test_a_bomb_that_says_it_is_small_takes_little_memory(tmp_path, packing):
    data = bytearray(archive({"header.json": b" " * (64 * MB)}, packing))
    start = data.index(b"PK\x01\x02")
    data[start + 24 : start + 28] = struct.pack("<L", 1000)
    (tmp_path / "a.eval").write_bytes(data)
    found = ZipMembers(tmp_path / "a.eval")
    assert peak_of(lambda: found.read("header.json")) < 4 * MB


def test_a_bomb_takes_the_memory_that_is_measured(tmp_path):
    """The planted one: what is unpacked whole is seen by the measure above."""
    (tmp_path / "a.eval").write_bytes(archive({"header.json": b" " * (64 * MB)}))
    found = ZipMembers(tmp_path / "a.eval")

    def unpack():
        found.read("header.json")
        raise SpecError("read")

    assert peak_of(unpack) > 60 * MB


@pytest.mark.parametrize("texts", [False, True])
def test_many_members_each_within_its_bound_are_bounded_together(tmp_path, monkeypatch, texts):
    monkeypatch.setattr(inspect_ai, "MAX_UNPACKED_BYTES", MB)
    made = [sample(f"q{at}", input="a" * 100_000) for at in range(40)]
    content = members(made, finished=False)
    (tmp_path / "a.eval").write_bytes(archive(content))
    with pytest.raises(SpecError, match="more than 1,048,576 bytes of samples"):
        read_log(tmp_path / "a.eval", texts=texts)


DEEP = b"[" * 100_000 + b"]" * 100_000
BEGINNINGS = {
    "inspect.json": b'{"eval": 1, "status": "success", "plan": ',
    "promptfoo.json": b'{"evalId": "e", "results": ',
    "helm.json": b'[{"instance_id": "i", "stats": ',
    "langfuse.json": b'{"item_results": ',
    "lines.jsonl": b'{"doc_id": 1, "doc": 1, "target": 1, "resps": 1, "filtered_resps": ',
    "spans.jsonl": b'{"span_id": "a", "root_span_id": "a", "scores": ',
}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_deep_nesting_in_any_form_is_a_typed_error_or_no_log(tmp_path, name):
    beginning = BEGINNINGS[name]
    ending = b"}]" if beginning.startswith(b"[") else b"}"
    path = tmp_path / name
    path.write_bytes(beginning + DEEP + ending)
    try:
        assert read_log(path) == []
    except SpecError as error:
        assert len(error.message) < 2_000


def test_one_id_twice_in_a_log_is_refused_as_records_and_as_trials(tmp_path):
    made = samples(["C", "I"] * 6)
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**header(made, status="error"), "samples": [*made, *made[:1]]}))
    other = write_eval(tmp_path / "b.eval", made)
    with pytest.raises(SpecError, match="two samples have the id 'q0, epoch 1'"):
        load_benchmark(path)
    with pytest.raises(AssayError, match="the same run twice"):
        compare_paths([path], [other], Request(plan=None, policies={}))


@pytest.fixture
def changing(monkeypatch):
    """Logs of inspect_ai grow by a byte after they were read."""
    read = inspect_ai.read

    def read_and_change(file, *, texts):
        runs = read(file, texts=texts)
        with file.path.open("ab") as opened:
            opened.write(b" ")
        return runs

    monkeypatch.setattr(inspect_ai, "read", read_and_change)


def test_a_log_that_changes_while_it_is_read_gives_no_comparison_and_no_records(tmp_path, changing):
    sides = [[write_eval(tmp_path / f"{name}.eval", samples(["C", "I"] * 6))] for name in "ab"]
    with pytest.raises(StorageError, match="changed while it was read"):
        compare_paths(*sides, Request(plan=None, policies={}))
    with pytest.raises(StorageError, match="changed while it was read"):
        load_benchmark(sides[0][0])


def test_a_log_of_another_size_than_it_was_listed_with_is_noticed(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(["C", "I"]))
    found = ZipMembers(path)
    write_eval(path, samples(["I"] * 40))
    with pytest.raises(SpecError, match=r"does not match|is not at|(is|are) cut off|unpacked"):
        for name in found.names:
            found.read(name)


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_no_reader_takes_a_file_that_only_looks_like_its_own_for_a_run(tmp_path, known):
    shapes = [{}, [], None, "x", {"results": None}, {"results": []}, {"eval": {}, "status": []}]
    for at, shape in enumerate(shapes):
        path = tmp_path / f"results_{at}.json"
        path.write_text(json.dumps(shape))
        try:
            assert read_log(path) == []
        except AssayError as error:
            assert error.message
