"""`assay compare`: whether a change helps more than it hurts."""

from typing import Any

import click

from assay.cli.options import PATH, json_flag
from assay.cli.output import leave, show
from assay.errors import SpecError

EXITS = (
    "Exit codes: 0 ratify; 1 reject, no effect or inconclusive; 2 bad usage or input; 3 refused:"
    " the sides are no comparison; 4 a scorecard was edited."
)
_OURS = {
    "--gate": "gates",
    "--missing": "missing",
    "--crashed": "crashed",
    "--allow": "allow",
    "--strict-gates": "strict_gates",
    "--sequential": "sequential",
    "--artifact": "artifact",
}


class Paths(click.Command):
    """Lets --baseline and --candidate take several paths: everything up to the next flag."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the flag before each further path."""
        spread: list[str] = []
        flag: str | None = None
        first = False
        for arg in args:
            if arg.startswith("-") and arg != "-":
                flag = arg if arg in ("--baseline", "--candidate") else None
                first = True
                spread.append(arg)
            elif flag is not None and not first:
                spread += [flag, arg]
            else:
                first = False
                spread.append(arg)
        return super().parse_args(ctx, spread)


@click.command("compare", cls=Paths, epilog=EXITS)
@click.option(
    "--baseline",
    multiple=True,
    required=True,
    type=PATH,
    metavar="PATH...",
    help="Runs without the change.",
)
@click.option(
    "--candidate", multiple=True, required=True, type=PATH, metavar="PATH...", help="Runs with it."
)
@click.option(
    "--config", type=PATH, metavar="FILE", help="Dimensions, gates, margins: a TOML file."
)
@click.option(
    "--gate", "gates", multiple=True, metavar="NAME", help="A dimension that must not lose."
)
@click.option(
    "--instance",
    default="instance",
    show_default=True,
    metavar="COLUMN",
    help="Which instance a row is of.",
)
@click.option(
    "--trial", default="trial", show_default=True, metavar="COLUMN", help="Which run of it."
)
@click.option(
    "--dimension",
    "columns",
    multiple=True,
    metavar="COLUMN",
    help="Read this column and no other; repeat it.",
)
@click.option(
    "--missing",
    type=click.Choice(["fail", "exclude"]),
    help="What a missing value is. Default: it blocks.",
)
@click.option(
    "--crashed",
    type=click.Choice(["fail", "exclude"]),
    help="What a crashed or lost run is. Default: it blocks.",
)
@click.option(
    "--allow", multiple=True, type=click.Choice(["harness"]), help="A difference that is meant."
)
@click.option(
    "--strict-gates", is_flag=True, help="A gate needs its margin shown, however spotless the runs."
)
@click.option(
    "--by",
    type=click.Choice(["auto", "instance", "run"]),
    default="auto",
    show_default=True,
    help="What counts as one piece of evidence; auto: instances, where there are ten.",
)
@click.option("--sequential", is_flag=True, help="Evidence that may be looked at after every pair.")
@click.option(
    "--rule",
    type=click.Choice(["net-effect", "adr-0031"]),
    default="net-effect",
    show_default=True,
    help="How to decide.",
)
@click.option(
    "--resamples",
    default=9_999,
    show_default=True,
    type=click.IntRange(99, 10_000_000),
    help="Draws, where all flips are too many.",
)
@click.option("--seed", default=0, show_default=True, help="Of those draws.")
@click.option(
    "--artifact",
    type=PATH,
    metavar="PATH",
    help="What the candidate had: its digest is noted, for `assay ratify`.",
)
@click.option("--out", type=PATH, metavar="FILE", help="Write the comparison there.")
@json_flag
def command(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Find out whether a change helps more than it hurts.

    A PATH is a folder of scored runs (`eval.json`, and `manifest.json` beside it), a .jsonl or
    .csv of trials (`instance`, `trial`, one column a dimension, `harness.*`), or a stored run that
    was judged. Scores are read and never computed. Runs pair by instance and trial.

    \b
    Examples:
      assay compare --baseline before/ --candidate after/
      assay compare --baseline a.jsonl --candidate b.jsonl --gate grounded
    """
    from assay.comparison.adr_0031 import compare_adr_0031
    from assay.comparison.collect import compare_paths, read_plan, sides_of
    from assay.comparison.result import Comparison
    from assay.comparison.store import check_writable, write_comparison
    from assay.report.comparison import draw_comparison, draw_source_comparison
    from assay.study.scorecards.in_force import scorecard_in_force

    if flags["out"] is not None:
        check_writable(flags["out"], (*flags["baseline"], *flags["candidate"]))
    request = read_plan(flags, in_study=scorecard_in_force)
    if flags["rule"] == "adr-0031":
        _check_plain(flags)
        sides = sides_of(flags["baseline"], flags["candidate"], request, fixture_required=False)
        plan = request.plan
        made: Any = compare_adr_0031(*sides.trials, *([] if plan is None else [plan.dimensions]))
    else:
        made = compare_paths(flags["baseline"], flags["candidate"], request)
    if flags["out"] is not None:
        write_comparison(flags["out"], made)
    draw: Any = draw_comparison if isinstance(made, Comparison) else draw_source_comparison
    show(made, draw, as_json=flags["as_json"])
    if flags["out"] is not None and not flags["as_json"]:
        click.echo(f"Wrote {flags['out']}.")
    leave(favourable=made.favourable)


def _check_plain(flags: dict[str, Any]) -> None:
    """Refuse what the source's rule knows nothing of, instead of passing over it."""
    unknown = [name for name in _OURS if flags[_OURS[name]]]
    if unknown:
        raise SpecError(
            f"--rule adr-0031 knows no {', '.join(unknown)}",
            hint="Leave it out; gates and ideals of other dimensions go into --config FILE.",
        )
