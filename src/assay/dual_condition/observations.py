"""The observations of an evaluation, as evidence."""

import platform
import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeVar

import msgspec

from assay.dual_condition.answered import AnsweredEvidence, AnswerForms
from assay.dual_condition.evidence import (
    Code,
    DualEvidence,
    DualRun,
    Inputs,
    Items,
    LayerEvidence,
    Remains,
    Route,
    StateEvidence,
)
from assay.dual_condition.journal import Made, MadeRun
from assay.dual_condition.spec import DualSpec
from assay.dual_condition.state.conditions import Built, Conditions, conditions_of
from assay.dual_condition.state.forgetting import Mentions
from assay.dual_condition.system.answer_forms import plain_answer
from assay.dual_condition.system.code_files import code_name, source_of
from assay.dual_condition.system.item_files import AskedItems

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Observations:
    """The built states, the runs, and production after them.

    `canary` says whether a program that reaches outside its folder was caught, and how. `route` and
    `private` apply if no run was made. `failed` is why runs are missing.
    """

    conditions: Conditions
    items: AskedItems
    built: Mapping[str, Built]
    made: Made
    mentions: Mapping[str, Mentions]
    remains: Remains | None
    canary: tuple[bool, str]
    route: Route
    private: bool
    after: str
    failed: str | None


def evidence_from(spec: DualSpec, observed: Observations) -> DualEvidence:
    """The evidence that a spec's runs gave."""
    conditions, items = observed.conditions, spec.benchmark.items
    names = [condition.name for condition in conditions_of(spec)]
    order = {(name, seed): at for at, (name, seed) in enumerate(product(names, spec.seeds))}
    made = [each.run for each in observed.made.values()]
    runs = sorted(made, key=lambda run: order.get((run.condition, run.seed), 0))
    by_layer = observed.built["C"].forgotten if "C" in observed.built else {}
    forgotten = {
        name: sum(dropped.rows for dropped in files.values()) for name, files in by_layer.items()
    }
    evidence = DualEvidence(
        corpus=spec.corpus,
        system=spec.system.method or shlex.join(spec.system.command),
        services=spec.system.services,
        metric=spec.metric,
        threshold=spec.threshold,
        thresholds=spec.thresholds,
        seeds=spec.seeds,
        conditions=tuple(names),
        inputs=Inputs(
            benchmark=spec.benchmark.name,
            benchmark_digest=spec.benchmark.digest,
            items={str(seed): observed.items.digest(seed) for seed in spec.seeds},
            changes=spec.benchmark.changes,
        ),
        state=StateEvidence(
            route=runs[-1].route if runs else observed.route,
            private=all(run.private for run in runs) if runs else observed.private,
            canary_caught=observed.canary[0],
            canary=observed.canary[1],
            snapshot=conditions.digest,
            initial=conditions.initial_digest,
            after=observed.after,
            undeclared=tuple(conditions.undeclared),
            layers={
                name: _layer(files, observed.mentions.get(name), forgotten.get(name))
                for name, files in conditions.files.items()
            },
            manifests={name: built.entries for name, built in observed.built.items()},
            remains=observed.remains,
        ),
        code=_code(spec, runs),
        runs=tuple(msgspec.structs.replace(run, code={}) for run in runs),
        items=Items(
            id=tuple(item.id for item in items),
            positive=tuple(spec.solved or bool(item.label) for item in items),
            group=tuple(item.unit for item in items) if spec.benchmark.grouped else None,
            commonest=_commonest(spec),
        ),
        scores=_by_cell(spec, observed.made, lambda made: made.scores),
        failed=observed.failed,
    )
    return _answered(evidence, spec, observed.made) if spec.solved else evidence


def _by_cell(spec: DualSpec, made: Made, part: Callable[[MadeRun], T]) -> dict[str, dict[str, T]]:
    """A part of each run, by condition and seed."""
    return {
        condition.name: {
            str(seed): part(made[condition.name, seed])
            for seed in spec.seeds
            if (condition.name, seed) in made
        }
        for condition in conditions_of(spec)
    }


def _answered(evidence: DualEvidence, spec: DualSpec, made: Made) -> AnsweredEvidence:
    """The same evidence, and how the answers are written."""
    answers = _by_cell(spec, made, lambda one: one.answers or AnswerForms(holding=0, wrong=()))
    return AnsweredEvidence(**msgspec.structs.asdict(evidence), answers=answers)


def _commonest(spec: DualSpec) -> float | None:
    """The share of items that the most common right answer solves; None if items are scored."""
    if not spec.solved:
        return None
    counts = Counter(plain_answer(item.cls or "") for item in spec.benchmark.items)
    return max(counts.values()) / counts.total()


def _layer(files: list[str], mentioned: Mentions | None, forgotten: int | None) -> LayerEvidence:
    if mentioned is None:
        return LayerEvidence(files=tuple(files), rows_forgotten=forgotten)
    return LayerEvidence(
        files=tuple(files),
        mentions=tuple(sorted(mentioned.items)),
        rows=mentioned.rows,
        rows_from_items=mentioned.from_items,
        rows_forgotten=forgotten,
    )


def _code(spec: DualSpec, runs: list[DualRun]) -> Code:
    """The code that the runs loaded, and the files that changed between runs."""
    files: dict[str, str] = {}
    changed: set[str] = set()
    owners: dict[str, str] = {}
    for run in runs:
        for path, seen in run.code.items():
            name, source = code_name(path, spec.home), str(source_of(Path(path)))
            name = name if owners.setdefault(name, source) == source else source
            if files.setdefault(name, seen) != seen:
                changed.add(name)
    versions = sorted({run.python for run in runs}) or [platform.python_version()]
    changed |= {"Python"} if len(versions) > 1 else set()
    return Code(
        spec=spec.digest,
        python=" and ".join(versions),
        files=files,
        changed=tuple(sorted(changed)),
    )
