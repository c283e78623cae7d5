"""`assay run`: the one run of a sealed submission."""

from pathlib import Path

import click
import msgspec

from assay.api.study.publication import committable, publish, publish_result
from assay.cli.options import EXIT_CODES, json_flag, study_flag, typed
from assay.cli.output import leave, print_json
from assay.cli.progress import quiet
from assay.cli.run_output import RunOutput
from assay.errors import MethodError
from assay.study.commits.commit_files import how_to_commit
from assay.study.study import StudyFolder, find_study
from assay.study.submissions.run import Finished, run_sealed


@click.command("run", epilog=EXIT_CODES)
@click.argument("submission", metavar="ID")
@click.option("--unwitnessed", is_flag=True, help="Run even if no commit holds the seal.")
@click.option(
    "--outside", metavar="VALUE", help="The outside value that the seal names for its seed."
)
@click.option("--commit", "committing", is_flag=True, help="Commit the start, and the result.")
@study_flag
@json_flag
def command(
    submission: str,
    unwitnessed: bool,
    outside: str | None,
    committing: bool,
    folder: Path,
    as_json: bool,
) -> None:
    """Run a sealed submission, once, and publish whatever comes out.

    Refused unless it is sealed, unchanged, and its seal is in a commit (--unwitnessed runs it
    anyway, and the result says so). It runs from a copy of the sealed bytes, with a seed derived
    from the seal. If the outputs depend on the seed, the method runs under five seeds and is judged
    on their mean, unless the seal names an outside value for the seed (--outside). An interrupted
    run is resumed. Then the run is judged under every version of the bars, and its prediction is
    graded. The exit code is that of the verdict: a FAIL exits with 1 even if nothing went wrong.

    \b
    Example:
      assay run 019 --commit
    """
    study = find_study(folder)
    if committing:
        committable(study)

    def start() -> None:
        with quiet():
            publish(study, f"Start {submission}", commit=committing)

    shown = RunOutput(start)
    try:
        finished = run_sealed(
            study, submission, unwitnessed=unwitnessed, outside=outside, listener=shown
        )
    except (MethodError, KeyboardInterrupt) as error:
        shown.close()
        again = typed(f"run {submission}", folder)
        kept = f"The {shown.made} outputs made so far are kept; resume the run: {again}"
        if isinstance(error, KeyboardInterrupt):
            click.echo(f"\n{kept}", err=True)
        elif shown.made:
            error.hint = " ".join(filter(None, (error.hint, kept)))
        raise
    finally:
        shown.close()
    _publish(study, finished, committing=committing, as_json=as_json)
    leave(favourable=finished.favourable)


def _publish(study: StudyFolder, finished: Finished, *, committing: bool, as_json: bool) -> None:
    """Print the result, and commit it or say how."""
    with quiet():
        published = publish_result(study, finished, commit=committing)
    if as_json:
        print_json({**msgspec.to_builtins(finished), "commit": published.commit})
    else:
        from assay.report.study.finished import draw_finished
        from assay.report.terminal import console

        draw_finished(finished, console())
        click.echo()
        if published.commit is not None:
            click.echo(f"Committed as {published.commit[:12]}.")
        else:
            click.echo(f"Publish it:\n  {how_to_commit(study, published.names, published.message)}")
