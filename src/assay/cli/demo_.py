"""`assay demo`: the same three methods under three versions of the bars."""

import click

from assay.benchmark.load import load_benchmark
from assay.cli.options import json_flag
from assay.cli.output import print_json
from assay.cli.progress import progress
from assay.gauntlet.judge import score
from assay.gauntlet.load import load_bars
from assay.runs.collect import run

METHODS = ("oracle:word_length", "token-overlap", "tfidf:word")
VERSIONS = ("v1", "v2", "v3")
_STORY = """\
Three methods that read no meaning look for misconceptions in `darkcore`. Each runs once; its \
stored outputs are then judged under three versions of the bars. v1 asks for an AUC of 0.70. v2 \
asks for 0.10 more than counting words gets, v3 also for 0.10 more than counting capitals.
"""
_MORAL = """\
Under v1, counting words passes. Nothing was wrong with the arithmetic: the number was made of the \
surface of the data. In detail: assay try oracle:word_length --bars v3
"""


@click.command("demo")
@json_flag
def command(as_json: bool) -> None:
    """Watch a PASS turn into a FAIL, in a few seconds.

    \b
    Example:
      assay demo
    """
    from assay.report.terminal import console, table

    benchmark = load_benchmark("darkcore")
    bars = {version: load_bars(version) for version in VERSIONS}
    out = console()
    if not as_json:
        out.print(_STORY)
    cards = []
    with progress("methods", len(METHODS)) as advance:
        for method in METHODS:
            made = run(method, benchmark, task="detection")
            cards.append([score(made, benchmark, bars[version]) for version in VERSIONS])
            advance()
    if as_json:
        print_json([card for row in cards for card in row])
        return
    rows = [
        (
            row[0].method,
            f"{row[0].bars[0].value:.3f}",
            *(f"{c.verdict.upper()} {c.point.passed}/{c.point.total}" for c in row),
        )
        for row in cards
    ]
    headers = ("method", "AUC (D1)", *(f"under {v}" for v in VERSIONS))
    out.print(table(headers, rows))
    out.print("\nAfter each verdict: how many bars the estimates alone meet, without intervals.\n")
    out.print(_MORAL, end="")
