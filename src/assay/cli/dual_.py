"""`assay dual`: a system with its state, and without."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.options import PATH, json_flag
from assay.cli.output import show
from assay.cli.progress import progress
from assay.cli.scaffolds import init_flag, spec_or_scaffold

if TYPE_CHECKING:
    from assay.dual_condition.collect import Dual
    from assay.dual_condition.evidence import DualRun
    from assay.dual_condition.spec import DualSpec

METRICS = ("auroc", "accuracy", "f1", "average-precision")  # those of dual_condition.spec


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
    "--out", type=PATH, metavar="DIR", help="Where results are kept. Default: results, beside SPEC."
)
@click.option(
    "--study",
    type=PATH,
    metavar="DIR",
    help="The study in whose ledger the result is entered. Default: the one that --out lies in.",
)
@click.option("--metric", type=click.Choice(METRICS), help="Instead of what the spec says.")
@click.option(
    "--jobs", type=click.IntRange(1, 1000), help="Runs at a time, instead of what the spec says."
)
@json_flag
@spec_or_scaffold
def command(
    spec: Path,
    out: Path | None,
    study: Path | None,
    metric: str | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Find out whether it is capability or memory.

    SPEC is a TOML file: a command, the folder in which it keeps what it learns, a benchmark, seeds.
    Runs the system with all its state (A), with none (B), and without what came from this benchmark
    (C), each time on a copy, and watches which files it opens. A result whose preconditions do not
    hold is blocked. Typed again, it goes on where it stopped. Inside a study the run enters its
    result in the ledger.

    \b
    Examples:
      assay dual --init
      assay dual dual.toml
      assay dual dual.toml --metric accuracy
      assay matrix results
    """
    from msgspec.structs import replace

    from assay.dual_condition.evidence import Metric
    from assay.dual_condition.spec import load_dual_spec
    from assay.dual_condition.state.conditions import conditions_of

    chosen: Metric | None = metric  # type: ignore[assignment]  # one of METRICS
    plan = load_dual_spec(spec, metric=chosen)
    if jobs is not None:
        plan = replace(plan, system=replace(plan.system, jobs=jobs))
    with progress("runs", len(conditions_of(plan)) * len(plan.seeds)) as advance:

        def heard(_: object) -> None:
            import rich.table  # noqa: F401 - while others run

            advance()

        try:
            dual, entered = _evaluated(
                plan, out or (study or spec.parent) / "results", study, heard
            )
        except KeyboardInterrupt:
            click.echo("\nRuns that were made are kept. Type the same command to go on.", err=True)
            raise
    from assay.report.dual_condition import draw_dual

    show(dual.record, lambda _, to: draw_dual(dual, to), as_json=as_json)
    if entered is not None:
        click.echo(entered, err=as_json)
    sys.exit(dual.result.exit_code)


def _evaluated(
    plan: "DualSpec", out: Path, named: Path | None, heard: Callable[["DualRun"], None]
) -> "tuple[Dual, str | None]":
    """Evaluate, and enter the result where a study is named or holds the results; what to say."""
    from assay.study.locate import study_root

    root = study_root(out) if named is None else named
    if root is None:
        from assay.dual_condition.collect import run_dual

        return run_dual(plan, out, on_run=heard), None
    from assay.study.dual_results import run_dual_in_study
    from assay.study.study import find_study

    study = find_study(root)
    dual, entry = run_dual_in_study(study, plan, out, on_run=heard)
    return dual, f"Entered in the ledger of {study.config.name}: entry {entry.n}."
