"""`assay confounds`: how well surface features predict the label."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.options import caveats_flag, column_flags, command_on, json_flag, words_from
from assay.cli.output import leave, show
from assay.cli.progress import progress

EXIT_CODES = (
    "Exit codes: 0 clean; 1 confounded, unfit or undecided, or the label leaks; 2 bad usage or"
    " input; 4 integrity broken; 5 a feature of yours failed."
)


@click.command("confounds", epilog=EXIT_CODES)
@click.argument("file")
@click.option(
    "--scores",
    multiple=True,
    metavar="FILE|RUN",
    help="A method's scores: a file with `id` and `score`, a saved run, or a log. Repeatable.",
)
@click.option(
    "--score",
    multiple=True,
    metavar="COLUMN",
    help="The column that holds the score, of --scores or else of FILE; of a log, its metric."
    " Repeatable. Default: score, with --scores.",
)
@click.option(
    "--scores-encoding",
    metavar="NAME",
    help="Encoding of --scores, if not UTF-8.",
)
@click.option(
    "--feature",
    multiple=True,
    metavar="FILE.py:FUNCTION",
    help="A feature of your own: a function of `response`, `question` or both. Repeatable.",
)
@click.option(
    "--surface",
    type=click.Choice(["declared", "lexical"]),
    default="declared",
    show_default=True,
    help="What counts as surface: the declared features, or also words and letters.",
)
@click.option("--no-joint", is_flag=True, help="Each feature alone: faster, but no verdict.")
@click.option("--all", "every", is_flag=True, help="Show every feature.")
@column_flags
@caveats_flag
@json_flag
def command(file: str, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Find out what the surface of a benchmark gives away.

    FILE is JSONL, JSON, CSV, Parquet or Arrow, compressed or not, a folder of shards, or - for
    standard input, with a question, a label, and perhaps a response; or the name of a bundled
    benchmark; or a log of an evaluation harness. The records of a log are its answers, labelled by
    a metric that is 0 or 1 (--label, if there are several); 1 is positive, unless --positive says
    otherwise.

    The surface is what can be counted in a text without its meaning. Reports the AUC of each
    surface feature, of all of them together, and of each method once surface is held equal; and
    faults in the data. A saved run under several seeds is audited under each.

    \b
    Examples:
      assay confounds darkcore
      assay confounds answers.csv --response answer --label wrong --group question_id
      assay confounds answers.jsonl --scores judge.jsonl --scores runs/overlap
      assay confounds run.eval --label match --scores run.eval --score model_graded_qa
    """
    from assay.api.audit import audit
    from assay.confounding.collect import score_columns
    from assay.report.confounding import draw_audit

    found = audit(
        file,
        scores=flags["scores"],
        score_columns=score_columns(flags["score"], flags["scores_encoding"]),
        scores_encoding=flags["scores_encoding"],
        features=flags["feature"],
        surface=flags["surface"],
        joint=not flags["no_joint"],
        columns=words_from(flags),
        progress=progress,
    )
    draw = partial(
        draw_audit,
        every=flags["every"],
        caveats=flags["caveats"],
        balance=_balance_command(file, flags),
    )
    show(found, draw, as_json=flags["as_json"])
    leave(favourable=found.favourable)


def _balance_command(file: str, flags: dict[str, Any]) -> str:
    """The command that takes a balanced subset of the same data, with the flags that were given."""
    import shlex

    return f"{command_on('balance', file, flags)} --out {shlex.quote(_subset_name(file))}"


def _subset_name(file: str) -> str:
    """A name for the subset, with the ending that its form needs, as far as the name shows it."""
    from assay.tables.forms import LINES, TABLES, endings

    name = Path(file).name
    ending, packed = endings(name)
    if ending in (*LINES, *TABLES, ".parquet", ".json"):
        return f"{name.removesuffix(f'{ending}{packed}')}-balanced{ending}{packed}"
    return f"{'data' if file == '-' else Path(file).stem}-balanced.jsonl"
