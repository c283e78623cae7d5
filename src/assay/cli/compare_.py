"""`assay compare`: whether a change helps more than it hurts."""

from functools import partial
from typing import Any

import click

from assay.cli.options import PATH, caveats_flag, encoding_flag, json_flag, split_flag
from assay.cli.output import leave, show
from assay.errors import SpecError

EXITS = (
    "Exit codes: 0 ratify; 1 reject, no effect or inconclusive; 2 bad usage or input; 3 refused:"
    " the sides cannot be compared; 4 a scorecard was edited."
)


class Paths(click.Command):
    """Lets --baseline and --candidate take several paths, up to the next flag."""

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
@click.argument("paths", nargs=-1, type=PATH, metavar="[BASELINE CANDIDATE...]")
@click.option(
    "--baseline", multiple=True, type=PATH, metavar="PATH...", help="Runs without the change."
)
@click.option(
    "--candidate", multiple=True, type=PATH, metavar="PATH...", help="Runs with the change."
)
@click.option("--all-pairs", is_flag=True, help="Compare every side with every other.")
@click.option(
    "--by", metavar="COLUMN", help="The column that separates the sides, such as `model`."
)
@click.option("--first", metavar="VALUE", help="With --by: the baseline.")
@click.option(
    "--where", metavar="EXPR", help="Read only rows or logs such as 'condition == \"x\"'."
)
@click.option("--task", metavar="NAME", help="Compare only this task, if logs hold several.")
@click.option(
    "--config", type=PATH, metavar="FILE", help="Dimensions, gates, margins: a TOML file."
)
@click.option(
    "--gate",
    multiple=True,
    metavar="NAME",
    help="A dimension that must not lose more than its margin.",
)
@click.option(
    "--instance",
    default="instance",
    show_default=True,
    metavar="COLUMN",
    help="The column that names a row's instance.",
)
@click.option(
    "--trial",
    default="trial",
    show_default=True,
    metavar="COLUMN",
    help="The column that numbers repeated runs of an instance.",
)
@click.option(
    "--dimension",
    multiple=True,
    metavar="COLUMN",
    help="Read only this column. Repeatable.",
)
@encoding_flag
@split_flag
@click.option(
    "--missing",
    type=click.Choice(["fail", "exclude"]),
    help="Count missing values as failures, or leave the runs out. Default: try both; no verdict"
    " if they disagree.",
)
@click.option(
    "--crashed",
    type=click.Choice(["fail", "exclude"]),
    help="The same for runs that crashed or that only one side has.",
)
@click.option(
    "--allow",
    multiple=True,
    type=click.Choice(["harness", "scale"]),
    help="Allow an intended difference between the sides: another harness, or scores that are 20"
    " times as large.",
)
@click.option(
    "--strict-gates",
    is_flag=True,
    help="A gate passes only if its loss is shown to be under its margin; not spotless or narrow.",
)
@click.option(
    "--unit",
    type=click.Choice(["auto", "instance", "run"]),
    default="auto",
    show_default=True,
    help="The unit of evidence; auto: instances if there are at least ten, else runs.",
)
@click.option(
    "--sequential", is_flag=True, help="A test that stays valid if you look after every pair."
)
@click.option(
    "--rule",
    type=click.Choice(["net-effect", "adr-0031"]),
    default="net-effect",
    show_default=True,
    help="The decision rule; adr-0031 is the older one.",
)
@click.option(
    "--resamples",
    default=9_999,
    show_default=True,
    type=click.IntRange(99, 10_000_000),
    help="Random sign flips, if there are too many to try all.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random sign flips.")
@click.option(
    "--artifact",
    type=PATH,
    metavar="PATH",
    help="The artifact that the candidate had; its digest is recorded for `assay ratify`.",
)
@click.option("--out", type=PATH, metavar="FILE", help="Write the comparison to this file.")
@caveats_flag
@json_flag
def command(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Find out whether a change helps more than it hurts.

    A path is a log of an evaluation harness (inspect_ai, lm-evaluation-harness, promptfoo and
    others) or a folder of logs; a file of trials (`instance`, `trial`, a column for each dimension,
    `harness.*`; JSONL, JSON, CSV, Parquet, Arrow, or - for standard input) or a folder of its
    shards; a folder of scored runs (`eval.json`, with a `manifest.json`); or a stored run that was
    judged. Scores are read, never computed. Runs pair by instance and trial.

    With more than two sides, each is compared with the first, and the level of 95 % holds for all
    verdicts together.

    \b
    Examples:
      assay compare baseline.eval candidate.eval
      assay compare before.csv after.csv --gate grounded
      assay compare a.eval b.eval c.eval --all-pairs
      assay compare trials.csv --by model --where 'split == "test"'
      assay compare --baseline run1/ run2/ --candidate run3/ run4/
    """
    from assay.api.comparison import compare
    from assay.comparison.result import Comparison, Comparisons
    from assay.report.comparison import draw_comparison, draw_source_comparison
    from assay.report.comparisons import draw_comparisons

    as_json, caveats = flags.pop("as_json"), flags.pop("caveats")
    made = compare(*_sides(flags), **flags)
    draw: Any = draw_source_comparison
    if isinstance(made, Comparison | Comparisons):
        drawn: Any = draw_comparison if isinstance(made, Comparison) else draw_comparisons
        draw = partial(drawn, caveats=caveats)
    show(made, draw, as_json=as_json)
    if flags["out"] is not None and not as_json:
        click.echo(f"Wrote {flags['out']}.")
    leave(favourable=made.favourable)


def _sides(flags: dict[str, Any]) -> list[Any]:
    """The sides, named by position or by flags; removes them from the flags."""
    paths, baseline, candidate = (flags.pop(name) for name in ("paths", "baseline", "candidate"))
    if paths and (baseline or candidate):
        raise SpecError("name the sides by position or by --baseline and --candidate, not both")
    if flags["by"] is not None:
        given = [*paths, *baseline, *candidate]
        if not given:
            raise SpecError("--by COLUMN splits one file into sides: name the file")
        return [given]
    if not paths and not (baseline and candidate):
        raise SpecError(
            "two sides are needed",
            hint="assay compare BASELINE CANDIDATE, or --baseline PATH... --candidate PATH...",
        )
    return list(paths) or [list(baseline), list(candidate)]
