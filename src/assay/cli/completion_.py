"""`assay completion`: the script that completes commands, flags and names in a shell."""

import click

from assay.cli.completion import SHELLS, script
from assay.cli.options import json_flag
from assay.cli.output import print_json


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@json_flag
@click.pass_context
def command(context: click.Context, shell: str, as_json: bool) -> None:
    """Print the script that completes words in your shell.

    Completes commands, flags, values, files, the bundled benchmarks, bars and methods, and in a
    study the ids of its submissions. Add the line for your shell to its startup file, and open a
    new terminal. bash 4.4 or newer.

    \b
    Examples:
      assay completion bash
      assay completion fish > ~/.config/fish/completions/assay.fish

    \b
    Startup file      line to add
      ~/.bashrc       eval "$(assay completion bash)"
      ~/.zshrc        eval "$(assay completion zsh)"    (after compinit)
    """
    text = script(shell, context.find_root().command)
    if as_json:
        print_json({"shell": shell, "script": text})
    else:
        click.echo(text, nl=False)
