"""What a reader of a confound audit must know."""

from collections.abc import Sequence

from assay.benchmark.benchmark import Benchmark
from assay.caveats import Caveats, Codes
from assay.confounding.joint_surface import CLEAN_UNDER
from assay.confounding.result import Joint, MethodResult
from assay.gauntlet.caveats import CODES as SCORECARD
from assay.gauntlet.caveats import SMALL
from assay.surface.beyond import WIDEST

_SHARED = ("small-n", "unscored", "unfit", "grouped-by-question", "repeated-questions")
CODES: Codes = {
    "no-surface-model": "There are too few records for a surface model.",
    "wide-interval": "Clean here means that nothing was shown: more records might show something.",
    **{code: SCORECARD[code] for code in _SHARED},
}


def note_records(
    benchmark: Benchmark,
    size: int,
    methods: Sequence[MethodResult],
    joint: Joint | None,
    caveats: Caveats,
) -> None:
    """Note what the number, the grouping and the scores of the records leave open."""
    if joint is not None and joint.low <= 0.5 and joint.high >= CLEAN_UNDER:
        caveats.add("wide-interval", f"The joint AUC may be as high as {joint.high:.2f}.")
    if size < SMALL:
        caveats.add("small-n")
    for method in methods:
        if method.unscored:
            caveats.add("unscored", f"{method.unscored} of {size} for {method.name}.")
        if method.beyond is not None and method.beyond.high - method.beyond.low > WIDEST:
            caveats.add("unfit", f"See {method.name}.")
    if benchmark.grouping == "question":
        caveats.add("grouped-by-question")
    elif not benchmark.grouped and benchmark.repeated_questions:
        caveats.add("repeated-questions", f"{benchmark.repeated_questions} records do.")
