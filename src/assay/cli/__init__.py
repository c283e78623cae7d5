"""The command: one verb a file, each imported only when it is called.

The verbs and their one-line descriptions stand here, so that `assay --help` imports none of them;
a test holds the descriptions and the verbs' own help together.
"""

import importlib
import sys
from typing import Any

import click

from assay._version import __version__

VERBS = {
    "benchmarks": "List the bundled benchmarks.",
    "demo": "Watch a PASS turn into what it is, in a few seconds.",
    "methods": "List the bundled methods.",
    "score": "Judge a stored run again, under any bars.",
    "try": "Run a method on a benchmark and judge it.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The verbs, sorted."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a verb's file and take its command."""
        if cmd_name not in VERBS:
            return None
        found = importlib.import_module(f"assay.cli.{cmd_name}_")
        command: click.Command = found.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of verbs, from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(VERBS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assay")
def assay() -> None:
    """Find out what a number about an AI system is made of, before you believe it.

    \b
    Start here:
      assay demo
      assay try oracle:word_length --bars v1
      assay try my_method.py:detect --benchmark answers.jsonl
    """


def main() -> None:
    """Run the command; every error of ours becomes a message and its exit code."""
    from assay.errors import AssayError

    try:
        assay.main(standalone_mode=False)
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


def _fail(error: Any) -> None:  # noqa: ANN401 - an AssayError, imported only when needed
    from assay.report.terminal import printable

    if "--json" in sys.argv:
        from assay.report.records import error_as_json

        click.echo(error_as_json(error))
    click.echo(printable(f"{type(error).__name__}: {error.message}"), err=True)
    if error.hint:
        click.echo(printable(error.hint), err=True)
    sys.exit(error.exit_code)
