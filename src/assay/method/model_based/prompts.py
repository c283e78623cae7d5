"""The prompts of methods: several texts in a file, named by the digest of its bytes."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from assay.bounds import MAX_TOML_BYTES
from assay.digests import digest
from assay.files import read_bounded
from assay.models.prompts import filled
from assay.toml import read_toml

_HERE = Path(__file__).parent / "prompts"


class Prompts(msgspec.Struct, frozen=True, kw_only=True):
    """Texts with places for what is asked about, and the digest of their file."""

    digest: str
    texts: tuple[str, ...]

    def filled(self, **given: str) -> list[str]:
        """Each text filled in."""
        return [filled(text, given) for text in self.texts]


class _PromptFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    about: str
    texts: tuple[str, ...]


def prompts(name: str) -> Prompts:
    """The prompts of a bundled file."""
    data = read_bounded(_HERE / f"{name}.toml", MAX_TOML_BYTES)
    file: Mapping[str, object] = read_toml(data, where=f"{name}.toml")
    return Prompts(digest=digest(data), texts=msgspec.convert(file, _PromptFile).texts)
