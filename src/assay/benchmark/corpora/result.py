"""The result of an import: counts, records left out, the origin of the labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from assay.benchmark.benchmark import Benchmark
from assay.benchmark.corpora.collected_items import Gathered

if TYPE_CHECKING:
    from assay.benchmark.corpora.corpus_files import CorpusFile

Labels = Literal["given", "results", "executed"]
"""The origin of labels: the corpus, a run of samples elsewhere, or our own run."""


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
    """The result of an import. `outcomes` counts the samples' outcomes; None without samples."""

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

    `outcomes` are all possible ones; they are counted if the labels come from samples.
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
