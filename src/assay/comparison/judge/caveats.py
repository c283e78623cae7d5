"""The caveats of comparisons."""

from collections.abc import Iterable

from assay.caveats import Caveats, Codes
from assay.comparison.result import ComparisonCaveat

CODES: Codes = {
    "stopped-on-verdict": "The runs were made until there was a verdict, so only a comparison that"
    " reckons with looking is fair: --sequential.",
    "order-lost": "The runs were made until there was a verdict, and nothing says in which order.",
    "lost-runs-decide": "Whether missing values and crashed runs are left out or count as failures"
    " decides the verdict.",
    "missing": "Values are missing.",
    "crashed": "Runs crashed, or are on one side only.",
    "either-way": "What is missing or crashed is left out; counted as failures it gives the same"
    " verdict.",
    "models-differ": "The sides are different models, and that is what is compared.",
    "harness-differs": "The sides were not made by the same harness, so the change is not all that"
    " changed.",
    "harness-mixed": "Runs of one side were made by different harnesses.",
    "harness-unknown": "Only one side says what its runs were made with, or all of it.",
    "unfinished-log": "A log is of a run that did not finish.",
    "unchecked-log": "Not everything that a log says could be computed again.",
    "tasks-left-out": "Not every side has runs of these tasks, which are not compared.",
    "scorer-unknown": "Only some runs say what scored them.",
    "absent": "No run has these dimensions, so they are not compared.",
    "columns-left-out": "Columns that are no evidence of their own are left out.",
    "same-content": "Runs have the same bytes and no ids that would tell them apart: given twice?",
    "several-bars": "A stored run was judged under several versions of the bars; the newest is"
    " compared.",
    "unverified-scorecard": "A stored run could not be judged again, since its data or bars are not"
    " at hand: its scorecard is taken as it is.",
    "void-pairs": "Pairs are void: an arm did not show that it had the artifact, or had it not.",
    "spotless-gate": "No run of the candidate was short of the ideal, and no more is known.",
    "narrow-gate": "A gate lost less than its margin if no run loses more than was seen, and no"
    " more is known.",
    "no-gates": "No dimension is gated, so no single loss forbids a verdict.",
    "assumed": "These columns are taken for scores from 0 to 1, more being better; a plan can say"
    " otherwise.",
    "undirected": "These columns decide nothing, since no plan says which way is better.",
    "unpaired": "Runs are compared one by one, as independent ones.",
    "order-drawn": "The order in which runs are looked at was drawn by the seed, since nothing says"
    " that theirs was.",
    "uneven-rounds": "Instances have unequal numbers of pairs, and what fills no whole round over"
    " all of them is not looked at.",
    "few-instances": "There are too few instances to speak of others: this is about these.",
    "small-n": "So few runs show only what is very large.",
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
        """Note a caveat; one that blocks once goes on blocking."""
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
