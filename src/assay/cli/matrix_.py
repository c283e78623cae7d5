"""`assay matrix`: the cross-corpus matrix, from results alone."""

import sys
from pathlib import Path

import click

from assay.cli.options import PATH, json_flag
from assay.errors import SpecError

FORMATS = {"markdown": ".md", "csv": ".csv", "json": ".json"}


@click.command("matrix", epilog="Exit codes: 0 drawn; 2 bad usage or input; 4 a result was edited.")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=PATH)
@click.option("--history", is_flag=True, help="Also show earlier values of B, for each corpus.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["table", *FORMATS]),
    default="table",
    help="Output format. Default: table.",
)
@click.option(
    "--out",
    type=PATH,
    metavar="FILE",
    help="Write it to a file: .md, .csv or .json. `assay gate` detects later edits.",
)
@json_flag
def command(
    folders: tuple[Path, ...], history: bool, kind: str, out: Path | None, as_json: bool
) -> None:
    """Draw the cross-corpus matrix from results alone.

    Each DIR holds results of `assay dual`. The newest result on a corpus is its row: reported,
    blocked, pilot-only or one-sided. Nothing is typed by hand. Rows that are entered in the ledger
    of a study are marked; the others are loose (they could have been invented).

    \b
    Examples:
      assay matrix results
      assay matrix results --history
      assay matrix here/results there/results
      assay matrix results --out MATRIX.md
    """
    from assay.api.dual_condition import matrix
    from assay.report.matrix import WRITERS, draw_matrix

    kind = "json" if as_json else kind
    if kind in FORMATS and len(folders) > 1:
        raise SpecError(f"a matrix as {kind} names its folder of results, and takes a single one")
    made = matrix(*folders, out=out, history=history)
    if kind in FORMATS:
        of = folders[0].as_posix()
        click.echo(WRITERS[FORMATS[kind]](made, of=of, history=history), nl=False)
    elif out is None:
        from assay.report.terminal import console

        draw_matrix(made, console(), history=history)
    else:
        from assay.wording import counted

        click.echo(f"{out}: {counted(len(made.rows), 'row')}")
    sys.stdout.flush()
