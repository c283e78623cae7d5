"""What a dual-condition evaluation comes to."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from assay.caveats import Caveat


class RowState(StrEnum):
    """What a row of the matrix is worth."""

    REPORTED = "reported"
    BLOCKED = "blocked"
    PILOT_ONLY = "pilot-only"
    ONE_SIDED = "one-sided"


class Regime(StrEnum):
    """What the state is to the system."""

    POLISH = "polish"
    HARMFUL = "harmful"
    MEMORISED = "memorised"
    MEMORY_CARRIED = "memory-carried"
    DEPENDENT = "dependent"
    LEARNING = "learning"
    UNDETERMINED = "undetermined"

    @property
    def favourable(self) -> bool:
        """Whether the system can do without its state, or learns what transfers."""
        return self in (Regime.POLISH, Regime.LEARNING)


class Precondition(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a precondition holds, and what shows it."""

    holds: bool
    evidence: str


class Quantity(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over seeds with its interval over items and seeds, and what each seed gave.

    `t_interval` is Student's over seeds alone, which says nothing of other items.
    """

    value: float
    interval: tuple[float, float]
    per_seed: Mapping[str, float]
    t_interval: tuple[float, float] | None = None


class Subset(msgspec.Struct, frozen=True, kw_only=True):
    """A - B on some of the items; None where they are all of one class, or none."""

    items: int
    positives: int
    learning_contribution: Quantity | None


class LayerResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a layer is worth: A without it, A minus that, and its Shapley value where asked."""

    without: Quantity | None = None
    contribution: Quantity | None = None
    shapley: Quantity | None = None


class PlaceboResult(msgspec.Struct, frozen=True, kw_only=True):
    """A state that can teach nothing: what it reaches, its gain over B, and A's over it."""

    reached: Quantity
    gain: Quantity
    beyond: Quantity


class EnteredResult(msgspec.Struct, frozen=True, kw_only=True):
    """The study whose ledger names a result file, and the entry by which its run brought it."""

    study: str
    entry: int


class DualResult(msgspec.Struct, frozen=True, kw_only=True):
    """The row: its state and why, the quantities, the regime, caveats, preconditions.

    `split` says whether A - B can be split into memorisation and transfer; where it cannot, C has
    no numbers. None where C was not run.
    """

    row: RowState
    reasons: tuple[str, ...]
    regime: Regime | None
    preconditions: Mapping[str, Precondition]
    caveats: tuple[Caveat, ...]
    level: float
    how: str | None = None
    a: Quantity | None = None
    b: Quantity | None = None
    c: Quantity | None = None
    learning_contribution: Quantity | None = None
    memorisation: Quantity | None = None
    transfer: Quantity | None = None
    split: Precondition | None = None
    seen: Subset | None = None
    unseen: Subset | None = None
    layers: Mapping[str, LayerResult] = {}
    placebo: PlaceboResult | None = None

    @property
    def exit_code(self) -> int:
        """0 a favourable regime, 1 any other, 3 a blocked row."""
        if self.row is RowState.BLOCKED:
            return 3
        hollow = {caveat.code for caveat in self.caveats} & {"only-memorised", "at-chance"}
        return 0 if self.regime is not None and self.regime.favourable and not hollow else 1
