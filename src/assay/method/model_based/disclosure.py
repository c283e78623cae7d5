"""What a run says of a method over models: which ones, in which words, from which recording."""

from collections.abc import Mapping

from assay.errors import SpecError
from assay.method.model_based.reference import disclosed
from assay.method.model_based.table import MODEL_METHODS
from assay.method.registry import MethodRef
from assay.models.recording import Recording


def check_recordable(method: MethodRef, recording: Recording | None) -> None:
    """Refuse a recording for a method whose calls would not be in it."""
    if recording is not None and method.kind != "model":
        raise SpecError(
            f"{method.text} asks no model by name, so `cassette={recording.path.name}` would"
            " record nothing",
            hint="It is for methods such as likelihood:MODEL. A method of your own records its own"
            " calls.",
        )


def disclosed_harness(method: MethodRef, recording: Recording | None) -> Mapping[str, str]:
    """The models by their full names, the digest of the prompts, and the recording."""
    if method.kind != "model":
        return {}
    facts = disclosed(MODEL_METHODS[method.attribute], method.target)
    texts = {
        name: fact if isinstance(fact, str) else " ".join(fact) for name, fact in facts.items()
    }
    return {**texts, **({} if recording is None else recording.disclosed())}
