"""The caveats of dual-condition results."""

from collections.abc import Mapping

import msgspec

from assay.benchmark.benchmark import CHANGES
from assay.caveats import Caveat, Caveats, Codes
from assay.dual_condition.evidence import DualEvidence, Thresholds
from assay.dual_condition.judge.estimates import ConditionTable
from assay.dual_condition.judge.regime import surely_fell
from assay.dual_condition.judge.split import undeclared_peers, unreadable_values
from assay.dual_condition.judge.uneven_seeds import uneven_runs, unseen_share
from assay.dual_condition.result import PlaceboResult, Precondition, Regime
from assay.stats.estimate import Estimate
from assay.wording import counted

CODES: Codes = {
    "placebo-gains": "A state that can teach nothing gains too, so not all of A - B is learning.",
    "split-undecidable": "It is unknown whether the gain is memory of these very items: C is not"
    " shown to be free of them.",
    "only-memorised": "The state is shown to help, but not without what came from this"
    " benchmark's own items: transfer (C - B) may be zero.",
    "helps-unseen": "The state also helps with items that it holds nothing of, which is no memory"
    " of them, and C does not help. Either the system learnt from other items of this benchmark, or"
    " C lacks more than came from its items. So the gain is not called memorised.",
    "nothing-forgotten": "No row of a layer was found to have come from this benchmark, by name or"
    " by its words, so C keeps all of it. If it did meet the benchmark, what is called transfer is"
    " memory: do its rows name items as the benchmark does?",
    "values-in-c": "C keeps numbers, digests or bytes that cannot be looked up. If they were fitted"
    " to these items, a part of what is called transfer is memory.",
    "at-chance": "A itself is not shown to do better than chance, so there is little to explain.",
    **CHANGES,
    "own-thresholds": "The thresholds of the regimes are not the defaults.",
    "average-precision": "Intervals of average precision are slightly too narrow: in simulations"
    " about 92 % of them cover the truth, not 95 %.",
    "pilot-only": "One class has too few items for either column to mean anything.",
    "learns-during-runs": "The system changes its state while it is judged. Every run started from"
    " the same copy, so no run taught another, but B then includes learning too.",
    "no-c": "No state without what came from this benchmark was made, so memorisation and"
    " transfer cannot be separated.",
    "seen-unknown": "It is unknown which items the state has traces of.",
    "uneven-seeds": "Some runs differ from the other seeds of their condition. The interval"
    " includes them and is about seeds with as many such runs.",
    "one-seed": "There is one seed, so the intervals do not cover variation between seeds.",
    "few-seeds": "With so few seeds the intervals may be too narrow or very wide.",
    "seed-blind": "All seeds gave the same scores: the system does not use its seed.",
    "b-fell": "B is surely lower than it once was, and so is A.",
    "speaks-to": "The system connected to other processes, or could be reached by them; what those"
    " keep is no part of its state here.",
    "not-private": "No private view of the files could be had here: what the system did was seen,"
    " and would not have been held back.",
    "unchanged-layer": "A layer is in production what it was at the beginning.",
    "unseen-seeds": "So few seeds may not have shown a rare failure, such as a seed at which the"
    " system collapses. The intervals hold for seeds like those that were run.",
}


def caveats_of(details: Mapping[str, str]) -> tuple[Caveat, ...]:
    """The caveats with their details, the most serious first."""
    caveats = Caveats(CODES)
    for code, detail in details.items():
        caveats.add(code, detail)
    return caveats.by_weight()


FEW_SEEDS = 3
_RARE = _ONE_IN_TEN = 0.1


def remarks_of(
    evidence: DualEvidence,
    table: ConditionTable,
    placebo: PlaceboResult | None,
    without: Estimate,
    regime: Regime,
    pilot: str | None,
    split: Precondition | None,
    *,
    seen: bool,
) -> dict[str, str]:
    """The details of the caveats of a reported or pilot row, by code."""
    remarks = {
        **evidence.inputs.changes,
        **_about_the_gain(evidence, table, placebo, split),
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
    evidence: DualEvidence,
    table: ConditionTable,
    placebo: PlaceboResult | None,
    split: Precondition | None,
) -> dict[str, str]:
    remarks: dict[str, str] = {}
    if placebo is not None and placebo.gain.interval[0] > 0.0:
        remarks["placebo-gains"] = f"It gains {placebo.gain.value:+z.3f}."
    if split is None:
        remarks["no-c"] = ""
    elif not split.holds:
        remarks["split-undecidable"] = f"{split.evidence[:1].upper()}{split.evidence[1:]}."
    else:
        transfer, whole = table.difference("C", "B"), table.difference("A", "B")
        if whole.interval[0] > 0.0 and transfer.interval[0] <= 0.0:
            remarks["only-memorised"] = f"It is {transfer.value:+z.3f}."
    chance = evidence.items.chance(evidence.metric)
    if table.condition("A").interval[0] <= chance:
        remarks["at-chance"] = f"Chance is {chance:.2f}."
    if evidence.metric == "average-precision":
        remarks["average-precision"] = ""
    return remarks


def _about_the_seeds(evidence: DualEvidence, table: ConditionTable) -> dict[str, str]:
    remarks: dict[str, str] = {}
    if len(evidence.seeds) == 1:
        remarks["one-seed"] = ""
    elif len(evidence.seeds) < FEW_SEEDS:
        remarks["few-seeds"] = f"There are {counted(len(evidence.seeds), 'seed')}."
    uneven = [
        f"{evidence.conditions[at]} at seed {evidence.seeds[place]}"
        for at, place in uneven_runs(table.crossed)
    ]
    if uneven:
        more = f" and {len(uneven) - 3} more" if len(uneven) > 3 else ""
        remarks["uneven-seeds"] = f"They are {', '.join(uneven[:3])}{more}."
    elif len(evidence.seeds) > 1 and unseen_share(len(evidence.seeds)) > _RARE:
        share = unseen_share(len(evidence.seeds))
        fall = _ONE_IN_TEN * (table.condition("A").value - evidence.items.chance(evidence.metric))
        remark = f"Up to {100.0 * share:.0f} % of seeds may be unlike these"
        if fall > 0.0:
            remark += f"; if A fell to chance at one in ten, A - B would be lower by {fall:.3f}"
        remarks["unseen-seeds"] = f"{remark}."
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
        strangers = undeclared_peers(evidence)
        declared = "" if strangers else ", named in system.services"
        remarks["speaks-to"] = f"To {', '.join((strangers or peers)[:3])}{declared}."
    if not evidence.state.private:
        remarks["not-private"] = ""
    return remarks


def _about_the_layers(evidence: DualEvidence) -> dict[str, str]:
    remarks: dict[str, str] = {}
    layers = evidence.state.layers
    kept = [name for name, layer in layers.items() if layer.rows and not layer.rows_from_items]
    if kept and "C" in evidence.conditions:
        remarks["nothing-forgotten"] = f"Layers: {', '.join(kept)}."
    remains = evidence.state.remains
    if remains is not None and remains.unreadable:
        files = [file.file for file in remains.unreadable]
        values = counted(sum(file.values for file in remains.unreadable), "value")
        by_command = "" if unreadable_values(evidence) else ", as state.forget left it"
        remarks["values-in-c"] = f"{values} in {', '.join(files[:3])}{by_command}."
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
