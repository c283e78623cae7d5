"""The caveats of a confound audit."""

from collections.abc import Mapping, Sequence

from assay.benchmark.benchmark import CHANGES, Benchmark
from assay.caveats import Caveats, Codes
from assay.confounding.questions_only import (
    has_no_text,
    judges_questions_only,
    unread_texts,
)
from assay.confounding.result import MethodResult
from assay.confounding.verdict import CHANCE
from assay.gauntlet.caveats import CODES as SCORECARD
from assay.gauntlet.caveats import SMALL

_SHARED = (
    "small-n",
    "unscored",
    "reversed",
    "unfit",
    "words-not-ruled-out",
    "grouped-by-question",
    "repeated-questions",
)
CODES: Codes = {
    "no-text": "There is no text here: every question is a number, and no response was read.",
    "questions-only": "No response was read, so this is about the questions alone.",
    "read-as": "Scores that are texts are read as numbers.",
    "no-surface-model": "There are too few records for a surface model.",
    **CHANGES,
    **{code: SCORECARD[code] for code in _SHARED},
}

BALANCED: Codes = {
    "ids-tell": "The ids still give the label away.",
    "columns-tell": "Another column still gives the label away.",
    **CHANGES,
    "grouped-by-question": SCORECARD["grouped-by-question"],
    "split-groups": "No balanced subset of whole groups was found, so single records were chosen"
    " and groups are incomplete.",
}
"""The caveats of a balanced subset."""


def note_records(
    benchmark: Benchmark,
    fields: Mapping[str, Sequence[object]],
    methods: Sequence[MethodResult],
    caveats: Caveats,
) -> None:
    """Add the caveats on the texts, the records, their grouping and the methods' scores."""
    size = len(benchmark.items)
    if has_no_text(benchmark.items):
        caveats.add("no-text")
    elif judges_questions_only(benchmark.items):
        caveats.add("questions-only", unread_texts(fields))
    for code, detail in benchmark.changes.items():
        caveats.add(code, detail)
    if size < SMALL:
        caveats.add("small-n")
    for method in methods:
        if method.unscored:
            caveats.add("unscored", f"{method.unscored} of {size} for {method.name}.")
        if method.high < CHANCE:
            caveats.add(
                "reversed",
                f"{method.name:.60} has an AUC of {method.auc:.3f}. If its high scores mean the"
                " other label, say which is positive: `positive=VALUE`.",
            )
        if method.beyond is not None and method.beyond.unfit:
            caveats.add("unfit", f"See {method.name}.")
        if method.beyond is not None and method.beyond.rests_on_words:
            caveats.add("words-not-ruled-out", f"See {method.name}.")
    if benchmark.grouping == "question":
        caveats.add("grouped-by-question")
    elif not benchmark.grouped and benchmark.repeated_questions:
        caveats.add("repeated-questions", f"{benchmark.repeated_questions} records do.")
