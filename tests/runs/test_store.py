import json
import os
from pathlib import Path

import pytest
from helpers.large_files import endless
from msgspec.structs import replace

import assay
from assay.digests import digest
from assay.errors import DigestMismatch, SpecError
from assay.gauntlet.judge import score
from assay.runs.result import Failure
from assay.runs.store import RunFolder, load_run, save_run

DARK = assay.load_benchmark("darkcore")
RUN = assay.run("oracle:word_length", DARK)


@pytest.fixture
def folder(tmp_path):
    save_run(RUN, tmp_path / "run")
    return tmp_path / "run"


def rewrite(folder, change):
    """Edit a head as a forger would."""
    head = json.loads((folder / "run.json").read_text())
    change(head)
    (folder / "run.json").write_text(json.dumps(head))


def resign(folder, lines):
    """Edit outputs and make the digest agree, as a forger would."""
    (folder / "outputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    stored = digest((folder / "outputs.jsonl").read_bytes())
    rewrite(folder, lambda head: head["outputs"].update(digest=stored, lines=len(lines)))


def lines_of(folder):
    return [json.loads(line) for line in (folder / "outputs.jsonl").read_text().splitlines()]


def test_a_run_is_read_back_as_it_was(folder):
    assert load_run(folder) == load_run(str(folder)) == RUN


def test_a_run_with_failures_is_read_back_as_it_was(tmp_path):
    failed = replace(RUN.records[0], output=None, error=Failure(kind="raised", message="boom"))
    run = replace(RUN, records=(failed, *RUN.records[1:]), complete=False)
    save_run(run, tmp_path / "run")
    assert load_run(tmp_path / "run") == run


def test_the_files_hold_what_the_reference_says(folder):
    assert list(lines_of(folder)[0]) == ["item", "output", "error", "ms"]
    head = json.loads((folder / "run.json").read_text())
    assert head["format"] == "assay-run/1"
    assert head["outputs"]["lines"] == 108
    assert "records" not in head


def test_outputs_without_end_are_refused_before_they_are_read(folder):
    endless(folder / "outputs.jsonl")
    with pytest.raises(SpecError, match="more than"):
        load_run(folder)
    with pytest.raises(SpecError, match="more than"):
        RunFolder.resume(folder)


@pytest.mark.parametrize("by", [endless, lambda path: path.unlink() or os.mkfifo(path)])
def test_nor_are_they_read_when_a_run_is_closed(tmp_path, by):
    """Something else has made them long, or a pipe, which would be read for ever."""
    folder = RunFolder(tmp_path / "run")
    folder.begin(RUN)
    folder.add(RUN.records[0])
    by(tmp_path / "run/outputs.jsonl")
    with pytest.raises(DigestMismatch, match=r"more than|not a regular file"):
        folder.finish(replace(RUN, records=RUN.records[:1]))


def test_one_changed_byte_of_the_outputs_is_seen(folder):
    path = folder / "outputs.jsonl"
    data = bytearray(path.read_bytes())
    at = data.index(b'"output":') + len(b'"output":')
    data[at] = ord("9") if data[at] != ord("9") else ord("8")
    path.write_bytes(data)
    with pytest.raises(assay.errors.DigestMismatch, match="its digest is sha256:"):
        load_run(folder)


def test_outputs_rewritten_during_the_run_are_seen(tmp_path):
    kept = RunFolder(tmp_path / "run")
    kept.begin(replace(RUN, records=(), complete=False))
    for record in RUN.records:
        kept.add(record)
    path = tmp_path / "run/outputs.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"output":', b'"output":1', 1))
    with pytest.raises(assay.errors.DigestMismatch, match="what was written to it"):
        kept.finish(RUN)


def test_a_folder_is_never_overwritten(folder):
    with pytest.raises(assay.SpecError, match="is not empty"):
        RunFolder(folder)


def test_outputs_and_what_makes_them_are_there_before_the_next_item_is_asked(tmp_path):
    kept = RunFolder(tmp_path / "run")
    kept.begin(replace(RUN, records=(), complete=False))
    for count, record in enumerate(RUN.records[:5], 1):
        kept.add(record)
        assert len(lines_of(tmp_path / "run")) == count
    head = json.loads((tmp_path / "run/run.json").read_text())
    assert (head["method"], head["complete"]) == ("oracle:word_length", False)
    with pytest.raises(assay.SpecError, match="the run was interrupted"):
        load_run(tmp_path / "run")
    kept.finish(replace(RUN, records=RUN.records[:5], complete=False))
    assert len(load_run(tmp_path / "run").records) == 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other/9"}, "expected format 'assay-run/1', got 'other/9'"),
        ({"task": "poetry"}, "Invalid enum value 'poetry'"),
        ({"seed": "x"}, "Expected `int`, got `str` - at `$.seed`"),
        ({"benchmark": None}, "at `$.benchmark`"),
        ({"outputs": 3}, "the run was interrupted"),
    ],
)
def test_a_head_that_is_not_ours_is_refused(folder, change, words):
    rewrite(folder, lambda head: head.update(change))
    with pytest.raises(assay.SpecError) as caught:
        load_run(folder)
    assert words in caught.value.message


