"""Caveats that follow from the numbers of a comparison, and its signature."""

import math
from collections.abc import Sequence

from assay._version import __version__
from assay.comparison.judge.caveats import Notes
from assay.comparison.judge.effects import Evidence
from assay.comparison.judge.pairing import FEWEST_PAIRS, MANY_INSTANCES
from assay.comparison.judge.table import TrialTable
from assay.comparison.result import RULE, Change, DimensionResult, Gate, Input
from assay.comparison.spec import Dimension
from assay.digests import short
from assay.logs.dimension_names import is_cost
from assay.wording import counted


def remark(
    table: TrialTable, evidence: Evidence, others: Sequence[DimensionResult], notes: Notes
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


def _spotless_words(dimension: Dimension, table: TrialTable) -> str:
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


def signature_of(table: TrialTable, evidence: Evidence, inputs: Sequence[Input]) -> str:
    """What the verdict rests on, in a line."""
    design = table.kept.design
    digests = [short(read.digest) for read in inputs]
    units = f"{counted(evidence.units, design.unit)}{_a_side(design.unit)}"
    if design.unit != "instance":
        units += f" of {counted(len(design.names), 'instance')}"
    more = " ..." if len(digests) > 4 else ""
    named = [f"inputs {', '.join(digests[:4])}{more}"] if digests else []
    return " · ".join([units, *named, RULE, f"assay {__version__}"])
