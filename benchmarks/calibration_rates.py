"""What the calibration of a study's predictions is worth: coverage, and how often it scolds.

    python benchmarks/calibration_rates.py            prints the tables
    python benchmarks/calibration_rates.py --write    also puts them where the docs show them

Forecasters state three ranges a submission at 80 %. The errors of one submission's ranges are
normal and correlated, since they are about one run. In the second table submissions share their
errors as well. Half of those families were used to choose the rule, the others were drawn once it
stood.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from error_rates import DOC
from result_tables import insert, markdown
from situations import Floats

from assay.predicted.ranges import RangeGrade
from assay.stats.proportions import accuracy
from assay.study.predictions.calibration import calibrate
from assay.study.predictions.grade import Grade
from assay.study.submissions.submission import Status, Submission

SEED = 20_261_117
DRAWS = 1000
LEVEL = 0.8
OWN = 0.3


def drawn(
    rng: np.random.Generator,
    submissions: int,
    alike: float,
    hold: Callable[[float], float],
    levels: Sequence[float] = (LEVEL, LEVEL, LEVEL),
) -> list[Submission]:
    """Submissions whose ranges hold with the probability `hold` of their level, and err alike."""
    shared, own = rng.normal(size=(submissions, 1)), rng.normal(size=(submissions, len(levels)))
    return graded(math.sqrt(alike) * shared + math.sqrt(1.0 - alike) * own, hold, levels)


def graded(
    errors: Floats, hold: Callable[[float], float], levels: Sequence[float] = (LEVEL, LEVEL, LEVEL)
) -> list[Submission]:
    """Submissions with these standard normal errors (submissions x ranges)."""
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


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """How the submissions of a study share their errors, and how much of their variance."""

    how: str
    much: float
    members: int = 1

    def __str__(self) -> str:
        of = f" of {self.members}" if self.members > 1 else ""
        return f"{self.how}{of}, {self.much:g}"

    def draw(self, rng: np.random.Generator, submissions: int) -> Floats:
        """Errors (submissions x ranges), standard normal; OWN of the variance is each range's."""
        own = rng.normal(size=submissions)
        if self.how == "from one to the next":
            for i in range(1, submissions):
                own[i] = self.much * own[i - 1] + math.sqrt(1.0 - self.much**2) * own[i]
        elif self.how != "one scale":
            # A family of methods is scattered over the study, a spell lasts from one to another.
            units = np.arange(submissions) // (submissions if self.members == 1 else self.members)
            if self.how == "families":
                units = rng.permutation(units)
            shared = rng.normal(size=submissions)[units]
            own = math.sqrt(self.much) * shared + math.sqrt(1.0 - self.much) * own
        each = rng.normal(size=(submissions, 3))
        errors = math.sqrt(1.0 - OWN) * own[:, None] + math.sqrt(OWN) * each
        return _scaled(rng, errors, self.much) if self.how == "one scale" else errors


def _scaled(rng: np.random.Generator, errors: Floats, degrees: float) -> Floats:
    """The errors of a study with one scale for all, Student's over studies, as normal scores."""
    from scipy.special import ndtri, stdtr  # slow to import

    return np.asarray(ndtri(stdtr(degrees, errors / math.sqrt(rng.chisquare(degrees) / degrees))))


CHOOSING = (
    Sharing(how="one shift", much=0.3),
    Sharing(how="one shift", much=0.6),
    Sharing(how="one shift", much=0.9),
    Sharing(how="from one to the next", much=0.6),
    Sharing(how="from one to the next", much=0.9),
    Sharing(how="families", members=4, much=0.6),
    Sharing(how="families", members=4, much=0.95),
)
HELD_BACK = (
    Sharing(how="one shift", much=0.45),
    Sharing(how="one shift", much=0.75),
    Sharing(how="from one to the next", much=0.75),
    Sharing(how="from one to the next", much=0.97),
    Sharing(how="families", members=3, much=0.9),
    Sharing(how="families", members=8, much=0.7),
    Sharing(how="spells", members=6, much=0.9),
)

NOT_HELD = (Sharing(how="one scale", much=5),)


def lessons(submissions: Sequence[Submission]) -> tuple[bool, bool]:
    """Whether a lesson about ranges is told: as if submissions were independent, and by ours."""
    grades = [each.grade for each in submissions if each.grade is not None]
    hits = [one.where == "inside" for grade in grades for one in grade.ranges]
    names = [grade.submission for grade in grades for _ in grade.ranges]
    low, high = accuracy(hits, groups=names).interval()
    told = any(lesson.startswith("Ranges") for lesson in calibrate(submissions).lessons)
    return high < LEVEL or low > LEVEL, told


def rates(submissions: int, alike: float, draws: int = DRAWS) -> list[float]:
    """How often the interval covers, a calibrated forecaster is scolded, and bad ones are told.

    Each but the first twice: as if submissions were independent, and by ours.
    """
    rng = np.random.default_rng([SEED, submissions, round(100 * alike)])
    found = np.zeros((draws, 7))
    for row in found:
        made = drawn(rng, submissions, alike, lambda level: level)
        (coverage,) = calibrate(made).coverage
        row[0] = coverage.low <= LEVEL <= coverage.high
        row[1:3] = lessons(made)
        row[3:5] = lessons(drawn(rng, submissions, alike, lambda level: level / 2.0))
        row[5:] = lessons(drawn(rng, submissions, alike, lambda level: level * 0.75))
    return [float(rate) for rate in found.mean(axis=0)]


def shared_rates(sharing: Sharing, submissions: int, draws: int = DRAWS) -> list[float]:
    """How often a calibrated forecaster is scolded: as if independent, and by ours."""
    rng = np.random.default_rng([SEED, submissions, *map(ord, str(sharing))])
    told = [
        lessons(graded(sharing.draw(rng, submissions), lambda level: level)) for _ in range(draws)
    ]
    return [float(rate) for rate in np.mean(told, axis=0)]


def table_alone() -> str:
    """Submissions that err by themselves."""
    headers = ["submissions", "correlation", "covers 80 %"]
    for what in ("scolded", "told, where 40 % hold", "told, where 60 % hold"):
        headers += [f"{what}, before", what]
    rows = [
        [f"{n}", f"{alike:g}", *(f"{rate:.3f}" for rate in rates(n, alike))]
        for n in (5, 10, 30, 100)
        for alike in (0.0, 0.5, 0.9)
    ]
    return markdown(headers, rows)


def table_shared() -> str:
    """Submissions that err together."""
    rows = [
        [name, str(sharing), f"{n}", *(f"{rate:.3f}" for rate in shared_rates(sharing, n))]
        for name, families in (
            ("used to choose", CHOOSING),
            ("held back", HELD_BACK),
            ("cannot hold", NOT_HELD),
        )
        for sharing in families
        for n in (10, 30, 100)
    ]
    return markdown(["families", "shared", "submissions", "scolded, before", "scolded"], rows)


def main() -> None:
    """The tables, printed or written."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    for name, make in (("calibration", table_alone), ("calibration-shared", table_shared)):
        table = make()
        print(f"{table}\n", flush=True)
        if chosen.write:
            insert(name, table, by="calibration_rates", page=DOC)


if __name__ == "__main__":
    main()
