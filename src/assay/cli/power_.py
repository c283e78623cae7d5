"""`assay power`: what a comparison could show, before it is made."""

import math
from typing import Any

import click

from assay.cli.options import PATH, encoding_flag, json_flag, split_flag
from assay.cli.output import show
from assay.errors import SpecError
from assay.wording import some

_PLANNED = ("before", "after", "effect", "spread", "pairs", "margin")
_FLAGS = {"before": "from", "after": "to"}


@click.command("power", epilog="Exit codes: 0; 2 bad usage.")
@click.option(
    "--from", "before", type=float, metavar="RATE", help="How often the baseline is right."
)
@click.option("--to", "after", type=float, metavar="RATE", help="How often the candidate is.")
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
    from assay.report.comparison import draw_pilot, draw_power

    if flags["pilot"]:
        show(_from_pilot(flags), draw_pilot, as_json=flags["as_json"])
    else:
        show(_answer(flags), draw_power, as_json=flags["as_json"])


def _from_pilot(flags: dict[str, Any]) -> Any:  # noqa: ANN401 - a PilotPower, imported late
    from assay.comparison.collect import shared_tasks
    from assay.comparison.pilot import power_of_pilot
    from assay.comparison.sides import SideReading, read_sides
    from assay.logs.trial_rows import TrialColumns

    paths = flags["pilot"]
    clash = [name for name in _PLANNED if name != "effect" and flags[name] is not None]
    if clash or len(paths) > 2:
        wrong = f"--{_FLAGS.get(clash[0], clash[0])}" if clash else "a third"
        raise SpecError(
            f"--pilot takes the baseline's runs and the candidate's, and no {wrong}",
            hint="--pilot before.csv --pilot after.csv, and --effect E where another is meant.",
        )
    reading = SideReading(columns=TrialColumns(encoding=flags["encoding"], split=flags["split"]))
    sides = read_sides([("baseline", paths[:1]), ("candidate", paths[1:])], reading)
    tasks, _ = shared_tasks(sides if len(paths) > 1 else sides[:1], flags["task"])
    if len(tasks) > 1:
        raise SpecError(
            f"the pilot has {len(tasks)} tasks: {some([str(task) for task in tasks])}",
            hint=f"Plan for one: --task {tasks[0]}",
        )
    reads = [side.of_task(tasks[0]) for side in sides]
    baseline, candidate = ([trial for read in side for trial in read.trials] for side in reads)
    return power_of_pilot(
        baseline,
        candidate,
        lower=frozenset(name for side in reads for read in side for name in read.lower),
        effect=flags["effect"],
        correlation=flags["correlation"],
        power=flags["power"],
    )


def _answer(flags: dict[str, Any]) -> Any:  # noqa: ANN401 - a Power, imported late
    from assay.comparison.power import (
        pairs_for_gate,
        power_of_rates,
        power_of_scores,
        smallest_effect,
    )

    for name, value in flags.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise SpecError(f"--{_FLAGS.get(name, name)} {value}: expected a number")
    before, after, effect, spread = (flags[k] for k in ("before", "after", "effect", "spread"))
    how = {"power": flags["power"]}
    many = how | {"dimensions": flags["dimensions"]}
    given = {name for name in _PLANNED if flags[name] is not None}
    if flags["margin"] is not None and given <= {"before", "after", "margin", "pairs"}:
        if before is None:
            raise SpecError(
                "--margin asks about a gate: say how often it is right now, --from RATE"
            )
        if flags["pairs"] is not None:
            raise SpecError("--margin asks for pairs: leave out --pairs")
        correlation = flags["correlation"]
        return pairs_for_gate(before, flags["margin"], after=after, correlation=correlation, **how)
    if given in ({"before", "after"}, {"before", "after", "pairs"}):
        correlation, pairs = flags["correlation"], flags["pairs"]
        return power_of_rates(before, after, correlation=correlation, pairs=pairs, **many)
    if given == {"effect", "spread"}:
        if effect == 0.0:
            raise SpecError("an effect of 0 is none: no number of pairs shows it")
        return power_of_scores(effect, spread, **many)
    if given == {"before", "pairs"}:
        return smallest_effect(flags["pairs"], rates=(before,), **many)
    if given in ({"pairs"}, {"pairs", "spread"}):
        return smallest_effect(flags["pairs"], spread=spread, **many)
    raise SpecError(
        "say what to plan for",
        hint="--from RATE --to RATE; --effect E --spread S; --pairs N; or --from RATE --margin M.",
    )
