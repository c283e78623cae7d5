"""`assay claims`: whether a text matches the artifacts."""

from functools import partial
from pathlib import Path

import click

from assay.cli.nouns import DefaultPart
from assay.cli.options import PATH, json_flag, study_flag
from assay.cli.output import leave, show
from assay.cli.progress import progress

EXIT_CODES = (
    "Exit codes: 0 every claim holds and every check could have failed; 1 a claim fails, is vacuous"
    " or unverifiable (it cannot be read), or too little is covered; 2 bad usage, no"
    " claims, or a malformed file of claims."
)
root_flag = click.option(
    "--root", type=PATH, help="The folder that paths in claims start from. Default: the repository."
)
commands_flag = click.option(
    "--allow-commands",
    is_flag=True,
    help="Run the commands of command_output_equals, confined. Default: unverifiable.",
)
coverage_flag = click.option(
    "--min-coverage",
    type=click.FloatRange(0.0, 1.0),
    help="The share of the texts' numbers that claims must cover.",
)


@click.group("claims", cls=DefaultPart, default="check", epilog=EXIT_CODES)
def command() -> None:
    """Check what a text claims against the artifacts.

    A claim stands behind its number, in a comment that is not shown, or in a file of [[claim]]
    tables. Each claim that holds is altered, and every altered claim must fail: a check that cannot
    fail is vacuous, and its claim does not hold. Files are only read, and code that must be
    imported or run is confined, without a network.

    \b
    Examples:
      assay claims README.md
      assay claims claims.toml paper.tex --json
      assay claims scan README.md
      assay claims fix README.md --write
      assay claims seal claims.toml --name paper --study my-study
    """


@command.command("check", epilog=EXIT_CODES)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@root_flag
@coverage_flag
@commands_flag
@click.option("--all", "every", is_flag=True, help="Show the claims that hold, too.")
@json_flag
def check(
    files: tuple[Path, ...],
    root: Path | None,
    min_coverage: float | None,
    allow_commands: bool,
    every: bool,
    as_json: bool,
) -> None:
    """Check every claim of some files.

    \b
    Example:
      assay claims README.md docs/results.md --min-coverage 0.8
    """
    from assay.api.claims import check_claims
    from assay.report.claims import draw_claims

    with progress("checking", 0) as advance:
        audit = check_claims(
            files, root, min_coverage, allow_commands=allow_commands, on_claim=advance
        )
    show(audit, partial(draw_claims, every=every), as_json=as_json)
    leave(favourable=audit.favourable)


@command.command("scan")
@click.argument("files", metavar="DOC...", nargs=-1, required=True, type=PATH)
@root_flag
@coverage_flag
@click.option("--all", "every", is_flag=True, help="Show every number, not the first 25.")
@click.option("--patch", is_flag=True, help="Print the proposed claims as a patch.")
@click.option("--write", is_flag=True, help="Write the proposed claims, and print the patch.")
@json_flag
def scan(
    files: tuple[Path, ...],
    root: Path | None,
    min_coverage: float | None,
    every: bool,
    patch: bool,
    write: bool,
    as_json: bool,
) -> None:
    """Find the numbers that no claim covers.

    Dates, sections, versions, code and quotations are left out. Each number comes with the values
    in the repository that it may state, and the claim that would check it. A number that exactly
    one value equals is proposed as a claim.

    \b
    Examples:
      assay claims scan README.md
      assay claims scan README.md --patch | git apply
    """
    from assay.api.claims import scan_claims
    from assay.report.claims import draw_patch, draw_scan

    found = scan_claims(*files, root=root, write=write)
    draw = partial(draw_patch, patch=found.patch) if patch or write else partial(
        draw_scan, every=every
    )  # fmt: skip
    show(found, draw, as_json=as_json)
    leave(favourable=found.coverage.reaches(min_coverage))


@command.command("fix", epilog="Exit codes: 0 every claim holds now; 1 something is left to mend.")
@click.argument("files", metavar="DOC...", nargs=-1, required=True, type=PATH)
@root_flag
@commands_flag
@click.option("--write", is_flag=True, help="Write the files. Default: only show a patch.")
@json_flag
def fix(
    files: tuple[Path, ...], root: Path | None, allow_commands: bool, write: bool, as_json: bool
) -> None:
    """Rewrite the numbers that claims cover to what is there.

    Each is printed as before: as many decimals, separators, per cent, words. Shows a patch;
    with --write the files are changed. Claims that cannot be mended are listed.

    \b
    Example:
      assay claims fix README.md --write
    """
    from assay.api.claims import fix_claims
    from assay.report.claims import draw_fix

    fixed = fix_claims(*files, root=root, write=write, allow_commands=allow_commands)
    show(fixed, draw_fix, as_json=as_json)
    leave(favourable=fixed.favourable)


@command.command(
    "seal",
    epilog="Exit codes: 0 sealed; 2 bad usage or a malformed file; 3 the name was sealed before;"
    " 4 integrity broken.",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@click.option("--name", required=True, help="What the claims are called in the study.")
@study_flag
@json_flag
def seal(files: tuple[Path, ...], name: str, folder: Path, as_json: bool) -> None:
    """Seal claims in a study, with what you predict of each.

    The files are copied into the study and entered in its ledger. At least one claim must say
    `predicted` and may say its `confidence`. Nothing is checked yet.

    \b
    Example:
      assay claims seal claims.toml --name paper
    """
    from assay.api.study.study import Study
    from assay.report.claims import draw_sealed

    show(Study.open(folder).seal_claims(*files, name=name), draw_sealed, as_json=as_json)


@command.command(
    "grade",
    epilog="Exit codes: 0 every claim holds and every check could have failed; 1 any other verdict;"
    " 2 bad usage; 3 the claims were not sealed, or were graded before; 4 integrity broken.",
)
@click.argument("name")
@study_flag
@root_flag
@commands_flag
@click.option("--all", "every", is_flag=True, help="Show the claims that hold, too.")
@json_flag
def grade(
    name: str, folder: Path, root: Path | None, allow_commands: bool, every: bool, as_json: bool
) -> None:
    """Check sealed claims, once, and grade what was predicted.

    The sealed files are checked, not what has become of them since. The audit is stored in the
    study and entered in its ledger, also if claims fail.

    \b
    Example:
      assay claims grade paper
    """
    from assay.api.study.study import Study
    from assay.report.claims import draw_claims

    audit = Study.open(folder).grade_claims(name, root=root, allow_commands=allow_commands)
    show(audit, partial(draw_claims, every=every), as_json=as_json)
    leave(favourable=audit.favourable)
