"""`assay asymmetry`: whether a model says what it rejects."""

from functools import partial
from typing import Any

import click

from assay.cli.experiment_options import asymmetry_flags, asymmetry_plan_from
from assay.cli.model_options import model_flags, settings_from
from assay.cli.nouns import DefaultPart
from assay.cli.options import caveats_flag, column_flags, json_flag
from assay.cli.output import show
from assay.cli.progress import progress
from assay.cli.sealed_parts import grade_asymmetry_part, seal_asymmetry_part

EXIT_CODES = "Exit codes: 0 measured; 2 bad usage or input; 5 the model failed."
ABOUT = """Find out whether a model says the misconceptions that it rejects.

FILE has questions and responses; its positive records are the misconceptions. The model answers
each question freely, and its answer is held against the misconception in three ways: v1 by
similarity, v2 by asking whether it agrees, v3 by asking for one character. A text that refutes
a statement is similar to it, so v1 alone misleads: all three stand side by side.

In a study, thresholds, prompts and predicted rates are sealed before anything is asked.

\b
Examples:
  assay asymmetry darkcore --positive "class = folklore" --model local
  assay asymmetry claims.csv --label wrong --model http://127.0.0.1:8080/v1#qwen --encoder none
  assay asymmetry seal darkcore --model local --prediction rates.toml --name folklore
  assay asymmetry grade folklore
"""


@click.group("asymmetry", cls=DefaultPart, default="measure", help=ABOUT, epilog=EXIT_CODES)
def command() -> None:
    """Hold the parts; the help is that of the verb."""


command.add_command(seal_asymmetry_part)
command.add_command(grade_asymmetry_part)


@command.command("measure", hidden=True, help=ABOUT, epilog=EXIT_CODES)
@click.argument("file")
@model_flags
@asymmetry_flags
@caveats_flag
@column_flags
@json_flag
def measure(file: str, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Measure the misconceptions of a file; the text is given above."""
    from assay.api.critic.asymmetry import measured
    from assay.report.critic import draw_asymmetry
    from assay.report.terminal import EVERY_CAVEAT

    plan = asymmetry_plan_from(file, flags)
    found = measured(plan, settings_from(flags), progress=progress)
    every_caveat = None if flags["caveats"] else EVERY_CAVEAT
    show(found, partial(draw_asymmetry, every_caveat=every_caveat), as_json=flags["as_json"])
