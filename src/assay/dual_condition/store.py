"""Result artifacts on the disk: reading them, and what B was before."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.digests import parse_object
from assay.dual_condition.evidence import DualEvidence, Past
from assay.dual_condition.result_file import DIGEST, FORMAT, headline_keys, result_digest
from assay.errors import AssayError, DigestMismatch, SpecError, storage
from assay.files import read_bounded

MOST_BYTES = 1 << 30
_MOST_PAST = 1000


def read_result(path: Path) -> Mapping[str, Any]:
    """A JSON object from a file."""
    return parse_object(read_bounded(path, MOST_BYTES), where=str(path))


def claims_to_be_one(data: bytes) -> bool:
    """Whether the bytes of a file look like those of a result, be they JSON or not."""
    return any(sign in data for sign in (b'"condition_a_', b'"condition_b_', FORMAT.encode()))


def result_files(folder: Path) -> list[Path]:
    """The files of a folder that may be results, in order of name."""
    with storage(folder):
        if not folder.is_dir():
            raise SpecError(f"there is no folder {str(folder)!r}")
        found = [path for path in folder.glob("*.json") if path.is_file()]
    return sorted(path for path in found if not path.name.startswith("."))


def earlier(path: Path, mark: str) -> Mapping[str, Any] | None:
    """The artifact of the same runs, where it was written before."""
    with storage(path):
        if not path.is_file():
            return None
    try:
        found = read_result(path)
    except AssayError:
        return None
    same = found.get("reproducibility_checksum") == mark and isinstance(found.get("made"), str)
    return found if same and found.get(DIGEST) == result_digest(found) else None


def past_results(
    folder: Path, evidence: DualEvidence, *, before: str, mark: str, but: Path
) -> tuple[Past, ...]:
    """Condition B of every earlier result on the same corpus, system and metric, oldest first.

    A result carries its own past with it, so taking an old one away leaves it remembered. `but` is
    where the new one goes: what is there is replaced, and believed only if nobody edited it.
    """
    found: dict[str, Past] = {}
    for path in result_files(folder):
        try:
            record = read_result(path)
        except AssayError:
            continue
        if _is_of(record, evidence):
            if record.get(DIGEST) != result_digest(record):
                if path == but:
                    continue
                raise DigestMismatch(
                    f"{path}: its {DIGEST} is not that of what it holds, and B's history is in it",
                    hint="It was edited. Put it back; the runs that were made are kept.",
                )
            for past in _pasts(record, evidence.metric):
                found.setdefault(past.checksum, past)
    found.pop(mark, None)
    kept = sorted(
        (past for past in found.values() if past.made < before), key=lambda past: past.made
    )
    return tuple(kept[-_MOST_PAST:])


def _is_of(record: Mapping[str, Any], evidence: DualEvidence) -> bool:
    inputs = record.get("inputs")
    return (
        record.get("format") == FORMAT
        and record.get("corpus") == evidence.corpus
        and record.get("metric") == evidence.metric
        and record.get("system") == evidence.system
        and isinstance(inputs, dict)
        and inputs.get("benchmark_digest") == evidence.inputs.benchmark_digest
    )


def _pasts(record: Mapping[str, Any], metric: str) -> list[Past]:
    """What a result says of B: its own, and what it remembers."""
    found = []
    try:
        found += msgspec.convert(record.get("history", []), list[Past])
        key = headline_keys(metric)["b"]
        if record.get("row") == "reported":
            low, high = record[f"{key}_interval"]
            own = {"made": record["made"], "checksum": record["reproducibility_checksum"]}
            own |= {"value": record[key], "low": low, "high": high}
            found.append(msgspec.convert(own, Past))
    except (KeyError, TypeError, ValueError):
        pass
    return found
