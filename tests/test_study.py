import json
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.plan.reading import Columns
from assay.study import Origin, RunFolder, load_run

DARK = assay.load_benchmark("darkcore")
RUN = assay.run("oracle:word_length", DARK)


@pytest.fixture
def folder(tmp_path):
    kept = RunFolder(tmp_path / "run", origin=Origin(benchmark="darkcore"))
    for record in RUN.records:
        kept.add(record)
    kept.finish(RUN)
    return tmp_path / "run"


def test_a_run_is_read_back_as_it_was(folder):
    stored = load_run(folder)
    assert stored.run == RUN
    assert stored.origin.load() == DARK


def test_the_files_hold_what_the_reference_says(folder):
    first = json.loads((folder / "outputs.jsonl").read_text().splitlines()[0])
    assert list(first) == ["item", "output", "error", "ms"]
    head = json.loads((folder / "run.json").read_text())
    assert head["format"] == "assay-run/1"
    assert head["outputs"]["lines"] == 108
    assert "records" not in head


def test_one_changed_byte_of_the_outputs_is_seen(folder):
    path = folder / "outputs.jsonl"
    data = bytearray(path.read_bytes())
    at = data.index(b'"output":') + len(b'"output":')
    data[at] = ord("9") if data[at] != ord("9") else ord("8")
    path.write_bytes(data)
    with pytest.raises(assay.DigestMismatch, match="its digest is sha256:"):
        load_run(folder)


def test_a_folder_is_never_overwritten(folder):
    with pytest.raises(assay.SpecError, match="is not empty"):
        RunFolder(folder, origin=Origin(benchmark="darkcore"))


def test_outputs_are_on_disk_before_the_next_item_is_asked(tmp_path):
    kept = RunFolder(tmp_path / "run", origin=Origin(benchmark="darkcore"))
    for count, record in enumerate(RUN.records[:5], 1):
        kept.add(record)
        lines = (tmp_path / "run/outputs.jsonl").read_bytes().splitlines()
        assert len(lines) == count
    kept.finish(replace(RUN, records=RUN.records[:5], complete=False))
    assert not load_run(tmp_path / "run").run.complete


def test_a_run_cut_off_says_so_and_names_its_outputs(tmp_path):
    kept = RunFolder(tmp_path / "run", origin=Origin(benchmark="darkcore"))
    kept.add(RUN.records[0])
    with pytest.raises(assay.SpecError, match="cut off before it could be closed"):
        load_run(tmp_path / "run")
    kept.finish(replace(RUN, records=RUN.records[:1], complete=False))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other/9"}, "expected format 'assay-run/1'"),
        ({"task": "poetry"}, "Invalid enum value 'poetry'"),
        ({"seed": "x"}, "Expected `int`"),
        ({"origin": None}, "Origin"),
    ],
)
def test_a_head_that_is_not_ours_is_refused(folder, change, words):
    head = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**head, **change}))
    with pytest.raises(assay.SpecError, match=r"run\.json") as caught:
        load_run(folder)
    assert words.lower() in caught.value.message.lower() or "object" in caught.value.message


def test_an_empty_folder_is_no_run(tmp_path):
    with pytest.raises(assay.SpecError, match=r"no run\.json"):
        load_run(tmp_path)


def test_a_file_origin_holds_from_any_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text("q,label\nQ?,1\n")
    monkeypatch.chdir(tmp_path)
    origin = Origin(benchmark="mine.csv", columns=Columns(question="q")).located()
    monkeypatch.chdir("/")
    assert origin.load().items[0].question == "Q?"


def test_a_full_disk_is_an_error_of_ours(tmp_path):
    kept = RunFolder(tmp_path / "run", origin=Origin(benchmark="darkcore"))
    kept._outputs.close()
    with Path("/dev/full").open("wb", buffering=0) as full:
        kept._outputs = full
        with pytest.raises(assay.StorageError, match="No space left on device"):
            kept.add(RUN.records[0])


def test_a_place_that_cannot_be_a_folder_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(assay.StorageError, match="Not a directory"):
        RunFolder(tmp_path / "file/run", origin=Origin(benchmark="darkcore"))
