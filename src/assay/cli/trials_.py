"""`assay trials`: make the paired runs, and compare them."""

from pathlib import Path

import click

from assay.cli.options import PATH, json_flag
from assay.cli.output import leave, show
from assay.cli.progress import progress
from assay.cli.scaffolds import init_flag, spec_or_scaffold


@click.command(
    "trials",
    epilog="Exit codes: 0 ratify; 1 reject, no effect or inconclusive; 2 bad usage or input; 3 the"
    " folder holds trials of another plan, or is in use.",
)
@click.argument("spec", type=PATH, required=False)
@init_flag
@click.option(
    "--out",
    type=PATH,
    metavar="DIR",
    help="Where runs are kept. Default: SPEC's name, without its ending.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 10_000), help="Runs at a time, instead of what the spec says."
)
@json_flag
@spec_or_scaffold
def command(spec: Path, out: Path | None, jobs: int | None, as_json: bool) -> None:
    """Run a system with and without an artifact, and compare.

    SPEC is a TOML file: a command, an artifact that the candidate has and the baseline has not,
    instances, trials, a budget. Each run has a fresh copy of the system; arms come in random order.
    A pair is void unless the candidate is seen to open the artifact and the baseline not. Stops on
    a verdict. Typed again, it goes on where it stopped.

    \b
    Examples:
      assay trials --init skill.toml
      assay trials skill.toml
      assay ratify skill/comparison.json --artifact skill.md --into skills
    """
    from assay.api.trials import make_trials, plan_trials

    plan = plan_trials(spec, jobs=jobs)
    total, made = 2 * len(plan.items) * plan.trials, 0

    def count(_: object) -> None:
        nonlocal made
        made += 1
        advance()

    with progress("runs", total) as advance:
        try:
            trials = make_trials(plan, spec, out, on_run=count)
        except KeyboardInterrupt:
            again = "Type the same command to go on."
            click.echo(f"\n{made} more of {total} runs were made. {again}", err=True)
            raise
    from assay.report.comparison import draw_trials

    show(trials, draw_trials, as_json=as_json)
    leave(favourable=trials.favourable)
