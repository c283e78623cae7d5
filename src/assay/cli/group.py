"""The group of verbs, each in a file of its own that is imported when it is called."""

import importlib
import os
import sys
from contextlib import suppress
from typing import NoReturn

import click

from assay._version import __version__
from assay.cli.verbs import HELP, VERBS
from assay.errors import AssayError, SpecError, StorageError

OUR_FAULT = 70
"""The exit code of an error that we did not foresee (EX_SOFTWARE)."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The verbs, sorted."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import a verb's file and take its command."""
        if cmd_name not in VERBS:
            return None
        file = f"{cmd_name.replace('-', '_')}_"
        command: click.Command = importlib.import_module(f"assay.cli.{file}").command
        return command

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002 - click's signature
        """The text that stands beside the verbs."""
        return HELP.rstrip("\n")


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assay")
def assay() -> None:
    """Find out what a number about an AI system is made of, before you believe it."""


def run_command() -> None:
    """Run a verb; every error becomes a message and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal without ≥ still gets a table
    try:
        assay.main(prog_name="assay", standalone_mode=False)
        sys.stdout.flush()
    except AssayError as error:
        _fail(error)
    except click.exceptions.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        if _wants_json():
            _print_json(SpecError(error.format_message()))
        error.show()
        sys.exit(2)
    except BrokenPipeError:
        from assay.cli.output import discard_output

        discard_output()  # the reader went away: `assay methods | head`
        sys.exit(1)
    except OSError as error:
        with suppress(OSError):
            name = str(error.filename or "standard output")
            click.echo(f"StorageError: {name:.300}: {error.strerror or error}", err=True)
        os._exit(StorageError.exit_code)  # the interpreter would try to flush once more
    except Exception as error:
        if os.environ.get("ASSAY_DEBUG"):
            raise
        click.echo(f"A fault of Assay's own: {type(error).__name__}: {error}", err=True)
        click.echo("Please report it, with what ASSAY_DEBUG=1 prints.", err=True)
        sys.exit(OUR_FAULT)


def _wants_json() -> bool:
    """Whether the command line asks for JSON, even where the rest of it cannot be parsed."""
    return "--json" in sys.argv


def _fail(error: AssayError) -> NoReturn:
    from assay.wording import as_flags, printable

    error.message = as_flags(error.message)
    error.hint = None if error.hint is None else as_flags(error.hint)
    error.details = tuple(map(as_flags, error.details))
    if _wants_json():
        with suppress(OSError):
            _print_json(error)
    click.echo(printable(f"{type(error).__name__}: {error.message}"), err=True)
    for detail in error.details:
        click.echo(f"  {printable(detail)}", err=True)
    if error.hint:
        click.echo(printable(error.hint), err=True)
    sys.exit(error.exit_code)


def _print_json(error: AssayError) -> None:
    """The error in the same channel as the result it replaces."""
    from assay.cli.output import print_json

    told: dict[str, object] = {"message": error.message, "hint": error.hint}
    told |= {"details": error.details, "exit_code": error.exit_code}
    print_json({"error": {"type": type(error).__name__, **told}})
