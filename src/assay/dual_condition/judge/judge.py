"""Judge stored scores: each condition, their differences, and the regime.

    A - B   learning contribution     A - C   memorisation     C - B   transfer

The last two are given only if C is free of the items (`split`).

If a precondition does not hold, the row is blocked and has no numbers. With too few items of a
class it is a pilot, with numbers.
"""

from collections.abc import Sequence
from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from assay.dual_condition.evidence import DualEvidence, subset_name
from assay.dual_condition.judge.caveats import FEW_SEEDS, caveats_of, remarks_of
from assay.dual_condition.judge.estimates import LEVEL, ConditionTable, table_of
from assay.dual_condition.judge.preconditions import check_preconditions, reasons_of
from assay.dual_condition.judge.regime import Split, is_pilot, regime_of
from assay.dual_condition.judge.split import check_split, undeclared_peers
from assay.dual_condition.result import (
    DualResult,
    LayerResult,
    OmittedEntries,
    PlaceboResult,
    Quantity,
    RowState,
    Subset,
)
from assay.errors import OneSidedResult
from assay.stats.arrays import coded
from assay.stats.clusters import effective_groups


def judge_dual(evidence: DualEvidence) -> DualResult:
    """The result of this evidence; the same evidence always gives the same result."""
    missing = [name for name in ("A", "B") if name not in evidence.conditions]
    if missing:
        raise OneSidedResult(
            f"{evidence.corpus}: there is no condition {missing[0]}",
            hint="One condition alone cannot show what the state adds: run both.",
        )
    preconditions = check_preconditions(evidence)
    if not all(precondition.holds for precondition in preconditions.values()):
        return DualResult(
            row=RowState.BLOCKED,
            reasons=reasons_of(preconditions),
            regime=None,
            preconditions=preconditions,
            caveats=(),
            level=LEVEL,
        )
    table = table_of(evidence)
    difference = table.crossed.difference(table.at("A"), table.at("B"), level=LEVEL)
    without = table.crossed.condition(table.at("B"), level=LEVEL)
    placebo = beyond = None
    if "placebo" in evidence.conditions:
        beyond = table.crossed.difference(table.at("A"), table.at("placebo"), level=LEVEL)
        placebo = PlaceboResult(
            reached=table.condition("placebo"),
            gain=table.difference("placebo", "B"),
            beyond=table.difference("A", "placebo"),
        )
    split = check_split(evidence)
    has_c = split is not None and split.holds
    memorisation = table.difference("A", "C") if has_c else None
    transfer = table.difference("C", "B") if has_c else None
    seen, unseen = _seen(evidence, table)
    told = None if split is None else _told(memorisation, transfer, unseen)
    regime = regime_of(
        difference,
        without,
        split=told,
        closed=not undeclared_peers(evidence),
        chance=evidence.items.chance(evidence.metric),
        beyond_placebo=beyond,
        history=evidence.history if len(evidence.seeds) >= FEW_SEEDS else (),
        thresholds=evidence.thresholds,
    )
    pilot = _pilot(evidence)
    remarks = remarks_of(
        evidence, table, placebo, without, regime, pilot, split, seen=seen is not None
    )
    if told is not None and told.contradicted and unseen is not None:
        gain = unseen.learning_contribution
        remarks["helps-unseen"] = "" if gain is None else f"A - B is {gain.value:+.3f} there."
    return DualResult(
        row=RowState.REPORTED if pilot is None else RowState.PILOT_ONLY,
        reasons=() if pilot is None else (pilot,),
        regime=regime if pilot is None else None,
        preconditions=preconditions,
        caveats=caveats_of(remarks),
        level=LEVEL,
        how=difference.how,
        a=table.condition("A"),
        b=table.condition("B"),
        c=table.condition("C") if has_c else None,
        learning_contribution=table.difference("A", "B"),
        memorisation=memorisation,
        transfer=transfer,
        split=split,
        left_out=_left_out(evidence),
        seen=seen,
        unseen=unseen,
        layers=_layers(table),
        placebo=placebo,
    )


