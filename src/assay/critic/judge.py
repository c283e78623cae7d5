"""From the judgements of every answer to a critique: scores, AUCs, the effect of the wording."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np

from assay.caveats import Caveats
from assay.critic.caveats import CODES
from assay.critic.result import FORMAT, AnswerScore, Calls, Critique, WordingResult
from assay.critic.spec import Wording
from assay.critic.tokens import TokenJudgement, pool
from assay.digests import listing_digest, short
from assay.stats import auc
from assay.stats.estimate import Estimate

_CHANCE = 0.5
_SMALL = 30
_WIDE = 0.1
"""Bounds further apart than this say that the server's list decides."""
_END = 0.01
_MOSTLY = 0.9


class JudgedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The judgements of one answer, one a wording, or why there are none."""

    id: str
    judgements: tuple[TokenJudgement, ...] = ()
    error: str | None = None


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the answers: which are wrong, and which are not independent.

    Without a label for every answer there is no AUC: those that have one may be easier.
    """

    wrong: Mapping[str, bool]
    units: Mapping[str, str] | None = None


class CritiqueSetting(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked of which model, over which data."""

    model: str
    wordings: tuple[Wording, ...]
    data: str
    digest: str
    min_mass: float
    top: int
    cassette: Calls | None = None
    author: str | None = None
    toy: bool = False


def critique(
    judged: Sequence[JudgedAnswer], setting: CritiqueSetting, labelled: Labelled | None = None
) -> Critique:
    """The result. A score is the mean over the wordings in which the model answered."""
    scores = tuple(answer_score(each, setting.wordings) for each in judged)
    known = 0 if labelled is None else len(labelled.wrong)
    whole = labelled if known == len(scores) else None
    comparison = _Comparison(scores, setting.wordings, whole)
    made = Critique(
        format=FORMAT,
        model=setting.model,
        mode=setting.wordings[0].mode,
        prompt=listing_digest("wordings", (each.digest for each in setting.wordings)),
        wordings=tuple(
            _alone(number, wording, judged, comparison)
            for number, wording in enumerate(setting.wordings)
        ),
        data=setting.data,
        digest=setting.digest,
        n=len(scores),
        abstained=sum(score.abstained for score in scores),
        failed=sum(score.error is not None for score in scores),
        min_mass=setting.min_mass,
        top=setting.top,
        labelled=known,
        auc=comparison.pooled(),
        wording_gap=comparison.largest_gap(),
        cassette=setting.cassette,
        caveats=(),
        scores=scores,
    )
    return msgspec.structs.replace(made, caveats=_caveats(made, setting).by_weight())


def answer_score(judged: JudgedAnswer, wordings: Sequence[Wording]) -> AnswerScore:
    """The score of one answer: the mean over the wordings in which the model answered."""
    if judged.error is not None:
        return AnswerScore(
            id=judged.id,
            p_no=None,
            low=None,
            high=None,
            mass=None,
            abstained=False,
            spread=None,
            by_wording={each.name: None for each in wordings},
            error=judged.error,
        )
    pooled = pool(judged.judgements)
    given = [each.p_no for each in judged.judgements if each.p_no is not None]
    return AnswerScore(
        id=judged.id,
        p_no=pooled.p_no,
        low=pooled.low,
        high=pooled.high,
        mass=pooled.mass,
        abstained=pooled.p_no is None,
        spread=max(given) - min(given) if given else None,
        by_wording={
            wording.name: each.p_no
            for wording, each in zip(wordings, judged.judgements, strict=True)
        },
    )


class _Comparison:
    """The AUC of the pooled scores, and of each wording on the answers that all of them scored."""

    def __init__(
        self, scores: Sequence[AnswerScore], wordings: Sequence[Wording], labelled: Labelled | None
    ) -> None:
        self._labelled = labelled
        self._names = [each.name for each in wordings]
        self._scored = [score for score in scores if score.p_no is not None]
        whole = [s for s in self._scored if None not in s.by_wording.values()]
        self._each = self._fit(whole, [[s.by_wording[name] for s in whole] for name in self._names])

    def pooled(self) -> Estimate | None:
        """The AUC of the mean over wordings."""
        fitted = self._fit(self._scored, [[score.p_no for score in self._scored]])
        return None if fitted is None else fitted.estimate()

    def alone(self, number: int) -> Estimate | None:
        """The AUC of one wording, on the answers scored in all."""
        return None if self._each is None else self._each.estimate(number)

    def largest_gap(self) -> Estimate | None:
        """The difference between two wordings that is furthest from 0 for its error.

        The interval is corrected for looking at every pair.
        """
        pairs = list(combinations(range(len(self._names)), 2))
        if self._each is None or not pairs:
            return None
        level = 1.0 - 0.05 / len(pairs)
        fitted = self._each
        first, second = max(
            (pair if fitted.gap(*pair) >= 0.0 else pair[::-1] for pair in pairs),
            key=lambda pair: fitted.difference(*pair, level=level).low,
        )
        return fitted.difference(first, second, level=level)

    def _fit(
        self, scores: Sequence[AnswerScore], rows: Sequence[Sequence[float | None]]
    ) -> auc.AucFit | None:
        known = self._labelled
        if known is None or not scores:
            return None
        wrong = np.array([known.wrong[score.id] for score in scores])
        if wrong.all() or not wrong.any():
            return None
        values = np.array(rows, dtype=np.float64)
        groups = None
        if known.units is not None:
            units = np.array([known.units[score.id] for score in scores])
            groups = units[wrong], units[~wrong]
        return auc.fit(values[:, wrong], values[:, ~wrong], groups=groups)


def _alone(
    number: int, wording: Wording, judged: Sequence[JudgedAnswer], comparison: _Comparison
) -> WordingResult:
    asked = [each.judgements[number] for each in judged if each.error is None]
    return WordingResult(
        name=wording.name,
        digest=wording.digest,
        auc=comparison.alone(number),
        abstained=sum(each.p_no is None for each in asked),
        mass=float(np.mean([each.mass for each in asked])) if asked else None,
    )


def _caveats(made: Critique, setting: CritiqueSetting) -> Caveats:
    noted = Caveats(CODES)
    better = [each.auc.low > _CHANCE for each in made.wordings if each.auc is not None]
    gap = made.wording_gap
    if gap is not None and (gap.low > 0.0 or (any(better) and not all(better))):
        noted.add(
            "wording-sensitive",
            f"Better than chance under {sum(better)} of {len(better)} wordings; two of them differ"
            f" by {gap}.",
        )
    if setting.author is not None:
        noted.add("same-author-model", f"The data name {setting.author!r:.80} as an author.")
    if setting.toy:
        noted.add("toy-model")
    if made.abstained:
        noted.add("abstained", f"{made.abstained:,} of {made.n:,}.")
    if made.failed:
        noted.add("failed-calls", f"{made.failed:,} of {made.n:,}.")
    known = [score for score in made.scores if score.p_no is not None]
    wide = sum(
        score.high - score.low > _WIDE
        for score in known
        if score.high is not None and score.low is not None
    )
    if wide:
        noted.add("unlisted-tokens", f"{wide:,} of {len(known):,} by more than {_WIDE}.")
    ends = sum(
        min(score.p_no, 1.0 - score.p_no) < _END for score in known if score.p_no is not None
    )
    if known and ends >= _MOSTLY * len(known):
        noted.add("saturated", f"{ends:,} of {len(known):,} are within {_END} of 0 or 1.")
    if len(setting.wordings) == 1:
        noted.add("one-wording")
    if setting.cassette is not None and setting.cassette.replayed:
        noted.add("replayed", f"{setting.cassette.replayed:,} calls of {short(made.prompt)}.")
    if made.auc is not None and made.auc.n < _SMALL:
        noted.add("small-n")
    return noted
