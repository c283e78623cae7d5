"""What a reader of a scorecard must know, as coded data.

The codes are documented in docs/reference/caveats.md, and a test holds the two together.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from assay.evidence.confine import Level
from assay.evidence.record import Run
from assay.judges.scorecard import Caveat
from assay.stats.estimate import Estimate

SMALL = 30

CODES: Mapping[str, str] = {
    "unsealed": "No prediction was sealed before this run, so it shows nothing about foresight.",
    "not-isolated": "The method ran in a process of its own that could still read files.",
    "trusted-code": "The method ran in Assay's own process and could have read the labels.",
    "unscored": "Items without an output are left out of the estimates and block a verdict.",
    "incomplete-run": "The run stopped before every item was asked.",
    "small-n": f"Some estimate rests on fewer than {SMALL} records.",
    "same-ranking": "The method ranks every record exactly as a surface control does.",
    "method-printed": "The method wrote to its standard output or error.",
    "environment-passed": "Variables of the environment were passed to the method.",
}
"""Every code, and what it warns of."""


class Judged(Protocol):
    """As much of a part of a bar as caveats need."""

    @property
    def estimate(self) -> Estimate:
        """What was estimated."""

    @property
    def same_ranking(self) -> bool:
        """Whether the method ranks as its control does."""

    @property
    def partition(self) -> str:
        """On what."""


def caveats_of(run: Run, parts: Sequence[Judged], unscored: int) -> tuple[Caveat, ...]:
    """Everything to be said about a run judged this way, the weightiest first."""
    found: list[Caveat] = []

    def say(code: str, detail: str = "") -> None:
        found.append(Caveat(code=code, message=f"{CODES[code]}{detail and f' {detail}'}"))

    if not run.complete:
        say("incomplete-run")
    if unscored:
        kinds = sorted({record.error.kind for record in run.records if record.error is not None})
        say("unscored", f"{unscored} items, of which some {', '.join(kinds)}." if kinds else "")
    same = [part.partition for part in parts if part.same_ranking]
    if same:
        say("same-ranking", f"On {'; '.join(dict.fromkeys(same))}.")
    if any(part.estimate.n < SMALL for part in parts):
        say("small-n")
    if not run.sealed:
        say("unsealed")
    say("trusted-code" if run.isolation is Level.TRUSTED else "not-isolated")
    if run.environment:
        say("environment-passed", f"{', '.join(run.environment)}.")
    if run.printed:
        say("method-printed", f"{run.printed:,} bytes.")
    return tuple(found)
