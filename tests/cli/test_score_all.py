import json

import pytest
from msgspec.structs import replace

import assay
from assay.runs.result import Failure
from assay.runs.store import save_run

DARK = assay.load_benchmark("darkcore")
RUNS = {name: assay.run(f"oracle:{name}", DARK) for name in ("word_length", "question_overlap")}
KEYS = {"run", "method", "earlier", "judged_before", "scorecard", "error", "unreadable"}


@pytest.fixture
def runs(tmp_path):
    for name, run in RUNS.items():
        save_run(run, tmp_path / "runs" / name)
    return tmp_path / "runs"


def scorecards(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.glob("**/scorecards/*"))
    }


def rejudged(done):
    return {one["run"]: one for one in done.json}


def test_old_and_new_stand_side_by_side_with_what_changed(assay_cmd, runs):
    first = assay_cmd("score", "--all", "--bars", "v1")
    assert first.code == 0, first.err
    assert first.out.count("judged for the first time") == 2
    assert "2 of 2 runs passed." in first.out
    kept = scorecards(runs)
    assert len(kept) == 2
    second = assay_cmd("score", "--all", "--bars", "v3")
    assert second.code == 1
    for words in (
        "runs/word_length",
        "v1 PASS 2/2",
        "now (v3)",
        "FAIL",
        "new D3 0.000",
        "0 of 2 runs passed.",
    ):
        assert words in second.out
    after = scorecards(runs)
    assert kept.items() <= after.items()
    assert len(after) == 4
    third = assay_cmd("score", "--all", "runs/word_length", "--bars", "v4", "--json")
    assert third.code == 1
    (one,) = third.json
    assert set(one) == KEYS
    assert (one["method"], one["error"]) == ("oracle:word_length", None)
    assert one["scorecard"]["bars_version"] == "v4"
    assert {kept["scorecard"]["bars_version"] for kept in one["earlier"]} == {"v1", "v3"}
    assert all(set(kept) == {"judged", "scorecard"} for kept in one["earlier"])
    assert after.items() <= scorecards(runs).items()


def test_judging_twice_adds_nothing(assay_cmd, runs):
    assay_cmd("score", "--all", "--bars", "v1")
    kept = scorecards(runs)
    again = assay_cmd("score", "--all", "--bars", "v1")
    assert again.code == 0
    single = assay_cmd("score", "runs/word_length", "--bars", "v1", "--json")
    assert scorecards(runs) == kept
    stored = json.loads(next(data for name, data in kept.items() if "word_length" in name))
    assert stored["scorecard"] == single.json


def test_trying_and_scoring_keep_their_scorecards_beside_the_run(assay_cmd, tmp_path):
    tried = assay_cmd(
        "try", "oracle:word_length", "--bars", "v1", "--save", "runs/words", "--json"
    ).json
    scored = assay_cmd("score", "runs/words", "--bars", "v2", "--json").json
    kept = [json.loads(data)["scorecard"] for data in scorecards(tmp_path).values()]
    assert kept == [tried, scored]


def test_a_broken_run_is_reported_and_the_others_are_judged(assay_cmd, runs):
    save_run(RUNS["word_length"], runs / "broken")
    outputs = runs / "broken/outputs.jsonl"
    outputs.write_bytes(outputs.read_bytes().replace(b'"output":', b'"output":1', 1))
    done = assay_cmd("score", "--all", "--bars", "v1", "--json")
    assert done.code == 1
    found = rejudged(done)
    assert found["runs/broken"]["scorecard"] is None
    assert found["runs/broken"]["error"].startswith("DigestMismatch: ")
    judged = [one["scorecard"]["verdict"] for one in done.json if one["error"] is None]
    assert judged == ["pass", "pass"]
    shown = assay_cmd("score", "--all", "--bars", "v1")
    assert "not judged" in shown.out
    assert "DigestMismatch" in shown.out
    assert "2 of 3 runs passed." in shown.out


def test_runs_with_failures_and_unfinished_ones_are_never_passed(assay_cmd, tmp_path):
    run = RUNS["word_length"]
    failed = replace(run.records[0], output=None, error=Failure(kind="raised", message="boom"))
    save_run(replace(run, records=(failed, *run.records[1:])), tmp_path / "runs/failed")
    cut = replace(run, records=run.records[:100], complete=False)
    save_run(cut, tmp_path / "runs/cut")
    done = assay_cmd("score", "--all", "--bars", "v1", "--json")
    assert done.code == 1
    verdicts = {name: one["scorecard"]["verdict"] for name, one in rejudged(done).items()}
    assert verdicts == {"runs/cut": "unresolved", "runs/failed": "unresolved"}


