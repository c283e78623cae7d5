"""`assay critique`: a model's judgement of answers."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import PATH, column_flags, json_flag, words_from
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
@click.option(
    "--model",
    required=True,
    metavar="MODEL",
    help="local, local:PATH.gguf, or an endpoint: https://HOST/v1#NAME.",
)
@click.option(
    "--wording",
    multiple=True,
    metavar="NAME|FILE",
    help="A wording to ask in, bundled or a TOML file. Repeatable. Default: four bundled ones.",
)
@click.option("--cassette", type=PATH, metavar="FILE", help="Record every call here, and resume.")
@click.option(
    "--mode",
    type=click.Choice(["auto", "record", "replay"]),
    default="auto",
    show_default=True,
    help="auto: recorded replies where there are some. replay: nothing else.",
)
@click.option("--jobs", type=int, metavar="N", help="Calls at a time. Default: 8; 1 if local.")
@click.option("--top", type=int, metavar="N", help="First tokens to ask for. Default: 20.")
@click.option(
    "--min-mass",
    type=click.FloatRange(0.0, 1.0),
    default=0.2,
    show_default=True,
    help="Less probability on YES and NO than this is an abstention.",
)
@click.option("--author", multiple=True, metavar="NAME", help="A model that wrote the answers.")
@click.option("--max-calls", type=int, metavar="N", help="Stop after so many calls.")
@click.option("--max-tokens", type=int, metavar="N", help="Stop after so many tokens.")
@click.option("--max-cost", type=float, metavar="MONEY", help="Stop at this cost; needs --price.")
@click.option(
    "--price",
    type=float,
    nargs=2,
    metavar="IN OUT",
    help="The price of a million tokens, of the prompt and of the reply.",
)
@click.option(
    "--key-env",
    default="ASSAY_API_KEY",
    show_default=True,
    metavar="NAME",
    help="The environment variable that holds the key.",
)
@click.option("--call-seconds", type=float, metavar="S", help="How long a call may take.")
@click.option("--out", type=PATH, metavar="FILE", help="Write the scores here, for --scores.")
@click.option("--all", "every", is_flag=True, help="Show every answer.")
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
    from assay.api.critic import critiqued
    from assay.benchmark.load import load_benchmark
    from assay.models.budget import Budget
    from assay.report.critic import draw_critique

    made = critiqued(
        load_benchmark(file, columns=columns_of(words_from(flags))),
        model=flags["model"],
        wording=flags["wording"],
        jobs=flags["jobs"],
        cassette=flags["cassette"],
        mode=flags["mode"],
        top=flags["top"],
        min_mass=flags["min_mass"],
        author=flags["author"],
        budget=Budget(
            calls=flags["max_calls"],
            tokens=flags["max_tokens"],
            money=flags["max_cost"],
            price=flags["price"],
        ),
        key_env=flags["key_env"],
        call_seconds=flags["call_seconds"],
        progress=progress,
    )
    if flags["out"] is not None:
        _write_scores(flags["out"], made)
    show(made, partial(draw_critique, every=flags["every"]), as_json=flags["as_json"])
    leave(favourable=not made.abstained and not made.failed)


def _write_scores(path: "Path", made: "Critique") -> None:
    """The scores as `assay confounds --scores` reads them; what has no score is left empty."""
    import msgspec

    from assay.files import write_whole

    rows = ({"id": score.id, "score": score.p_no} for score in made.scores)
    write_whole(path, b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
