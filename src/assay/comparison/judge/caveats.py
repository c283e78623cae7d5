"""The caveats of comparisons."""

from collections.abc import Iterable

from assay.caveats import Caveats, Codes
from assay.comparison.result import ComparisonCaveat

CODES: Codes = {
    "stopped-on-verdict": "The runs stopped as soon as there was a verdict, so only a sequential"
    " comparison is valid: `sequential=True`.",
    "order-lost": "The runs stopped as soon as there was a verdict, and their order is unknown.",
    "lost-runs-decide": "The verdict depends on whether missing values and crashed runs are left"
    " out or count as failures.",
    "missing": "Values are missing.",
    "crashed": "Runs are missing on one side, or crashed; `crashed=` decides how both count.",
    "either-way": "Missing values and crashed runs are left out. Counting them as failures gives"
    " the same verdict.",
    "models-differ": "The comparison is between different models.",
    "harness-differs": "The harness differs between the sides, so the change is not the only"
    " difference.",
    "harness-mixed": "Runs of one side were made by different harnesses.",
    "harness-unknown": "Only one side names its harness, or all of its settings.",
    "unfinished-log": "A log comes from a run that did not finish.",
    "unchecked-log": "Some figures of a log could not be recomputed.",
    "tasks-left-out": "These tasks are not compared, because not every side has runs of them.",
    "scorer-unknown": "Only some runs name their scorer.",
    "absent": "No run has these dimensions, so they are not compared.",
    "columns-not-read": "These columns are not read as scores.",
    "trial-unnamed": "Repeated runs are not paired one by one, though a column looks like their"
    " number. Name it.",
    "columns-left-out": "Columns without evidence of their own are left out.",
    "same-content": "Runs without ids have the same bytes. Was a run given twice?",
    "several-bars": "A stored run was judged under several versions of the bars; the newest is"
    " compared.",
    "unverified-scorecard": "A stored run could not be judged again, because its data or bars are"
    " missing. Its scorecard is used unchecked.",
    "void-pairs": "Pairs are void: it was not shown that the candidate had the artifact and the"
    " baseline did not.",
    "spotless-gate": "It is not shown that a gate lost less than its margin: there are too few"
    " runs. The gate passes because every run of the candidate reached the best value."
    " `strict_gates=True` does not let it pass.",
    "narrow-gate": "It is not shown that a gate lost less than its margin. The gate passes because"
    " that would be shown if no run could lose more than the worst one did. `strict_gates=True`"
    " does not let it pass.",
    "no-gates": "No dimension is gated (`gate=`), so none is protected against a loss that is not"
    " shown.",
    "plain-scores": "The sides are plain scores.",
    "assumed": "These columns are read as scores from 0 to 1, higher is better; `config=` can"
    " change that.",
    "read-as": "Texts in these columns are read as numbers.",
    "not-in-plan": "These columns are not in the plan, so they are not compared.",
    "undirected": "These columns are not part of the verdict, because no plan says which direction"
    " is better.",
    "unpaired": "Runs are compared as independent runs, not as pairs.",
    "order-drawn": "Nothing says that the runs are in random order, so the seed drew the order in"
    " which they are used.",
    "uneven-rounds": "Instances have unequal numbers of pairs. Pairs beyond the last whole round"
    " over all instances are not used.",
    "few-instances": "Too few instances to generalise: the verdict is about these instances only.",
    "small-n": "So few runs can show only very large effects.",
    "costs-more": "The candidate is shown to cost more.",
}


def blocked_by(codes: Iterable[str]) -> str:
    """Why there is no verdict, in words."""
    said = [CODES[code].rstrip(".") for code in codes]
    return "blocked: " + "; ".join(f"{words[0].lower()}{words[1:]}" for words in said)


class Notes(Caveats):
    """The caveats of a comparison, some of which block its verdict."""

    def __init__(self) -> None:
        super().__init__(CODES)
        self._blocking: set[str] = set()

    def add(self, code: str, detail: str = "", *, blocking: bool = False) -> None:
        """Note a caveat; once it blocks, it keeps blocking."""
        super().add(code, detail)
        if blocking:
            self._blocking.add(code)

    def copy(self) -> "Notes":
        """The same caveats, to which others can be added."""
        notes = Notes()
        notes._noted, notes._blocking = list(self._noted), set(self._blocking)
        return notes

    def by_weight(self) -> tuple[ComparisonCaveat, ...]:
        """A caveat for each code noted, in the order of the table."""
        return tuple(
            ComparisonCaveat(code=code, message=self.message(code), blocking=code in self._blocking)
            for code in self.codes
            if code in self
        )
