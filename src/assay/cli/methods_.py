"""`assay methods`: what can be tried by name."""

import click

from assay.cli.options import json_flag
from assay.methods.registry import REGISTERED


@click.command("methods")
@json_flag
def command(as_json: bool) -> None:
    """List the bundled methods.

    \b
    Example:
      assay methods
      assay try tfidf:char --task detection
    """
    from assay.report.json_output import as_json as written
    from assay.report.terminal import console, table

    if as_json:
        click.echo(
            written(
                [
                    {"name": m.name, "tasks": list(m.tasks), "about": m.about}
                    for m in REGISTERED.values()
                ]
            )
        )
        return
    shown = [m for m in REGISTERED.values() if not m.name.endswith(":inverse")]
    out = console()
    out.print(
        table(("method", "tasks", "what"), [(m.name, ", ".join(m.tasks), m.about) for m in shown])
    )
    out.print()
    out.print("Every oracle also has an inverse: oracle:word_length:inverse")
