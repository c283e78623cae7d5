"""`assay claims`: whether a text matches the artifacts."""

from functools import partial
from pathlib import Path

import click

from assay.cli.options import PATH, json_flag
from assay.cli.output import leave, print_json, show
from assay.cli.progress import progress

EXIT_CODES = (
    "Exit codes: 0 every claim holds and every check could have failed; 1 a claim fails, is vacuous"
    " or unverifiable, or coverage is too low; 2 bad usage, or a malformed file."
)
root_flag = click.option(
    "--root",
    type=PATH,
    help="The folder that paths in claims are relative to. Default: the repository.",
)


class Claims(click.Group):
    """A group that runs `check` if the first argument is a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `check` if a file comes first: `assay claims README.md`."""
        asks = ctx.resilient_parsing or set(args) & set(self.get_help_option_names(ctx))
        if args and not asks and args[0] not in self.commands:
            args = ["check", *args]
        return super().parse_args(ctx, args)


@click.group("claims", cls=Claims, epilog=EXIT_CODES)
def command() -> None:
    """Check what a text claims against the artifacts.

    Write a claim in a comment behind its number (readers do not see it), or in a file of [[claim]]
    tables. Each claim that holds is also checked with false values, and must then fail: a check
    that cannot fail is vacuous, and its claim does not count as holding. Files are only read. Code
    that must be imported or run is confined, without a network.

    \b
    Examples:
      assay claims README.md
      assay claims claims.toml paper.tex --json
      assay claims scan README.md
      assay claims fix README.md --write
    """


@command.command("check", epilog=EXIT_CODES)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@root_flag
@click.option(
    "--min-coverage",
    type=click.FloatRange(0.0, 1.0),
    help="The share of the texts' numbers that claims must cover.",
)
@click.option("--all", "every", is_flag=True, help="Also show the claims that hold.")
@json_flag
def check(
    files: tuple[Path, ...],
    root: Path | None,
    min_coverage: float | None,
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
        audit = check_claims(files, root, min_coverage, advance)
    show(audit, partial(draw_claims, every=every), as_json=as_json)
    leave(favourable=audit.favourable)


@command.command("scan")
@click.argument("files", metavar="DOC...", nargs=-1, required=True, type=PATH)
@root_flag
@click.option("--all", "every", is_flag=True, help="Show every number, not the first 25.")
@click.option(
    "--min-coverage", type=click.FloatRange(0.0, 1.0), help="Exit with 1 if less is covered."
)
@json_flag
def scan(
    files: tuple[Path, ...],
    root: Path | None,
    every: bool,
    min_coverage: float | None,
    as_json: bool,
) -> None:
    """Find the numbers that no claim covers.

    Leaves out dates, section numbers, versions, code and quotations. Lists for each number the
    values in the repository that it may come from, and the claim that would check it.

    \b
    Example:
      assay claims scan README.md
    """
    from assay.api.claims import scan_claims
    from assay.report.claims import draw_scan

    found = scan_claims(*files, root=root)
    show(found, partial(draw_scan, every=every), as_json=as_json)
    leave(favourable=min_coverage is None or (found.share or 0.0) >= min_coverage)


@command.command("fix")
@click.argument("files", metavar="DOC...", nargs=-1, required=True, type=PATH)
@root_flag
@click.option("--write", is_flag=True, help="Write the files. Default: only show a patch.")
@json_flag
def fix(files: tuple[Path, ...], root: Path | None, write: bool, as_json: bool) -> None:
    """Correct the numbers of claims that fail.

    Each number keeps its form: decimals, separators, per cent, words. Shows a patch; --write
    changes the files.

    \b
    Example:
      assay claims fix README.md --write
    """
    from assay.api.claims import fixed_text
    from assay.claim_audit.fix import diff_of
    from assay.files import write_whole

    patches = {}
    for path in files:
        old, new = fixed_text(path, root)
        if old != new:
            patches[str(path)] = diff_of(path, old, new)
            if write:
                write_whole(path, new.encode())
    if as_json:
        print_json({"patches": patches, "written": write and bool(patches)})
    else:
        nothing = "Nothing to change: every number with a claim is correct.\n"
        click.echo("".join(patches.values()) or nothing, nl=False)
