"""What an import came to: counts, what was left out, where the labels are from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from assay.benchmark.benchmark import Benchmark
from assay.benchmark.corpora.collected_items import Gathered

if TYPE_CHECKING:
    from assay.benchmark.corpora.corpus_files import CorpusFile

Labels = Literal["given", "results", "executed"]
"""Where labels are from: the corpus, results of running samples elsewhere, or our own."""


class ReadFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was read."""

    name: str
    digest: str
    records: int


class Execution(msgspec.Struct, frozen=True, kw_only=True):
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
    run: Execution | None
    files: tuple[ReadFile, ...]


def imported(
    gathered: Gathered,
    *,
    name: str,
    sources: "Sequence[CorpusFile]",
    labels: Labels,
    outcomes: Sequence[str],
    run: Execution | None,
    out: str,
    digest: str,
) -> Imported:
    """The record of an import, after checking that the items make a benchmark.

    `outcomes` are all that a sample can have; they are counted where samples gave the labels.
    """
    Benchmark(name=sources[0].name, digest=digest, items=gathered.items)
    counts = Counter(item.cls or "" for item in gathered.items)
    return Imported(
        format=name,
        out=out,
        digest=digest,
        items=len(gathered.items),
        positives=gathered.positives,
        negatives=len(gathered.items) - gathered.positives,
        groups=gathered.groups,
        left_out=gathered.left_out,
        labels=labels,
        outcomes=None if labels == "given" else {outcome: counts[outcome] for outcome in outcomes},
        run=run,
        files=tuple(
            ReadFile(name=source.name, digest=source.digest, records=len(source.records))
            for source in sources
        ),
    )
