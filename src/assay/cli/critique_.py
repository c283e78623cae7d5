"""`assay critique`: a model's judgement of answers."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from assay.cli.model_options import model_flags, settings_from
from assay.cli.options import PATH, caveats_flag, column_flags, json_flag, words_from
from assay.cli.output import leave, show
from assay.cli.progress import progress

if TYPE_CHECKING:
    from pathlib import Path

    from assay.critic.result import Critique

EXIT_CODES = (
    "Exit codes: 0 every answer has a score; 1 some have none (abstained or failed); 2 bad usage or"
    " input; 5 the model failed."
)


@click.command("critique", epilog=EXIT_CODES)
@click.argument("file")
@model_flags
@click.option("--top", type=int, metavar="N", help="First tokens to ask for. Default: 20.")
@click.option("--author", multiple=True, metavar="NAME", help="A model that wrote the answers.")
@click.option("--out", type=PATH, metavar="FILE", help="Write the scores here, for --scores.")
@click.option("--all", "every", is_flag=True, help="Show every answer.")
@caveats_flag
@column_flags
@json_flag
def command(file: str, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Ask a model whether answers are right.

    FILE has questions and responses, as in `assay confounds`. The model is asked whether each
    response is right, and its score is the probability that it says no: higher means more likely
    wrong. It is asked in several equivalent wordings; the score is their mean, and the spread says
    how much the wording decides. A score is given with its bounds, since a server lists only the
    likeliest tokens. With labels, the AUC of the scores and of each wording is shown.

    \b
    Examples:
      assay critique darkcore --model local --cassette calls.jsonl
      assay critique answers.csv --model http://127.0.0.1:8080/v1#qwen --out judge.jsonl
      assay critique darkcore --model local --cassette calls.jsonl --mode replay
    """
    from assay.api.columns import columns_of
    from assay.api.critic.critique import critiqued
    from assay.benchmark.load import load_benchmark
    from assay.report.critic import draw_critique
    from assay.report.terminal import EVERY_CAVEAT

    made = critiqued(
        load_benchmark(file, columns=columns_of(words_from(flags))),
        settings_from(flags),
        top=flags["top"],
        author=flags["author"],
        progress=progress,
    )
    if flags["out"] is not None:
        _write_scores(flags["out"], made)
    every_caveat = None if flags["caveats"] else EVERY_CAVEAT
    draw = partial(draw_critique, every=flags["every"], every_caveat=every_caveat)
    show(made, draw, as_json=flags["as_json"])
    leave(favourable=not made.abstained and not made.failed)


def _write_scores(path: "Path", made: "Critique") -> None:
    """The scores as `assay confounds --scores` reads them; what has no score is left empty."""
    import msgspec

    from assay.files import write_whole

    rows = ({"id": score.id, "score": score.p_no} for score in made.scores)
    write_whole(path, b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
