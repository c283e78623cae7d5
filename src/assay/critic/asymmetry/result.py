"""The result of an asymmetry experiment: three measures of the same answers, side by side."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from assay.caveats import Caveat, caveat_lines
from assay.critic.result import Calls
from assay.predicted.ranges import RangeGrades
from assay.result import Result
from assay.stats.estimate import Estimate
from assay.wording import counted

FORMAT = 1
GENERATION, CRITIQUE = 0.60, 0.50
"""The published thresholds: on the similarity of v1, and on the probability of rejection."""


class Stance(StrEnum):
    """What a model's free answer says of the misconception."""

    AFFIRMS = "affirms"
    REFUTES = "refutes"
    UNCLEAR = "unclear"


class Quadrant(StrEnum):
    """What the model says on its own, and what it says of the misconception when shown it.

    `asymmetric`: it affirms the misconception, and rejects it. `consistent-wrong`: it affirms and
    accepts. `consistent-right`: it does not affirm, and rejects. `neither`: it does neither.
    """

    ASYMMETRIC = "asymmetric"
    CONSISTENT_WRONG = "consistent-wrong"
    CONSISTENT_RIGHT = "consistent-right"
    NEITHER = "neither"


class Misconception(msgspec.Struct, frozen=True, kw_only=True):
    """One misconception: the model's free answer, and every measurement of it.

    `p_no` is the probability that the model rejects the misconception; None if it abstained.
    """

    id: str
    answer: str
    similarity: float | None
    p_no: float | None
    v2: Stance
    v3: Stance


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One measure over all items: the share of each quadrant, and of what it could not decide."""

    name: str
    about: str
    n: int
    quadrants: Mapping[str, int]
    unclear: int
    asymmetric: Estimate
    unclear_rate: Estimate


class Asymmetry(Result, frozen=True, kw_only=True):
    """How often a model affirms, on its own, what it rejects when it is shown it.

    `measures` are v1 (similarity), v2 (agree or disagree) and v3 (one character). `disagreements`
    are the ids on which v1 and v3 say opposite things. `grades` are of the ranges that were sealed.

    Example:
        >>> import assay
        >>> found = assay.asymmetry("darkcore", model="local")  # doctest: +SKIP
        >>> found.measures[2].asymmetric.value  # doctest: +SKIP
        0.06
        >>> "disagreements" in assay.Asymmetry.__struct_fields__
        True
    """

    format: int
    model: str
    encoder: str | None
    prompt: str
    data: str
    digest: str
    n: int
    generation_at_least: float
    critique_at_least: float
    measures: tuple[Measure, ...]
    disagreements: tuple[str, ...]
    grades: RangeGrades | None
    cassette: Calls | None
    caveats: tuple[Caveat, ...]
    items: tuple[Misconception, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each item."""
        return [msgspec.structs.asdict(item) for item in self.items]

    def lines(self) -> Sequence[str]:
        """The rate by each measure, and where they disagree."""
        opposite = counted(len(self.disagreements), "item")
        return [
            f"{self.data:.60}: {counted(self.n, 'misconception')}, by {self.model:.80}",
            *(
                f"{each.name} ({each.about}): {each.asymmetric} asymmetric,"
                f" {each.unclear_rate} unclear"
                for each in self.measures
            ),
            f"v1 and v3 say opposite things of {opposite}",
            *([] if self.grades is None else [str(self.grades)]),
            *caveat_lines(self.caveats),
        ]
