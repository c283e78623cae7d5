"""The result of a dual-condition evaluation."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from assay.caveats import Caveat, caveat_lines
from assay.result import Result
from assay.wording import counted, interval, percent


class RowState(StrEnum):
    """The state of a row of the matrix."""

    REPORTED = "reported"
    BLOCKED = "blocked"
    PILOT_ONLY = "pilot-only"
    ONE_SIDED = "one-sided"


class Regime(StrEnum):
    """The role of the state for the system."""

    POLISH = "polish"
    HARMFUL = "harmful"
    MEMORISED = "memorised"
    MEMORY_CARRIED = "memory-carried"
    DEPENDENT = "dependent"
    LEARNING = "learning"
    UNDETERMINED = "undetermined"

    @property
    def favourable(self) -> bool:
        """Whether the system does well without its state, or learns what transfers."""
        return self in (Regime.POLISH, Regime.LEARNING)


class Precondition(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a precondition holds, and the evidence."""

    holds: bool
    evidence: str


class Quantity(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over seeds, its interval over items and seeds, and the value of each seed.

    `t_interval` is Student's t over seeds alone; it says nothing about other items.
    """

    value: float
    interval: tuple[float, float]
    per_seed: Mapping[str, float]
    t_interval: tuple[float, float] | None = None

    def said(self, *, sign: bool = False) -> str:
        """The value and its interval."""
        return f"{self.value:{'+' if sign else ''}.4f} {interval(*self.interval)}"


class Subset(msgspec.Struct, frozen=True, kw_only=True):
    """A - B on some of the items; None if there are none, or only one class."""

    items: int
    positives: int
    learning_contribution: Quantity | None

    @property
    def said(self) -> str:
        """The gain on them, or why there is none."""
        if self.learning_contribution is None:
            return "one class only" if self.items else "there are none"
        return self.learning_contribution.said(sign=True)


class LayerResult(msgspec.Struct, frozen=True, kw_only=True):
    """The worth of a layer: A without it, A minus that, and its Shapley value if requested."""

    without: Quantity | None = None
    contribution: Quantity | None = None
    shapley: Quantity | None = None


class PlaceboResult(msgspec.Struct, frozen=True, kw_only=True):
    """A state that can teach nothing: its value, its gain over B, and the gain of A over it."""

    reached: Quantity
    gain: Quantity
    beyond: Quantity


class OmittedEntries(msgspec.Struct, frozen=True, kw_only=True):
    """How many of a layer's entries C lacks."""

    files: tuple[str, ...]
    entries: int
    of: int

    def said(self, layer: str) -> str:
        """In words: `memory.json without 60 of 160 entries`."""
        what = self.files[0] if len(self.files) == 1 else f"{layer} ({len(self.files)} files)"
        return f"{what} without {self.entries:,} of {counted(self.of, 'entry')}"


class EnteredResult(msgspec.Struct, frozen=True, kw_only=True):
    """The study whose ledger names a result file, and the entry of its run."""

    study: str
    entry: int


class DualResult(Result, frozen=True, kw_only=True):
    """The row: its state with reasons, the quantities, the regime, caveats, preconditions.

    `split` says whether A - B can be split into memorisation and transfer; where it cannot, C has
    no numbers. None where C was not run. `left_out` is what C lacks, by layer, where rules of the
    layer took it out.

    Example:
        >>> import assay, msgspec
        >>> stored = {  # as `assay.dual` makes it; see there for a whole run
        ...     "row": "reported", "reasons": [], "regime": "learning", "level": 0.95,
        ...     "preconditions": {}, "caveats": [],
        ...     "learning_contribution": {"value": 0.19, "interval": [0.16, 0.22], "per_seed": {}},
        ... }
        >>> result = msgspec.convert(stored, assay.DualResult)
        >>> print(result.regime.value, result.learning_contribution.value, result.exit_code)
        learning 0.19 0
        >>> result.to_rows()[0]["about"]
        'A - B, what the state adds'
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
    left_out: Mapping[str, OmittedEntries] = {}
    seen: Subset | None = None
    unseen: Subset | None = None
    layers: Mapping[str, LayerResult] = {}
    placebo: PlaceboResult | None = None

    @property
    def exit_code(self) -> int:
        """0 for a favourable regime, 1 for any other, 3 for a blocked row."""
        if self.row is RowState.BLOCKED:
            return 3
        hollow = {caveat.code for caveat in self.caveats} & {"only-memorised", "at-chance"}
        return 0 if self.regime is not None and self.regime.favourable and not hollow else 1

    @property
    def meaning(self) -> str:
        """The regime, or the state of the row, in words."""
        if self.row is RowState.BLOCKED:
            return "no numbers: a precondition does not hold"
        if self.row is not RowState.REPORTED or self.regime is None:
            return "; ".join(self.reasons)
        gain, split = self.learning_contribution, self.split
        gains = gain is not None and gain.interval[0] > 0.0
        undecided = split is not None and not split.holds
        if self.regime is Regime.UNDETERMINED and gains and undecided:
            return "its state helps; whether by memory of these very items cannot be told"
        if "helps-unseen" in {caveat.code for caveat in self.caveats}:
            return (
                "its state helps, also with items that it holds nothing of; whether it memorised or"
                " learnt from the others cannot be told"
            )
        return f"{_MEANING[self.regime]}{self._origin}"

    @property
    def _origin(self) -> str:
        """Whether a gain comes from the benchmark's own items, if C can show it."""
        explained = self.regime in (Regime.LEARNING, Regime.MEMORY_CARRIED)
        if not explained or self.memorisation is None or self.transfer is None:
            return ""
        if self.transfer.value > self.memorisation.value:
            return "; most of the gain was learnt elsewhere"
        return "; most of the gain is memory of these very items"

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each quantity: the conditions and their differences."""
        return [
            {
                "quantity": name,
                "about": about,
                "value": quantity.value,
                "low": quantity.interval[0],
                "high": quantity.interval[1],
            }
            for name, about, quantity in self._quantities()
        ]

    def lines(self) -> list[str]:
        """The regime and its meaning, the conditions and their differences."""
        reported = self.row is RowState.REPORTED and self.regime is not None
        word = str(self.regime if reported else self.row)
        said = [f"{word.upper()}: {self.meaning}"]
        if self.row is RowState.BLOCKED:
            return [*said, *self.reasons[:4]]
        for name, about, quantity in self._quantities():
            said.append(f"{about}: {quantity.said(sign=name not in ('a', 'b', 'c'))}")
            if name == "c":
                said += [f"  {line}" for line in self.left_out_lines()]
        for what, subset in (("seen", self.seen), ("unseen", self.unseen)):
            if subset is not None:
                said += [f"A - B on {subset.items} items {what}: {subset.said}"]
        if self.split is not None and not self.split.holds:
            said += self.left_out_lines()
            said.append(f"memorisation and transfer are not decidable: {self.split.evidence}")
        holding = sum(precondition.holds for precondition in self.preconditions.values())
        known = f"preconditions {holding}/{len(self.preconditions)}"
        how = f"{percent(self.level)} intervals over items and seeds · {known}"
        return [*said, *caveat_lines(self.caveats), how]

    def left_out_lines(self) -> list[str]:
        """What C lacks, a line a layer."""
        return [f"C: {each.said(layer)}" for layer, each in self.left_out.items()]

    def _quantities(self) -> list[tuple[str, str, Quantity]]:
        named = (
            ("a", "A, all its state", self.a),
            ("b", "B, none of it", self.b),
            ("c", "C, without what it saw here", self.c),
            ("learning_contribution", "A - B, what the state adds", self.learning_contribution),
            ("memorisation", "A - C, memorisation", self.memorisation),
            ("transfer", "C - B, transfer", self.transfer),
        )
        return [(name, about, each) for name, about, each in named if each is not None]


_MEANING = {
    Regime.POLISH: "the state changes next to nothing: the system does as well without it",
    Regime.HARMFUL: "it does worse with its state than without",
    Regime.MEMORISED: "the gain is memory of these very items: it learnt the test itself",
    Regime.MEMORY_CARRIED: "without its state it can hardly do the task",
    Regime.DEPENDENT: "without its state it does worse than before: it now depends on it",
    Regime.LEARNING: "its state helps",
    Regime.UNDETERMINED: "the runs cannot decide",
}
