"""What an import came to: counts, what was left out, where the labels are from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from assay.benchmark.benchmark import Benchmark
from assay.benchmark.corpora.collected_items import Gathered
from assay.benchmark.corpora.corpus_files import Source
from assay.benchmark.corpora.execute import Bounds
from assay.benchmark.corpora.program_verdicts import Outcome
from assay.benchmark.corpora.programming_tasks import Attempt
from assay.errors import SpecError

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


def known_outcomes(attempts: Sequence[Attempt]) -> list[Outcome]:
    """What the samples' own results say; without any, nothing is guessed and nothing is run."""
    known = [one.known for one in attempts if one.known is not None]
    if len(known) < len(attempts):
        raise SpecError(
            "the samples do not say whether they passed, and to find out they must be run: they are"
            " programs that a model wrote, and nobody vouches for them",
            hint="To run them here, cut off from the network and within limits, add"
            " `execute=True`; or hand in a file of results, with `passed` in every line.",
        )
    return known


def imported(
    gathered: Gathered,
    *,
    name: str,
    sources: Sequence[Source],
    labels: Labels,
    bounds: Bounds | None,
    out: str,
    digest: str,
) -> Imported:
    """Put it all together, once it is sure that the items make a benchmark."""
    Benchmark(name=sources[0].name, digest=digest, items=gathered.items)
    how = Counter(item.cls or "" for item in gathered.items) if labels != "given" else None
    run = None if bounds is None else _run(bounds)
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
        outcomes=None if how is None else {one.value: how[one.value] for one in Outcome},
        run=run,
        files=tuple(
            ReadFile(name=one.name, digest=one.digest, records=len(one.records)) for one in sources
        ),
    )


def _run(bounds: Bounds) -> Run:
    import platform

    from assay.sandbox.levels import Level

    return Run(
        isolation=Level.L1.value,
        seconds=bounds.seconds,
        memory=bounds.memory,
        python=platform.python_version(),
    )
