"""`assay gate`: refuse a dual-condition result that is not one."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from assay.cli.options import json_flag
from assay.errors import SpecError
from assay.wording import as_flags, counted

if TYPE_CHECKING:
    from assay.report.gating import Gated


@click.command(
    "gate",
    epilog="Exit codes: 0 nothing to refuse; 2 bad usage, or a file that is no result; 3 one"
    " condition without the other, or preconditions missing; 4 numbers, a checksum or a matrix that"
    " were edited, or a result that cannot be read.",
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--skip-others", is_flag=True, help="Pass over files that are no results.")
@click.option(
    "--staged", is_flag=True, help="All that is about to be committed, not what lies here."
)
@json_flag
def command(files: tuple[Path, ...], skip_others: bool, staged: bool, as_json: bool) -> None:
    """Refuse a result with one condition, or one that was edited.

    FILE is a result of `assay dual`, a matrix that `assay matrix --out` wrote, or a folder of them.
    Everything is computed again from the scores in the file. Exit code 0 says that a result agrees
    with itself, not that it is a good one.

    \b
    Examples:
      assay gate results/*.json MATRIX.md
      assay gate --staged
    """
    if not files and not staged:
        raise SpecError("no files", hint="Name some, or look at what is staged: --staged.")
    found = _staged(files) if staged else _look(files, skip_others=skip_others)
    found = [_with_flags(gated) for gated in found]
    if as_json:
        from assay.report.json_output import as_json as written

        click.echo(written([one for one in found if one.kind is not None]))
    else:
        _draw(found)
    sys.stdout.flush()
    sys.exit(max((fault.exit_code for one in found for fault in one.faults), default=0))


def _with_flags(gated: "Gated") -> "Gated":
    """The faults, and what to do about them, as a user of the command types it."""
    faults = (replace(fault, message=as_flags(fault.message)) for fault in gated.faults)
    return replace(gated, faults=tuple(faults))


def _look(files: tuple[Path, ...], *, skip_others: bool) -> "list[Gated]":
    from assay.report.gating import candidates, gate_file

    found = []
    for path in files:
        if not path.exists():
            raise SpecError(f"there is no {str(path)!r}")
        if path.is_dir():
            found += [gate_file(one) for one in candidates(path)]
            continue
        gated = gate_file(path)
        if gated.kind is None and not skip_others:
            raise SpecError(
                f"{path}: neither a dual-condition result nor a matrix of some",
                hint="To pass over such files: --skip-others.",
            )
        found.append(gated)
    return found


def _staged(files: tuple[Path, ...]) -> "list[Gated]":
    """All results and matrices that the next commit would hold."""
    from assay.report.gating import ENDINGS, candidates, gate_file
    from assay.study.discover import staged

    if files:
        raise SpecError("--staged looks at all that is staged; leave out the files")
    with staged(Path(), endings=ENDINGS) as tree:
        # From wherever in the repository it is called: a commit is one of all of it.
        prefix = "." if tree.repository is None else tree.repository.prefix
        top = tree.folder.joinpath(*[".."] * len(Path(prefix).parts)).resolve()
        return [
            gate_file(path, shown=path.relative_to(top).as_posix(), within=top)
            for path in candidates(top, everywhere=True)
        ]


def _draw(found: "list[Gated]") -> None:
    from assay.report.terminal import console, styled

    out = console()
    ours = [one for one in found if one.kind is not None]
    for one in ours:
        for fault in one.faults:
            line = styled(f"{one.file}: ")
            line.append(fault.kind, style="red")
            line.append(styled(f": {fault.message}"))
            out.print(line)
    if not ours:
        out.print(styled("no dual-condition results here, and no matrix of some"))
        return
    bad = sum(bool(one.faults) for one in ours)
    passed = counted(len(ours) - bad, "file")
    out.print(styled(f"{passed} in order" + (f", {bad} refused" if bad else "")))
