"""The result of sealing an experiment that asks a model."""

from typing import Any

from assay.result import Result
from assay.wording import counted


class SealedExperiment(Result, frozen=True, kw_only=True):
    """An experiment that was sealed in a study: its plan, and how much of it is predicted.

    `kind` is `faithfulness` or `asymmetry`, and `asked` the number of claims or misconceptions.
    """

    kind: str
    name: str
    file: str
    model: str
    asked: int
    predicted: int
    entry: int

    def to_rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [self.to_dict()]

    def lines(self) -> list[str]:
        """What was sealed."""
        what = "claim" if self.kind == "faithfulness" else "misconception"
        return [
            f"{self.kind} {self.name} is sealed: entry {self.entry}, {counted(self.asked, what)},"
            f" {counted(self.predicted, 'predicted range')}, for {self.model:.80}"
        ]
