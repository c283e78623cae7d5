"""The result of a critique: a score for each answer, and how it hangs on the wording."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.caveats import Caveat, caveat_lines
from assay.critic.spec import Mode
from assay.result import Result
from assay.stats.estimate import Estimate
from assay.wording import counted, interval

FORMAT = 1


class AnswerScore(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: the probability that the model rejects it, its bounds, and what it rests on.

    `p_no` is None if the model abstained, or if a call failed (`error`). `by_wording` holds the
    value under each wording by name; `spread` is the largest difference among them.
    """

    id: str
    p_no: float | None
    low: float | None
    high: float | None
    mass: float | None
    abstained: bool
    spread: float | None
    by_wording: Mapping[str, float | None]
    error: str | None = None


class WordingResult(msgspec.Struct, frozen=True, kw_only=True):
    """One wording alone: its AUC, how often the model abstained, and its mean mass."""

    name: str
    digest: str
    auc: Estimate | None
    abstained: int
    mass: float | None


class Calls(msgspec.Struct, frozen=True, kw_only=True):
    """The recording that replies went to or came from, and how many came from where."""

    file: str
    mode: str
    asked: int
    replayed: int


class Critique(Result, frozen=True, kw_only=True):
    """A model's judgement of answers.

    A score is the mean over wordings. `auc` is there where every answer has a label (`labelled`
    counts them): how well the scores tell wrong answers from right ones. It is of the answers that
    were scored; `abstained` and `failed` count the others.

    Example:
        >>> import assay
        >>> made = assay.critique("darkcore", model="local")  # doctest: +SKIP
        >>> made.scores[0].p_no, made.scores[0].spread  # doctest: +SKIP
        (0.58, 0.41)
        >>> "wording_gap" in assay.Critique.__struct_fields__
        True
    """

    format: int
    model: str
    mode: Mode
    prompt: str
    wordings: tuple[WordingResult, ...]
    data: str
    digest: str
    n: int
    abstained: int
    failed: int
    min_mass: float
    top: int
    labelled: int
    auc: Estimate | None
    wording_gap: Estimate | None
    cassette: Calls | None
    caveats: tuple[Caveat, ...]
    scores: tuple[AnswerScore, ...]

    @property
    def why_no_auc(self) -> str:
        """Why the scores have no AUC, where they have none."""
        if not self.labelled:
            return "no labels, so no AUC"
        if self.labelled < self.n:
            return f"{self.labelled:,} of {self.n:,} have a label, so no AUC"
        return "the labels of those scored are all the same, so no AUC"

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each answer."""
        return [
            {
                **{
                    name: value
                    for name, value in msgspec.structs.asdict(score).items()
                    if name != "by_wording"
                },
                **{f"p_no:{name}": value for name, value in score.by_wording.items()},
            }
            for score in self.scores
        ]

    def lines(self) -> Sequence[str]:
        """The AUC or the number of scores, then each wording, and what to know."""
        if self.n == 1:
            return [*answer_lines(self.scores[0], self.model), *caveat_lines(self.caveats)]
        scored = self.n - self.abstained - self.failed
        first = (
            f"{counted(scored, 'answer')} scored of {self.n:,} ({self.why_no_auc})"
            if self.auc is None
            else f"AUC {self.auc} over {counted(scored, 'answer')} of {self.n:,}"
        )
        return [
            f"{first}, by {self.model:.80}",
            *(_line(each) for each in self.wordings),
            *caveat_lines(self.caveats),
            f"prompt {self.prompt[:19]} · {self.data:.60}@{self.digest[7:11]}",
        ]


def answer_lines(score: AnswerScore, model: str) -> list[str]:
    """One answer: its score within its bounds, the mass, and each wording."""
    if score.error is not None:
        return [f"no score: {score.error:.200}, by {model:.80}"]
    if score.p_no is None or score.low is None or score.high is None:
        return [f"abstained (mass {score.mass or 0.0:.2f}), by {model:.80}"]
    each = ", ".join(
        f"{name} {'abstained' if p_no is None else f'{p_no:.3f}'}"
        for name, p_no in score.by_wording.items()
    )
    return [
        f"p_no {score.p_no:.3f}, bounds {interval(score.low, score.high)}, mass {score.mass:.2f},"
        f" by {model:.80}",
        f"by wording: {each} (spread {score.spread:.2f})",
    ]


def _line(wording: WordingResult) -> str:
    auc = "" if wording.auc is None else f": AUC {wording.auc}"
    mass = "" if wording.mass is None else f", mass {wording.mass:.2f}"
    return f"{wording.name}{auc}{mass}, {wording.abstained:,} abstained"
