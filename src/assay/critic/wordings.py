"""The wordings in which a model is asked: templates in files, named by the digest of their bytes.

A small model's AUC was .53 under one wording and .74 under another. So a critique asks in several
equivalent wordings, and one of them asks the other way round: a model that always says NO is not
taken for a critic.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from assay.bounds import MAX_TOML_BYTES
from assay.critic.spec import Mode, Wording
from assay.digests import digest
from assay.errors import SpecError
from assay.files import read_bounded
from assay.toml import read_toml
from assay.wording import did_you_mean

_HERE = Path(__file__).parent / "prompts"
BUNDLED: Mapping[Mode, tuple[str, ...]] = {
    "knowledge": ("published", "true-statement", "fact-checker", "has-error"),
    "faithfulness": ("supported", "follows", "contradicts"),
    "entailment": ("premise", "must-be-true", "could-be-false"),
}
"""The wordings of each mode, all of which are asked by default."""
_NEEDED: Mapping[Mode, tuple[str, ...]] = {
    "knowledge": ("question", "response"),
    "faithfulness": ("passage", "response"),
    "entailment": ("question", "response"),
}


class _File(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    about: str
    mode: Mode
    wrong: Literal["yes", "no"]
    text: str


def wordings(names: Sequence[str] = (), *, mode: Mode = "knowledge") -> tuple[Wording, ...]:
    """The wordings of these names or TOML files; by default all that are bundled for the mode."""
    chosen = tuple(_read(name, mode) for name in names or BUNDLED[mode])
    twice = {each.digest for each in chosen}
    if len(twice) < len(chosen):
        raise SpecError("the same wording is named twice", hint="Name each of them once.")
    return chosen


def _read(name: str, mode: Mode) -> Wording:
    bundled = {each for group in BUNDLED.values() for each in group}
    if name not in bundled and not name.endswith(".toml"):
        near = did_you_mean(name, bundled, most=1)
        raise SpecError(
            f"no wording {name!r:.100}; there are {', '.join(BUNDLED[mode])}",
            hint=f"{near} " if near else "A wording of your own is a file: `wording=mine.toml`.",
        )
    path = _HERE / f"{name}.toml" if name in bundled else Path(name)
    data = read_bounded(path, MAX_TOML_BYTES)
    where = str(path.name if name in bundled else path)
    try:
        read = msgspec.convert(read_toml(data, where=where), _File)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {error}") from None
    if read.mode != mode:
        raise SpecError(f"{where}: its mode is {read.mode}, and {mode} is asked for")
    missing = [field for field in _NEEDED[mode] if f"{{{field}}}" not in read.text]
    if missing:
        raise SpecError(f"{where}: its text has no {{{missing[0]}}}, which is put in there")
    name = path.stem if name not in bundled else name
    return Wording(name=name, digest=digest(data), mode=read.mode, wrong=read.wrong, text=read.text)
