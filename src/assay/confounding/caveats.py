"""The caveats of a confound audit."""

from collections.abc import Sequence

from assay.benchmark.benchmark import CHANGES, Benchmark
from assay.caveats import Caveats, Codes
from assay.confounding.result import MethodResult
from assay.gauntlet.caveats import CODES as SCORECARD
from assay.gauntlet.caveats import SMALL

_SHARED = (
    "small-n",
    "unscored",
    "unfit",
    "words-not-ruled-out",
    "grouped-by-question",
    "repeated-questions",
)
CODES: Codes = {
    "no-surface-model": "Too few records for a surface model.",
    **CHANGES,
    **{code: SCORECARD[code] for code in _SHARED},
}


def note_records(
    benchmark: Benchmark,
    methods: Sequence[MethodResult],
    caveats: Caveats,
) -> None:
    """Add the caveats on the number of records, their grouping and the methods' scores."""
    size = len(benchmark.items)
    for code, detail in benchmark.changes.items():
        caveats.add(code, detail)
    if size < SMALL:
        caveats.add("small-n")
    for method in methods:
        if method.unscored:
            caveats.add("unscored", f"{method.unscored} of {size} for {method.name}.")
        if method.beyond is not None and method.beyond.unfit:
            caveats.add("unfit", f"See {method.name}.")
        if method.beyond is not None and method.beyond.rests_on_words:
            caveats.add("words-not-ruled-out", f"See {method.name}.")
    if benchmark.grouping == "question":
        caveats.add("grouped-by-question")
    elif not benchmark.grouped and benchmark.repeated_questions:
        caveats.add("repeated-questions", f"{benchmark.repeated_questions} records do.")
