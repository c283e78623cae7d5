"""`assay gate`: refuse one-sided or edited dual-condition results."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins
from msgspec.structs import replace

from assay.cli.options import PATH, json_flag
from assay.cli.output import show
from assay.wording import as_flags

if TYPE_CHECKING:
    from assay.dual_condition.committed_file import CheckedFile


@click.command(
    "gate",
    epilog="Exit codes: 0 nothing to refuse; 2 bad usage, or a file that is not a result; 3 one"
    " condition without the other, or preconditions missing; 4 edited numbers, checksum or matrix,"
    " or an unreadable result.",
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=PATH)
@click.option("--skip-others", is_flag=True, help="Skip files that are not results.")
@click.option("--staged", is_flag=True, help="Check the staged files, not those in the folder.")
@json_flag
def command(files: tuple[Path, ...], skip_others: bool, staged: bool, as_json: bool) -> None:
    """Refuse a result with one condition, or one that was edited.

    FILE is a result of `assay dual`, a matrix that `assay matrix --out` wrote, or a folder of them.
    Everything is recomputed from the scores in the file. Exit code 0 means that a result is
    consistent, not that it is good or that its scores were measured. If the result is entered in
    the ledger of a study, the entry is named; `assay verify` checks it.

    \b
    Examples:
      assay gate results/*.json MATRIX.md
      assay gate --staged
    """
    from assay.api.dual_condition import gate
    from assay.report.dual_condition import draw_gate

    made = gate(*files, skip_others=skip_others, staged=staged)
    report = replace(made, files=tuple(map(_with_flags, made.files)))
    results = [{**to_builtins(file), "shows": file.shows} for file in report.files]
    show(results, lambda _, to: draw_gate(report, to), as_json=as_json)
    sys.exit(report.exit_code)


def _with_flags(checked: "CheckedFile") -> "CheckedFile":
    """The faults and their remedies, with parameters spelled as flags."""
    faults = (replace(fault, message=as_flags(fault.message)) for fault in checked.faults)
    return replace(checked, faults=tuple(faults))
