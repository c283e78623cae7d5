"""Caveats of a result: about the gain, the seeds, the runs and the layers."""

import msgspec

from assay.dual_condition.evidence import DualEvidence, Thresholds
from assay.dual_condition.judge.estimates import ConditionTable
from assay.dual_condition.judge.regime import surely_fell
from assay.dual_condition.result import PlaceboResult, Regime
from assay.stats.estimate import Estimate
from assay.wording import counted

FEW_SEEDS = 3


def remarks_of(
    evidence: DualEvidence,
    table: ConditionTable,
    placebo: PlaceboResult | None,
    without: Estimate,
    regime: Regime,
    pilot: str | None,
    seen: bool,
) -> dict[str, str]:
    """The details of the caveats of a reported or pilot row, by code."""
    remarks = {
        **_about_the_gain(evidence, table, placebo),
        **_about_the_seeds(evidence, table),
        **_about_the_runs(evidence),
        **_about_the_layers(evidence),
    }
    if pilot is not None:
        remarks["pilot-only"] = f"There are {pilot}."
    if not seen:
        remarks["seen-unknown"] = ""
    fell = surely_fell(without, evidence.history)
    if regime is Regime.POLISH and fell >= evidence.thresholds.dependent:
        remarks["b-fell"] = f"By at least {fell:.3f}."
    if evidence.thresholds != Thresholds():
        values = msgspec.structs.asdict(evidence.thresholds)
        usual = msgspec.structs.asdict(Thresholds())
        own = [f"{name} {value:g}" for name, value in values.items() if value != usual[name]]
        remarks["own-thresholds"] = f"They are {', '.join(own)}."
    return remarks


def _about_the_gain(
    evidence: DualEvidence, table: ConditionTable, placebo: PlaceboResult | None
) -> dict[str, str]:
    remarks: dict[str, str] = {}
    if placebo is not None and placebo.gain.interval[0] > 0.0:
        remarks["placebo-gains"] = f"It gains {placebo.gain.value:+.3f}."
    if "C" in evidence.conditions:
        transfer, whole = table.difference("C", "B"), table.difference("A", "B")
        if whole.interval[0] > 0.0 and transfer.interval[0] <= 0.0:
            remarks["only-memorised"] = f"It is {transfer.value:+.3f}."
    else:
        remarks["no-c"] = ""
    if evidence.metric == "auroc" and table.condition("A").interval[0] <= 0.5:
        remarks["at-chance"] = ""
    if evidence.metric == "average-precision":
        remarks["average-precision"] = ""
    return remarks


def _about_the_seeds(evidence: DualEvidence, table: ConditionTable) -> dict[str, str]:
    remarks: dict[str, str] = {}
    if len(evidence.seeds) == 1:
        remarks["one-seed"] = ""
    elif len(evidence.seeds) < FEW_SEEDS:
        remarks["few-seeds"] = f"There are {counted(len(evidence.seeds), 'seed')}."
    if len(evidence.seeds) > 1 and bool((table.scores == table.scores[:, :1, :]).all()):
        remarks["seed-blind"] = ""
    return remarks


def _about_the_runs(evidence: DualEvidence) -> dict[str, str]:
    remarks: dict[str, str] = {}
    changed = {run.condition for run in evidence.runs if run.changed}
    if changed:
        named = [name for name in evidence.conditions if name in changed]
        where = "every condition" if len(named) == len(evidence.conditions) else ", ".join(named)
        remarks["learns-during-runs"] = f"It does so in {where}."
    peers = sorted({peer for run in evidence.runs for peer in run.peers})
    if peers:
        remarks["speaks-to"] = f"To {', '.join(peers[:3])}."
    if not evidence.state.private:
        remarks["not-private"] = ""
    return remarks


def _about_the_layers(evidence: DualEvidence) -> dict[str, str]:
    remarks: dict[str, str] = {}
    layers = evidence.state.layers
    kept = [name for name, layer in layers.items() if layer.rows and not layer.rows_from_items]
    if kept and "C" in evidence.conditions:
        remarks["nothing-forgotten"] = f"So it is with {', '.join(kept)}."
    began = {entry.path: entry.digest for entry in evidence.state.manifests["B"]}
    now = {entry.path: entry.digest for entry in evidence.state.manifests["A"]}
    same = [
        name
        for name, layer in layers.items()
        if layer.files and all(began.get(file) == now[file] for file in layer.files)
    ]
    if same:
        remarks["unchanged-layer"] = f"It is {', '.join(same)}."
    return remarks