def _told(memorisation: Quantity | None, transfer: Quantity | None, unseen: Subset | None) -> Split:
    if memorisation is None or transfer is None:
        return Split(decidable=False)
    elsewhere = None if unseen is None else unseen.learning_contribution
    return Split(
        decidable=True,
        memorises=memorisation.interval[0] > 0.0,
        transfers=transfer.interval[0] > 0.0,
        helps_unseen=elsewhere is not None and elsewhere.interval[0] > 0.0,
    )


def _left_out(evidence: DualEvidence) -> dict[str, OmittedEntries]:
    """How much of each layer was taken out for C by the layer's rules."""
    return {
        name: OmittedEntries(files=layer.files, entries=layer.rows_forgotten, of=layer.rows)
        for name, layer in evidence.state.layers.items()
        if layer.rows is not None and layer.rows_forgotten is not None
    }


def _layers(table: ConditionTable) -> dict[str, LayerResult]:
    names = list(table.evidence.state.layers)
    run = set(table.evidence.conditions)
    results = {}
    for name in names:
        without = subset_name(names, [other for other in names if other != name])
        shapley = _shapley_weights(names, name)
        asked = without in run and (without != "B" or len(names) == 1)
        results[name] = LayerResult(
            without=table.condition(without) if asked else None,
            contribution=table.difference("A", without) if asked else None,
            shapley=table.contrast(shapley) if len(names) > 1 and set(shapley) <= run else None,
        )
    return {name: result for name, result in results.items() if result != LayerResult()}


def _shapley_weights(names: Sequence[str], layer: str) -> dict[str, float]:
    """The exact Shapley value of a layer as weights of conditions."""
    others = [name for name in names if name != layer]
    weights: dict[str, float] = {}
    for size in range(len(others) + 1):
        share = factorial(size) * factorial(len(others) - size) / factorial(len(names))
        for kept in combinations(others, size):
            for condition, sign in ((subset_name(names, (*kept, layer)), 1.0),
                                    (subset_name(names, kept), -1.0)):  # fmt: skip
                weights[condition] = weights.get(condition, 0.0) + sign * share
    return weights


def _seen(evidence: DualEvidence, table: ConditionTable) -> tuple[Subset | None, Subset | None]:
    """A - B on items that the state mentions, and on the others."""
    layers = evidence.state.layers.values()
    mentions = [layer.mentions for layer in layers if layer.mentions is not None]
    if not mentions:
        return None, None
    known = {item for items in mentions for item in items}
    chosen = np.array([item in known for item in evidence.items.id])
    return _subset(table, chosen), _subset(table, ~chosen)


def _subset(table: ConditionTable, chosen: NDArray[np.bool_]) -> Subset:
    items, positives = int(chosen.sum()), int(table.crossed.positive[chosen].sum())
    told = positives < items or table.evidence.items.solved
    gain = table.of(chosen).difference("A", "B") if positives and told else None
    return Subset(items=items, positives=positives, learning_contribution=gain)


def _pilot(evidence: DualEvidence) -> str | None:
    """Why this is only a pilot, if it is."""
    if evidence.items.solved:
        return _few(evidence)
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
    counts = f"{int(positive.sum())} positive and {int((~positive).sum())} negative items"
    if evidence.items.group is not None:
        counts += f" ({units[0]:.0f} and {units[1]:.0f} groups)"
    return f"{counts}: an AUC of .75 would often not be told from one half"


def _few(evidence: DualEvidence) -> str | None:
    """Why solved items are only a pilot: too few if they were two classes of equal size."""
    count = float(len(evidence.items.id))
    if evidence.items.group is not None:
        count = effective_groups(coded(list(evidence.items.group)))
    return f"only {count:.0f} independent items" if is_pilot(count / 2.0, count / 2.0) else None
