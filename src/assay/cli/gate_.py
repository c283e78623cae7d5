"""`assay gate`: refuse a dual-condition result that is not one."""

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
    epilog="Exit codes: 0 nothing to refuse; 2 bad usage, or a file that is no result; 3 one"
    " condition without the other, or preconditions missing; 4 numbers, a checksum or a matrix that"
    " were edited, or a result that cannot be read.",
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=PATH)
@click.option("--skip-others", is_flag=True, help="Pass over files that are no results.")
@click.option(
    "--staged", is_flag=True, help="All that is about to be committed, not what lies here."
)
@json_flag
def command(files: tuple[Path, ...], skip_others: bool, staged: bool, as_json: bool) -> None:
    """Refuse a result with one condition, or one that was edited.

    FILE is a result of `assay dual`, a matrix that `assay matrix --out` wrote, or a folder of them.
    Everything is computed again from the scores in the file. Exit code 0 says that a result agrees
    with itself, not that it is a good one, nor that its scores were measured. Of a result that its
    run entered in the ledger of a study the entry is named; `assay verify` checks it.

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
    """The faults, and what to do about them, as a user of the command types it."""
    faults = (replace(fault, message=as_flags(fault.message)) for fault in checked.faults)
    return replace(checked, faults=tuple(faults))
