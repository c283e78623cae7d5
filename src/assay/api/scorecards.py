"""Judge a finished run under any bars."""

from pathlib import Path

from assay.errors import SpecError
from assay.gauntlet import rejudge
from assay.gauntlet.result import Scorecard
from assay.gauntlet.spec import BarSet
from assay.runs.result import Run
from assay.study.locate import study_root


def score(
    run: Run | str | Path,
    benchmark: object = None,
    bars: BarSet | str | Path | None = None,
    *,
    second: object = None,
    label: str | None = None,
    score: str | None = None,
) -> Scorecard:
    """Judge a run under any bars; nothing is run, and nothing is written.

    `run` is a Run, the folder of a saved one, or a log of an evaluation harness. Its data are read
    again from the same place and must have the same digest. If they moved, or came from memory,
    pass their new place or the data themselves (a Benchmark, rows or a frame) as `benchmark` and
    `second`. `bars` are a version (`"v3"`), a TOML file or a BarSet; by default those that fit the
    data.

    The scores of a log are its metric `score`. They are judged on the records of `benchmark`, or on
    the log's own answers, which the metric `label` calls right (1) or wrong (0).

    Example:
        >>> import assay
        >>> run = assay.run("oracle:word_length", "darkcore")
        >>> assay.score(run, bars="v1").point.verdict == "pass"
        True
        >>> assay.score(run, bars="v3").point.verdict == "fail"
        True
    """
    if not isinstance(run, Run) and rejudge.is_scored_log(Path(run)):
        if second is not None:
            raise SpecError("a log has no scores of a second corpus", hint="Leave out `second=`.")
        return rejudge.judge_log(Path(run), bars, benchmark=benchmark, label=label, metric=score)
    if label is not None or score is not None:
        where = "the run" if isinstance(run, Run) else str(run)
        raise SpecError(
            f"{where}: `label=` and `score=` are for a log of a harness",
            hint="The scores in a file are judged by: assay confounds FILE `scores=FILE`"
            " `score=COLUMN`.",
        )
    if isinstance(run, Run):
        return rejudge.judge_again(run, bars, benchmark=benchmark, second=second)[1]
    root = study_root(Path(run))
    if root is not None:
        raise SpecError(
            f"{run} is inside a study, which judges its own results",
            hint=f"Judge it there: Study.open({str(root)!r}).score({str(run)!r}).",
        )
    return rejudge.judge_again(Path(run), bars, benchmark=benchmark, second=second)[1]
