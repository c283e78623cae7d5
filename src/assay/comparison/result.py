"""A comparison: what a candidate is worth beside its baseline, and what may be done about it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

import msgspec

from assay.caveats import Caveat
from assay.comparison.spec import Dimensions

RULE = "net-effect/2"


class NetVerdict(StrEnum):
    """What the trials allow.

    RATIFY: an effect is shown, nothing gated is in doubt, nothing is shown worse. REJECT: harm is
    shown on a gated dimension, or on balance. NO_EFFECT: every dimension is shown to be inside its
    margin. INCONCLUSIVE: none of these, or something blocks.
    """

    RATIFY = "ratify"
    REJECT = "reject"
    NO_EFFECT = "no-effect"
    INCONCLUSIVE = "inconclusive"

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self is NetVerdict.RATIFY


class Change(StrEnum):
    """What happened to a dimension, as far as it is shown.

    A repair ends at the ideal and did not begin there; a regression the other way round. Inside the
    margin is equivalent, whether or not a difference can be seen.
    """

    REPAIR = "repair"
    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    DECLINE = "decline"
    EQUIVALENT = "equivalent"
    UNCLEAR = "unclear"


BETTER = frozenset({Change.REPAIR, Change.IMPROVEMENT})
WORSE = frozenset({Change.REGRESSION, Change.DECLINE})


class ComparisonCaveat(Caveat, frozen=True, kw_only=True):
    """Something to know; where it blocks, there is no verdict until it is dealt with."""

    blocking: bool = False


class Gate(StrEnum):
    """What is known of a gated dimension.

    SHOWN: the loss is shown to be smaller than the margin. SPOTLESS: no run of the candidate was
    short of the ideal, and there are too few to show more. NARROW: the loss is smaller than the
    margin if no run loses more than was seen, and there are too few to show more. DOUBT: none of
    these.
    """

    SHOWN = "shown"
    SPOTLESS = "spotless"
    NARROW = "narrow"
    DOUBT = "doubt"


class DimensionResult(msgspec.Struct, frozen=True, kw_only=True):
    """One dimension on both sides. `low` and `high` are the 95 % interval of `delta`.

    `p` holds for all dimensions that count together. An unknown value is None. `gate` is the
    state of a gated dimension.
    """

    name: str
    gated: bool
    counts: bool
    better: str | None
    ideal: float | None
    margin: float
    baseline: float | None
    candidate: float | None
    delta: float | None
    low: float | None
    high: float | None
    p: float | None
    cls: Change | None = msgspec.field(name="class")
    gate: Gate | None
    n: int


class Balance(msgspec.Struct, frozen=True, kw_only=True):
    """All dimensions that count as one: the weighted mean of differences, on a scale of 0 to 1."""

    value: float
    low: float | None
    high: float | None
    p: float


class Flip(msgspec.Struct, frozen=True, kw_only=True):
    """An instance that most runs of one side had at the ideal, and most of the other had not."""

    instance: str
    dimension: str
    to: str
    baseline: str
    candidate: str


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """What was read for a side, by the digest of its bytes, and which columns were what in it.

    `described` says what a harness's log holds. `name` is the value of the column `by` where that
    tells the sides apart; `where` is the expression that chose the rows or logs.
    """

    side: str
    kind: str
    digest: str
    trials: int
    columns: Mapping[str, str | tuple[str, ...]] | None = None
    described: str | None = None
    name: str | None = None
    by: str | None = None
    where: str | None = None


class Looks(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison that may be looked at after every pair: when it was decided, if it was."""

    units: int
    decided_at: int | None


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything but the trials that a comparison depends on.

    `assumed` says that only the columns told what the dimensions of the plan are.
    """

    plan: Dimensions
    unit: Literal["auto", "instance", "run"]
    sequential: bool
    resamples: int
    seed: int
    level: float
    assumed: bool = False


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two sides compared by the rule that `rule` names.

    `pairs` is 0 where runs do not pair. `unit` says what was taken as one piece of evidence.
    `needed_pairs` is how many more pairs (or runs a side) would bring a verdict with 80 %
    probability if the estimates are right; None where nothing is open or no number would.
    """

    verdict: NetVerdict
    because: str
    rule: str
    n_baseline: int
    n_candidate: int
    pairs: int
    instances: int
    unit: str
    balance: Balance | None
    dimensions: tuple[DimensionResult, ...]
    flips: tuple[Flip, ...]
    needed_pairs: int | None
    looks: Looks | None
    caveats: tuple[ComparisonCaveat, ...]
    inputs: tuple[Input, ...]
    artifact: str | None
    harness: Mapping[str, Mapping[str, str]]
    settings: Settings
    signature: str

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self.verdict.favourable

    @property
    def blocked(self) -> bool:
        """Whether something forbids a verdict."""
        return any(caveat.blocking for caveat in self.caveats)

    def __str__(self) -> str:
        return f"{self.verdict.upper()}: {self.because} · {self.signature}"


class ComparedPair(msgspec.Struct, frozen=True, kw_only=True):
    """One of several comparisons: of which task, and of which side with which."""

    task: str | None
    baseline: str
    candidate: str
    comparison: Comparison


class Comparisons(msgspec.Struct, frozen=True, kw_only=True):
    """Several comparisons that hold together at `level`: each is made at a higher one.

    With k comparisons each is made at 1 - (1 - level) / k (Bonferroni), so that the chance of any
    false verdict among them is at most that of one comparison alone.
    """

    sides: tuple[str, ...]
    pairs: tuple[ComparedPair, ...]
    level: float

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0: every comparison ratifies."""
        return all(pair.comparison.favourable for pair in self.pairs)

    def __str__(self) -> str:
        return "\n".join(
            f"{pair.candidate} against {pair.baseline}"
            f"{'' if pair.task is None else f', {pair.task}'}: {pair.comparison}"
            for pair in self.pairs
        )
