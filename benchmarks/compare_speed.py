"""A comparison of many trials against reading them, and its resampling against scipy's.

python benchmarks/compare_speed.py
"""

import json
import tempfile
from pathlib import Path

import numpy as np
from timing import by_turns, cost, gain

from assay.comparison.judge.compare import compare
from assay.comparison.sides.read import read_sides
from assay.comparison.sides.reader import SideReading
from assay.stats.permutation import flip_signs

TRIALS, DIMENSIONS = 10_000, 20
FEW, DRAWS = 99, 1_999


def comparisons() -> None:
    """Everything but the resampling, and the resampling alone."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{side}.jsonl" for side in ("baseline", "candidate")]
        for path in paths:
            _write(path, rng)

        named = [("baseline", paths[:1]), ("candidate", paths[1:])]

        def read() -> None:
            read_sides(named, SideReading())

        def plain() -> None:
            for path in paths:
                for line in path.read_bytes().splitlines():
                    json.loads(line)

        (baseline,), (candidate,) = (side.reads for side in read_sides(named, SideReading()))

        def judge() -> None:
            compare(baseline=baseline.trials, candidate=candidate.trials, resamples=FEW)

        reading, judging, parsing = by_turns(3, read, judge, plain)
    what = f"comparing 2 x {TRIALS // 2:,} trials x {DIMENSIONS} dimensions"
    cost(what, judging, reading, "reading them", 2.0)
    cost("the same with its reading", reading + judging, parsing, "json.loads alone", 5.0)
    _resampling(rng)


def _write(path: Path, rng: np.random.Generator) -> None:
    names = [f"d{number}" for number in range(DIMENSIONS)]
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(rng.random((TRIALS // 2, DIMENSIONS)).tolist()):
            head = {"instance": f"i{number // 4}", "trial": number % 4}
            file.write(json.dumps(head | dict(zip(names, row, strict=True))) + "\n")


def _resampling(rng: np.random.Generator) -> None:
    from scipy.stats import permutation_test

    gaps = rng.normal(size=(500, DIMENSIONS))

    def theirs() -> None:
        permutation_test(
            (gaps,), np.sum, permutation_type="samples", n_resamples=DRAWS, axis=0, rng=1
        )

    ours, peer = by_turns(3, lambda: flip_signs(gaps, draws=DRAWS, seed=1), theirs)
    gain(f"{DRAWS:,} sign flips of 500 pairs", ours, peer, "scipy.stats.permutation_test", 2.0)


if __name__ == "__main__":
    comparisons()
