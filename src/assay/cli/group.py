"""The group of verbs, each in a file of its own that is imported when it is called."""

import importlib
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import click

from assay._version import __version__
from assay.cli.progress import working
from assay.cli.verbs import HELP, VERBS
from assay.errors import AssayError, SpecError, StorageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

OUR_FAULT = 70
"""The exit code of an unexpected error (EX_SOFTWARE)."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The verbs, sorted."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb's file and take its command."""
        cmd_name = _verb(cmd_name)
        if cmd_name not in VERBS:
            return None
        file = f"{cmd_name.replace('-', '_')}_"
        command: click.Command = importlib.import_module(f"assay.cli.{file}").command
        if not ctx.resilient_parsing:
            return command
        from assay.cli.completion import with_names

        return with_names(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or suggest one; `help VERB` is `VERB --help`."""
        if args[0] == "help":
            args = [*args[1:2], "--help"]
        if not ctx.resilient_parsing and args[0][:1] != "-" and _verb(args[0]) not in VERBS:
            from assay.cli.usage import no_such_command

            raise no_such_command(args[0], ctx, VERBS)
        return super().resolve_command(ctx, [_verb(args[0]), *args[1:]])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The verbs with this beginning, without importing them."""
        from click.shell_completion import CompletionItem

        verbs = [verb for verb in self.list_commands(ctx) if verb.startswith(incomplete)]
        flags = click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(verb, help=VERBS[verb]) for verb in verbs] + flags

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002 - click's signature
        """The text that stands beside the verbs."""
        return HELP.rstrip("\n")


def _verb(name: str) -> str:
    """The verb of a name; singular and plural nouns both work."""
    if name in VERBS:
        return name
    other = name.removesuffix("s") if name.endswith("s") else f"{name}s"
    return other if other in VERBS else name


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
        with working(next((word for word in sys.argv[1:] if word in VERBS), "assay")):
            assay.main(prog_name="assay", standalone_mode=False)
        sys.stdout.flush()
    except AssayError as error:
        _fail(error)
    except click.exceptions.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        from assay.cli.usage import explained

        error = explained(error)
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
        click.echo(f"A bug in Assay: {type(error).__name__}: {error}", err=True)
        click.echo("Please report it, with the output under ASSAY_DEBUG=1.", err=True)
        sys.exit(OUR_FAULT)


def _wants_json() -> bool:
    """Whether the command line asks for JSON, even if the rest cannot be parsed."""
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
    """Print the error as JSON on the channel of the result it replaces."""
    from assay.cli.output import print_json

    told: dict[str, object] = {"message": error.message, "hint": error.hint}
    told |= {"details": error.details, "exit_code": error.exit_code}
    print_json({"error": {"type": type(error).__name__, **told}})
