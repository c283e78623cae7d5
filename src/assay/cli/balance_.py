"""`assay balance`: a subset whose surface does not predict the label."""

from pathlib import Path
from typing import Any

import click

from assay.cli.options import PATH, column_flags, command_on, json_flag, words_from
from assay.cli.output import leave, show
from assay.cli.progress import progress

EXIT_CODES = (
    "Exit codes: 0 a balanced subset was written; 1 none was found, and nothing was written;"
    " 2 bad usage or input; 4 integrity broken."
)


@click.command("balance", epilog=EXIT_CODES)
@click.argument("file")
@click.option("--out", required=True, type=PATH, help="The new file, in the same format.")
@click.option("--force", "overwrite", is_flag=True, help="Replace the new file if it exists.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Decides which of equal records are dropped.",
)
@click.option(
    "--surface",
    type=click.Choice(["declared", "lexical"]),
    default="declared",
    show_default=True,
    help="What to balance: the declared features, or also words and letters.",
)
@click.option(
    "--shuffle-ids",
    is_flag=True,
    help="Write random ids in a random order, drawn by the seed.",
)
@column_flags
@json_flag
def command(file: str, out: Path, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Take a subset whose surface does not predict the label.

    Positives and negatives are matched on what the surface says of them, and what single features
    still tell is trimmed away, until no feature alone has an AUC over 0.55, all of them together
    none over 0.60, and their interval reaches down to 0.5. Groups are kept or dropped whole.
    Reports what was lost, and what `assay confounds` says of the new file: so many records may be
    too few to show that the surface tells nothing. Ids that still give the label away are named;
    --shuffle-ids replaces them.

    \b
    Example:
      assay balance answers.jsonl --group question_id --out balanced.jsonl
    """
    from assay.api.audit import subset
    from assay.report.confounding import draw_balanced

    balanced = subset(
        file,
        out=out,
        overwrite=flags["overwrite"],
        surface=flags["surface"],
        seed=flags["seed"],
        shuffle_ids=flags["shuffle_ids"],
        columns=words_from(flags),
        progress=progress,
    )
    again = command_on("confounds", str(out), flags)
    show(
        balanced,
        lambda record, to: draw_balanced(record, str(out), again, to),
        as_json=flags["as_json"],
    )
    leave(favourable=balanced.achieved)
