"""Files that may not be committed, and why."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.dual_condition.committed_file import CheckedFile
from assay.report.terminal import marked, styled
from assay.wording import counted

if TYPE_CHECKING:
    from rich.console import Console


def draw_checked_files(files: Sequence[CheckedFile], out: "Console") -> None:
    """Every fault of every file, and how many files are in order."""
    checked = [file for file in files if file.kind is not None]
    for file in checked:
        for fault in file.faults:
            out.print(marked(f"{file.file}: ", fault.kind, "red", f": {fault.message}"))
    if not checked:
        out.print(styled("no dual-condition results here, and no matrix of some"))
        return
    refused = sum(bool(file.faults) for file in checked)
    passed = counted(len(checked) - refused, "file")
    out.print(styled(f"{passed} in order" + (f", {refused} refused" if refused else "")))
