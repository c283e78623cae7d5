"""The order of paired runs and the seed of each, both reproducible from the plan's seed.

Pairs come in rounds over all instances. The order within a round, and of the two arms within a
pair, is random. With many instances (the instance is the unit), all pairs of one come together.
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
    """Every pair, in the order of running."""
    rng = np.random.default_rng(_number(f"{seed}:order"))
    count, numbers = len(instances), range(1, trials + 1)
    if count >= MANY_INSTANCES:
        cells = [(instances[i], trial) for i in rng.permutation(count) for trial in numbers]
    else:
        cells = [(instances[i], trial) for trial in numbers for i in rng.permutation(count)]
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
