"""`assay ratify`: freeze an artifact that was shown to help, or undo that."""

import sys
from typing import Any

import click

from assay.cli.compare_ import Paths
from assay.cli.options import PATH, json_flag
from assay.cli.output import print_json
from assay.errors import NotRatified, SpecError


@click.command(
    "ratify",
    cls=Paths,
    epilog="Exit codes: 0 done; 2 bad usage or input; 3 refused: not shown to help, not what was"
    " measured, or not confirmed; 4 something is not what was ratified.",
)
@click.argument("comparison", type=PATH, required=False)
@click.option("--artifact", type=PATH, help="The artifact to freeze: a file or folder.")
@click.option(
    "--into", type=PATH, required=True, metavar="DIR", help="The folder of ratified artifacts."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--revert", "name", metavar="NAME", help="Undo the last ratification of NAME.")
@click.option("--check", is_flag=True, help="Only check that everything is as ratified.")
@click.option(
    "--baseline",
    multiple=True,
    type=PATH,
    metavar="PATH...",
    help="Compare again: the baseline's runs.",
)
@click.option(
    "--candidate",
    multiple=True,
    type=PATH,
    metavar="PATH...",
    help="Compare again: the candidate's.",
)
@json_flag
def command(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Freeze an artifact that was shown to help, or take it back.

    To freeze is to install the artifact and record its digest. COMPARISON is a file from
    `assay trials` or `assay compare --out`. Its verdict must be ratify, nothing may block it, and
    the artifact must have the measured digest. A person confirms. The previous version is kept,
    and --revert restores it. In a study, the ledger records it.

    \b
    Examples:
      assay ratify skill/comparison.json --artifact skill.md --into skills
      assay ratify --revert skill.md --into skills
    """
    asked = [flags["comparison"] is not None, flags["name"] is not None, flags["check"]]
    if sum(asked) != 1:
        raise SpecError("name exactly one: a comparison, --revert NAME, or --check")
    from assay.study.ratify.frozen import frozen_folder
    from assay.study.ratify.ratify import check_frozen, revert

    if flags["comparison"] is not None:
        steps = [_ratify(flags)]
    elif flags["check"]:
        with frozen_folder(flags["into"], new=False, finish=False) as at:
            steps = check_frozen(at)
    else:
        _confirm(f"Take back {flags['name']} in {flags['into']}?", flags)
        with frozen_folder(flags["into"], new=False) as at:
            steps = [revert(at, flags["name"])]
    _show(steps, flags)


def _ratify(flags: dict[str, Any]) -> Any:  # noqa: ANN401 - a Step, imported late
    from assay.comparison.collect import check_again
    from assay.comparison.store import read_comparison
    from assay.digests import short
    from assay.study.ratify.frozen import frozen_folder
    from assay.study.ratify.ratify import check_apart, check_ratifiable, ratify
    from assay.study.scorecards.in_force import scorecard_in_force
    from assay.wording import printable

    if flags["artifact"] is None:
        raise SpecError("name the artifact to freeze: --artifact PATH")
    comparison, data = read_comparison(flags["comparison"])
    measured = check_ratifiable(comparison, flags["artifact"])
    check_apart(flags["artifact"], flags["into"])
    if bool(flags["baseline"]) is not bool(flags["candidate"]):
        raise SpecError("to compare again, name both sides: --baseline and --candidate")
    if flags["baseline"]:
        check_again(comparison, flags["baseline"], flags["candidate"], in_study=scorecard_in_force)
    if not flags["yes"]:
        click.echo(printable(f"RATIFY: {comparison.because}"), err=True)
        click.echo(printable(comparison.signature), err=True)
        for caveat in sorted(comparison.caveats, key=lambda one: one.rank):
            click.echo(printable(f"{caveat.code}: {caveat.message}"), err=True)
    _confirm(f"Freeze {flags['artifact']} ({short(measured)}) into {flags['into']}?", flags)
    with frozen_folder(flags["into"]) as at:
        return ratify(at, (comparison, data), flags["artifact"])


def _confirm(question: str, flags: dict[str, Any]) -> None:
    """Ask for confirmation; refused without a terminal."""
    from assay.wording import printable

    if flags["yes"]:
        return
    if not sys.stdin.isatty():
        raise NotRatified(
            "there is no terminal to confirm on", hint="Confirm it in advance: --yes."
        )
    if not click.confirm(printable(question), err=True):
        raise NotRatified("not confirmed; nothing was changed")


def _show(steps: list[Any], flags: dict[str, Any]) -> None:
    if flags["as_json"]:
        print_json(steps[0] if not flags["check"] else {"standing": steps})
        return
    from assay.digests import short
    from assay.wording import printable

    for step in steps:
        place = flags["into"] / step.name
        if flags["check"]:
            line = f"{place} is as ratified ({short(step.artifact)})"
        elif step.kind == "ratify":
            line = f"Froze {place} ({short(step.artifact)})."
        else:
            back = "nothing is installed now" if step.artifact == "none" else short(step.artifact)
            line = f"Took back {place}: {back}."
        click.echo(printable(line))
    if not steps:
        click.echo("Nothing is ratified in this folder.")
