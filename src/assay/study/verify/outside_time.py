"""Part of step 2: times attested from outside the study.

A timestamp comes from an authority that the study's author chose and may have made. The finding
says so, unless the reader gave the authority's certificate. A cosignature counts only for a key
that the reader gave.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from assay.errors import IntegrityError, storage
from assay.files import path_names
from assay.ledger.attestation import Attestation
from assay.ledger.checkpoint import Checkpoint
from assay.study.timestamps import RESPONSE, attestations, check_pins
from assay.study.verify.context import Verifying
from assay.wording import counted

_MOST_NAMED = 20


class OutsideTimes(NamedTuple):
    """The attested times in words; `noted` if a reader must compare something."""

    notes: tuple[str, ...]
    noted: bool


def check_outside_time(at: Verifying, checkpoints: Sequence[Checkpoint]) -> OutsideTimes:
    """Verify every timestamp that the ledger names, and every cosignature by a given key."""
    check_pins(at.study, at.chain)
    at.attested = attestations(at.study, at.chain)
    given = {authority.fingerprint: authority.name for authority in at.shown.authorities}
    for made in at.attested.values():
        if given and made.authority not in given:
            raise IntegrityError(
                f"the first {made.checkpoint} entries are attested by {made.name} (SHA-256"
                f" {made.authority}), which is not a given authority"
            )
    if given and not at.attested:
        raise IntegrityError(f"no timestamp by {' or '.join(given.values())}")
    loose = _not_entered(at)
    notes = (
        *_timestamps(list(at.attested.values()), given=bool(given)),
        *_cosignatures(at, checkpoints),
        *(f"{name} has no entry, so it attests nothing" for name in loose),
    )
    return OutsideTimes(notes, noted=bool(loose) or (bool(at.attested) and not given))


def _timestamps(made: list[Attestation], *, given: bool) -> list[str]:
    """A sentence for each authority: what it attests, and what is known about it."""
    notes = []
    for authority, group in groupby(sorted(made, key=_by_authority), key=_by_authority):
        every = list(group)
        times = ", ".join(
            f"{counted(each.checkpoint, 'entry')} by {each.time}"
            for each in sorted(every, key=lambda each: each.entry)
        )
        chosen = (
            "the given authority"
            if given
            else "pinned by the study's author, who may have made it: compare the fingerprint with"
            " the authority's own (`authority=CERT.pem`)"
        )
        notes.append(f"{times}, according to {every[0].name} (SHA-256 {authority}), {chosen}")
    return notes


def _by_authority(made: Attestation) -> str:
    return made.authority


def _cosignatures(at: Verifying, checkpoints: Sequence[Checkpoint]) -> list[str]:
    notes = []
    for checkpoint in checkpoints:
        for key in at.shown.keys:
            time = key.attested(checkpoint.text, checkpoint.signatures)
            if time is not None:
                entries = counted(checkpoint.size, "entry")
                notes.append(
                    f"{entries} seen at {time}, according to {key.name}, whose key was given"
                )
    return notes


def _not_entered(at: Verifying) -> list[str]:
    """Timestamp responses in the folder of checkpoints that no entry names."""
    folder = at.study.root / "checkpoints"
    with storage(folder):
        found = sorted(folder.glob(f"*{RESPONSE}")) if folder.is_dir() else []
    named = {
        name for entry in at.chain.entries if entry.kind == "timestamp" for name in entry.files
    }
    loose = {f"checkpoints/{path.name}" for path in found} - named
    return list(path_names(loose, most=_MOST_NAMED))
