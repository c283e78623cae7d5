"""Sides that are folders: one table of trials in several files."""

import json

import polars
import pytest

from assay import SpecError
from assay.comparison.collect import Request, check_again, compare_paths
from assay.comparison.result import NetVerdict
from assay.comparison.sides.reader import SideReading
from assay.logs.trial_rows import TrialColumns

BAD, GOOD = [0] * 14 + [1] * 6, [0] * 2 + [1] * 18


def rows(values):
    return [{"instance": f"i{at}", "right": value} for at, value in enumerate(values)]


def request(**columns):
    return Request(plan=None, policies={}, reading=SideReading(columns=TrialColumns(**columns)))


def parquet_shards(folder, values, split="train"):
    """A folder as the Hugging Face hub keeps it."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    for number in (0, 1):
        part = rows(values)[number * 10 : number * 10 + 10]
        name = f"{split}-{number:05d}-of-00002.parquet"
        polars.DataFrame(part).write_parquet(folder / "data" / name)
    return folder


def saved_dataset(folder, values):
    """A folder as `save_to_disk` writes it."""
    folder.mkdir()
    polars.DataFrame(rows(values)).write_ipc_stream(folder / "data-00000-of-00001.arrow")
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": "train"}
    (folder / "state.json").write_text(json.dumps(state))
    return folder


def line_shards(folder, values):
    folder.mkdir()
    for number in (1, 2):
        part = rows(values)[number * 10 - 10 : number * 10]
        (folder / f"part-{number}.jsonl").write_text("\n".join(map(json.dumps, part)))
    return folder


@pytest.mark.parametrize("write", [parquet_shards, saved_dataset, line_shards])
def test_folders_of_shards_are_sides(tmp_path, write):
    sides = [write(tmp_path / "a", BAD)], [write(tmp_path / "b", GOOD)]
    found = compare_paths(*sides, request())
    assert found.verdict is NetVerdict.RATIFY and found.pairs == 20
    assert [one.kind for one in found.inputs] == ["trials", "trials"]
    check_again(found, *sides)


def test_a_split_is_chosen_and_kept_in_the_comparison(tmp_path):
    for name, values in (("a", BAD), ("b", GOOD)):
        parquet_shards(tmp_path / name, values, split="test")
        parquet_shards(tmp_path / name, BAD, split="train")
    sides = [tmp_path / "a"], [tmp_path / "b"]
    with pytest.raises(SpecError, match="expected one split, got 2: test, train") as error:
        compare_paths(*sides, request())
    assert error.value.hint.startswith("Choose one: `split=test`. To read files as one table")
    found = compare_paths(*sides, request(split="test"))
    assert found.verdict is NetVerdict.RATIFY
    assert found.inputs[0].columns["split"] == "test"
    check_again(found, *sides)


def test_a_missing_shard_is_no_smaller_side(tmp_path):
    sides = [parquet_shards(tmp_path / "a", BAD)], [parquet_shards(tmp_path / "b", GOOD)]
    (tmp_path / "b/data/train-00001-of-00002.parquet").unlink()
    with pytest.raises(SpecError, match="1 of 2 shards: missing 00001"):
        compare_paths(*sides, request())


def test_a_folder_with_nothing_to_read_says_what_was_looked_for(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "notes.txt").write_text("nothing")
    with pytest.raises(SpecError, match=r"no eval\.json, no log and no rows in this folder"):
        compare_paths([tmp_path / "a"], [tmp_path / "a"], request())


def test_a_file_has_no_splits(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows(BAD))))
    with pytest.raises(SpecError, match="a single table has no splits"):
        compare_paths([tmp_path / "a.jsonl"], [tmp_path / "a.jsonl"], request(split="train"))
