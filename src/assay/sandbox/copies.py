"""Copies: what runs are made from, and where they are made."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What runs copy from, made once so that later edits do not reach them, and its digests."""

    artifact: Path
    artifact_digest: str
    system: Path | None
    system_digest: str | None
