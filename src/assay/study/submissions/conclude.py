"""Judge a finished run under every version of the bars, and grade its prediction."""

import msgspec

from assay.gauntlet.result import Judgement
from assay.study.entries import records_of
from assay.study.predictions.grade import Grade
from assay.study.scorecards.store import (
    grade_of,
    judge_missing,
    keep_grade,
    read_grade,
    read_judgement,
)
from assay.study.study import Study
from assay.study.submissions.sealed import SealedPrereg


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A finished run: a judgement for each version of the bars, and the grade of its prediction."""

    submission: str
    original: str
    judgements: tuple[Judgement, ...]
    grade: Grade
    resumed: int

    @property
    def favourable(self) -> bool:
        """Whether it passes under the bars that were sealed with it."""
        cards = (made.scorecard for made in self.judgements if made.bars == self.original)
        return any(card is not None and card.verdict.favourable for card in cards)


def conclude(study: Study, sealed: SealedPrereg) -> Finished:
    """Judge a result under every version of the bars and grade its prediction, once."""
    judge_missing(study)
    records = records_of(study)
    record = records.submission(sealed.id)
    made = grade_of(study, records, record, sealed.prediction, sealed.bars)
    if record.grade is None:
        keep_grade(study, sealed.id, made)
    else:
        made = read_grade(study, record.grade)
    return Finished(
        submission=sealed.id,
        original=sealed.bars.version,
        judgements=tuple(read_judgement(study, entry) for entry in record.scores.values()),
        grade=made,
        resumed=len(record.resumed),
    )
