"""Weights in files: where a package has them, and the digest that stands for them in a name."""

import hashlib
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from assay.errors import storage

_PART = 1 << 20
_DIGITS = 16


def packaged_files(package: str) -> list[Path]:
    """The files of an installed package, found without importing it; none if it is missing."""
    try:
        return [Path(str(entry.locate())) for entry in files(package) or []]
    except PackageNotFoundError:
        return []


def weights_digest(*paths: Path) -> str:
    """The beginning of the digest of all bytes of the files, one after another."""
    whole = hashlib.sha256()
    for path in paths:
        with storage(path), path.open("rb") as file:
            while part := file.read(_PART):
                whole.update(part)
    return f"sha256:{whole.hexdigest()[:_DIGITS]}"
