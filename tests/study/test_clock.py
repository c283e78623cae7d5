import itertools

import pytest
from helpers.scale import scale
from helpers.studies import (
    METHOD,
    commit,
    kinds,
    opened,
    raised,
    remember_installed,
    sealed,
    steps,
    under_git,
)

from assay.errors import AlreadyRun, AlreadySealed
from assay.report.study.board import board_markdown
from assay.study.entries import read_records
from assay.study.scorecards.store import read_judgement
from assay.study.study import open_study
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.views import board_of

NOW = 2030
CLOCKS = ["assay.study.entries.now", "assay.runs.store.now"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.fixture
def year(monkeypatch):
    """Set every clock, that of git too."""

    def set_to(number):
        for name in CLOCKS:
            monkeypatch.setattr(name, lambda: f"{number}-06-01T12:00:00.000+00:00")
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            monkeypatch.setenv(name, f"{number}-06-01T12:00:00Z")

    return set_to


def lived(home, year, seal_year, run_year, verify_year):
    """A study from its opening to its verification; everything that was decided on the way."""
    year(NOW)
    home.mkdir()
    study = opened(home)
    under_git(home)
    year(seal_year)
    sealed(study, body=METHOD)
    again = raised(seal, study, "001")
    commit(home, "Seal 001")
    year(run_year)
    finished = run_sealed(study, "001")
    commit(home, "Result of 001")
    year(verify_year)
    once = raised(run_sealed, study, "001")
    assert isinstance(again, AlreadySealed)
    assert isinstance(once, AlreadyRun)
    one = read_records(study.chain().entries).submissions["001"]
    card = read_judgement(study, one.scores["mine"]).scorecard
    assert "time-unproven" in [caveat.code for caveat in card.caveats]
    assert {entry.time[:4] for entry in study.chain().entries} == {
        f"{number}" for number in (NOW, seal_year, run_year)
    }
    board = board_markdown(board_of(study))
    found = steps(open_study(study.root))
    codes = [caveat.code for caveat in card.caveats]
    return card.verdict, card.point, card.bars, codes, finished.grade, kinds(study), board, found


def test_no_clock_decides_anything(tmp_path, year):
    moves = list(itertools.product((NOW - 10, NOW + 10), repeat=3))[:: scale(3, 1)]
    expected = lived(tmp_path / "as-it-should-be", year, NOW, NOW, NOW)
    assert {outcome for outcome, _ in expected[-1].values()} == {"ok", "noted"}
    for number, (first, second, third) in enumerate(moves):
        assert lived(tmp_path / f"{number}", year, first, second, third) == expected


def test_a_clock_that_says_nothing_sensible_decides_nothing_either(tmp_path, year, monkeypatch):
    study = opened(tmp_path)
    for name in CLOCKS:
        monkeypatch.setattr(name, lambda: "half past")
    sealed(study)
    run_sealed(study, "001", unwitnessed=True)
    assert {outcome for outcome, _ in steps(study).values()} == {"ok", "noted"}
