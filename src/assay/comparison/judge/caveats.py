"""The caveats of comparisons, those that follow from the numbers, and the signature."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay._version import __version__
from assay.caveats import Caveats, Codes
from assay.comparison.judge.pairing import FEWEST_PAIRS, MANY_INSTANCES
from assay.comparison.result import RULE, Change, ComparisonCaveat, DimensionResult, Gate, Input
from assay.digests import short
from assay.logs.trial import is_cost
from assay.wording import counted

if TYPE_CHECKING:  # tables are made with notes, and remarks are made of tables
    from assay.comparison.judge.effects import Evidence
    from assay.comparison.judge.table import TrialTable
    from assay.comparison.spec import Dimension


CODES: Codes = {
    "stopped-on-verdict": "The runs were made until there was a verdict, so only a comparison that"
    " reckons with looking is fair: --sequential.",
    "missing": "Values are missing.",
    "crashed": "Runs crashed, or are on one side only.",
    "harness-differs": "The sides were not made by the same harness, so the change is not all that"
    " changed.",
    "harness-mixed": "Runs of one side were made by different harnesses.",
    "harness-unknown": "Only one side says what its runs were made with.",
    "scorer-unknown": "Only some runs say what scored them.",
    "absent": "No run has these dimensions, so they are not compared.",
    "same-content": "Runs have the same bytes and no ids that would tell them apart: given twice?",
    "several-bars": "A stored run was judged under several versions of the bars; the newest is"
    " compared.",
    "unverified-scorecard": "A stored run could not be judged again, since its data or bars are not"
    " at hand: its scorecard is taken as it is.",
    "void-pairs": "Pairs are void: an arm did not show that it had the artifact, or had it not.",
    "spotless-gate": "No run of the candidate was short of the ideal, and no more is known.",
    "no-gates": "No dimension is gated, so no single loss forbids a verdict.",
    "assumed": "Nobody said what these columns are; they are taken for scores from 0 to 1, more"
    " being better.",
    "undirected": "Nobody said which way is better in these columns, so they decide nothing.",
    "unpaired": "Runs are compared one by one, as independent ones.",
    "uneven-rounds": "Instances have unequal numbers of pairs, and what fills no whole round over"
    " all of them is not looked at.",
    "few-instances": "There are too few instances to speak of others: this is about these.",
    "small-n": "So few runs show only what is very large.",
    "costs-more": "The candidate is shown to cost more.",
}


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

    def by_weight(self) -> tuple[ComparisonCaveat, ...]:
        """A caveat for each code noted, in the order of the table."""
        return tuple(
            ComparisonCaveat(code=code, message=self.message(code), blocking=code in self._blocking)
            for code in self.codes
            if code in self
        )


def remark(
    table: "TrialTable", evidence: "Evidence", others: Sequence[DimensionResult], notes: Notes
) -> None:
    """Note the caveats that follow from the numbers."""
    design, units = table.kept.design, evidence.units
    for effect in evidence.dimensions:
        if effect.gate is Gate.SPOTLESS:
            notes.add("spotless-gate", _spotless_words(effect.dimension, table))
    if not any(dimension.gated for dimension in (*table.counting, *table.incomparable)):
        notes.add("no-gates")
    if design.unit == "run":
        pairs = len(table.kept.pairs)
        why = "too few to go by" if pairs < FEWEST_PAIRS else "no more alike than other runs"
        notes.add("unpaired", f"{_there(pairs, 'pair')}, {why}." if design.paired else "")
    if 1 < len(design.names) < MANY_INSTANCES and len(table.values[0]) > len(design.names):
        notes.add("few-instances", f"There are {len(design.names)}.")
    if units < FEWEST_PAIRS:
        notes.add("small-n", f"{_there(units, design.unit)}{_a_side(design.unit)}.")
    if evidence.looked and table.kept.matched > evidence.whole:
        left = table.kept.matched - evidence.whole
        notes.add("uneven-rounds", f"{_there(left, 'such pair')}.")
    dearer = [cost.name for cost in others if cost.cls is Change.DECLINE and is_cost(cost.name)]
    if dearer:
        notes.add("costs-more", f"In {', '.join(dearer)}.")


def _there(number: int, what: str) -> str:
    return f"There {'is' if number == 1 else 'are'} {counted(number, what)}"


def _a_side(unit: str) -> str:
    return " a side" if unit == "run" else ""


def _spotless_words(dimension: "Dimension", table: "TrialTable") -> str:
    """What a spotless record rules out, and how many runs would rule out the margin."""
    kept = table.kept
    runs = len(kept.pairs) if kept.design.unit == "pair" else kept.rows[1].size
    margin = dimension.scaled_margin
    worst = 1.0 - 0.05 ** (1.0 / max(runs, 1))
    needed = math.ceil(math.log(0.05) / math.log1p(-margin))
    rules = "rules" if runs == 1 else "rule"
    record = f"{dimension.name}: {counted(runs, 'run')} {rules} out that more than {worst:.0%}"
    if runs < needed:
        return f"{record} fall short; to rule out {margin:.0%} takes {needed}."
    return f"{record} fall short, if they are independent."


def signature_of(table: "TrialTable", evidence: "Evidence", inputs: Sequence[Input]) -> str:
    """What the verdict rests on, in a line."""
    design = table.kept.design
    digests = [short(read.digest) for read in inputs]
    units = f"{counted(evidence.units, design.unit)}{_a_side(design.unit)}"
    if design.unit != "instance":
        units += f" of {counted(len(design.names), 'instance')}"
    more = " ..." if len(digests) > 4 else ""
    named = [f"inputs {', '.join(digests[:4])}{more}"] if digests else []
    return " · ".join([units, *named, RULE, f"assay {__version__}"])
