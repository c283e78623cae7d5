"""`assay gate`: refuse a dual-condition result that is not one."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins
from msgspec.structs import replace

from assay.cli.options import PATH, json_flag
from assay.cli.output import show
from assay.errors import SpecError
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
    if not files and not staged:
        raise SpecError("no files", hint="Name some, or look at what is staged: --staged.")
    from assay.report.dual_condition import draw_checked_files

    checked_files = _staged(files) if staged else _look(files, skip_others=skip_others)
    checked_files = [_with_flags(checked) for checked in checked_files]
    results = [
        {**to_builtins(checked), "shows": checked.shows}
        for checked in checked_files
        if checked.kind is not None
    ]
    show(results, lambda _, to: draw_checked_files(checked_files, to), as_json=as_json)
    faults = (fault for checked in checked_files for fault in checked.faults)
    sys.exit(max((fault.exit_code for fault in faults), default=0))


def _with_flags(checked: "CheckedFile") -> "CheckedFile":
    """The faults, and what to do about them, as a user of the command types it."""
    faults = (replace(fault, message=as_flags(fault.message)) for fault in checked.faults)
    return replace(checked, faults=tuple(faults))


def _look(files: tuple[Path, ...], *, skip_others: bool) -> "list[CheckedFile]":
    from assay.dual_condition.store import candidate_files, check_file
    from assay.report.matrix import WRITERS
    from assay.study.dual_results import standing_in_ledgers

    standing = standing_in_ledgers()
    checked_files = []
    for path in files:
        if not path.exists():
            raise SpecError(f"there is no {str(path)!r}")
        if path.is_dir():
            checked_files += [
                check_file(file, writers=WRITERS, standing=standing)
                for file in candidate_files(path)
            ]
            continue
        checked = check_file(path, writers=WRITERS, standing=standing)
        if checked.kind is None and not skip_others:
            raise SpecError(
                f"{path}: neither a dual-condition result nor a matrix of some",
                hint="To pass over such files: --skip-others.",
            )
        checked_files.append(checked)
    return checked_files


def _staged(files: tuple[Path, ...]) -> "list[CheckedFile]":
    """All results and matrices that the next commit would hold."""
    from assay.dual_condition.committed_file import ENDINGS
    from assay.dual_condition.store import candidate_files, check_file
    from assay.report.matrix import WRITERS
    from assay.study.discover import staged
    from assay.study.dual_results import standing_in_ledgers
    from assay.study.locate import FILE

    if files:
        raise SpecError("--staged looks at all that is staged; leave out the files")
    with staged(Path(), endings=(*ENDINGS, FILE)) as tree:
        # From wherever in the repository it is called: a commit is one of all of it.
        prefix = "." if tree.repository is None else tree.repository.prefix
        top = tree.folder.joinpath(*[".."] * len(Path(prefix).parts)).resolve()
        standing = standing_in_ledgers()
        return [
            check_file(
                path,
                writers=WRITERS,
                shown=path.relative_to(top).as_posix(),
                within=top,
                standing=standing,
            )
            for path in candidate_files(top, everywhere=True)
        ]
