"""The order of paired runs and the seed of each, both from the plan's seed: they can be had again.

Pairs come in rounds over all instances, each round in random order, and so do the two arms of each
pair. With many instances all pairs of one instance stand together instead, since the instance is
then what is counted.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.comparison.judge.pairing import MANY_INSTANCES
from assay.comparison.trials.spec import ARMS, Arm


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One instance and trial, run by both arms with one seed, in this order."""

    number: int
    instance: str
    trial: int
    seed: int
    order: tuple[Arm, Arm]


def schedule(instances: Sequence[str], trials: int, seed: int) -> list[Pair]:
    """Every pair, in the order in which they are to be run."""
    rng = np.random.default_rng(_number(f"{seed}:order"))
    cells = [(instance, trial) for instance in instances for trial in range(1, trials + 1)]
    if len(instances) >= MANY_INSTANCES:
        cells = [
            cells[i * trials + j] for i in rng.permutation(len(instances)) for j in range(trials)
        ]
    else:
        cells = [
            cells[i * trials + j] for j in range(trials) for i in rng.permutation(len(instances))
        ]
    return [
        Pair(
            number=number,
            instance=instance,
            trial=trial,
            seed=_number(f"{seed}:{trial}:{instance}") % (1 << 31),
            order=ARMS if rng.random() < 0.5 else (ARMS[1], ARMS[0]),
        )
        for number, (instance, trial) in enumerate(cells, 1)
    ]


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
