"""The form of every number that this package returns."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value with its interval.

    `low` and `high` are the two-sided interval at `level`. `how` names the estimator and the
    interval, for the reader who wants to compute it again.
    """

    value: float
    low: float
    high: float
    level: float
    n: int
    how: str

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"
