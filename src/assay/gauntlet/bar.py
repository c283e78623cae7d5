"""A bar: a metric on one or more partitions against a threshold.

With `minus` it is the metric minus a surface feature's AUC on the same items (`raw`: the AUC
itself, `better`: the larger of it and its complement), and the threshold is the margin. With
`beyond = "surface"` it is the AUC of the part that all declared surface features together do not
predict; with `within = "source"` it is the AUC over pairs of one source, and the bar applies only
to data with several sources. A bar over several partitions is passed only if it is passed on each.
"""

from typing import Literal

import msgspec

from assay.benchmark.expression import Expression


class Control(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The surface feature whose AUC a bar subtracts, and its direction."""

    feature: str
    direction: Literal["raw", "better"]


class Bar(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric against a threshold; `of` is the class of an F1."""

    id: str
    metric: str
    at_least: float
    partitions: tuple[str, ...] = ()
    of: str | None = None
    minus: Control | None = None
    beyond: Literal["surface", "lexical"] | None = None
    within: Literal["source"] | None = None
    corpus: Literal["main", "second"] = "main"

    @property
    def on(self) -> str:
        """The data that it is about."""
        return ", ".join(self.partitions) or ("second corpus" if self.corpus == "second" else "all")


class Partition(msgspec.Struct, frozen=True, kw_only=True):
    """Positives against negatives; items that satisfy neither expression are left out."""

    name: str
    positive: Expression
    negative: Expression
