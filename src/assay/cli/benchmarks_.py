"""`assay benchmarks`: what is bundled."""

import click

from assay.benchmark.benchmark import BUNDLED
from assay.benchmark.load import load_benchmark
from assay.cli.options import json_flag


@click.command("benchmarks")
@json_flag
def command(as_json: bool) -> None:
    """List the bundled benchmarks.

    \b
    Example:
      assay benchmarks
      assay try token-overlap --benchmark minimal-pairs
    """
    from assay.report.json_output import as_json as written
    from assay.report.terminal import console, table

    found = [load_benchmark(name) for name in BUNDLED]
    if as_json:
        click.echo(
            written(
                [
                    {
                        "name": b.name,
                        "items": len(b.items),
                        "classes": b.classes,
                        "grouped": b.grouped,
                        "digest": b.digest,
                        "about": BUNDLED[b.name],
                    }
                    for b in found
                ]
            )
        )
        return
    rows = [
        (
            b.name,
            f"{len(b.items)}",
            ", ".join(f"{name} {count}" for name, count in sorted(b.classes.items())),
            BUNDLED[b.name],
        )
        for b in found
    ]
    console().print(table(("benchmark", "items", "classes", "what"), rows, right="lr"))
