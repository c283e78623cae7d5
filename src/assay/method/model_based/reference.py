"""References to methods over models: `likelihood:local`, `disagreement:MODEL,MODEL`."""

from collections.abc import Mapping
from pathlib import Path

from assay.digests import listing_digest
from assay.errors import SpecError
from assay.method.model_based.table import MODEL_METHODS, ModelMethod
from assay.models.reference import ENCODER, model_name
from assay.models.reference_facts import (
    Ability,
    check_reference,
    may,
    own_weights,
    packages,
    placed,
    split_references,
)

_ABILITIES: Mapping[Ability, str] = {
    "chat": "asks for replies",
    "likelihood": "asks how probable a text is",
    "embedding": "asks for vectors of texts",
}


def model_method(text: str) -> ModelMethod | None:
    """The method that a reference names, if it names one over models."""
    name, _, models = text.partition(":")
    return MODEL_METHODS.get(name) if split_references(models) else None


def read_models(method: ModelMethod, text: str) -> tuple[str, ...]:
    """The models of a list; what the method cannot use is refused. No address is repeated."""
    models = split_references(text) or ((text,) if text else ())
    for model in models:
        check_reference(model)
    _check_number(method, len(models))
    if len(set(models)) < len(models):
        raise SpecError(f"{method.name} compares models, and one is named twice")
    unfit = next((model for model in models if not may(model, method.asks)), None)
    if unfit is not None:
        others = "`encoder`" if method.asks == "embedding" else "`local`, `local:PATH.gguf`"
        raise SpecError(
            f"{method.name} {_ABILITIES[method.asks]}, and {unfit.partition(':')[0]} does not do"
            " that",
            hint=f"Models for it: {others}, or an endpoint that can: https://HOST/v1#MODEL.",
        )
    return models


def _check_number(method: ModelMethod, given: int) -> None:
    if method.least <= given <= method.most:
        return
    most = f" to {method.most}" if method.most > method.least else ""
    raise SpecError(
        f"{method.name} takes {method.least}{most} model{'s' * (method.most > 1)}, got"
        f" {given or 'none'}",
        hint=f"Name them: {method.form}. A model is local, local:PATH.gguf, encoder, or"
        " https://HOST/v1#MODEL.",
    )


def placed_models(text: str, folder: Path) -> str:
    """A list of models, with the whole paths of weights that lie in a folder."""
    return ",".join(placed(model, folder) for model in split_references(text))


def used_models(method: ModelMethod, text: str) -> tuple[str, ...]:
    """Every model that a method asks, with the encoder by which it compares texts."""
    return (*split_references(text), *((ENCODER,) if method.compares else ()))


def disclosed(method: ModelMethod, text: str) -> dict[str, tuple[str, ...] | str]:
    """The full names of its models, with the digests of weights, and the digest of its prompts."""
    facts: dict[str, tuple[str, ...] | str] = {
        "models": tuple(model_name(each) for each in used_models(method, text))
    }
    digests = prompt_digests(method)
    if digests:
        facts["prompts"] = listing_digest("prompts", digests)
    return facts


def prompt_digests(method: ModelMethod) -> tuple[str, ...]:
    """The digest of each file of prompts."""
    from assay.critic.wordings import wordings
    from assay.method.model_based.prompts import prompts

    asked = () if method.wordings is None else wordings(mode=method.wordings)
    return (*(each.digest for each in asked), *(prompts(each).digest for each in method.prompts))


def needed_packages(method: ModelMethod, text: str) -> tuple[str, ...]:
    """The distributions that its models need."""
    return tuple(dict.fromkeys(p for each in used_models(method, text) for p in packages(each)))


def weights_files(method: ModelMethod, text: str) -> tuple[Path, ...]:
    """The files of weights that are in no package."""
    found = (own_weights(each) for each in used_models(method, text))
    return tuple(path for path in found if path is not None)
