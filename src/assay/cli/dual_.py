"""`assay dual`: a system with and without its state."""

import sys
from pathlib import Path

import click

from assay.cli.options import PATH, caveats_flag, json_flag
from assay.cli.output import show
from assay.cli.progress import progress
from assay.cli.scaffolds import init_flag, spec_or_scaffold

METRICS = ("auroc", "accuracy", "f1", "average-precision")  # those of dual_condition.evidence


@click.command(
    "dual",
    epilog="Exit codes: 0 polish or learning; 1 memory-carried, memorised, harmful, dependent,"
    " undetermined, at chance, perhaps only memorised, or only a pilot; 2 bad usage or input;"
    " 3 blocked: a precondition does not hold; 4 an earlier result or the journal was edited;"
    " 5 state.forget failed.",
)
@click.argument("spec", type=PATH, required=False)
@init_flag
@click.option(
    "--out",
    type=PATH,
    metavar="DIR",
    help="The folder for results. Default: results, next to SPEC.",
)
@click.option(
    "--study",
    type=PATH,
    metavar="DIR",
    help="The study whose ledger records the result. Default: the one around --out.",
)
@click.option("--metric", type=click.Choice(METRICS), help="Overrides the spec.")
@click.option("--jobs", type=click.IntRange(1, 1000), help="Runs at a time; overrides the spec.")
@caveats_flag
@json_flag
@spec_or_scaffold
def command(
    spec: Path,
    out: Path | None,
    study: Path | None,
    metric: str | None,
    jobs: int | None,
    caveats: bool,
    as_json: bool,
) -> None:
    """Find out whether it is capability or memory.

    SPEC is a TOML file: a command, the folder with its state (what it learns), a benchmark, seeds.
    Runs the system with all its state (A), with none (B), and without what came from this benchmark
    (C), each time on a copy, and watches which files it opens. A result is blocked if its
    preconditions do not hold. The same command resumes an interrupted run. Inside a study, the
    result is entered in the ledger.

    \b
    Examples:
      assay dual --init
      assay dual dual.toml
      assay dual dual.toml --metric accuracy
      assay matrix results
    """
    from assay.api.dual_condition import evaluate, plan_dual
    from assay.dual_condition.evidence import Metric
    from assay.dual_condition.state.conditions import conditions_of

    chosen: Metric | None = metric  # type: ignore[assignment]  # one of METRICS
    plan = plan_dual(spec, metric=chosen, jobs=jobs)
    with progress("runs", len(conditions_of(plan)) * len(plan.seeds)) as advance:

        def heard(_: object) -> None:
            import rich.table  # noqa: F401 - while others run

            advance()

        try:
            made = evaluate(plan, spec.parent, out, study, on_run=heard)
        except KeyboardInterrupt:
            click.echo("\nFinished runs are kept. The same command continues.", err=True)
            raise
    from assay.report.dual_condition import draw_dual

    dual = made.dual
    show(dual.record, lambda _, to: draw_dual(dual, to, caveats=caveats), as_json=as_json)
    if made.entry is not None:
        click.echo(f"Entered in the ledger of {made.study}: entry {made.entry}.", err=as_json)
    sys.exit(dual.result.exit_code)
