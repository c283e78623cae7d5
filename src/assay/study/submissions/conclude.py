"""What a run comes to: judged under every version of the bars, its prediction graded."""

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
    """What one run came to: under each version of the bars, and beside its prediction."""

    submission: str
    original: str
    judgements: tuple[Judgement, ...]
    grade: Grade
    resumed: int


def conclude(study: Study, sealed: SealedPrereg) -> Finished:
    """Judge a result under every version of the bars and grade its prediction, once."""
    judge_missing(study)
    records = records_of(study)
    one = records.submission(sealed.id)
    made = grade_of(study, records, one, sealed.prediction, sealed.bars)
    if one.grade is None:
        keep_grade(study, sealed.id, made)
    else:
        made = read_grade(study, one.grade)
    return Finished(
        submission=sealed.id,
        original=sealed.bars.version,
        judgements=tuple(read_judgement(study, entry) for entry in one.scores.values()),
        grade=made,
        resumed=len(one.resumed),
    )
