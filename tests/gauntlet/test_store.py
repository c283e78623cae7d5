import json

import pytest
from msgspec.structs import replace

import assay
from assay.errors import SpecError, StorageError
from assay.files import write_new, write_whole
from assay.gauntlet import store as scorecards
from assay.gauntlet.rejudge import judge_again, judge_all
from assay.gauntlet.store import find_runs, keep_scorecard, kept_scorecards
from assay.runs.store import save_run

DARK = assay.load_benchmark("darkcore")
RUN = assay.run("oracle:word_length", DARK)
CARDS = {version: assay.score(RUN, DARK, assay.load_bars(version)) for version in ("v1", "v2")}


@pytest.fixture
def folder(tmp_path):
    save_run(RUN, tmp_path / "runs/one")
    return tmp_path / "runs/one"


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a second whenever it is looked at."""
    seconds = iter(range(10, 60))
    monkeypatch.setattr(scorecards, "now", lambda: f"2030-01-01T00:00:{next(seconds)}+00:00")


def files_of(folder):
    return {path.name: path.read_bytes() for path in (folder / "scorecards").iterdir()}


def test_a_scorecard_is_read_back_as_it_was(folder):
    keep_scorecard(folder, CARDS["v1"])
    (kept,) = kept_scorecards(folder)
    assert kept.scorecard == CARDS["v1"]
    ((name, data),) = files_of(folder).items()
    assert name.startswith("detection-v1@")
    assert set(json.loads(data)) == {"format", "judged", "scorecard"}
    assert json.loads(data)["format"] == "assay-scorecard/1"


def test_a_run_that_was_never_judged_has_no_scorecards(folder):
    assert kept_scorecards(folder) == []


def test_keeping_the_same_scorecard_again_changes_nothing(folder, clock):
    keep_scorecard(folder, CARDS["v1"])
    before = files_of(folder)
    keep_scorecard(folder, CARDS["v1"])
    assert files_of(folder) == before


def test_other_figures_under_the_same_bars_are_kept_beside_the_old(folder, clock):
    keep_scorecard(folder, CARDS["v1"])
    before = files_of(folder)
    others = [replace(CARDS["v1"], unscored=number) for number in (1, 2)]
    for card in (*others, CARDS["v1"], *others):
        keep_scorecard(folder, card)
    after = files_of(folder)
    assert before.items() <= after.items()
    assert len(after) == 3
    assert [kept.scorecard.unscored for kept in kept_scorecards(folder)] == [0, 1, 2]


def test_scorecards_come_in_the_order_in_which_they_were_made(folder, clock):
    for version in ("v2", "v1"):
        keep_scorecard(folder, CARDS[version])
    found = [kept.scorecard.bars_version for kept in kept_scorecards(folder)]
    assert found == ["v2", "v1"]


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b"\xff", b'{"format": "assay-scorecard/1"}', b'{"format": "other/1"}'],
)
def test_a_scorecard_that_is_none_is_refused_by_name(folder, data):
    keep_scorecard(folder, CARDS["v1"])
    (folder / "scorecards/detection-v0@0.json").write_bytes(data)
    with pytest.raises(SpecError, match=r"detection-v0@0\.json"):
        kept_scorecards(folder)


def test_a_folder_that_takes_no_scorecard_is_a_storage_error(folder):
    (folder / "scorecards").touch()
    with pytest.raises(StorageError):
        keep_scorecard(folder, CARDS["v1"])


def test_runs_are_found_in_folders_of_folders_and_not_inside_runs(folder, tmp_path):
    root = tmp_path / "runs"
    for name in ("two/deep", "two/deeper/still", "another"):
        save_run(RUN, root / name)
    save_run(RUN, folder / "inside")
    (root / "file").touch()
    (root / "empty").mkdir()
    (root / "loop").symlink_to(root)
    assert find_runs(root) == [
        root / name for name in ("another", "one", "two/deep", "two/deeper/still")
    ]
    assert find_runs(folder) == [folder]
    assert find_runs(root / "empty") == []


def test_a_folder_that_is_not_there_has_no_runs(tmp_path):
    (tmp_path / "file").touch()
    for place in ("nothere", "file"):
        with pytest.raises(SpecError, match=f"no folder .*{place}"):
            find_runs(tmp_path / place)


def test_judging_again_is_judging_then(folder):
    run, card = judge_again(folder, "v1")
    assert (run, card) == (RUN, CARDS["v1"])


def test_one_that_cannot_be_judged_says_why_and_the_others_go_on(folder, tmp_path):
    root = tmp_path / "runs"
    for name in ("cut", "forged", "gone", "zeta"):
        save_run(RUN, root / name)
    (root / "cut/run.json").write_text("{}")
    with (root / "forged/outputs.jsonl").open("a") as file:
        file.write("{}\n")
    (root / "gone/outputs.jsonl").unlink()
    cut, forged, gone, one, zeta = judge_all(root, "v1")
    assert [found.run for found in (cut, zeta)] == [str(root / "cut"), str(root / "zeta")]
    assert cut.error.startswith("SpecError: ")
    assert forged.error.startswith("DigestMismatch: ")
    assert gone.error.startswith("SpecError: ")
    assert cut.scorecard is forged.scorecard is gone.scorecard is None
    assert one.scorecard == zeta.scorecard == CARDS["v1"]
    assert one.error is zeta.error is None
    assert one.earlier == ()
    assert not (root / "forged/scorecards").exists()


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep/er/file"
    write_new(path, b"one")
    with pytest.raises(SpecError, match="already exists"):
        write_new(path, b"two")
    assert path.read_bytes() == b"one"
    write_whole(path, b"three")
    assert path.read_bytes() == b"three"
    assert [found.name for found in path.parent.iterdir()] == ["file"]
    with pytest.raises(StorageError):
        write_new(path / "below", b"four")
    with pytest.raises(StorageError):
        write_new(tmp_path / ("x" * 300), b"five")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError):
        write_whole(tmp_path / "folder", b"six")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["deep", "folder"]


def test_a_file_beside_the_new_one_is_left_alone(tmp_path):
    (tmp_path / "a.new").write_bytes(b"mine")
    write_new(tmp_path / "a", b"x")
    assert (tmp_path / "a.new").read_bytes() == b"mine"
