"""`assay power`: what a comparison could show, before it is made."""

from typing import Any

import click

from assay.cli.options import PATH, encoding_flag, json_flag, split_flag
from assay.cli.output import show


@click.command("power", epilog="Exit codes: 0; 2 bad usage.")
@click.option(
    "--from", "from_", type=float, metavar="RATE", help="How often the baseline is right."
)
@click.option("--to", type=float, metavar="RATE", help="How often the candidate is.")
@click.option("--effect", type=float, help="A mean difference; with --spread or --pilot.")
@click.option(
    "--spread",
    type=click.FloatRange(0.0, min_open=True),
    help="The standard deviation of the pairs' differences.",
)
@click.option(
    "--pilot",
    multiple=True,
    type=PATH,
    metavar="PATH",
    help="Runs made already, or a harness's log: the baseline's, and given again the candidate's.",
)
@click.option("--task", metavar="NAME", help="Of a pilot: this task, where logs hold several.")
@encoding_flag
@split_flag
@click.option("--pairs", type=click.IntRange(1, 100_000), help="Ask what so many pairs show.")
@click.option(
    "--margin",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    help="Ask for a gate: pairs that show a loss under this.",
)
@click.option(
    "--correlation",
    default=0.0,
    show_default=True,
    type=click.FloatRange(-1.0, 1.0),
    help="Between a pair's two runs.",
)
@click.option(
    "--power",
    default=0.8,
    show_default=True,
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    help="The chance of showing it.",
)
@click.option(
    "--dimensions",
    default=1,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="How many are tested together.",
)
@json_flag
def command(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Find out how many pairs show an effect, or how small an effect.

    For rates (0/1 scores) the figures are exact for the test that `assay compare` makes of pairs in
    one dimension; several that move together show it with fewer, and so do repeated runs that are
    compared one by one. With ten instances or more, a pair is an instance. A pilot says what runs
    vary by, and how alike the two of a pair are.

    \b
    Examples:
      assay power --from 0.6 --to 0.8
      assay power --pairs 30
      assay power --effect 0.05 --spread 0.3
      assay power --from 0.95 --margin 0.05
      assay power --pilot before.csv --pilot after.csv --effect 0.05
    """
    from assay.api.planning import power
    from assay.comparison.pilot import PilotPower
    from assay.report.comparison import draw_pilot, draw_power

    as_json = flags.pop("as_json")
    made = power(**flags | {"pilot": flags["pilot"] or None})
    draw: Any = draw_pilot if isinstance(made, PilotPower) else draw_power
    show(made, draw, as_json=as_json)
