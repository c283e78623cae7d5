"""What is fixed before a run: the method, its settings, the data and the bars.

The author writes `prereg.toml`; sealing makes a `Seal` from it, a manifest over exact bytes. The
seed of a sealed run comes from the digest of its seal. An author can seal again until the seed is a
lucky one. So a method whose outputs depend on the seed is run under several seeds and judged on
their mean, unless `seed_from` names an outside value for the seed before that value exists.
"""

from collections.abc import Mapping

import msgspec

from assay.benchmark.benchmark import Origin, Task
from assay.digests import decode_utf8, parse_json
from assay.errors import IntegrityError, SpecError
from assay.method.classes import check_class
from assay.runs.result import RESOURCES, Limits, batch_size
from assay.toml import key_hint, read_toml

SEAL_FORMAT = "assay-seal/1"
LONGEST_OUTSIDE = 300
"""The most characters of an outside value and of its description."""
TIMESTAMP = "timestamp"
"""The value of `seed_from` for the timestamp that attests the time of the seal."""


class Prereg(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `prereg.toml`. `environment` are names of variables to pass on, never values.

    The limits are those of `assay.Limits`; 0 lifts one. `batch` is how many items a method that
    takes batches is given at a time (32). `seed_from` says where the outside value for the seed
    will come from: a round of a randomness beacon, a maintainer's word, or `timestamp`, the
    response that attests the time of the seal. `method_class` is the class of a method of your own:
    the frontier of a study has a row for each class.
    """

    method: str
    task: Task
    method_class: str | None = None
    item_seconds: float = 30.0
    load_seconds: float = 60.0
    memory_bytes: int | None = None
    cpu_seconds: int | None = None
    processes: int | None = None
    file_bytes: int | None = None
    batch: int | None = None
    environment: tuple[str, ...] = ()
    seed_from: str = ""


class SealedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file by its exact bytes."""

    size: int
    digest: str


class SealedCorpus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A benchmark by its exact bytes, and its path.

    `file` is the digest of the bytes, if `digest` also covers what was left out.
    """

    name: str
    digest: str
    origin: Origin
    file: str | None = None


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """An installed distribution: its version, its RECORD, and the bytes of its files.

    `record` is the digest of the RECORD file, if there is one. `content` is the digest of the files
    it lists and of all others in its folders, as they are now, so that an edit after the
    installation shows too. `unlisted` and `altered` name the files that differ from RECORD.
    """

    version: str
    record: str | None
    content: str
    unlisted: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()


class Seal(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The manifest: everything that decides a run, by digest.

    `method_class` is left out if the submission states none, as before there were classes.
    """

    format: str
    study: str
    submission: str
    task: Task
    method: str
    benchmark: SealedCorpus
    second: SealedCorpus | None
    bars_version: str
    files: Mapping[str, SealedFile]
    distributions: Mapping[str, Distribution]
    settings: Mapping[str, str | int | float | bool | tuple[str, ...]]
    method_class: str | None = None


def parse_prereg(data: bytes, *, where: str) -> Prereg:
    """`prereg.toml` from its bytes."""
    try:
        parsed = msgspec.convert(read_toml(data, where=where), Prereg)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {error}", hint=key_hint(error, Prereg)) from None
    for name, seconds in (("item", parsed.item_seconds), ("load", parsed.load_seconds)):
        if not 0.0 < seconds <= 7 * 24 * 3600.0:
            raise SpecError(f"{where}: {name}_seconds = {seconds:g}, expected up to a week")
    _check_seed_from(parsed.seed_from, where)
    try:
        limits_of(parsed)
        batch_size(parsed.batch)
        check_class(parsed.method, parsed.method_class)
    except SpecError as error:
        raise SpecError(f"{where}: {error.message}", hint=error.hint) from None
    return parsed


def is_plain_line(text: str) -> bool:
    """Whether a text has only one spelling: no look-alike characters, no spaces at its ends."""
    plain = text.isascii() and text.isprintable() and text == text.strip()
    return plain and len(text) <= LONGEST_OUTSIDE


def _check_seed_from(text: str, where: str) -> None:
    """Refuse a text that is not a line, or that a reader could mistake for `timestamp`."""
    if not is_plain_line(text):
        raise SpecError(
            f"{where}: seed_from: expected a line of at most {LONGEST_OUTSIDE} ASCII characters,"
            " without spaces at its ends"
        )
    letters = "".join(filter(str.isalpha, text.lower()))
    if letters.removesuffix("s") == TIMESTAMP and text != TIMESTAMP:
        raise SpecError(
            f"{where}: seed_from = {text!r:.80}, expected {TIMESTAMP!r} if you mean that",
            hint="Any other text names a value that you enter yourself.",
        )


def limits_of(prereg: Prereg) -> Limits:
    """The stated limits; the others have their defaults."""
    given = {name: getattr(prereg, name) for name in RESOURCES}
    resources = {name: most or None for name, most in given.items() if most is not None}
    deadlines = Limits(item_seconds=prereg.item_seconds, load_seconds=prereg.load_seconds)
    return msgspec.structs.replace(deadlines, **resources)


def parse_seal(data: bytes, *, where: str) -> Seal:
    """A seal from its bytes; Assay did not write one that cannot be read."""
    try:
        parsed = msgspec.convert(parse_json(decode_utf8(data, where=where), where=where), Seal)
    except (msgspec.ValidationError, SpecError) as error:
        reason = error.message if isinstance(error, SpecError) else f"{where}: {error}"
        raise IntegrityError(reason) from None
    try:
        check_class(parsed.method, parsed.method_class)
    except SpecError as error:
        raise IntegrityError(f"{where}: {error.message}") from None
    if parsed.format != SEAL_FORMAT:
        raise IntegrityError(f"{where}: format {parsed.format!r:.40}, expected {SEAL_FORMAT!r}")
    return parsed
