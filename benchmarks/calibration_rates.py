"""What the calibration of a study's predictions is worth: coverage, and how often it scolds.

    python benchmarks/calibration_rates.py            prints the table
    python benchmarks/calibration_rates.py --write    also puts it where the docs show it

Forecasters state three ranges a submission at 80 %. The errors of one submission's ranges are
normal and correlated, since they are about one run.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np
from error_rates import insert, markdown

from assay.study.predictions.calibration import calibrate
from assay.study.predictions.grade import Grade, RangeGrade
from assay.study.submissions.submission import Status, Submission

SEED = 20_261_117
DRAWS = 1000
LEVEL = 0.8


def drawn(
    rng: np.random.Generator,
    submissions: int,
    alike: float,
    hold: Callable[[float], float],
    levels: Sequence[float] = (LEVEL, LEVEL, LEVEL),
) -> list[Submission]:
    """Submissions whose ranges hold with the probability `hold` of their level, and err alike."""
    shared, own = rng.normal(size=(submissions, 1)), rng.normal(size=(submissions, len(levels)))
    errors = math.sqrt(alike) * shared + math.sqrt(1.0 - alike) * own
    ends = [NormalDist().inv_cdf((1.0 + hold(level)) / 2.0) for level in levels]
    return [
        _submission(
            f"s{i:03}",
            [_range(e, end, level) for e, end, level in zip(row, ends, levels, strict=True)],
        )
        for i, row in enumerate(errors.tolist())
    ]


def _range(error: float, end: float, level: float) -> RangeGrade:
    where: Literal["inside", "above", "below"] = "inside"
    if abs(error) > end:
        where = "above" if error > 0.0 else "below"
    return RangeGrade(
        metric="D1", low=-end, high=end, level=level, value=error, where=where, score=1.0
    )


def _submission(name: str, ranges: list[RangeGrade]) -> Submission:
    grade = Grade(
        submission=name,
        bars="v1",
        no_idea=False,
        ranges=tuple(ranges),
        outcome=None,
        directions=(),
    )
    return Submission(
        id=name,
        method=name,
        task="detection",
        status=Status.FINISHED,
        seal="",
        witness=None,
        original="v1",
        sealed_by=1,
        started_by=2,
        finished_by=3,
        graded_by=4,
        judgements=(),
        grade=grade,
    )


def rates(submissions: int, alike: float, draws: int = DRAWS) -> tuple[float, float, float]:
    """How often the interval covers, a calibrated forecaster is scolded, and a bad one told."""
    rng = np.random.default_rng([SEED, submissions, round(100 * alike)])
    covered = scolded = told = 0
    for _ in range(draws):
        made = calibrate(drawn(rng, submissions, alike, lambda level: level))
        covered += made.coverage[0].low <= LEVEL <= made.coverage[0].high
        scolded += any(lesson.startswith("Ranges") for lesson in made.lessons)
        made = calibrate(drawn(rng, submissions, alike, lambda level: level / 2.0))
        told += any(lesson.startswith("Ranges too narrow:") for lesson in made.lessons)
    return covered / draws, scolded / draws, told / draws


def main() -> None:
    """The table, printed or written."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    headers = ["submissions", "correlation", "covers 80 %", "scolded", "told, where 40 % hold"]
    rows = [
        [f"{n}", f"{alike:g}", *(f"{rate:.3f}" for rate in rates(n, alike))]
        for n in (5, 10, 30, 100)
        for alike in (0.0, 0.5, 0.9)
    ]
    table = markdown(headers, rows)
    print(table)
    if parser.parse_args().write:
        insert("calibration", table, by="calibration_rates")


if __name__ == "__main__":
    main()
