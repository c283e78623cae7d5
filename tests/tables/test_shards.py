"""Folders: datasets as `save_to_disk` writes them, and shards told by their names."""

import json

import polars
import pytest

from assay.digests import digest, listing_digest
from assay.errors import SpecError
from assay.tables.source import read_table

ROWS = [{"id": str(number), "q": f"Q{number}?"} for number in range(6)]


def saved(folder, rows=ROWS, *, count=2, split="train"):
    """A dataset as `save_to_disk` writes it: state.json, dataset_info.json and Arrow streams."""
    folder.mkdir(parents=True)
    names = [f"data-{number:05d}-of-{count:05d}.arrow" for number in range(count)]
    size = len(rows) // count
    for number, name in enumerate(names):
        part = rows[number * size : (number + 1) * size]
        polars.DataFrame(part).write_ipc_stream(folder / name)
    state = {"_data_files": [{"filename": name} for name in names], "_split": split}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text(json.dumps({"features": {}}))
    return folder


def shard(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name.endswith(".parquet"):
        polars.DataFrame(rows).write_parquet(path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def rows_in(folder, **how):
    return [row for _, row in read_table(folder, **how).rows()]


def refused(folder, **how):
    with pytest.raises(SpecError) as caught:
        rows_in(folder, **how)
    return caught.value


def test_a_saved_dataset_is_read_in_the_order_of_its_state(tmp_path):
    folder = saved(tmp_path / "set")
    polars.DataFrame(ROWS).write_ipc_stream(folder / "cache-0123.arrow")
    assert rows_in(folder) == rows_in(folder, split="train") == ROWS
    places = [place for place, _ in read_table(folder).rows()]
    assert places[3] == f"{folder}, data-00001-of-00002.arrow, row 1"
    assert "the only split is 'train'" in refused(folder, split="test").message


def test_a_dataset_of_several_splits_asks_for_one(tmp_path):
    for name in ("train", "test"):
        saved(tmp_path / "set" / name, split=name)
    (tmp_path / "set" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    error = refused(tmp_path / "set")
    assert "expected one split, got 2: train, test" in error.message
    assert error.hint == "Choose one: `split=train`."
    assert rows_in(tmp_path / "set", split="test") == ROWS
    assert "no split 'dev'; there are train, test" in refused(tmp_path / "set", split="dev").message


def test_a_missing_file_of_a_saved_dataset_is_named(tmp_path):
    folder = saved(tmp_path / "set")
    (folder / "data-00001-of-00002.arrow").unlink()
    assert "1 of 2 files missing: data-00001-of-00002.arrow" in refused(folder).message


@pytest.mark.parametrize("name", ["../secret.arrow", "/etc/passwd", "a/b.arrow", "..", ""])
def test_a_state_that_leads_out_of_its_folder_is_refused(tmp_path, name):
    folder = saved(tmp_path / "set")
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name}]}))
    assert "is not the name of a file in the folder" in refused(folder).message


def test_a_selection_and_an_odd_state_are_refused(tmp_path):
    folder = saved(tmp_path / "set")
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps({**state, "_indices_data_files": [{}]}))
    assert "flatten_indices" in refused(folder).hint
    for odd in ("{}", '{"_data_files": 3}', '{"_data_files": [1]}'):
        (folder / "state.json").write_text(odd)
        assert "names no files of rows" in refused(folder).message


def test_a_clone_from_the_hub_is_read_by_its_shards(tmp_path):
    for number in range(3):
        part = ROWS[2 * number : 2 * number + 2]
        shard(tmp_path / "data" / f"train-{number:05d}-of-00003.parquet", part)
    shard(tmp_path / "data" / "test-00000-of-00001-0a1b.parquet", ROWS[:1])
    (tmp_path / "README.md").write_text("# A dataset")
    (tmp_path / ".git").mkdir()
    shard(tmp_path / ".git" / "x.jsonl", ROWS)
    assert "expected one split, got 2: test, train" in refused(tmp_path).message
    assert "name them as its shards: NAME-00000-of-00002" in refused(tmp_path).hint
    assert rows_in(tmp_path, split="train") == ROWS
    source = read_table(tmp_path, split="train")
    assert source.digest == listing_digest("shards", (digest(data) for _, data in source.files))


def test_a_missing_shard_is_named(tmp_path):
    for number in (0, 2):
        shard(tmp_path / f"train-{number:05d}-of-00003.jsonl", ROWS)
    error = refused(tmp_path)
    assert "the split 'train' has 2 of 3 shards: missing 00001" in error.message
    assert "downloaded completely" in error.hint


def test_shards_whose_numbers_do_not_fit_are_refused(tmp_path):
    shard(tmp_path / "train-00000-of-00001.jsonl", ROWS)
    shard(tmp_path / "train-00001-of-00002.jsonl", ROWS)
    assert "their numbers do not match" in refused(tmp_path).message


def test_a_split_in_two_formats_is_refused(tmp_path):
    shard(tmp_path / "train-00000-of-00002.jsonl", ROWS)
    shard(tmp_path / "train-00001-of-00002.parquet", ROWS)
    assert "has files of several formats: .jsonl, .parquet" in refused(tmp_path).message


def test_numbered_parts_are_one_table_and_years_are_not(tmp_path):
    for number in (0, 1, 10):
        shard(tmp_path / "a" / f"part-{number}.jsonl", [ROWS[number % 6]])
    assert [row["id"] for row in rows_in(tmp_path / "a")] == ["0", "1", "4"]
    for year in (2023, 2024):
        shard(tmp_path / "b" / f"results-{year}.jsonl", ROWS)
    assert "expected one split, got 2" in refused(tmp_path / "b").message
    assert rows_in(tmp_path / "b", split="results-2024") == ROWS
    for number in (0, 1):
        shard(tmp_path / "c" / "train" / f"{number:04d}.jsonl", ROWS[:1])
    assert len(rows_in(tmp_path / "c", split="train")) == 2


def test_a_folder_without_rows_and_one_file_with_a_split_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    assert "no data files in this folder" in refused(tmp_path / "empty").message
    shard(tmp_path / "one.jsonl", ROWS)
    assert "has no splits" in refused(tmp_path / "one.jsonl", split="train").message


def test_a_pointer_in_place_of_a_shard_says_how_to_fetch_it(tmp_path):
    (tmp_path / "train.parquet").write_text("version https://git-lfs.github.com/spec/v1\n")
    assert refused(tmp_path).hint == "Fetch the file: git lfs pull"


def test_the_order_of_shards_is_part_of_the_digest(tmp_path):
    for one, other in (("x", "y"), ("y", "x")):
        folder = tmp_path / one
        shard(folder / "part-0.jsonl", [{"a": one}])
        shard(folder / "part-1.jsonl", [{"a": other}])
    assert read_table(tmp_path / "x").digest != read_table(tmp_path / "y").digest
