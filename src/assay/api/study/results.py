"""Results of the steps of a study: a seal, a withdrawal, a re-score."""

from typing import Any

import msgspec

from assay.digests import short
from assay.gauntlet.rejudge import Rejudged
from assay.result import Result
from assay.study.submissions.spec import Seal
from assay.wording import counted


class SealedSubmission(Result, frozen=True, kw_only=True):
    """A sealed submission, which cannot change any more: its seal, and its ledger entry."""

    submission: str
    digest: str
    entry: int
    commit: str | None
    seal: Seal

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each sealed file."""
        return [
            {"file": name, "size": file.size, "digest": file.digest}
            for name, file in self.seal.files.items()
        ]

    def lines(self) -> list[str]:
        """What was sealed, and whether it is committed."""
        known = f"entry {self.entry}, digest {short(self.digest)}"
        witness = "not committed yet" if self.commit is None else f"committed as {self.commit[:12]}"
        files = counted(len(self.seal.files), "file")
        return [f"{self.submission} is sealed, {witness}: {known}; {files}"]


class Withdrawal(Result, frozen=True, kw_only=True):
    """A submission that was publicly withdrawn."""

    submission: str
    because: str
    entry: int
    commit: str | None

    def to_rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [self.to_dict()]

    def lines(self) -> list[str]:
        """The entry, and the reason."""
        return [f"{self.submission} is withdrawn: entry {self.entry}. {self.because}"]


class ScoredStudy(Result, frozen=True, kw_only=True):
    """Every result of a study, judged under every version of its bars."""

    runs: tuple[Rejudged, ...]

    @property
    def favourable(self) -> bool:
        """Whether every result passes."""
        return all(judged.favourable for judged in self.runs)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each result."""
        return [
            {
                "run": judged.run,
                "method": judged.method,
                "bars": None if judged.scorecard is None else judged.scorecard.bars_version,
                "verdict": None if judged.scorecard is None else judged.scorecard.verdict.value,
                "why": judged.error,
            }
            for judged in self.runs
        ]

    def lines(self) -> list[str]:
        """How many pass, and the first of them."""
        passed = sum(judged.favourable for judged in self.runs)
        return [
            f"{passed} of {counted(len(self.runs), 'run')} passed",
            *(
                f"{row['run']} {row['method']:.60}: {row['verdict'] or row['why']}"
                for row in msgspec.to_builtins(self.to_rows()[:6])
            ),
        ]
