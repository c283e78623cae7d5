"""`assay trials`: make the paired runs, and compare them."""

from functools import partial
from pathlib import Path

import click

from assay.cli.options import PATH, caveats_flag, json_flag
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
    help="The folder for runs. Default: SPEC's name without its extension.",
)
@click.option("--jobs", type=click.IntRange(1, 10_000), help="Runs at a time; overrides the spec.")
@caveats_flag
@json_flag
@spec_or_scaffold
def command(spec: Path, out: Path | None, jobs: int | None, caveats: bool, as_json: bool) -> None:
    """Run a system with and without an artifact, and compare.

    SPEC is a TOML file: a command, an artifact that only the candidate has, instances, trials, a
    budget. Each run gets a fresh copy of the system; the arms run in random order. A pair counts
    only if the candidate was seen to open the artifact and the baseline was not; else it is void.
    Stops on a verdict. The same command resumes interrupted trials.

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
            again = "The same command continues."
            click.echo(f"\n{made} more of {total} runs were made. {again}", err=True)
            raise
    from assay.report.comparison import draw_trials

    show(trials, partial(draw_trials, caveats=caveats), as_json=as_json)
    leave(favourable=trials.favourable)