def test_classification_runs_are_judged_beside_detection_runs(assay_cmd, runs):
    both = DARK.with_second(assay.load_benchmark("folklore-two"))
    save_run(assay.run("question-length", both), runs / "classes")
    done = assay_cmd("score", "--all", "--bars", "v2", "--json")
    assert done.code == 1
    found = rejudged(done)
    assert [one["error"] for one in found.values()] == [None] * 3
    assert found["runs/classes"]["scorecard"]["task"] == "classification"
    assert [bar["id"] for bar in found["runs/classes"]["scorecard"]["bars"]] == ["K1", "K2", "K3"]
    plain = assay_cmd("score", "--all", "--json")
    versions = {one["scorecard"]["bars_version"] for one in plain.json}
    assert versions == {"v3"}


def test_bars_of_ones_own_judge_everything_again(assay_cmd, runs, tmp_path):
    revised = assay_cmd(
        "bars", "revise", "v1", "--add", "D3", "--control", "feature:word_length",
        "--margin", ".1", "--because", "counting words passes", "--out", "mine.toml",
    )  # fmt: skip
    assert revised.code == 0, revised.err
    done = assay_cmd("score", "--all", "--bars", "mine.toml", "--json")
    digest = assay.load_bars(tmp_path / "mine.toml").digest
    assert {one["scorecard"]["digests"]["bars"] for one in done.json} == {digest}
    assert rejudged(done)["runs/word_length"]["scorecard"]["point"]["passed"] == 2


def test_another_folder_and_folders_in_it(assay_cmd, runs, tmp_path):
    save_run(RUNS["word_length"], runs / "deep/er/run")
    done = assay_cmd("score", "--all", "runs/deep", "--bars", "v1", "--json")
    assert [one["run"] for one in done.json] == ["runs/deep/er/run"]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "file").touch()
    for place in ((), ("elsewhere",), ("file",), ("nothere",)):
        if place == ():
            runs.rename(tmp_path / "away")
        refused = assay_cmd("score", "--all", *place, "--json")
        assert refused.code == 2, place
        assert refused.json["error"]["type"] == "SpecError"


def test_flags_of_a_single_run_and_no_run_at_all_are_bad_usage(assay_cmd, runs):
    for arguments in (
        [],
        ["--all", "--benchmark", "darkcore"],
        ["--all", "--second", "folklore-two"],
        ["runs"],
        ["runs/nothere"],
    ):
        assert assay_cmd("score", *arguments).code == 2, arguments


def test_a_scorecard_that_cannot_be_kept_is_only_mentioned(assay_cmd, runs):
    (runs / "word_length/scorecards").touch()
    done = assay_cmd("score", "runs/word_length", "--bars", "v1")
    assert done.code == 0
    assert "verdict        PASS" in done.out
    assert "The scorecard could not be stored: " in done.err


def test_names_of_others_cannot_drive_the_terminal(assay_cmd, tmp_path):
    run = replace(RUNS["word_length"], method="x\x1b[31m\x07.py:detect")
    save_run(run, tmp_path / "runs/red\x1b[31m\x07")
    done = assay_cmd("score", "--all", "--bars", "v1")
    assert done.code == 0
    assert "red\\x1b[31m\\x07" in done.out
    assert not set("\x1b\x07") & set(done.out + done.err)


def test_judging_again_is_not_said_to_be_the_first_time(assay_cmd, runs):
    assay_cmd("score", "--all", "--bars", "v1")
    assert "first time" not in assay_cmd("score", "--all", "--bars", "v1").out


def test_bars_that_are_not_there_are_bad_usage(assay_cmd, runs):
    assert assay_cmd("score", "--all", "--bars", "v99").code == 2


def test_a_study_without_a_run_has_none_to_judge(assay_cmd, tmp_path):
    assert assay_cmd("new", "fresh").code == 0
    done = assay_cmd("score", "fresh", "--all")
    assert (done.code, done.out) == (0, "No run to judge yet.\n")
