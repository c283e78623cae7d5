"""`assay methods`: what can be tried by name."""

import click

from assay.api.methods import methods
from assay.cli.options import json_flag
from assay.cli.output import print_json


@click.command("methods")
@json_flag
def command(as_json: bool) -> None:
    """List the bundled methods.

    \b
    Example:
      assay methods
      assay try tfidf:char --task detection
    """
    from assay.report.terminal import console, table

    listed = methods()
    if as_json:
        print_json(listed.methods)
        return
    rows = [
        (method.name, ", ".join(method.tasks), method.about)
        for method in listed
        if not method.name.endswith(":inverse")
    ]
    out = console()
    out.print(table(("method", "tasks", "what"), rows))
    out.print()
    out.print("Every oracle also has an inverse: oracle:word_length:inverse")
