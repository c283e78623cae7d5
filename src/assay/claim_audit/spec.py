"""Claim files: `[[claim]]` tables of TOML, or the same as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from assay.bounds import MAX_TOML_BYTES
from assay.claim_audit.claim import Claim
from assay.claim_audit.judge import GATES
from assay.digests import decode_utf8, parse_json
from assay.errors import SpecError
from assay.tables.faults import Faults
from assay.tables.numbers.printed_numbers import WrittenFloat
from assay.toml import read_toml

MOST_CLAIMS = 20_000
KEYS = frozenset(
    {"id", "text", "checker", "args", "expected", "predicted", "confidence", "control"}
)
_OTHERS = {"kill_gates", "claim", "claims"}


@dataclass(frozen=True, kw_only=True)
class ClaimFile:
    """The claims of a file, and the kill-gates that it states."""

    claims: tuple[Claim, ...]
    gates: Mapping[str, int] = field(default_factory=dict)


def parse_claims(data: bytes, where: str) -> ClaimFile:
    """The claims of a TOML or JSON file; every fault is named at once."""
    if len(data) > MAX_TOML_BYTES:
        raise SpecError(f"{where}: more than {MAX_TOML_BYTES:,} bytes")
    if Path(where).suffix.lower() == ".json":
        made = parse_json(decode_utf8(data, where=where), where=where, floats=WrittenFloat)
        tables = {"claims": made} if isinstance(made, list) else made
    else:
        tables = read_toml(data, where=where, floats=WrittenFloat)
    if not isinstance(tables, dict) or set(tables) - _OTHERS:
        wrong = sorted(set(tables) - _OTHERS)[0] if isinstance(tables, dict) else "a list"
        raise SpecError(
            f"{where}: {wrong!r:.60} is none of the tables of a claim file",
            hint="Write each claim as a [[claim]] table with id, checker and args.",
        )
    if {"claim", "claims"} <= set(tables):
        raise SpecError(f"{where}: has both `claim` and `claims`", hint="Write all as [[claim]].")
    rows = tables.get("claim", tables.get("claims", []))
    if not isinstance(rows, list) or not rows:
        raise SpecError(f"{where}: no claims", hint="Write each claim as a [[claim]] table.")
    if len(rows) > MOST_CLAIMS:
        raise SpecError(f"{where}: {len(rows):,} claims, at most {MOST_CLAIMS:,} allowed")
    faults = Faults(where)
    claims = []
    for number, row in enumerate(rows, 1):
        try:
            claims.append(made_claim(row, f"{where}, claim {number}"))
        except SpecError as error:
            faults.add(error)
    faults.refuse()
    return ClaimFile(claims=tuple(claims), gates=_gates(tables.get("kill_gates", {}), where))


def made_claim(row: Any, where: str, *, printed: str | None = None) -> Claim:  # noqa: ANN401 - from a file
    """The claim of a table; `printed` is what a text prints at its place."""
    if not isinstance(row, dict):
        raise SpecError(f"{where}: expected a table, got {row!r:.40}")
    unknown = sorted(set(row) - KEYS)
    if unknown:
        known = ", ".join(sorted(KEYS))
        raise SpecError(f"{where}: no key {unknown[0]!r:.40}; there are {known}")
    if isinstance(row.get("confidence"), float):
        row = {**row, "confidence": float(row["confidence"])}  # its digits do not matter
    try:
        claim = msgspec.convert({**row, "place": where, "printed": printed}, Claim)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {error}") from None
    if not claim.id.strip():
        raise SpecError(f"{where}: an empty id")
    if claim.confidence is not None and not 0.0 <= claim.confidence <= 1.0:
        raise SpecError(f"{where}: confidence {claim.confidence:g}, expected 0 to 1")
    if claim.confidence is not None and claim.predicted is None:
        raise SpecError(f"{where}: a confidence without `predicted`, which is holds or fails")
    return claim


def _gates(table: Any, where: str) -> Mapping[str, int]:  # noqa: ANN401 - from a claim file
    if not isinstance(table, dict):
        raise SpecError(f"{where}: kill_gates: expected a table such as {{failures = 3}}")
    for name, limit in table.items():
        if name not in GATES or type(limit) is not int or limit < 1:
            raise SpecError(
                f"{where}: kill_gates.{name:.40} = {limit!r:.20},"
                f" expected a whole number over 0 for {', '.join(GATES)}"
            )
    return table


def check_ids(claims: tuple[Claim, ...]) -> None:
    """Refuse two claims of one id."""
    known: dict[str, str] = {}
    for claim in claims:
        if claim.id in known:
            raise SpecError(
                f"{claim.place}: id {claim.id!r:.60} is taken, by {known[claim.id]}",
                hint="Give every claim an id of its own.",
            )
        known[claim.id] = claim.place
