"""Ask a model whether claims say what their passages say, and whether it can find false ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from assay.api.arguments import words as several
from assay.api.critic.critique import Progress, author_among, calls_of, silent
from assay.api.critic.settings import ModelSettings, ModelWords, settings_of
from assay.critic.collect import ShownAnswer, critique_each
from assay.critic.faithfulness.judge import HowAsked, audit_faithfulness
from assay.critic.faithfulness.read import Source, read_claims
from assay.critic.faithfulness.result import FORMAT, FaithfulnessAudit
from assay.critic.faithfulness.spec import (
    CONTROL_AT_LEAST,
    PARAPHRASE_AT_MOST,
    AuditPlan,
    AuditThresholds,
    SourcedClaim,
    checked_claims,
)
from assay.models.reference import model_name


def faithfulness(
    passages: str | Path | Sequence[Mapping[str, Any]],
    *,
    controls: str | Path | Sequence[Mapping[str, Any]] = (),
    model: str,
    paraphrase_at_most: float = PARAPHRASE_AT_MOST,
    control_at_least: float = CONTROL_AT_LEAST,
    top: int | None = None,
    author: str | Sequence[str] = (),
    **words: Unpack[ModelWords],
) -> FaithfulnessAudit:
    """Ask a model whether claims say what their passages say, and whether it can find false ones.

    `passages` are true paraphrases and `controls` claims that are false on purpose, each a file
    (.toml, .json, .jsonl) or a list of dictionaries: `id`, `claim`, the `passage` (or `path`, a
    text file in the folder of the file), and perhaps `predicted`, the range of P(NO), with its
    `confidence`. A control has a `kind`: `fabrication`, `wrong-sign` or `wrong-referent`. The other
    words are those of `critique`.

    Two kill-gates are stated beforehand. A paraphrase with a P(NO) over `paraphrase_at_most` fires
    the paper gate: the text says what its source does not, or the judge fails. A control under
    `control_at_least` fires the instrument gate: the judge misses false claims, and nothing it says
    counts. Bounds on both sides of a threshold, and abstentions, leave a gate undecided.

    Example:
        >>> import assay
        >>> audit = assay.faithfulness(
        ...     "paraphrases.toml", controls="controls.toml", model="local")  # doctest: +SKIP
        >>> audit.claims[0].expected.value  # doctest: +SKIP
        'accepted'
        >>> rate = {"id": "rate", "claim": "The rate is 5.88 %.", "passage": "Rate: 5.88 %"}
        >>> try:
        ...     assay.faithfulness([rate], model="local")
        ... except assay.AssayError as error:
        ...     print(error.message)
        no controls: an audit that cannot fail shows nothing
    """
    thresholds = AuditThresholds(
        paraphrase_at_most=paraphrase_at_most, control_at_least=control_at_least
    )
    settings = settings_of(model, words)
    claims = claims_from(passages, controls)
    plan = audit_plan(claims, settings, thresholds=thresholds, top=top, author=several(author))
    return audited(plan, settings)


def claims_from(passages: Source, controls: Source) -> tuple[SourcedClaim, ...]:
    """Paraphrases and controls; without controls nothing is read."""
    if not controls:
        return checked_claims((), ())
    return checked_claims(read_claims(passages, "paraphrases"), read_claims(controls, "controls"))


def audit_plan(
    claims: tuple[SourcedClaim, ...],
    settings: ModelSettings,
    *,
    thresholds: AuditThresholds,
    top: int | None,
    author: Sequence[str],
) -> AuditPlan:
    """All that is asked and how it is judged; nothing is asked yet."""
    return AuditPlan(
        format=FORMAT,
        reference=settings.model,
        model=model_name(settings.model),
        wordings=settings.wordings("faithfulness"),
        min_mass=settings.min_mass,
        top=settings.first_tokens(top),
        thresholds=thresholds,
        author=tuple(author),
        claims=claims,
    )


def audited(
    plan: AuditPlan, settings: ModelSettings, *, sealed: bool = False, progress: Progress = silent
) -> FaithfulnessAudit:
    """The audit of a plan, with progress shown."""
    pairs = [
        ShownAnswer(id=each.id, response=each.claim, passage=each.passage) for each in plan.claims
    ]
    at_once = settings.at_once()
    with settings.open() as opened, progress("asking", len(pairs)) as step:
        judged = list(
            critique_each(
                opened,
                pairs,
                plan.wordings,
                jobs=at_once,
                top=plan.top,
                min_mass=plan.min_mass,
                on_item=step,
            )
        )
        asked = HowAsked(
            cassette=calls_of(opened),
            author=author_among(opened.name, plan.author),
            toy=settings.toy,
            sealed=sealed,
        )
    return audit_faithfulness(plan, judged, asked)
