"""The group of verbs, each in a file of its own that is imported when it is called."""

import importlib
import sys

import click

from assay._version import __version__
from assay.cli.verbs import HELP, VERBS
from assay.errors import AssayError


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The verbs, sorted."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import a verb's file and take its command."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"assay.cli.{cmd_name}_").command
        return command

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002 - click's signature
        """The text that stands beside the verbs."""
        return HELP.rstrip("\n")


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assay")
def assay() -> None:
    """Find out what a number about an AI system is made of, before you believe it."""


def run_command() -> None:
    """Run a verb; every error of ours becomes a message and its exit code."""
    try:
        assay.main(prog_name="assay", standalone_mode=False)
    except AssayError as error:
        _fail(error)
    except click.exceptions.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except BrokenPipeError:
        # The reader went away (`assay methods | head`); there is nobody left to tell.
        sys.stderr.close()
        sys.exit(1)


def _fail(error: AssayError) -> None:
    from assay.report.records import error_as_json
    from assay.report.terminal import printable

    if "--json" in sys.argv:
        click.echo(error_as_json(error))
    click.echo(printable(f"{type(error).__name__}: {error.message}"), err=True)
    if error.hint:
        click.echo(printable(error.hint), err=True)
    sys.exit(error.exit_code)
