"""The flags of a faithfulness audit and of an asymmetry experiment, for measuring and sealing."""

from typing import TYPE_CHECKING, Any

import click

from assay.cli.model_options import Decorated, settings_from, with_flags
from assay.cli.options import PATH, words_from

if TYPE_CHECKING:
    from assay.critic.asymmetry.spec import AsymmetryPlan
    from assay.critic.faithfulness.spec import AuditPlan

_AUDIT_FLAGS = (
    click.option(
        "--passages",
        type=PATH,
        metavar="FILE",
        help="True paraphrases, each with its passage: TOML, JSON or JSONL.",
    ),
    click.option(
        "--controls", type=PATH, metavar="FILE", help="Claims that are false, each with its kind."
    ),
    click.option(
        "--paraphrase-at-most",
        type=click.FloatRange(0.0, 1.0),
        default=0.5,
        show_default=True,
        help="The paper gate: a paraphrase over it is rejected.",
    ),
    click.option(
        "--control-at-least",
        type=click.FloatRange(0.0, 1.0),
        default=0.5,
        show_default=True,
        help="The instrument gate: a control under it is accepted.",
    ),
    click.option("--top", type=int, metavar="N", help="First tokens to ask for. Default: 20."),
    click.option(
        "--author", multiple=True, metavar="NAME", help="A model that wrote what is judged."
    ),
)


_ASYMMETRY_FLAGS = (
    click.option(
        "--encoder",
        default="encoder",
        show_default=True,
        metavar="MODEL",
        help="The model of embeddings for v1; `none` leaves v1 out.",
    ),
    click.option(
        "--generation-at-least",
        type=click.FloatRange(0.0, 1.0),
        default=0.60,
        show_default=True,
        help="v1: a similarity from here on counts as affirming.",
    ),
    click.option(
        "--critique-at-least",
        type=click.FloatRange(0.0, 1.0),
        default=0.50,
        show_default=True,
        help="A probability of NO from here on counts as rejecting.",
    ),
)


def audit_flags(command: Decorated) -> Decorated:
    """--passages, --controls and what belongs to them."""
    return with_flags(_AUDIT_FLAGS, command)


def asymmetry_flags(command: Decorated) -> Decorated:
    """--encoder and the thresholds."""
    return with_flags(_ASYMMETRY_FLAGS, command)


def audit_plan_from(flags: dict[str, Any]) -> "AuditPlan":
    """The audit that these flags name."""
    from assay.api.critic.faithfulness import audit_plan, claims_from
    from assay.critic.faithfulness.spec import AuditThresholds

    if flags["passages"] is None:
        raise click.UsageError("--controls needs --passages, the claims that are to be true.")
    thresholds = AuditThresholds(
        paraphrase_at_most=flags["paraphrase_at_most"], control_at_least=flags["control_at_least"]
    )
    return audit_plan(
        claims_from(flags["passages"], flags["controls"] or ()),
        settings_from(flags),
        thresholds=thresholds,
        top=flags["top"],
        author=flags["author"],
    )


def asymmetry_plan_from(file: str, flags: dict[str, Any]) -> "AsymmetryPlan":
    """The experiment that these flags name."""
    from assay.api.columns import columns_of
    from assay.api.critic.asymmetry import asymmetry_plan
    from assay.benchmark.load import load_benchmark

    return asymmetry_plan(
        load_benchmark(file, columns=columns_of(words_from(flags))),
        settings_from(flags),
        encoder=None if flags["encoder"] == "none" else flags["encoder"],
        thresholds=(flags["generation_at_least"], flags["critique_at_least"]),
    )
