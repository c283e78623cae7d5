"""All that a dual-condition result is made from: what was run, with which state, and the scores.

The judge takes this and nothing else, and the artifact holds all of it; so anyone who has the
artifact can judge again.
"""

from collections.abc import Mapping, Sequence

import msgspec

from assay.dual_condition.condition_run import DualRun
from assay.dual_condition.spec import Metric, Thresholds
from assay.dual_condition.state import Route
from assay.manifest import Entry


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """The benchmark, and the items file of each seed, by their exact bytes."""

    benchmark: str
    benchmark_digest: str
    items: Mapping[str, str]


class LayerEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """One layer: its files in production, what it holds of the items, what was taken out for C.

    `mentions` are the items that it holds something of; None where nothing tells.
    """

    files: tuple[str, ...]
    mentions: tuple[str, ...] | None = None
    rows: int | None = None
    rows_from_items: int | None = None
    rows_forgotten: int | None = None


class StateEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of the state, before, during and after the runs.

    `snapshot` and `after` are digests of production before and after, `initial` that of the
    declared beginning. `undeclared` are files of the folder that belong to no layer. `canary` says
    how a program that reaches past its folder fared.
    """

    route: Route
    private: bool
    canary: str
    canary_caught: bool
    snapshot: str
    initial: str
    after: str
    undeclared: tuple[str, ...]
    layers: Mapping[str, LayerEvidence]
    manifests: Mapping[str, tuple[Entry, ...]]


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """The code that runs loaded, by its exact bytes; `changed` are files that did not stay so."""

    spec: str
    python: str
    files: Mapping[str, str]
    changed: tuple[str, ...] = ()


class Items(msgspec.Struct, frozen=True, kw_only=True):
    """The items in the order of the scores; groups where items are not independent."""

    id: tuple[str, ...]
    positive: tuple[bool, ...]
    group: tuple[str, ...] | None = None


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """Condition B of an earlier result on the same corpus."""

    made: str
    checksum: str
    value: float
    low: float
    high: float


class DualEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """Everything; `failed` is why runs are missing, where some are."""

    corpus: str
    system: str
    metric: Metric
    threshold: float
    thresholds: Thresholds
    seeds: tuple[int, ...]
    conditions: tuple[str, ...]
    inputs: Inputs
    state: StateEvidence
    code: Code
    runs: tuple[DualRun, ...]
    items: Items
    scores: Mapping[str, Mapping[str, Sequence[float | None]]]
    history: tuple[Past, ...] = ()
    failed: str | None = None

    def of(self, condition: str) -> list[DualRun]:
        """The runs of one condition."""
        return [run for run in self.runs if run.condition == condition]
