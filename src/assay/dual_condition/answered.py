"""The evidence of a system that answers items: also how its wrong answers are written.

An answer that holds its target beside other words is wrong in form alone, perhaps. If many are, the
share of right answers measures how a system writes.
"""

from collections.abc import Mapping, Sequence

import msgspec

from assay.dual_condition.evidence import DualEvidence

MOST_SHOWN = 3


class WrongAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that does not equal its target; both are shortened. `holds` says if it holds it."""

    id: str
    answer: str
    target: str
    holds: bool

    @property
    def said(self) -> str:
        """Both texts, and the item."""
        return f"{self.answer!r} where the target is {self.target!r} (item {self.id:.40})"


class AnswerForms(msgspec.Struct, frozen=True, kw_only=True):
    """How many wrong answers of a run hold their target, and the first of all wrong ones.

    Those that hold it come first.
    """

    holding: int
    wrong: tuple[WrongAnswer, ...]


class AnsweredEvidence(DualEvidence, frozen=True, kw_only=True):
    """The evidence of answers, by condition and seed."""

    answers: Mapping[str, Mapping[str, AnswerForms]]


def shown_answers(forms: Sequence[AnswerForms]) -> list[WrongAnswer]:
    """A few wrong answers of some runs, one an item; those that hold their target come first."""
    by_item = {each.id: each for run in reversed(forms) for each in run.wrong}
    return sorted(by_item.values(), key=lambda each: not each.holds)[:MOST_SHOWN]
