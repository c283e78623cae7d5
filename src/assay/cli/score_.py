"""`assay score`: judge stored outputs again."""

from pathlib import Path

import click

from assay.cli.options import EXIT_CODES, json_flag
from assay.cli.shown import show_scorecard
from assay.errors import SpecError
from assay.evidence.record import Source
from assay.judges.score import score
from assay.plan.bars import fitting_bars, load_bars
from assay.plan.benchmark import Benchmark, Columns
from assay.plan.reading import load_benchmark
from assay.study import load_run


@click.command("score", epilog=EXIT_CODES)
@click.argument("rundir", type=click.Path(path_type=Path))
@click.option("--bars", help="A version, or a TOML file. Default: as for `assay try`.")
@click.option("--benchmark", metavar="FILE", help="Where the benchmark is now, if it has moved.")
@click.option("--second", metavar="FILE", help="Where the second corpus is now, if it has moved.")
@json_flag
def command(
    rundir: Path, bars: str | None, benchmark: str | None, second: str | None, as_json: bool
) -> None:
    """Judge a stored run again, under any bars.

    RUNDIR is a folder that `assay try --save` wrote. Nothing is run: the stored outputs are judged
    on the data they were made on, which are read again and must have the same digest.

    \b
    Example:
      assay try token-overlap --save runs/overlap
      assay score runs/overlap --bars v2
    """
    run = load_run(rundir)
    found = _read_again(run.benchmark, benchmark, "--benchmark")
    if run.second is not None:
        found = found.with_second(_read_again(run.second, second, "--second"))
    chosen = load_bars(bars or fitting_bars(found, run.task), task=run.task)
    show_scorecard(score(run, found, chosen), as_json=as_json)


def _read_again(source: Source, moved: str | None, flag: str) -> Benchmark:
    """The data of a run, from where they were or where they are now."""
    if source.origin is None and moved is None:
        raise SpecError(
            f"{source.name} was made in memory and cannot be read again",
            hint=f"Name a file that holds the same bytes: {flag} FILE.",
        )
    place = moved or (source.origin.place if source.origin is not None else "")
    if not Path(place).exists() and moved is None and Path(place).is_absolute():
        raise SpecError(
            f"{source.name} is no longer at {place}", hint=f"Say where it is: {flag} FILE."
        )
    columns = None if source.origin is None else source.origin.columns
    return load_benchmark(place, columns=columns if columns != Columns() else None)
