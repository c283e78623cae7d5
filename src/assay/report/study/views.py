"""The pages of a study, each written from the records."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.report.study.board import board_markdown
from assay.report.study.predictions import calibration_markdown, falsified_markdown
from assay.study.entries import records_of
from assay.study.git import Repository
from assay.study.git_modules import NamedCommit
from assay.study.study import StudyFolder
from assay.study.verify.context import Shown, View
from assay.study.verify.procedure import Verification, verify_with
from assay.study.views import board_of, calibration_of, falsified_of, refresh_pages, write_page

VIEWS: Mapping[str, View] = {
    "BOARD.md": lambda study, records: board_markdown(board_of(study, records)),
    "CALIBRATION.md": lambda study, records: calibration_markdown(
        study.config.name, calibration_of(study, records)
    ),
    "FALSIFIED.md": lambda study, records: falsified_markdown(
        study.config.name, falsified_of(study, records)
    ),
}
"""The pages that may be in a study, and the content of each."""


def verify(
    study: StudyFolder,
    shown: Shown | None = None,
    *,
    repository: Repository | None = None,
    named: Sequence[NamedCommit] = (),
) -> Verification:
    """Verify a study, its pages included."""
    return verify_with(study, VIEWS, shown, repository=repository, named=named)


def view_text(study: StudyFolder, name: str) -> str:
    """The required content of a page."""
    return VIEWS[name](study, records_of(study))


def refresh_views(study: StudyFolder) -> list[str]:
    """Rewrite the existing pages of the study; returns their names."""
    return refresh_pages(study, VIEWS)


def write_view(study: StudyFolder, name: str) -> Path:
    """Write a page into the study."""
    return write_page(study, name, VIEWS)
