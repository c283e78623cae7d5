"""Judging kept scores: each condition, their differences, and what they say of the state.

    A - B   learning contribution     A - C   memorisation     C - B   transfer

A row whose preconditions do not all hold is blocked and has no numbers. One with too few items of a
class has numbers and is a pilot.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import factorial

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.dual_condition.evidence import DualEvidence, Thresholds, subset_name
from assay.dual_condition.judge.caveats import told
from assay.dual_condition.judge.preconditions import check_preconditions, reasons_of
from assay.dual_condition.judge.regime import is_pilot, regime_of, surely_fell
from assay.dual_condition.result import (
    DualResult,
    LayerResult,
    PlaceboResult,
    Quantity,
    Regime,
    RowState,
    Subset,
)
from assay.errors import OneSidedResult
from assay.stats.arrays import Floats
from assay.stats.clusters import effective_groups
from assay.stats.codes import coded
from assay.stats.crossed import Crossed, cross
from assay.stats.estimate import Estimate
from assay.wording import counted

LEVEL = 0.95
Groups = Sequence[str] | None
_FEW_SEEDS = 3


def judge_dual(evidence: DualEvidence) -> DualResult:
    """The result that this evidence gives: the same evidence, the same result."""
    lost = [name for name in ("A", "B") if name not in evidence.conditions]
    if lost:
        raise OneSidedResult(
            f"{evidence.corpus}: there is no condition {lost[0]}",
            hint="One side tells nothing of what the state adds: run both.",
        )
    checked = check_preconditions(evidence)
    if not all(one.holds for one in checked.values()):
        return DualResult(
            row=RowState.BLOCKED,
            reasons=reasons_of(checked),
            regime=None,
            preconditions=checked,
            caveats=(),
            level=LEVEL,
        )
    table = _whole(evidence)
    difference = table.crossed.difference(table.at("A"), table.at("B"), level=LEVEL)
    without = table.crossed.condition(table.at("B"), level=LEVEL)
    placebo = _placebo(table)
    beyond = None
    if "placebo" in evidence.conditions:
        beyond = table.crossed.difference(table.at("A"), table.at("placebo"), level=LEVEL)
    regime = regime_of(
        difference,
        without,
        beyond_placebo=beyond,
        history=evidence.history if len(evidence.seeds) >= _FEW_SEEDS else (),
        thresholds=evidence.thresholds,
    )
    pilot = _pilot(evidence)
    has_c = "C" in evidence.conditions
    seen, unseen = _seen(evidence, table)
    return DualResult(
        row=RowState.REPORTED if pilot is None else RowState.PILOT_ONLY,
        reasons=() if pilot is None else (pilot,),
        regime=regime if pilot is None else None,
        preconditions=checked,
        caveats=told(_remarks(evidence, table, placebo, without, regime, pilot, seen is not None)),
        level=LEVEL,
        how=difference.how,
        a=table.condition("A"),
        b=table.condition("B"),
        c=table.condition("C") if has_c else None,
        learning_contribution=table.difference("A", "B"),
        memorisation=table.difference("A", "C") if has_c else None,
        transfer=table.difference("C", "B") if has_c else None,
        seen=seen,
        unseen=unseen,
        layers=_layers(table),
        placebo=placebo,
    )


class _Table:
    """The scores of every condition and seed, as estimates."""

    def __init__(
        self, evidence: DualEvidence, scores: Floats, positive: NDArray[np.bool_], groups: Groups
    ) -> None:
        self.evidence, self.scores, self.groups = evidence, scores, groups
        self.crossed: Crossed = cross(
            scores,
            positive,
            metric=evidence.metric,
            groups=groups,
            threshold=evidence.threshold,
        )

    def of(self, chosen: NDArray[np.bool_]) -> "_Table":
        """The same for some of the items."""
        kept = np.flatnonzero(chosen).tolist()
        groups = None if self.groups is None else tuple(self.groups[at] for at in kept)
        positive = self.crossed.positive[chosen]
        return _Table(self.evidence, self.scores[:, :, chosen], positive, groups)

    def at(self, condition: str) -> int:
        """The place of a condition."""
        return self.evidence.conditions.index(condition)

    def condition(self, name: str) -> Quantity:
        """One condition."""
        weights = self.weights({name: 1.0})
        return self._quantity(self.crossed.condition(self.at(name), level=LEVEL), weights)

    def difference(self, one: str, other: str) -> Quantity:
        """One condition minus another."""
        found = self.crossed.difference(self.at(one), self.at(other), level=LEVEL)
        return self._quantity(found, self.weights({one: 1.0, other: -1.0}))

    def contrast(self, weights: Mapping[str, float]) -> Quantity:
        """A weighted sum of conditions."""
        listed = self.weights(weights)
        return self._quantity(self.crossed.contrast(listed, level=LEVEL), listed)

    def weights(self, given: Mapping[str, float]) -> list[float]:
        """Weights by name as a row over all conditions."""
        return [given.get(name, 0.0) for name in self.evidence.conditions]

    def _quantity(self, found: Estimate, weights: Sequence[float]) -> Quantity:
        over = self.crossed.over_seeds(weights, level=LEVEL)
        each = self.crossed.per_seed(weights).tolist()
        return Quantity(
            value=found.value,
            interval=(found.low, found.high),
            per_seed={str(s): v for s, v in zip(self.evidence.seeds, each, strict=True)},
            t_interval=None if over is None else (over.low, over.high),
        )


def _whole(evidence: DualEvidence) -> _Table:
    scores = [
        [evidence.scores[condition][str(seed)] for seed in evidence.seeds]
        for condition in evidence.conditions
    ]
    positive = np.array(evidence.items.positive, dtype=bool)
    return _Table(evidence, np.array(scores, dtype=np.float64), positive, evidence.items.group)


def _layers(table: _Table) -> dict[str, LayerResult]:
    names = list(table.evidence.state.layers)
    there = set(table.evidence.conditions)
    found = {}
    for name in names:
        left = subset_name(names, [one for one in names if one != name])
        shapley = _shapley_weights(names, name)
        asked = left in there and (left != "B" or len(names) == 1)
        found[name] = LayerResult(
            without=table.condition(left) if asked else None,
            contribution=table.difference("A", left) if asked else None,
            shapley=table.contrast(shapley) if len(names) > 1 and set(shapley) <= there else None,
        )
    return {name: one for name, one in found.items() if one != LayerResult()}


def _shapley_weights(names: Sequence[str], layer: str) -> dict[str, float]:
    """The exact Shapley value of a layer as weights of conditions."""
    others = [name for name in names if name != layer]
    found: dict[str, float] = {}
    for size in range(len(others) + 1):
        share = factorial(size) * factorial(len(others) - size) / factorial(len(names))
        for kept in combinations(others, size):
            for condition, sign in ((subset_name(names, (*kept, layer)), 1.0),
                                    (subset_name(names, kept), -1.0)):  # fmt: skip
                found[condition] = found.get(condition, 0.0) + sign * share
    return found


def _placebo(table: _Table) -> PlaceboResult | None:
    if "placebo" not in table.evidence.conditions:
        return None
    return PlaceboResult(
        reached=table.condition("placebo"),
        gain=table.difference("placebo", "B"),
        beyond=table.difference("A", "placebo"),
    )


def _seen(evidence: DualEvidence, table: _Table) -> tuple[Subset | None, Subset | None]:
    """A - B on items that the state has something of, and on the others."""
    told_of = [one.mentions for one in evidence.state.layers.values() if one.mentions is not None]
    if not told_of:
        return None, None
    known = {item for items in told_of for item in items}
    chosen = np.array([item in known for item in evidence.items.id])
    return _subset(table, chosen), _subset(table, ~chosen)


def _subset(table: _Table, chosen: NDArray[np.bool_]) -> Subset:
    positive = table.crossed.positive[chosen]
    found = None
    if 0 < int(positive.sum()) < positive.size:
        found = table.of(chosen).difference("A", "B")
    return Subset(
        items=int(chosen.sum()), positives=int(positive.sum()), learning_contribution=found
    )


def _pilot(evidence: DualEvidence) -> str | None:
    """Why this can only be a pilot, where it can."""
    positive = np.array(evidence.items.positive, dtype=bool)
    units = []
    for side in (positive, ~positive):
        count = float(side.sum())
        if evidence.items.group is not None and count:
            kept = np.flatnonzero(side).tolist()
            count = effective_groups(coded([evidence.items.group[at] for at in kept]))
        units.append(count)
    if not is_pilot(*units):
        return None
    said = f"{int(positive.sum())} positive and {int((~positive).sum())} negative items"
    if evidence.items.group is not None:
        said += f" ({units[0]:.0f} and {units[1]:.0f} groups)"
    return f"{said}: an AUC of .75 would often not be told from one half"


def _remarks(
    evidence: DualEvidence,
    table: _Table,
    placebo: PlaceboResult | None,
    without: Estimate,
    regime: Regime,
    pilot: str | None,
    seen: bool,
) -> dict[str, str]:
    found = {
        **_about_the_gain(evidence, table, placebo),
        **_about_the_seeds(evidence, table),
        **_about_the_runs(evidence),
        **_about_the_layers(evidence),
    }
    if pilot is not None:
        found["pilot-only"] = f"There are {pilot}."
    if not seen:
        found["seen-unknown"] = ""
    fell = surely_fell(without, evidence.history)
    if regime is Regime.POLISH and fell >= evidence.thresholds.dependent:
        found["b-fell"] = f"By at least {fell:.3f}."
    if evidence.thresholds != Thresholds():
        given = msgspec.structs.asdict(evidence.thresholds)
        usual = msgspec.structs.asdict(Thresholds())
        own = [f"{name} {value:g}" for name, value in given.items() if value != usual[name]]
        found["own-thresholds"] = f"They are {', '.join(own)}."
    return found


def _about_the_gain(
    evidence: DualEvidence, table: _Table, placebo: PlaceboResult | None
) -> dict[str, str]:
    found: dict[str, str] = {}
    if placebo is not None and placebo.gain.interval[0] > 0.0:
        found["placebo-gains"] = f"It gains {placebo.gain.value:+.3f}."
    if "C" in evidence.conditions:
        transfer, whole = table.difference("C", "B"), table.difference("A", "B")
        if whole.interval[0] > 0.0 and transfer.interval[0] <= 0.0:
            found["only-memorised"] = f"It is {transfer.value:+.3f}."
    else:
        found["no-c"] = ""
    if evidence.metric == "auroc" and table.condition("A").interval[0] <= 0.5:
        found["at-chance"] = ""
    if evidence.metric == "average-precision":
        found["average-precision"] = ""
    return found


def _about_the_seeds(evidence: DualEvidence, table: _Table) -> dict[str, str]:
    found: dict[str, str] = {}
    if len(evidence.seeds) == 1:
        found["one-seed"] = ""
    elif len(evidence.seeds) < _FEW_SEEDS:
        found["few-seeds"] = f"There are {counted(len(evidence.seeds), 'seed')}."
    if len(evidence.seeds) > 1 and bool((table.scores == table.scores[:, :1, :]).all()):
        found["seed-blind"] = ""
    return found


def _about_the_runs(evidence: DualEvidence) -> dict[str, str]:
    found: dict[str, str] = {}
    changed = {run.condition for run in evidence.runs if run.changed}
    if changed:
        named = [name for name in evidence.conditions if name in changed]
        said = "every condition" if len(named) == len(evidence.conditions) else ", ".join(named)
        found["learns-during-runs"] = f"It does so in {said}."
    peers = sorted({peer for run in evidence.runs for peer in run.peers})
    if peers:
        found["speaks-to"] = f"To {', '.join(peers[:3])}."
    if not evidence.state.private:
        found["not-private"] = ""
    return found


def _about_the_layers(evidence: DualEvidence) -> dict[str, str]:
    found: dict[str, str] = {}
    layers = evidence.state.layers
    kept = [name for name, layer in layers.items() if layer.rows and not layer.rows_from_items]
    if kept and "C" in evidence.conditions:
        found["nothing-forgotten"] = f"So it is with {', '.join(kept)}."
    began = {entry.path: entry.digest for entry in evidence.state.manifests["B"]}
    now = {entry.path: entry.digest for entry in evidence.state.manifests["A"]}
    same = [
        name
        for name, layer in layers.items()
        if layer.files and all(began.get(file) == now[file] for file in layer.files)
    ]
    if same:
        found["unchanged-layer"] = f"It is {', '.join(same)}."
    return found
