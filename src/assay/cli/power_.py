"""`assay power`: the power of a comparison, before it is made."""

from typing import Any

import click

from assay.cli.options import PATH, encoding_flag, json_flag, split_flag
from assay.cli.output import show


@click.command("power", epilog="Exit codes: 0; 2 bad usage.")
@click.option("--from", "from_", type=float, metavar="RATE", help="The baseline's rate of success.")
@click.option("--to", type=float, metavar="RATE", help="The candidate's.")
@click.option(
    "--effect",
    type=float,
    help="The change of the rate, with --from; or a mean difference, with --spread or --pilot.",
)
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
    help="Earlier runs or a harness's log: the baseline's; repeat the flag for the candidate's.",
)
@click.option("--task", metavar="NAME", help="The task of the pilot, if its logs hold several.")
@click.option("--instance", metavar="COLUMN", help="The pilot's column that names an instance.")
@click.option("--trial", metavar="COLUMN", help="The pilot's column that numbers repeated runs.")
@click.option(
    "--dimension",
    multiple=True,
    metavar="COLUMN",
    help="Plan for this column of the pilot alone. Repeatable.",
)
@encoding_flag
@split_flag
@click.option(
    "--pairs",
    type=click.IntRange(1, 100_000),
    help="Find the smallest effect that this many pairs show.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    help="Plan a gate: pairs needed to show a loss under this.",
)
@click.option(
    "--correlation",
    default=0.0,
    show_default=True,
    type=click.FloatRange(-1.0, 1.0),
    help="Correlation of a pair's two runs.",
)
@click.option(
    "--power",
    default=0.8,
    show_default=True,
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    help="The probability that a true effect is shown.",
)
@click.option(
    "--dimensions",
    default=1,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="The number of dimensions tested together.",
)
@json_flag
def command(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Find out how many pairs show an effect, or how small an effect.

    For rates (0/1 scores) the figures are exact for the paired test of `assay compare` in one
    dimension. Fewer pairs suffice if several dimensions move together, or if repeated runs are
    compared one by one. With ten instances or more, a pair is an instance. A pilot supplies the
    spread of the runs and the correlation within pairs.

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
