"""The summary of an import, made from the items, the files read and how samples were run."""

from collections import Counter
from collections.abc import Sequence

from assay.benchmark.benchmark import Benchmark
from assay.benchmark.corpora.collected_items import Gathered
from assay.benchmark.corpora.corpus_files import Source
from assay.benchmark.corpora.execute import Bounds
from assay.benchmark.corpora.program_verdicts import Outcome
from assay.benchmark.corpora.result import Imported, Labels, ReadFile, Run
from assay.sandbox.levels import Level


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
    """Summarise an import, after checking that the items make a benchmark."""
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

    return Run(
        isolation=Level.L1.value,
        seconds=bounds.seconds,
        memory=bounds.memory,
        python=platform.python_version(),
    )
