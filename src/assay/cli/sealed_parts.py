"""`seal` and `grade` of experiments that ask a model: sealed in a study, and asked once."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.experiment_options import (
    asymmetry_flags,
    asymmetry_plan_from,
    audit_flags,
    audit_plan_from,
)
from assay.cli.model_options import asked_flags, call_flags
from assay.cli.options import PATH, caveats_flag, column_flags, json_flag, study_flag
from assay.cli.output import leave, show
from assay.cli.progress import progress

_SEALED = (
    "Exit codes: 0 sealed; 2 bad usage or input; 3 the name was sealed before; 4 integrity broken."
)
_GRADED = (
    " 2 bad usage; 3 not sealed, or graded before; 4 integrity broken, or another model; 5 the"
    " model failed."
)
name_flag = click.option("--name", required=True, help="What it is called in the study.")
moved_flag = click.option(
    "--model", metavar="MODEL", help="Where the sealed model lies now. Default: where it was named."
)


@click.command("seal", epilog=_SEALED)
@name_flag
@audit_flags
@asked_flags
@study_flag
@json_flag
def seal_audit_part(name: str, folder: Path, as_json: bool, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Seal a faithfulness audit in a study, with what you predict of its claims.

    Claims, passages, wordings, thresholds and the model's name are copied into the study and
    entered in its ledger. At least one claim must have a `predicted` range. Nothing is asked yet.

    \b
    Example:
      assay critique seal --passages claims.toml --controls false.toml --model local --name paper
    """
    from assay.api.critic.sealed import seal_audit
    from assay.report.faithfulness import draw_sealed
    from assay.study.study import find_study

    if flags["passages"] is None:
        raise click.UsageError("Name the claims: --passages with --controls.")
    made = seal_audit(find_study(folder), audit_plan_from(flags), name)
    show(made, partial(draw_sealed, verb="critique"), as_json=as_json)


@click.command("grade", epilog=f"Exit codes: 0 faithful; 1 any other verdict;{_GRADED}")
@click.argument("name")
@moved_flag
@call_flags
@click.option("--all", "every", is_flag=True, help="Show every claim.")
@caveats_flag
@study_flag
@json_flag
def grade_audit_part(
    name: str,
    folder: Path,
    every: bool,
    caveats: bool,
    as_json: bool,
    **flags: Any,  # noqa: ANN401 - click hands over what was parsed
) -> None:
    """Ask a sealed faithfulness audit, once, and grade what was predicted.

    The sealed copies are asked about. The audit is stored in the study and entered in its ledger,
    good or bad.

    \b
    Example:
      assay critique grade paper --cassette calls.jsonl
    """
    from assay.api.critic.sealed import grade_audit
    from assay.report.faithfulness import draw_faithfulness
    from assay.report.terminal import EVERY_CAVEAT
    from assay.study.study import find_study

    words: Any = flags
    model = flags["model"]
    audit = grade_audit(find_study(folder), name, words, model=model, progress=progress)
    every_caveat = None if caveats else EVERY_CAVEAT
    draw = partial(draw_faithfulness, every=every, every_caveat=every_caveat)
    show(audit, draw, as_json=as_json)
    leave(favourable=audit.favourable)


@click.command("seal", epilog=_SEALED)
@click.argument("file")
@name_flag
@click.option(
    "--prediction",
    type=PATH,
    required=True,
    metavar="FILE",
    help="TOML with the predicted ranges: ranges.v3-asymmetric = [0.0, 0.2].",
)
@asked_flags
@asymmetry_flags
@column_flags
@study_flag
@json_flag
def seal_asymmetry_part(
    file: str,
    name: str,
    prediction: Path,
    folder: Path,
    as_json: bool,
    **flags: Any,  # noqa: ANN401 - the same
) -> None:
    """Seal an asymmetry experiment in a study, with the rates that you predict.

    The misconceptions, wordings, thresholds, digests of data and prompts, and the models' names are
    copied into the study and entered in its ledger. Predicted are v1-asymmetric, v1-unclear, and
    the same of v2 and v3. Nothing is asked yet.

    \b
    Example:
      assay asymmetry seal darkcore --model local --prediction rates.toml --name folklore
    """
    from assay.api.critic.sealed import seal_asymmetry
    from assay.report.faithfulness import draw_sealed
    from assay.study.study import find_study

    plan = asymmetry_plan_from(file, flags)
    made = seal_asymmetry(find_study(folder), plan, name, prediction)
    show(made, partial(draw_sealed, verb="asymmetry"), as_json=as_json)


@click.command("grade", epilog=f"Exit codes: 0 measured;{_GRADED}")
@click.argument("name")
@moved_flag
@call_flags
@caveats_flag
@study_flag
@json_flag
def grade_asymmetry_part(
    name: str,
    folder: Path,
    caveats: bool,
    as_json: bool,
    **flags: Any,  # noqa: ANN401 - the same
) -> None:
    """Ask a sealed asymmetry experiment, once, and grade what was predicted.

    The sealed copies are asked about. The result is stored in the study and entered in its ledger,
    good or bad.

    \b
    Example:
      assay asymmetry grade folklore --cassette calls.jsonl
    """
    from assay.api.critic.sealed import grade_asymmetry
    from assay.report.critic import draw_asymmetry
    from assay.report.terminal import EVERY_CAVEAT
    from assay.study.study import find_study

    words: Any = flags
    model = flags["model"]
    found = grade_asymmetry(find_study(folder), name, words, model=model, progress=progress)
    every_caveat = None if caveats else EVERY_CAVEAT
    show(found, partial(draw_asymmetry, every_caveat=every_caveat), as_json=as_json)
