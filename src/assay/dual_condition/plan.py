"""The plan of an evaluation: what decides its runs, and their order."""

import random

from assay.dual_condition.spec import DualSpec
from assay.dual_condition.state.conditions import Condition, Conditions
from assay.dual_condition.system.code_files import FileDigests, code_files, code_name
from assay.errors import storage
from assay.folders import state_digest
from assay.seeds import derive


def plan_of(spec: DualSpec, conditions: Conditions) -> dict[str, object]:
    """Everything that decides what is run, by digest."""
    known = FileDigests()
    placebo = None
    if spec.placebo is not None and spec.placebo.state is not None:
        with storage(spec.placebo.state):
            placebo = state_digest(spec.home / spec.placebo.state)
    reads = {}
    for path in spec.reads:
        with storage(path):
            reads[path.name] = state_digest(path) if path.is_dir() else known.of(str(path))
    return {
        "format": "assay-dual-plan/1",
        "spec": spec.digest,
        "benchmark": spec.benchmark.digest,
        "state": conditions.digest,
        "initial": conditions.initial_digest,
        "code": {code_name(str(path), spec.home): known.of(str(path)) for path in code_files(spec)},
        "reads": reads,
        "placebo": placebo,
    }


def run_order(spec: DualSpec, asked: list[Condition]) -> list[tuple[Condition, int]]:
    """Seed by seed, the conditions of each in random order."""
    cells: list[tuple[Condition, int]] = []
    for seed in spec.seeds:
        mixed = list(asked)
        order = derive(seed, "conditions", spec.digest)
        random.Random(order).shuffle(mixed)  # noqa: S311 - a seeded order, not a secret
        cells += [(condition, seed) for condition in mixed]
    return cells
