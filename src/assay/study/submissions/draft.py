"""Draft a submission: a folder with the method and a prediction to fill in."""

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.benchmark.benchmark import TASKS, Task
from assay.errors import AlreadySealed, SpecError, storage
from assay.files import write_new, write_whole
from assay.folders import members
from assay.gauntlet.metrics.table import metric_of
from assay.gauntlet.spec import BarSet
from assay.method.classes import check_class
from assay.method.closure import closure_of
from assay.method.model_based.disclosure import check_recordable
from assay.method.registry import REGISTERED, parse_method
from assay.models.recording import Recording
from assay.runs.worker import default_task
from assay.sandbox.environment import check_names
from assay.study.entries import records_of
from assay.study.predictions.spec import Predictable, parse_prediction
from assay.study.records import StudyRecords
from assay.study.study import StudyFolder, check_id
from assay.study.submissions.bars_in_force import asks_second, bars_in_force, predictable
from assay.study.submissions.sealed_files import RECORDING, laid_out, sealed_worker
from assay.study.submissions.spec import Prereg
from assay.toml import quoted, toml_bytes


def draft(
    study: StudyFolder,
    submission: str,
    method: str,
    *,
    task: Task | None = None,
    prereg: Prereg | None = None,
    prediction: Mapping[str, Any] | None = None,
    recording: Recording | None = None,
) -> tuple[Path, list[str]]:
    """Make a folder with a copy of the method and a prediction to fill in; the files copied.

    A prediction that is given is checked, and filled in. A recording is copied too, and will be
    replayed.
    """
    check_id(submission)
    if prereg is not None:
        check_names(prereg.environment)
        check_class(method, prereg.method_class)
    records = records_of(study)
    if submission in records.submissions:
        raise AlreadySealed(f"{submission} is sealed already", hint="Take another name.")
    folder = study.path(f"preregs/{submission}")
    with storage(folder):
        if folder.exists():
            raise SpecError(f"{folder} already exists", hint="Edit it, or choose another name.")
        folder.parent.mkdir(parents=True, exist_ok=True)
        _check_number(
            submission, [*records.submissions, *(p.name for p in folder.parent.iterdir())]
        )
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{submission}."))
    try:
        copied = _copy(method, aside, recording)
        prereg = prereg or Prereg(method="", task="detection")
        reference = _moved(method)
        task = task or _task_of(study, records, aside, reference, prereg)
        bars = bars_in_force(study, records, task)
        write_whole(aside / "prereg.toml", _prereg_text(reference, task, prereg).encode())
        about = predictable(study, study.benchmark(second=asks_second(bars)), bars, records)
        text = _prediction_text(submission, bars, about).encode()
        if prediction is not None:
            text = toml_bytes(prediction, where="prediction")
            parse_prediction(text, about, where="prediction")
        write_whole(aside / "prediction.toml", text)
        with storage(folder):
            aside.chmod(0o755)
            aside.rename(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return folder, copied


def _check_number(submission: str, taken: Iterable[str]) -> None:
    """Refuse the number of another submission in another spelling: 2 beside 002."""
    same = [name for name in taken if name.isdecimal() and submission.isdecimal()]
    other = next((name for name in same if int(name) == int(submission)), None)
    if other is not None:
        raise SpecError(
            f"{submission} and {other}, which is there already, are one number",
            hint="Choose another name: readers would take one for the other.",
        )


def _copy(method: str, aside: Path, recording: Recording | None) -> list[str]:
    """Copy a method's own files, as its imports find them, and the recording of its calls."""
    reference = parse_method(method, registered=REGISTERED)
    check_recordable(reference, recording)
    copied = []
    if recording is not None:
        with storage(recording.path):
            write_new(aside / RECORDING, recording.path.read_bytes())
        copied.append(RECORDING)
    for name, source in sorted(closure_of(reference).files.items()):
        with storage(source):
            data = source.read_bytes()
        write_new(aside / name, data)
        copied.append(name)
    return copied


def _moved(method: str) -> str:
    """The reference to a method from inside its own folder."""
    reference = parse_method(method, registered=REGISTERED)
    if reference.kind == "model":  # weights in no package are named by their whole path
        return f"{reference.attribute}:{reference.target}"
    if reference.kind != "file":
        return reference.text
    return f"{Path(reference.target).name}:{reference.attribute}"


def _task_of(
    study: StudyFolder, records: StudyRecords, folder: Path, method: str, prereg: Prereg
) -> Task:
    """The only task of the study, or the one that fits the method's signature."""
    tasks = [task for task in TASKS if records.versions(task)]
    if len(tasks) == 1:
        return tasks[0]
    contents = {
        member.name: member.path.read_bytes() for member in members(folder) if member.kind == "file"
    }
    with laid_out(contents) as place, sealed_worker(method, place, prereg=prereg, seed=0) as worker:
        return default_task(worker, study.benchmark(second=False))


def _prereg_text(method: str, task: Task, prereg: Prereg) -> str:
    stated = prereg.method_class
    return "\n".join(
        [
            "# What will run. Every file in this folder is sealed with it.",
            f"method = {quoted(method)}",
            *([] if stated is None else [f"method_class = {quoted(stated)}"]),
            f"task = {quoted(task)}",
            f"item_seconds = {prereg.item_seconds!r}",
            f"load_seconds = {prereg.load_seconds!r}",
            "# Names of environment variables to pass on; their values are not recorded.",
            f"environment = [{', '.join(map(quoted, prereg.environment))}]",
            "",
        ]
    )


def _prediction_text(submission: str, bars: BarSet, about: Predictable) -> str:
    first = next(iter(about.metrics))
    return "\n".join(
        [
            f"# Your prediction for {submission}: sealed before it runs, graded after.",
            "# Remove the # before each line that you commit to. Leave the others as they are.",
            "",
            "# no_idea = true         # this alone is allowed, and is graded as such",
            "level = 0.8              # how often your ranges should hold: 0.8 is four in five",
            f'# directions = ["{first} > 0.5"]  # metrics, numbers, earlier results (ID:{first})',
            '# notes = "why"',
            "",
            "[ranges]",
            *(
                f"# {bar.id} = [{about.metrics[bar.id]:.1f}, 1.0]   #"
                f" {metric_of(bar).measured(bar)}, to be at least {bar.at_least:g}"
                for bar in bars.bars
                if bar.id in about.metrics
            ),
            *(
                f'# "{name}" = [{least:.1f}, 1.0]'
                for name, least in about.metrics.items()
                if "." in name
            ),
            "",
            "[outcomes]               # probabilities, which sum to 1",
            "# fail = 0.6",
            "# unresolved = 0.3       # the records cannot tell",
            "# pass = 0.1",
            f"# or how many bars are met at the point estimates: {' '.join(about.counts)}",
            "",
        ]
    )
