"""`assay score`: judge stored outputs again."""

from dataclasses import replace
from pathlib import Path

import click

from assay.cli.options import EXIT_CODES, json_flag
from assay.cli.shown import show_scorecard
from assay.judges.score import score
from assay.plan.bars import DEFAULT_BARS, load_bars
from assay.study import load_run


@click.command("score", epilog=EXIT_CODES)
@click.argument("rundir", type=click.Path(path_type=Path))
@click.option("--bars", default=DEFAULT_BARS, show_default=True, help="A version, or a TOML file.")
@click.option("--benchmark", metavar="FILE", help="Where the benchmark is now, if it has moved.")
@json_flag
def command(rundir: Path, bars: str, benchmark: str | None, as_json: bool) -> None:
    """Judge a stored run again, under any bars.

    RUNDIR is a folder that `assay try --save` wrote. Nothing is run: the stored outputs are judged
    on the benchmark they were made on, which is read again and must have the same digest.

    \b
    Example:
      assay try token-overlap --save runs/overlap
      assay score runs/overlap --bars v2
    """
    stored = load_run(rundir)
    origin = stored.origin if benchmark is None else replace(stored.origin, benchmark=benchmark)
    chosen = load_bars(bars, task=stored.run.task)
    show_scorecard(score(stored.run, origin.load(), chosen), as_json=as_json)
