"""The content of a study's pages, and writing them; the caller supplies the rendering."""

from collections.abc import Mapping
from pathlib import Path

from assay.files import write_whole
from assay.study.board import Board, board
from assay.study.entries import records_of
from assay.study.frontier.best import frontier
from assay.study.frontier.result import Frontier
from assay.study.predictions.calibration import Calibration, calibrate
from assay.study.predictions.falsified import Falsified, falsified
from assay.study.records import StudyRecords, Unreadable
from assay.study.study import StudyFolder
from assay.study.submissions.submission import submissions_of, versions_of
from assay.study.verify.context import View


def board_of(study: StudyFolder, records: StudyRecords | None = None) -> Board:
    """The board of a study."""
    records = records or records_of(study)
    submissions, unreadable = submissions_of(study, records)
    versions = versions_of(study, records)
    return board(*_names(study), submissions, versions, unreadable=unreadable)


def frontier_of(study: StudyFolder, *, bars: str | None = None) -> Frontier:
    """The best submission of each class of method, under the newest bars or those named."""
    records = records_of(study)
    submissions, unreadable = submissions_of(study, records)
    versions = versions_of(study, records)
    return frontier(*_names(study), submissions, versions, bars=bars, unreadable=unreadable)


def _names(study: StudyFolder) -> tuple[str, str, str]:
    """The study's name, and its benchmark by name and digest."""
    benchmark = study.config.benchmark
    return study.config.name, study.corpus(benchmark).name, benchmark.digest


def calibration_of(study: StudyFolder, records: StudyRecords | None = None) -> Calibration:
    """The calibration of a study's predictions."""
    submissions, unreadable = submissions_of(study, records or records_of(study))
    return calibrate(submissions, unreadable=unreadable)


def falsified_of(study: StudyFolder, records: StudyRecords | None = None) -> tuple[Falsified, ...]:
    """The predictions and bars of a study that did not hold."""
    records = records or records_of(study)
    return falsified(submissions_of(study, records)[0], versions_of(study, records))


def unreadable_of(study: StudyFolder) -> tuple[Unreadable, ...]:
    """The submissions that are too damaged for any page."""
    return submissions_of(study, records_of(study))[1]


def write_page(study: StudyFolder, name: str, views: Mapping[str, View]) -> Path:
    """Write a page into the study."""
    path = study.root / name
    write_whole(path, views[name](study, records_of(study)).encode())
    return path


def refresh_pages(study: StudyFolder, views: Mapping[str, View]) -> list[str]:
    """Rewrite the existing pages of the study; returns their names."""
    present = [name for name in views if (study.root / name).is_file()]
    for name in present:
        write_page(study, name, views)
    return present
