"""Comparisons on disk, with a checksum against edits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.bounds import MAX_FILE_BYTES
from assay.comparison.adr_0031 import SourceComparison
from assay.comparison.result import Comparison, Comparisons
from assay.digests import digest, parse_object
from assay.errors import IntegrityError, SpecError, storage
from assay.files import read_bounded, write_whole

FORMAT = "assay-comparison/1"
SEVERAL = "assay-comparisons/1"


def check_writable(out: Path, inputs: Sequence[Path]) -> None:
    """Refuse to overwrite an input with the comparison."""
    with storage(out):
        if out.is_dir():
            raise SpecError(f"{out} is a folder", hint="Name a file: `out=comparison.json`.")
        if any(out.exists() and path.exists() and out.samefile(path) for path in inputs):
            raise SpecError(f"{out} is an input and would be overwritten")


def write_comparison(path: Path, comparison: Comparison | Comparisons | SourceComparison) -> None:
    """Write a comparison; ours with a checksum, the source's with only its own keys."""
    record: Any = msgspec.to_builtins(comparison)
    if not isinstance(comparison, SourceComparison):
        name = FORMAT if isinstance(comparison, Comparison) else SEVERAL
        record = {"format": name, "checksum": _checksum(record), **record}
    write_whole(path, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def read_comparison(path: Path) -> tuple[Comparison, bytes]:
    """A comparison that `write_comparison` wrote, or the one in a folder of trials.

    One that was edited since is refused.
    """
    with storage(path):
        path = path / "comparison.json" if path.is_dir() else path
    data = read_bounded(path, MAX_FILE_BYTES)
    stored = parse_object(data, where=str(path))
    if stored.get("format") != FORMAT:
        raise SpecError(
            f"{path}: no comparison of format {FORMAT!r}",
            hint="Make one: assay compare BASELINE CANDIDATE `out=comparison.json`",
        )
    record = {key: value for key, value in stored.items() if key not in ("format", "checksum")}
    if _checksum(record) != stored.get("checksum"):
        raise IntegrityError(f"{path} was edited since it was written: its checksum differs")
    try:
        return msgspec.convert(record, Comparison), data
    except msgspec.ValidationError as error:
        raise SpecError(f"{path}: {error}") from None


def _checksum(record: Mapping[str, Any]) -> str:
    """Detects an accidental edit; it does not protect against a deliberate one."""
    return digest(msgspec.json.encode(record, order="sorted"))
