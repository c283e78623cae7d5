"""`assay compare`: whether a change helps more than it hurts."""

from typing import Any

import click

from assay.cli.options import PATH, encoding_flag, json_flag, split_flag
from assay.cli.output import leave, show
from assay.errors import SpecError

EXITS = (
    "Exit codes: 0 ratify; 1 reject, no effect or inconclusive; 2 bad usage or input; 3 refused:"
    " the sides are no comparison; 4 a scorecard was edited."
)


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
@click.argument("paths", nargs=-1, type=PATH, metavar="[BASELINE CANDIDATE...]")
@click.option(
    "--baseline", multiple=True, type=PATH, metavar="PATH...", help="Runs without the change."
)
@click.option("--candidate", multiple=True, type=PATH, metavar="PATH...", help="Runs with it.")
@click.option("--all-pairs", is_flag=True, help="Compare every side with every other.")
@click.option("--by", metavar="COLUMN", help="The column that tells the sides apart, as `model`.")
@click.option("--first", metavar="VALUE", help="With --by: the side to compare the others with.")
@click.option(
    "--where", metavar="EXPR", help="Read only rows or logs such as 'condition == \"x\"'."
)
@click.option("--task", metavar="NAME", help="Compare this task alone, where logs hold several.")
@click.option(
    "--config", type=PATH, metavar="FILE", help="Dimensions, gates, margins: a TOML file."
)
@click.option("--gate", multiple=True, metavar="NAME", help="A dimension that must not lose.")
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
    multiple=True,
    metavar="COLUMN",
    help="Read this column and no other; repeat it.",
)
@encoding_flag
@split_flag
@click.option(
    "--missing",
    type=click.Choice(["fail", "exclude"]),
    help="Count missing values as failures, or leave the runs out. Default: a verdict only if all"
    " ways agree.",
)
@click.option(
    "--crashed",
    type=click.Choice(["fail", "exclude"]),
    help="The same for runs that crashed, or that only one side has.",
)
@click.option(
    "--allow", multiple=True, type=click.Choice(["harness"]), help="A difference that is meant."
)
@click.option(
    "--strict-gates", is_flag=True, help="A gate needs its margin shown, however spotless the runs."
)
@click.option(
    "--unit",
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

    A path is a log of an evaluation harness (inspect_ai, lm-evaluation-harness, promptfoo and
    others) or a folder of logs; a file of trials (`instance`, `trial`, one column a dimension,
    `harness.*`; JSONL, JSON, CSV, Parquet, Arrow, or - for standard input) or a folder of its
    shards; a folder of scored runs (`eval.json`, and `manifest.json` beside it); or a stored run
    that was judged. Scores are read and never computed. Runs pair by instance and trial.

    With more than two sides every one is compared with the first, and all verdicts hold together
    at 95 %.

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

    as_json = flags.pop("as_json")
    made = compare(*_sides(flags), **flags)
    draw: Any = draw_source_comparison
    if isinstance(made, Comparison | Comparisons):
        draw = draw_comparison if isinstance(made, Comparison) else draw_comparisons
    show(made, draw, as_json=as_json)
    if flags["out"] is not None and not as_json:
        click.echo(f"Wrote {flags['out']}.")
    leave(favourable=made.favourable)


def _sides(flags: dict[str, Any]) -> list[Any]:
    """The sides that were named, by position or by flags; takes them from the flags."""
    paths, baseline, candidate = (flags.pop(name) for name in ("paths", "baseline", "candidate"))
    if paths and (baseline or candidate):
        raise SpecError("name the sides by position or by --baseline and --candidate, not both")
    if flags["by"] is not None:
        given = [*paths, *baseline, *candidate]
        if not given:
            raise SpecError("--by COLUMN splits a file into sides: name the file")
        return [given]
    if not paths and not (baseline and candidate):
        raise SpecError(
            "two sides are needed",
            hint="assay compare BASELINE CANDIDATE, or --baseline PATH... --candidate PATH...",
        )
    return list(paths) or [list(baseline), list(candidate)]
