"""What an import came to: counts, what was left out, where the labels are from."""

from collections.abc import Mapping
from typing import Literal

import msgspec

Labels = Literal["given", "results", "executed"]
"""Where labels are from: the corpus, somebody's results of running samples, or our own."""


class ReadFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was read."""

    name: str
    digest: str
    records: int


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """How samples were run."""

    isolation: str
    seconds: float
    memory: int
    python: str


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import came to. `outcomes` counts how samples did, and is None without any."""

    format: str
    out: str
    digest: str
    items: int
    positives: int
    negatives: int
    groups: int
    left_out: Mapping[str, int]
    labels: Labels
    outcomes: Mapping[str, int] | None
    run: Run | None
    files: tuple[ReadFile, ...]
