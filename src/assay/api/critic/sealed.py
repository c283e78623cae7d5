"""Experiments that ask a model, sealed in a study before anything is asked, and graded once.

The seal holds the plan: the model's name, every wording, the thresholds, what is asked, and the
ranges that are predicted. Grading takes all of these from the sealed plan.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assay.api.critic.asymmetry import asymmetry_prompt, measured
from assay.api.critic.critique import Progress, silent
from assay.api.critic.faithfulness import audited
from assay.api.critic.settings import CallWords, ModelSettings, ModelWords, settings_of
from assay.bounds import MAX_TOML_BYTES
from assay.critic.asymmetry.result import Asymmetry
from assay.critic.asymmetry.spec import AsymmetryPlan, rate_names
from assay.critic.faithfulness.result import FaithfulnessAudit
from assay.critic.faithfulness.spec import AuditPlan
from assay.digests import parse_object, pretty_json, short
from assay.errors import DigestMismatch, IntegrityError, SpecError
from assay.files import read_bounded
from assay.models.reference import model_name
from assay.study.graded_once.kinds import PLAN
from assay.study.graded_once.result import SealedExperiment
from assay.study.graded_once.store import grade_once, seal_files, sealed_contents
from assay.study.predictions.spec import Predictable, Prediction, parse_prediction
from assay.study.records import GradedOnce
from assay.study.study import StudyFolder
from assay.toml import toml_bytes

Plan = TypeVar("Plan", AuditPlan, AsymmetryPlan)
_EXAMPLE = "Such as: ranges.v3-asymmetric = [0.0, 0.1]"


def seal_audit(study: StudyFolder, plan: AuditPlan, name: str) -> SealedExperiment:
    """Seal a faithfulness audit; at least one claim must say what it predicts."""
    predicted = sum(each.predicted is not None for each in plan.claims)
    if not predicted:
        raise SpecError(
            "no claim says what is predicted of it",
            hint="Add predicted = [0.0, 0.2], a range of P(NO), and confidence = 0.9, to a claim.",
        )
    return _sealed(study, "faithfulness", name, plan, asked=len(plan.claims), predicted=predicted)


def seal_asymmetry(
    study: StudyFolder,
    plan: AsymmetryPlan,
    name: str,
    prediction: str | Path | Mapping[str, Any],
) -> SealedExperiment:
    """Seal an asymmetry experiment with the ranges that are predicted of its rates."""
    stated = _prediction(prediction, encoder=plan.encoder is not None)
    plan = msgspec.structs.replace(plan, predicted=stated.ranges, notes=stated.notes)
    asked, predicted = len(plan.items), len(plan.predicted)
    return _sealed(study, "asymmetry", name, plan, asked=asked, predicted=predicted)


def grade_audit(
    study: StudyFolder,
    name: str,
    words: CallWords,
    *,
    model: str | None = None,
    progress: Progress = silent,
) -> FaithfulnessAudit:
    """Ask what was sealed, once; the audit is stored and entered, good or bad."""

    def ask(record: GradedOnce) -> FaithfulnessAudit:
        plan = _plan(study, record, AuditPlan)
        settings = _settings(plan, model, words)
        return audited(plan, settings, sealed=True, progress=progress)

    return grade_once(study, "faithfulness", name, ask)


def grade_asymmetry(
    study: StudyFolder,
    name: str,
    words: CallWords,
    *,
    model: str | None = None,
    progress: Progress = silent,
) -> Asymmetry:
    """Ask what was sealed, once; the result is stored and entered, good or bad."""

    def ask(record: GradedOnce) -> Asymmetry:
        plan = _plan(study, record, AsymmetryPlan)
        settings = _settings(plan, model, words)
        if asymmetry_prompt(plan.wordings) != plan.prompt:
            raise DigestMismatch(
                f"asymmetry {name} was sealed with other prompts: {short(plan.prompt)}",
                hint="Grade it with the version of Assay that sealed it.",
            )
        if plan.encoder_reference is not None:
            _check_model(plan.encoder_reference, str(plan.encoder))
        return measured(plan, settings, sealed=True, progress=progress)

    return grade_once(study, "asymmetry", name, ask)


def _sealed(
    study: StudyFolder,
    kind: str,
    name: str,
    plan: AuditPlan | AsymmetryPlan,
    *,
    asked: int,
    predicted: int,
) -> SealedExperiment:
    entry = seal_files(study, kind, name, {PLAN: pretty_json(plan)})
    return SealedExperiment(
        kind=kind,
        name=name,
        file=f"{kind}/{name}/{PLAN}",
        model=plan.model,
        asked=asked,
        predicted=predicted,
        entry=entry.n,
    )


def _plan(study: StudyFolder, record: GradedOnce, form: type[Plan]) -> Plan:
    """The sealed plan; Assay wrote it, so any other form is a breach."""
    where = f"{record.kind}/{record.name}/{PLAN}"
    if sorted(record.seal.files) != [where]:
        raise IntegrityError(f"entry {record.seal.n} seals other files than {where}")
    (data,) = sealed_contents(study.root, record)
    try:
        return msgspec.convert(parse_object(data, where=where), form)
    except (msgspec.ValidationError, SpecError) as error:
        raise IntegrityError(f"{where}: {error}") from None


def _settings(
    plan: AuditPlan | AsymmetryPlan, model: str | None, words: CallWords
) -> ModelSettings:
    reference = plan.reference if model is None else model
    _check_model(reference, plan.model)
    asked: ModelWords = {**words, "min_mass": plan.min_mass, "wording": None}
    return settings_of(reference, asked)


def _check_model(reference: str, sealed: str) -> None:
    """Refuse a model by another name than was sealed; weights are named by their digest."""
    present = model_name(reference)
    if present != sealed:
        raise DigestMismatch(
            f"the model is {present:.100}, but {sealed:.100} was sealed",
            hint="Name the sealed one, where it lies elsewhere: `model=local:PATH.gguf`.",
        )


def _prediction(source: str | Path | Mapping[str, Any], *, encoder: bool) -> Prediction:
    """The predicted ranges of the rates, from a file as of a submission, or its keys."""
    if isinstance(source, Mapping):
        data, where = toml_bytes(source, where="prediction"), "prediction"
    else:
        data, where = read_bounded(Path(source), MAX_TOML_BYTES), str(source)
    about = Predictable(metrics=dict.fromkeys(rate_names(encoder=encoder), 0.0), bars=0)
    stated = parse_prediction(data, about, where=where)
    if not stated.ranges or stated.outcomes or stated.directions:
        raise SpecError(
            f"{where}: of an asymmetry experiment only ranges are predicted", hint=_EXAMPLE
        )
    return stated
