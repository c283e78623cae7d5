"""`assay ratify`: propose, ratify, freeze; and take it back."""

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
@click.option("--artifact", type=PATH, help="What is to be frozen: a file or a folder.")
@click.option(
    "--into", type=PATH, required=True, metavar="DIR", help="Where ratified artifacts are."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--revert", "name", metavar="NAME", help="Take back what was ratified last under NAME."
)
@click.option("--check", is_flag=True, help="Only look whether all is as ratified.")
@click.option(
    "--baseline",
    multiple=True,
    type=PATH,
    metavar="PATH...",
    help="Compare again, from these runs,",
)
@click.option("--candidate", multiple=True, type=PATH, metavar="PATH...", help="and from these.")
@json_flag
def command(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Freeze an artifact that was shown to help, or take it back.

    COMPARISON is what `assay trials` or `assay compare --out` wrote. Its verdict must be ratify,
    nothing may block it, and the artifact must have the digest of the one measured. A person
    confirms. What was there before is kept, and --revert puts it back. In a study, the ledger
    records it.

    \b
    Examples:
      assay ratify skill/comparison.json --artifact skill.md --into skills
      assay ratify --revert skill.md --into skills
    """
    asked = [flags["comparison"] is not None, flags["name"] is not None, flags["check"]]
    if sum(asked) != 1:
        raise SpecError("name a comparison, or --revert NAME, or --check: one of them")
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
        raise SpecError("say what is to be frozen: --artifact PATH")
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
        for caveat in comparison.caveats:
            click.echo(printable(f"{caveat.code}: {caveat.message}"), err=True)
    _confirm(f"Freeze {flags['artifact']} ({short(measured)}) into {flags['into']}?", flags)
    with frozen_folder(flags["into"]) as at:
        return ratify(at, (comparison, data), flags["artifact"])


def _confirm(question: str, flags: dict[str, Any]) -> None:
    """Ask a person; where there is none, nothing is done."""
    from assay.wording import printable

    if flags["yes"]:
        return
    if not sys.stdin.isatty():
        raise NotRatified(
            "there is no terminal to confirm it on", hint="Confirm it beforehand: --yes."
        )
    if not click.confirm(printable(question), err=True):
        raise NotRatified("it was not confirmed, and nothing was changed")


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
            back = "nothing is there now" if step.artifact == "none" else short(step.artifact)
            line = f"Took back {place}: {back}."
        click.echo(printable(line))
    if not steps:
        click.echo("Nothing is ratified there.")
