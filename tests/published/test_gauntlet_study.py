"""The worked study of the examples is what it says it is, in a clone and in a copy."""

import shutil
from pathlib import Path

import pytest

from assay.report.study.views import verify
from assay.study.entries import records_of
from assay.study.git import repository_of
from assay.study.study import open_study
from assay.study.submissions.submission import submissions_of

GAUNTLET = Path(__file__).parents[2] / "examples/gauntlet"


@pytest.fixture
def copy(tmp_path):
    """A copy outside any repository."""
    shutil.copytree(GAUNTLET, tmp_path / "gauntlet")
    return open_study(tmp_path / "gauntlet")


def test_a_copy_of_the_study_verifies(copy):
    found = verify(copy)
    assert found.intact, found.steps[-1]
    assert len(found.steps) == 8


def test_its_witnesses_are_in_the_history_where_there_is_one():
    study = open_study(GAUNTLET)
    step = verify(study).steps[2]
    repository = repository_of(GAUNTLET)
    if repository is None:  # a source distribution
        assert "no witness was checked" in step.found
    elif repository.is_shallow():
        assert step.outcome in ("unchecked", "ok"), step
    else:
        assert (step.outcome, step.found) == ("ok", "7 seals, 7 runs, 7 results")


def test_at_least_six_methods_were_predicted_before_they_ran(copy):
    submissions, _ = submissions_of(copy, records_of(copy))
    assert len(submissions) >= 6
    for one in submissions:
        assert one.sealed_by < one.started_by < one.finished_by
        assert one.witness is not None
        assert one.grade is not None
        assert not one.grade.no_idea


def test_a_planted_change_is_found(copy):
    path = copy.root / "runs/003/outputs.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0.", b"1.", 1))
    found = verify(copy)
    assert not found.intact
    assert found.steps[-1].number == 5
