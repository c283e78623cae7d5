"""Caveats: remarks with a code, which the reader of a result must know.

Every feature has its own table of codes, and `RANKS` says of each code how much it could change
what a reader concludes. docs/reference/caveats.md is generated from both. Screens and printed
results go by rank; records keep all caveats in their own order.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import TypeVar

import msgspec

from assay.errors import SpecError
from assay.wording import with_short_paths

Codes = Mapping[str, str]
"""The codes of a feature and what each means, the most serious first."""


class Rank(IntEnum):
    """What a caveat does to a verdict, the gravest first."""

    BLOCKS = 0
    OVERTURNS = 1
    LIMITS = 2
    NOTED = 3

    @property
    def meaning(self) -> str:
        """The rank in words."""
        return _MEANING[self]


_MEANING = {
    Rank.BLOCKS: "blocks the verdict",
    Rank.OVERTURNS: "could overturn it",
    Rank.LIMITS: "limits what it covers",
    Rank.NOTED: "for the record",
}
_OVERTURNING = (
    # The figures may not measure what they seem to.
    *("incomplete-run", "unscored", "constant-scores", "reversed", "same-ranking", "unfit"),
    *("words-not-ruled-out", "idle-control", "surface-unchecked", "other-second-corpus"),
    *("repeated-questions", "no-text", "questions-only", "no-surface-model"),
    # The method may have had more than it should.
    *("trusted-code", "scores-given", "unsealed-code", "unsealed-files"),
    # The subset still tells.
    *("ids-tell", "columns-tell"),
    # The two sides may differ by more than the change, or the runs that count were chosen.
    *("stopped-on-verdict", "order-lost", "lost-runs-decide", "missing", "crashed"),
    *("models-differ", "harness-differs", "harness-mixed", "unfinished-log", "unchecked-log"),
    *("same-content", "unverified-scorecard", "void-pairs", "spotless-gate", "narrow-gate"),
    *("assumed", "costs-more"),
    # The gain may be something else than learning, or chance of one seed.
    *("placebo-gains", "split-undecidable", "only-memorised", "helps-unseen"),
    *("nothing-forgotten", "values-in-c", "at-chance", "own-thresholds", "pilot-only"),
    *("one-seed", "few-seeds", "speaks-to"),
    # The judge's score may be its wording's, or its own work's.
    *("wording-sensitive", "same-author-model", "toy-model", "measures-disagree"),
    *("topic-not-truth", "mostly-unclear"),
)
_LIMITING = (
    *("left-out", "log-labels", "small-n", "empty-responses", "one-source"),
    *("unsealed", "unwitnessed", "seed-by-author", "seed-unprobed", "unobserved", "time-unproven"),
    *("not-isolated", "read-from-log", "learner", "batched"),
    *("harness-unknown", "tasks-left-out", "scorer-unknown", "absent", "no-gates", "unpaired"),
    *("few-instances", "undirected", "read-as", "plain-scores", "not-in-plan"),
    "trial-unnamed",
    *("average-precision", "learns-during-runs", "no-c", "seen-unknown", "uneven-seeds"),
    *("seed-blind", "b-fell", "not-private", "unseen-seeds"),
    *("abstained", "failed-calls", "unlisted-tokens", "saturated", "one-wording"),
    *("easy-controls", "few-controls", "asked-before"),
    "split-groups",
)
_NOTED = (
    *("new-ids", "grouped-by-question", "outside-seed", "resumed", "time-attested"),
    *("environment-passed", "method-printed"),
    *("either-way", "columns-not-read", "columns-left-out", "several-bars", "order-drawn"),
    "uneven-rounds",
    *("unchanged-layer", "replayed"),
)
RANKS: Mapping[str, Rank] = {
    **dict.fromkeys(_OVERTURNING, Rank.OVERTURNS),
    **dict.fromkeys(_LIMITING, Rank.LIMITS),
    **dict.fromkeys(_NOTED, Rank.NOTED),
}
"""The rank of every code. A caveat of a comparison that blocks has the rank BLOCKS instead."""


def rank_of(code: str) -> Rank:
    """The rank of a code; one from another version of Assay is taken to weigh most."""
    return RANKS.get(code, Rank.OVERTURNS)


class Caveat(msgspec.Struct, frozen=True, kw_only=True):
    """A remark that the reader of a result must know, with a code for programs."""

    code: str
    message: str

    @property
    def rank(self) -> Rank:
        """How much it could change what a reader concludes."""
        return rank_of(self.code)


MOST = 3
"""The caveats that a screen or a printed result writes out, unless more of them block."""
Noted = TypeVar("Noted", bound=Caveat)


def split_by_rank(caveats: Iterable[Noted]) -> tuple[list[Noted], list[Noted]]:
    """The caveats to write out and those to name only, the first in rank first.

    All that block a verdict are written out: each of them must be resolved.
    """
    ranked = sorted(caveats, key=lambda caveat: caveat.rank)
    most = max(MOST, sum(caveat.rank is Rank.BLOCKS for caveat in ranked))
    return ranked[:most], ranked[most:]


def caveat_lines(caveats: Iterable[Caveat]) -> list[str]:
    """The caveats of a printed result: the first in rank, and the codes of the others."""
    shown, others = split_by_rank(caveats)
    lines = [f"{caveat.code}: {with_short_paths(caveat.message)}" for caveat in shown]
    return lines + ([f"{named(others)} (`.caveats` has all)"] if others else [])


def named(caveats: Iterable[Caveat]) -> str:
    """The codes of caveats that are not written out, each once."""
    codes = list(dict.fromkeys(caveat.code for caveat in caveats))
    return f"also noted: {', '.join(codes)}"


class Caveats:
    """Collects the caveats of one table of codes; an unknown code is refused."""

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        self._noted: list[tuple[str, str]] = []

    def add(self, code: str, detail: str = "") -> None:
        """Add a caveat, with a detail for this case."""
        if code not in self.codes:
            raise SpecError(
                f"no caveat {code!r:.60}", hint=f"The codes are {', '.join(self.codes)}."
            )
        self._noted.append((code, detail))

    def __contains__(self, code: str) -> bool:
        return any(code == noted for noted, _ in self._noted)

    def in_order_noted(self) -> tuple[Caveat, ...]:
        """All caveats in the order in which they were added, repeats included."""
        return tuple(
            Caveat(code=code, message=f"{self.codes[code]} {detail}".rstrip())
            for code, detail in self._noted
        )

    def by_weight(self) -> tuple[Caveat, ...]:
        """One caveat for each code that was added, the most serious first."""
        return tuple(
            Caveat(code=code, message=self.message(code)) for code in self.codes if code in self
        )

    def message(self, code: str) -> str:
        """The text of a code, followed by every detail that was added under it."""
        details = (detail for noted, detail in self._noted if noted == code)
        return " ".join(filter(None, (self.codes[code], *details)))
