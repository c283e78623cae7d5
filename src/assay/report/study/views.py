"""Views: pages made from the records, which can be deleted and made again."""

from collections.abc import Mapping
from pathlib import Path

from assay.arguments import checked
from assay.files import write_whole
from assay.report.study.board import board_markdown
from assay.report.study.calibration import calibration_markdown
from assay.report.study.falsified import falsified_markdown
from assay.study.board import Board, board
from assay.study.entries import StudyRecords, records_of
from assay.study.git import Repository
from assay.study.predictions.calibration import Calibration, calibrate
from assay.study.predictions.falsified import Falsified, falsified
from assay.study.study import Study
from assay.study.submission_reader import submissions_of, versions_of
from assay.study.verify.steps import Shown, View
from assay.study.verify.verification import Verification, verify_with


def board_of(study: Study, records: StudyRecords | None = None) -> Board:
    """The board of a study."""
    records = records or _records(study)
    benchmark = study.config.benchmark
    name = study.corpus(benchmark).name
    submissions, versions = submissions_of(study, records), versions_of(study, records)
    return board(study.config.name, name, benchmark.digest, submissions, versions)


def calibration_of(study: Study, records: StudyRecords | None = None) -> Calibration:
    """The calibration of a study's predictions."""
    return calibrate(submissions_of(study, records or _records(study)))


def falsified_of(study: Study, records: StudyRecords | None = None) -> tuple[Falsified, ...]:
    """What turned out otherwise in a study."""
    records = records or _records(study)
    return falsified(submissions_of(study, records), versions_of(study, records))


def _records(study: Study) -> StudyRecords:
    return records_of(study)


VIEWS: Mapping[str, View] = {
    "BOARD.md": lambda study, records: board_markdown(board_of(study, records)),
    "CALIBRATION.md": lambda study, records: calibration_markdown(
        study.config.name, calibration_of(study, records)
    ),
    "FALSIFIED.md": lambda study, records: falsified_markdown(
        study.config.name, falsified_of(study, records)
    ),
}
"""The pages that may lie in a study, and what each must hold."""


@checked
def verify(
    study: Study, shown: Shown | None = None, *, repository: Repository | None = None
) -> Verification:
    """Verify a study, its views included."""
    return verify_with(study, VIEWS, shown, repository=repository)


def refresh_views(study: Study) -> list[str]:
    """Write again the pages that lie in the study, after something happened; their names."""
    present = [name for name in VIEWS if (study.root / name).is_file()]
    for name in present:
        write_view(study, name)
    return present


def write_view(study: Study, name: str) -> Path:
    """Write a page into the study."""
    path = study.root / name
    write_whole(path, VIEWS[name](study, _records(study)).encode())
    return path
