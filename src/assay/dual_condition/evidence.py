"""The evidence of a dual-condition result: the runs, their states, and the scores.

The judge uses nothing else, and the result file holds all of it, so the file alone is enough to
judge again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from assay.digests import FileEntry

Metric = Literal["auroc", "accuracy", "f1", "average-precision"]
Route = Literal["parameter", "environment", "namespace", "in-place"]
Scores = list[float | None]
_FLOOR_SHARE = 0.3


class Thresholds(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The thresholds of the regimes, in units of the metric.

    The default `memory_floor` is three tenths of the way from chance to 1: .65 for an AUC.
    """

    polish: float = 0.02
    memory_gap: float = 0.05
    memory_floor: float | None = None
    dependent: float = 0.02

    def floor(self, chance: float) -> float:
        """The value below which B can hardly do the task, given what chance reaches."""
        if self.memory_floor is not None:
            return self.memory_floor
        return chance + _FLOOR_SHARE * (1.0 - chance)


class DualRun(msgspec.Struct, frozen=True, kw_only=True):
    """One observed run. Paths in the state are relative to its folder, all others absolute.

    `before` and `after` are digests of its state. `opened` are files of the state that existed and
    were opened, `changed` those that differ afterwards. `undeclared` are other files that it read,
    `outside` those that it wrote outside its own folder, `production` those of production itself.
    `code` maps code and declared files to their digests. `route`, `private` and `python` say how
    and by which Python it was run: another may resume the evaluation.
    """

    condition: str
    seed: int
    items: str
    before: str
    after: str
    opened: tuple[str, ...]
    changed: tuple[str, ...]
    code: Mapping[str, str]
    undeclared: tuple[str, ...]
    outside: tuple[str, ...]
    production: tuple[str, ...]
    peers: tuple[str, ...]
    all_noted: bool
    unscored: int
    seconds: float
    route: Route = "parameter"
    private: bool = True
    python: str = ""


class Inputs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The benchmark, and the items file of each seed, by their exact bytes.

    `changes` are records left out and ids replaced, if any, by caveat code.
    """

    benchmark: str
    benchmark_digest: str
    items: Mapping[str, str]
    changes: Mapping[str, str] = {}


class LayerEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """One layer: its files in production, the items it mentions, and the rows removed for C.

    `mentions` are the items it has traces of; None if that is unknown.
    """

    files: tuple[str, ...]
    mentions: tuple[str, ...] | None = None
    rows: int | None = None
    rows_from_items: int | None = None
    rows_forgotten: int | None = None


class ItemTrace(msgspec.Struct, frozen=True, kw_only=True):
    """A file of C that still repeats items: how many, and one of them."""

    file: str
    items: int
    example: str


class UnreadableFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of C with values that cannot be looked up; `rewritten` by `state.forget`."""

    file: str
    values: int
    rewritten: bool = False


class UndividedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of which C lacks entries that name items and hold texts of no item as well."""

    file: str
    entries: int


class Remains(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in the files of C after all that came from the items was taken out.

    `undivided` are files of which more may have been taken out, since no shape told entries apart.
    """

    files: int
    traces: tuple[ItemTrace, ...] = ()
    unreadable: tuple[UnreadableFile, ...] = ()
    undivided: tuple[UndividedFile, ...] = ()


class StateEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The observations of the state before, during and after the runs.

    `snapshot` and `after` are digests of production before and after, `initial` is the digest of
    the declared initial state. `undeclared` are files of the folder that belong to no layer.
    `canary` says whether a program that reaches outside its folder was caught. `remains` is None
    without C.
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
    manifests: Mapping[str, tuple[FileEntry, ...]]
    remains: Remains | None = None


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """The code that runs loaded, by its exact bytes; `changed` are files that changed meanwhile."""

    spec: str
    python: str
    files: Mapping[str, str]
    changed: tuple[str, ...] = ()


class Items(msgspec.Struct, frozen=True, kw_only=True):
    """The items in the order of the scores, with groups if they are not independent.

    `commonest` is for items that are solved, not scored: the share that the most common right
    answer solves. Every such item is a positive, with score 1 if its answer was right.
    """

    id: tuple[str, ...]
    positive: tuple[bool, ...]
    group: tuple[str, ...] | None = None
    commonest: float | None = None

    @property
    def solved(self) -> bool:
        """Whether the system answers items, rather than scoring them."""
        return self.commonest is not None

    def chance(self, metric: Metric) -> float:
        """What a system reaches that gives every item the same answer."""
        share = sum(self.positive) / len(self.positive)
        match metric:
            case "auroc":
                return 0.5
            case "accuracy":
                return max(share, 1.0 - share) if self.commonest is None else self.commonest
            case "f1":
                return 2.0 * share / (1.0 + share)
            case "average-precision":
                return share


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """Condition B of an earlier result on the same corpus."""

    made: str
    checksum: str
    value: float
    low: float
    high: float


class DualEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """All evidence; `failed` is why runs are missing, if some are.

    `services` are addresses that the spec names as part of the system.
    """

    corpus: str
    system: str
    services: tuple[str, ...] = ()
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


def subset_name(layers: Sequence[str], kept: Iterable[str]) -> str:
    """The name of the condition that has only these layers of production."""
    chosen = [name for name in layers if name in set(kept)]
    if len(chosen) == len(layers):
        return "A"
    if not chosen:
        return "B"
    if len(chosen) == len(layers) - 1:
        return f"without-{next(name for name in layers if name not in chosen)}"
    return f"only-{'+'.join(chosen)}"
