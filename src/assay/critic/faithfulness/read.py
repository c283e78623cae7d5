"""Read the claims of a faithfulness audit: `[[claim]]` tables of TOML, JSON, or JSON lines.

A record has `id`, `claim`, and `passage` or `path`, a text file in the folder of the file. It may
have `predicted`, the range of P(NO), with its `confidence`. A control has a `kind`.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.bounds import MAX_FILE_BYTES, MAX_TOML_BYTES, text_fault
from assay.critic.faithfulness.spec import ControlKind, SourcedClaim
from assay.digests import decode_utf8, json_lines, parse_json
from assay.errors import SpecError
from assay.files import check_no_links, read_bounded, stays_inside
from assay.predicted.ranges import LEVEL, Range, check_range
from assay.tables.faults import Faults
from assay.toml import key_hint, read_toml

MOST_CLAIMS = 20_000
Source = str | Path | Sequence[Mapping[str, Any]]
"""A file, or its records."""
Role = Literal["paraphrases", "controls"]
_IN_MEMORY = "the {role}"
_HINT = 'Such as: id = "rate", claim = "The rate is 5.88 %.", passage = "..."'


class _Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A claim as it is written."""

    id: str
    claim: str
    passage: str | None = None
    path: str | None = None
    predicted: tuple[float, float] | None = None
    confidence: float | None = None
    kind: ControlKind | None = None


def read_claims(source: Source, role: Role) -> tuple[SourcedClaim, ...]:
    """The claims of a file, or of records in memory; every fault is named at once."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        where, home = str(path), path.parent
        rows = _rows(read_bounded(path, MAX_FILE_BYTES), path)
    else:
        where, home = _IN_MEMORY.format(role=role), Path()
        rows = ((f"{where}, record {number}", row) for number, row in enumerate(source, 1))
    return parse_rows(rows, role, where=where, home=home)


def parse_rows(
    rows: Iterator[tuple[str, Any]], role: Role, *, where: str, home: Path
) -> tuple[SourcedClaim, ...]:
    """The claims of records, each with its place; `home` is the folder that paths start from."""
    faults = Faults(where)
    passages: dict[str, str] = {}
    claims: list[SourcedClaim] = []
    for place, row in rows:
        if len(claims) >= MOST_CLAIMS:
            raise SpecError(f"{where}: more than {MOST_CLAIMS:,} claims")
        try:
            claims.append(_claim(row, role, place, home, passages))
        except SpecError as error:
            faults.add(error)
    faults.refuse()
    return tuple(claims)


def _rows(data: bytes, path: Path) -> Iterator[tuple[str, Any]]:
    where, suffix = str(path), path.suffix.lower()
    if suffix not in (".toml", ".json"):
        for line, row in json_lines(data, where=where):
            yield f"{where}, line {line}", row
        return
    if suffix == ".toml":
        held: Any = read_toml(data, where=where)
    else:
        if len(data) > MAX_TOML_BYTES:
            raise SpecError(
                f"{where}: more than {MAX_TOML_BYTES:,} bytes", hint="Write a record a line: .jsonl"
            )
        held = parse_json(decode_utf8(data, where=where), where=where)
        held = {"claim": held} if isinstance(held, list) else held
    if not isinstance(held, dict) or set(held) - {"claim"} or not _is_list(held.get("claim", [])):
        raise SpecError(f"{where}: expected [[claim]] tables and nothing else", hint=_HINT)
    for number, row in enumerate(held.get("claim", []), 1):
        yield f"{where}, claim {number}", row


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _claim(
    row: object, role: Role, place: str, home: Path, passages: dict[str, str]
) -> SourcedClaim:
    try:
        record = msgspec.convert(row, _Record)
    except msgspec.ValidationError as error:
        raise SpecError(f"{place}: {error}", hint=key_hint(error, _Record, _HINT)) from None
    if not record.id.strip() or not record.claim.strip():
        raise SpecError(f"{place}: an empty {'claim' if record.id.strip() else 'id'}")
    for text in (record.id, record.claim):
        fault = text_fault(text)
        if fault is not None:
            raise SpecError(f"{place}: {fault}")
    kinds = ", ".join(ControlKind)
    if role == "controls" and record.kind is None:
        raise SpecError(
            f"{place}: a control without a `kind`", hint=f"Say in what it is false: {kinds}."
        )
    if role == "paraphrases" and record.kind is not None:
        raise SpecError(
            f"{place}: a paraphrase, which is to be true, has the kind {record.kind}",
            hint="A claim that is false on purpose is a control: `controls=FILE`.",
        )
    return SourcedClaim(
        id=record.id,
        claim=record.claim,
        passage=_passage(record, place, home, passages),
        kind=record.kind,
        predicted=_predicted(record, place),
    )


def _passage(record: _Record, place: str, home: Path, passages: dict[str, str]) -> str:
    if (record.passage is None) == (record.path is None):
        raise SpecError(
            f"{place}: expected `passage` or `path`, one of them",
            hint="The passage is the text that the claim is held against; a path names its file.",
        )
    name = record.path
    if record.passage is not None:
        text = record.passage
    elif name is None or not stays_inside(name):
        raise SpecError(
            f"{place}: {name!r:.80} leads out of the folder of the file",
            hint="Put the passage's file beside it, or below.",
        )
    else:
        check_no_links(home, name)
        if name not in passages:
            passages[name] = decode_utf8(read_bounded(home / name, MAX_TOML_BYTES), where=name)
        text = passages[name]
    if not text.strip():
        raise SpecError(f"{place}: an empty passage")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise SpecError(f"{place}: half of a surrogate pair in the passage") from None
    if size > MAX_TOML_BYTES:
        raise SpecError(f"{place}: a passage of {size:,} bytes, at most {MAX_TOML_BYTES:,} allowed")
    return text


def _predicted(record: _Record, place: str) -> Range | None:
    if record.predicted is None:
        if record.confidence is not None:
            raise SpecError(f"{place}: a confidence without `predicted`, a range of P(NO)")
        return None
    low, high = record.predicted
    level = LEVEL if record.confidence is None else record.confidence
    stated = Range(metric=record.id, low=low, high=high, level=level)
    return check_range(stated, least=0.0, where=place)
