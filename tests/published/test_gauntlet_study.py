"""The worked study of the examples is what it says it is, in a clone and in a copy."""

import json
import shutil
from pathlib import Path

import pytest

from assay.digests import digest, pretty_json
from assay.report.study.views import VIEWS, verify
from assay.study.entries import records_of
from assay.study.git import repository_of
from assay.study.study import open_study
from assay.study.submissions.spec import parse_seal
from assay.study.submissions.submission import submissions_of
from assay.study.views import frontier_of

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


def test_seals_from_before_there_were_classes_have_the_parts_they_had(copy):
    records = records_of(copy)
    assert len(records.submissions) == 7
    for name, record in records.submissions.items():
        path = f"preregs/{name}/seal.json"
        data = (copy.root / path).read_bytes()
        assert digest(data) == record.seal.files[path]
        again = pretty_json(parse_seal(data, where=path))
        assert json.loads(again).keys() == json.loads(data).keys()


def test_its_pages_are_what_the_records_give(copy):
    for name, view in VIEWS.items():
        assert view(copy, records_of(copy)) == (GAUNTLET / name).read_text(encoding="utf-8")


def test_its_frontier_is_one_unclassified_row_and_every_class_untried(copy):
    before = {path: path.read_bytes() for path in copy.root.rglob("*") if path.is_file()}
    (table,) = frontier_of(copy).tables
    (row,) = table.rows
    assert (table.bars, row.method_class, row.scored) == ("v1-2", "unclassified", 7)
    assert (row.submission, row.verdict, row.stopped_by.bar) == ("002", "unresolved", "D3")
    assert len(table.not_tried) == 9
    (older,) = frontier_of(copy, bars="v1").tables
    assert (older.rows[0].submission, older.rows[0].verdict) == ("002", "pass")
    assert {path: path.read_bytes() for path in copy.root.rglob("*") if path.is_file()} == before