FORGED = {
    "neither output nor error": ({"output": None}, "either an output or an error"),
    "both": ({"error": {"kind": "raised", "message": ""}}, "either an output or an error"),
    "a text for a score": ({"output": "high"}, "got 'high' as score"),
    "infinity as a text": ({"output": "inf"}, "got 'inf' as score"),
    "a class for a score": ({"output": {"class": "truth"}}, "needs the key 'score'"),
    "an item that is none": ({"item": "ghost"}, "'ghost', which is not an item"),
    "a list": ({"output": [1]}, "outputs.jsonl, line 1"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_record_that_could_not_have_been_made_is_refused(folder, name):
    change, words = FORGED[name]
    lines = lines_of(folder)
    lines[0].update(change)
    resign(folder, lines)
    with pytest.raises(assay.AssayError) as caught:
        assay.score(load_run(folder), DARK, assay.load_bars("v1"))
    assert words in caught.value.message


def test_an_item_recorded_twice_is_refused(folder):
    lines = lines_of(folder)
    resign(folder, [*lines, lines[0]])
    with pytest.raises(assay.IntegrityError, match="two records of"):
        assay.score(load_run(folder), DARK, assay.load_bars("v1"))


def test_a_seal_cannot_be_typed_in(folder):
    rewrite(folder, lambda head: head.update(sealed=True))
    with pytest.raises(assay.SpecError, match="'sealed', which no run has"):
        load_run(folder)


def test_a_second_corpus_cannot_be_dropped(tmp_path):
    both = DARK.with_second(assay.load_benchmark("folklore-two"))
    run = assay.run("question-length", both)
    with pytest.raises(assay.errors.DigestMismatch, match="no second corpus"):
        score(run, DARK, assay.load_bars("v1", task="classification"))
    with pytest.raises(assay.errors.DigestMismatch, match="no second corpus"):
        score(replace(run, second=None), both, assay.load_bars("v1", task="classification"))


def test_an_empty_folder_is_no_run(tmp_path):
    with pytest.raises(assay.SpecError, match=r"no run\.json"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text("{}")
    os.mkfifo(tmp_path / "outputs.jsonl")
    with pytest.raises(assay.SpecError, match=r"no outputs\.jsonl"):
        load_run(tmp_path)


def test_a_study_can_be_moved_with_its_data(tmp_path):
    (tmp_path / "old").mkdir()
    rows = "".join(f"Q{i},{'a ' * i},{i % 2}\n" for i in range(20))
    (tmp_path / "old/mine.csv").write_text("q,response,label\n" + rows)
    benchmark = assay.load_benchmark(tmp_path / "old/mine.csv", question="q")
    save_run(assay.run("oracle:word_length", benchmark), tmp_path / "old/runs/1")
    assert str(tmp_path) not in (tmp_path / "old/runs/1/run.json").read_text()
    (tmp_path / "old").rename(tmp_path / "new")
    run = load_run(tmp_path / "new/runs/1")
    assert run.benchmark.origin.place == str(tmp_path / "new/mine.csv")


def test_a_line_that_is_missing_is_seen(folder):
    rewrite(folder, lambda head: head["outputs"].update(lines=1))
    with pytest.raises(assay.IntegrityError, match="108 lines, and run"):
        load_run(folder)


def test_a_place_that_cannot_be_is_refused(folder):
    for place in ("a\0b", "loop"):
        (folder / "loop").unlink(missing_ok=True)
        (folder / "loop").symlink_to("loop")
        rewrite(
            folder,
            lambda head, place=place: head["benchmark"].update(
                origin={"place": place, "columns": {}}
            ),
        )
        with pytest.raises(assay.AssayError):
            run = load_run(folder)
            assay.load_benchmark(run.benchmark.origin.place)


def test_a_full_disk_is_an_error_of_ours(tmp_path):
    kept = RunFolder(tmp_path / "run")
    kept.begin(replace(RUN, records=(), complete=False))
    kept._outputs.close()
    with Path("/dev/full").open("wb", buffering=0) as full:
        kept._outputs = full
        with pytest.raises(assay.StorageError, match="No space left on device"):
            kept.add(RUN.records[0])


def test_a_place_that_cannot_be_a_folder_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(assay.StorageError, match="Not a directory"):
        save_run(RUN, tmp_path / "file/run")
