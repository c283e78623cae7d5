"""`assay critique`: a model's judgement of answers, and of claims against their passages."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from assay.cli.experiment_options import audit_flags, audit_plan_from
from assay.cli.model_options import model_flags, settings_from
from assay.cli.nouns import DefaultPart
from assay.cli.options import PATH, caveats_flag, column_flags, json_flag, words_from
from assay.cli.output import leave, show
from assay.cli.progress import progress
from assay.cli.sealed_parts import grade_audit_part, seal_audit_part

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from assay.critic.result import AnswerScore

EXIT_CODES = (
    "Exit codes: 0 every answer has a score, or every claim is faithful; 1 some answers have none"
    " (abstained or failed), or any other verdict on claims; 2 bad usage or input; 5 the model"
    " failed."
)
ABOUT = """Ask a model whether answers are right.

FILE has questions and responses, as in `assay confounds`; labels are optional. The model is asked
whether each response is right, and its score is the probability that it says no: higher means more
likely wrong. It is asked in several equivalent wordings; the score is their mean, and the spread
says how much the wording decides. A score is given with its bounds, since a server lists only the
likeliest tokens. With labels, the AUC of the scores and of each wording is shown.

Claims are held against passages with --passages (true paraphrases) and --controls (false ones, each
of a kind). A paraphrase that is rejected fires the paper gate; a control that is accepted fires the
instrument gate, and then nothing that the judge says counts. In a study such an audit is sealed
before anything is asked, and asked once.

\b
Examples:
  assay critique darkcore --model local --cassette calls.jsonl
  assay critique answers.csv --model http://127.0.0.1:8080/v1#qwen --out judge.jsonl
  assay critique --ask "Do cats purr?" --answer "Yes, they do." --model local
  assay critique --passages claims.toml --controls false.toml --model http://127.0.0.1:8080/v1#qwen
  assay critique seal --passages claims.toml --controls false.toml --model local --name paper
  assay critique grade paper
"""


@click.group("critique", cls=DefaultPart, default="answers", help=ABOUT, epilog=EXIT_CODES)
def command() -> None:
    """Hold the parts; the help is that of the verb."""


command.add_command(seal_audit_part)
command.add_command(grade_audit_part)


@command.command("answers", hidden=True, help=ABOUT, epilog=EXIT_CODES)
@click.argument("file", required=False)
@click.option("--ask", metavar="TEXT", help="One question, in place of a file.")
@click.option("--answer", metavar="TEXT", help="The answer to it.")
@audit_flags
@model_flags
@click.option("--out", type=PATH, metavar="FILE", help="Write the scores here, for --scores.")
@click.option("--all", "every", is_flag=True, help="Show every answer or claim.")
@caveats_flag
@column_flags
@json_flag
def answers(file: str | None, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Judge the answers of a file, one answer, or claims; the texts are given above."""
    one = flags["ask"] is not None or flags["answer"] is not None
    claims = flags["passages"] is not None or flags["controls"] is not None
    if (file is not None) + one + claims != 1:
        raise click.UsageError(
            "Name what to judge, one of: FILE, --ask with --answer, --passages with --controls."
        )
    if claims:
        _judge_claims(flags)
    if one and (flags["ask"] is None or flags["answer"] is None):
        raise click.UsageError("--ask needs --answer, and --answer needs --ask.")
    _judge_answers({"question": flags["ask"], "response": flags["answer"]} if one else file, flags)


def _judge_answers(data: object, flags: dict[str, Any]) -> None:
    from assay.api.columns import columns_of
    from assay.api.critic.critique import answers_in, critiqued
    from assay.report.critic import draw_critique
    from assay.report.terminal import EVERY_CAVEAT

    made = critiqued(
        answers_in(data, columns_of(words_from(flags))),
        settings_from(flags),
        top=flags["top"],
        author=flags["author"],
        progress=progress,
    )
    _write_scores(flags["out"], made.scores)
    every_caveat = None if flags["caveats"] else EVERY_CAVEAT
    draw = partial(draw_critique, every=flags["every"], every_caveat=every_caveat)
    show(made, draw, as_json=flags["as_json"])
    leave(favourable=not made.abstained and not made.failed)


def _judge_claims(flags: dict[str, Any]) -> None:
    from assay.api.critic.faithfulness import audited
    from assay.report.faithfulness import draw_faithfulness
    from assay.report.terminal import EVERY_CAVEAT

    settings = settings_from(flags)
    audit = audited(audit_plan_from(flags), settings, progress=progress)
    _write_scores(flags["out"], (each.score for each in audit.claims))
    every_caveat = None if flags["caveats"] else EVERY_CAVEAT
    draw = partial(draw_faithfulness, every=flags["every"], every_caveat=every_caveat)
    show(audit, draw, as_json=flags["as_json"])
    leave(favourable=audit.favourable)


def _write_scores(path: "Path | None", scores: "Iterable[AnswerScore]") -> None:
    """The scores as `assay confounds --scores` reads them; what has no score is left empty."""
    if path is None:
        return
    import msgspec

    from assay.files import write_whole

    rows = ({"id": score.id, "score": score.p_no} for score in scores)
    write_whole(path, b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
