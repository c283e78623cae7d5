"""`assay asymmetry`: whether a model says what it rejects."""

from functools import partial
from typing import Any

import click

from assay.cli.model_options import model_flags, settings_from
from assay.cli.options import caveats_flag, column_flags, json_flag, words_from
from assay.cli.output import show
from assay.cli.progress import progress

EXIT_CODES = "Exit codes: 0 measured; 2 bad usage or input; 5 the model failed."


@click.command("asymmetry", epilog=EXIT_CODES)
@click.argument("file")
@model_flags
@click.option(
    "--encoder",
    default="encoder",
    show_default=True,
    metavar="MODEL",
    help="The model of embeddings for v1; `none` leaves v1 out.",
)
@click.option(
    "--generation-at-least",
    type=click.FloatRange(0.0, 1.0),
    default=0.60,
    show_default=True,
    help="v1: a similarity from here on counts as affirming.",
)
@click.option(
    "--critique-at-least",
    type=click.FloatRange(0.0, 1.0),
    default=0.50,
    show_default=True,
    help="A probability of NO from here on counts as rejecting.",
)
@caveats_flag
@column_flags
@json_flag
def command(file: str, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Find out whether a model says the misconceptions that it rejects.

    FILE has questions and responses; its positive records are the misconceptions. The model answers
    each question freely, and its answer is held against the misconception in three ways: v1 by
    similarity, v2 by asking whether it agrees, v3 by asking for one character. A text that refutes
    a statement is similar to it, so v1 alone misleads: all three stand side by side.

    \b
    Examples:
      assay asymmetry darkcore --positive "class = folklore" --model local
      assay asymmetry claims.csv --label wrong --model http://127.0.0.1:8080/v1#qwen --encoder none
    """
    from assay.api.columns import columns_of
    from assay.api.critic.asymmetry import asymmetries
    from assay.benchmark.load import load_benchmark
    from assay.report.critic import draw_asymmetry
    from assay.report.terminal import EVERY_CAVEAT

    found = asymmetries(
        load_benchmark(file, columns=columns_of(words_from(flags))),
        settings_from(flags),
        encoder=None if flags["encoder"] == "none" else flags["encoder"],
        thresholds=(flags["generation_at_least"], flags["critique_at_least"]),
        progress=progress,
    )
    every_caveat = None if flags["caveats"] else EVERY_CAVEAT
    show(found, partial(draw_asymmetry, every_caveat=every_caveat), as_json=flags["as_json"])
