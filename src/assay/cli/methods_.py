"""`assay methods`: what can be tried by name."""

import click

from assay.api.methods import methods
from assay.cli.nouns import Noun
from assay.cli.options import json_flag
from assay.cli.output import print_json


@click.group("methods", cls=Noun, alone="list")
def command() -> None:
    """List the bundled methods.

    \b
    Examples:
      assay methods
      assay methods --json
      assay try tfidf:char --task detection
    """


@command.command("list")
@json_flag
def list_(as_json: bool) -> None:
    """List the bundled methods.

    \b
    Example:
      assay methods list
    """
    from assay.report.terminal import console, table

    listed = methods()
    if as_json:
        print_json(listed.methods)
        return
    rows = [
        (method.name, method.method_class, ", ".join(method.tasks), method.about)
        for method in listed
        if not method.name.endswith(":inverse")
    ]
    out = console()
    out.print(table(("method", "class", "tasks", "what"), rows, drop=("tasks", "class")))
    out.print()
    out.print("Every oracle also has an inverse: oracle:word_length:inverse")
    out.print(
        "A MODEL is local, local:PATH.gguf, or https://HOST/v1#NAME; an ENCODER may be encoder"
    )
