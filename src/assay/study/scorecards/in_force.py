"""The scorecard of a study's run under the bars in force, given only the run's folder."""

from pathlib import Path

from assay.errors import SpecError
from assay.gauntlet.result import Scorecard
from assay.study.locate import study_root


def scorecard_in_force(folder: Path) -> Scorecard | None:
    """The judgement of a run under the newest bars of its study; None for a run outside a study.

    Run and judgement must match the ledger.
    """
    root = study_root(folder)
    if root is None or folder.resolve().parent != root / "runs":
        return None
    from assay.study.entries import records_of  # only where a study is to be read
    from assay.study.scorecards.store import load_result, read_judgement
    from assay.study.study import open_study

    study = open_study(root)
    records = records_of(study)
    submission = records.submissions.get(folder.resolve().name)
    if submission is None or submission.run is None:
        raise SpecError(
            f"{folder} is in the study {root}, but its ledger has no result of that name",
            hint="Run it first: assay run ID",
        )
    run = load_result(study, submission)
    versions = records.versions(run.task)
    newest = versions[-1].version if versions else None
    if newest not in submission.scores:
        raise SpecError(
            f"{folder} was not judged under {newest}, the bars in force",
            hint="Judge it first: assay score `all=True`",
        )
    judgement = read_judgement(study, submission.scores[newest])
    if judgement.scorecard is None:
        raise SpecError(f"{folder} has no scorecard under {newest}: {judgement.error}")
    return judgement.scorecard
