"""What a seal says of a method over models: their full names and the digest of its prompts.

The name of local weights holds the digest of their bytes. What answers at an address cannot be
sealed: its name is, and a recording in the submission's folder is by its bytes.
"""

from collections.abc import Mapping
from pathlib import Path

from assay.files import stamp
from assay.method.model_based.reference import (
    disclosed,
    model_method,
    needed_packages,
    placed_models,
    weights_files,
)
from assay.study.submissions.distributions import Stamps
from assay.study.submissions.spec import Seal


def sealed_models(method: str, folder: Path) -> Mapping[str, tuple[str, ...] | str]:
    """The models and the prompts of a method; nothing for one that asks none."""
    ours = model_method(method)
    return {} if ours is None else disclosed(ours, _placed(method, folder))


def model_packages(method: str) -> tuple[str, ...]:
    """The distributions that its models need."""
    ours = model_method(method)
    return () if ours is None else needed_packages(ours, method.partition(":")[2])


def sealed_weights(seal: Seal, folder: Path) -> Stamps:
    """The files of weights in no package, if they have the digests that the seal names."""
    ours = model_method(seal.method)
    if ours is None or sealed_models(seal.method, folder)["models"] != seal.settings.get("models"):
        return {}
    files = weights_files(ours, _placed(seal.method, folder))
    return {str(path.resolve()): stamp(path) for path in files}


def _placed(method: str, folder: Path) -> str:
    return placed_models(method.partition(":")[2], folder)
