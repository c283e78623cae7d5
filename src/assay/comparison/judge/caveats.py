"""What a reader of a comparison must know, as coded data.

The codes are documented in docs/reference/caveats.md, which is made from this module.
"""

from collections.abc import Mapping

from assay.comparison.result import ComparisonCaveat

CODES: Mapping[str, str] = {
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
"""Every code, and what it warns of; the weightiest first."""


class Notes:
    """Caveats as they are found; told in the order of the codes."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[str, bool]] = {}

    def add(self, code: str, message: str = "", *, blocking: bool = False) -> None:
        """Note something; noted twice, it is said twice under one code."""
        before, blocked = self._told.get(code, ("", False))
        self._told[code] = (f"{before} {message}".strip(), blocked or blocking)

    def told(self) -> tuple[ComparisonCaveat, ...]:
        """Everything noted."""
        return tuple(
            ComparisonCaveat(
                code=code,
                message=f"{about} {self._told[code][0]}".rstrip(),
                blocking=self._told[code][1],
            )
            for code, about in CODES.items()
            if code in self._told
        )

    def __contains__(self, code: str) -> bool:
        return code in self._told
