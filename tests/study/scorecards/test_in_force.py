"""Comparing runs of a study: the study answers, under the bars in force."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay.cli.group import assay as command
from assay.study.scorecards.in_force import scorecard_in_force

EXAMPLE = Path(__file__).parents[3] / "examples" / "gauntlet"
"""A study whose bars v1 were superseded by v1-2."""


@pytest.fixture
def study(tmp_path):
    return shutil.copytree(EXAMPLE, tmp_path / "study")


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def exit_code(*words):
    """The exit code of a command, run in this process."""
    done = CliRunner().invoke(command, words)
    return getattr(done.exception, "exit_code", done.exit_code), done.stdout


def compared(study):
    runs = [str(study / "runs" / name) for name in ("001", "002")]
    return exit_code("compare", "--baseline", runs[0], "--candidate", runs[1], "--json")


def stored(study, name, version):
    path = study / "scorecards" / f"{name}@{version}.json"
    return json.loads(path.read_text(encoding="utf-8"))["scorecard"]


def test_the_scorecard_under_the_bars_in_force_is_compared_and_not_a_superseded_one(study):
    card = scorecard_in_force(study / "runs" / "001")
    assert card is not None and card.bars_version == "v1-2"
    bars = {bar["id"]: bar["value"] for bar in stored(study, "001", "v1-2")["bars"]}
    assert {bar.id: bar.value for bar in card.bars} == bars
    assert set(bars) != {bar["id"] for bar in stored(study, "001", "v1")["bars"]}
    _, printed = compared(study)
    assert {one["name"] for one in json.loads(printed)["dimensions"]} == set(bars)


@pytest.mark.parametrize("version", ["v1", "v1-2"])
def test_an_edited_scorecard_is_refused_as_verify_does(study, version):
    value = stored(study, "001", version)["bars"][0]["value"]
    edit(study / "scorecards" / f"001@{version}.json", f'"value": {value!r}', '"value": 0.999')
    assert exit_code("verify", str(study))[0] == 4
    # A superseded scorecard is not compared, so only `verify` has to see it.
    assert compared(study)[0] == (4 if version == "v1-2" else 1)


def test_edited_outputs_of_a_study_are_refused(study):
    edit(study / "runs" / "001" / "outputs.jsonl", "1", "2")
    assert compared(study)[0] == 4


def test_a_scorecard_laid_beside_a_run_of_a_study_counts_for_nothing(study):
    beside = study / "runs" / "001" / "scorecards"
    beside.mkdir()
    card = stored(study, "001", "v1-2")
    card["bars"][0]["value"] = 0.999
    forged = {"format": "assay-scorecard/1", "judged": "9", "scorecard": card}
    (beside / "detection-v9@0.json").write_text(json.dumps(forged), encoding="utf-8")
    card = scorecard_in_force(study / "runs" / "001")
    assert card is not None and card.bars[0].value != 0.999


def test_a_run_that_the_ledger_does_not_know_is_refused(study):
    shutil.copytree(study / "runs" / "001", study / "runs" / "099")
    with pytest.raises(assay.SpecError, match="ledger has no result of that name"):
        scorecard_in_force(study / "runs" / "099")


def test_folders_that_no_study_answers_for_are_left_to_others(study, tmp_path):
    assert scorecard_in_force(tmp_path) is None
    assert scorecard_in_force(study / "elsewhere") is None
