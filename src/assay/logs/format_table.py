"""The table of log formats: which harnesses' logs Assay reads, and how it recognises them.

A format is recognised by content. A folder is searched for runs: every file below it that a format
recognises as the head of a run is one; the files that belong to it are read by its format.
"""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from assay.bounds import MAX_METRICS, MAX_SAMPLES
from assay.errors import AssayError, SpecError, UnknownForm, storage
from assay.folders import walk
from assay.logs.installed_reader import read_unknown
from assay.logs.log import LogRun
from assay.logs.log_file import LogFile
from assay.logs.means import check_means

_MOST_FILES = 100_000


@dataclass(frozen=True, kw_only=True)
class LogFormat:
    """A harness whose logs are read: its name, the files it writes, the module that reads them.

    The module has `recognise(file)`, which says whether a file is the head of a run, and
    `read(file, texts=...)`, which returns its runs. `heads(file)`, if it exists, returns the heads
    of the runs for another file, such as a file of results. `read_by_harness(file)` reads an
    unknown form with the harness itself. `pairs_by` says how two runs pair, `mean` what the
    reported mean is over; None if no file holds one.
    """

    name: str
    files: str
    module: str
    pairs_by: str
    mean: str | None

    @property
    def reader(self) -> ModuleType:
        """The module, imported on first use."""
        return importlib.import_module(f"assay.logs.harnesses.{self.module}")


FORMATS = (
    LogFormat(
        name="inspect_ai",
        files=".eval and .json logs",
        module="inspect_ai",
        pairs_by="id and epoch",
        mean="samples that have a score, epochs averaged first",
    ),
    LogFormat(
        name="lm-evaluation-harness",
        files="samples_*.jsonl and results_*.json",
        module="lm_eval",
        pairs_by="hashes of document and target, else the document's number",
        mean="lines of a filter that have the metric",
    ),
    LogFormat(
        name="promptfoo",
        files=".json and .jsonl results",
        module="promptfoo.reader",
        pairs_by="variables, assertions and description; repeats in order",
        mean="rows that did not break, by the weights of the assertions; none in .jsonl",
    ),
    LogFormat(
        name="deepeval",
        files="test_run_*.json",
        module="deepeval",
        pairs_by="name, else input and expected output",
        mean="cases that have a score",
    ),
    LogFormat(
        name="OpenAI evals",
        files=".jsonl logs",
        module="openai_evals",
        pairs_by="sample id",
        mean="samples that have an event of the score",
    ),
    LogFormat(
        name="Braintrust",
        files="results as .json, spans as .jsonl",
        module="braintrust",
        pairs_by="input; trials in order",
        mean="rows that have the score, trials like any other; none in spans",
    ),
    LogFormat(
        name="HELM",
        files="run folders with per_instance_stats.json",
        module="helm.reader",
        pairs_by="instance id and train trial",
        mean="instances, then train trials; a failed request counts as it was scored, mostly 0",
    ),
    LogFormat(
        name="lighteval",
        files="details_*.parquet and results_*.json",
        module="lighteval",
        pairs_by="digest of question, choices and gold",
        mean="documents that have a value",
    ),
    LogFormat(
        name="MLflow",
        files="*traces.jsonl and *run.json, eval_results_table.json",
        module="mlflow",
        pairs_by="inputs; a table's rows by id, else by inputs",
        mean="traces that have the assessment, failed ones too; none in a table",
    ),
    LogFormat(
        name="ragas",
        files="experiments/*.csv, saved results of evaluate",
        module="ragas",
        pairs_by="id in the dataset, else the sample",
        mean=None,
    ),
    LogFormat(
        name="TruLens",
        files="records as .json",
        module="trulens",
        pairs_by="input",
        mean=None,
    ),
    LogFormat(
        name="Langfuse",
        files="results of run_experiment as .json",
        module="langfuse",
        pairs_by="id in the dataset, else in the metadata, else input",
        mean="results that have the evaluation, where the run has one called its mean",
    ),
    LogFormat(
        name="Every Eval Ever",
        files="*_samples.jsonl and the .json beside it",
        module="every_eval_ever.reader",
        pairs_by="sample id and epoch",
        mean="samples or lines, whichever gives the result",
    ),
)


def format_of(file: LogFile) -> LogFormat | None:
    """The format that recognises a file as the head of a run; None if none does."""
    return next((known for known in FORMATS if known.reader.recognise(file)), None)


def read_log(path: Path, *, texts: bool = False) -> list[LogRun]:
    """Every run in a log file, or in the log files below a folder; empty if there is no log.

    With `texts` the questions and responses are read too. A run is refused if its rows do not give
    the mean that its harness reports.
    """
    runs: list[LogRun] = []
    for file in _files(path):
        try:
            known = format_of(file)
        except SpecError:
            if file.path == path or file.path.suffix == ".eval":
                raise
            known = None  # another archive, which is broken
        if known is not None:
            runs += _runs_of(known, file, texts=texts)
    for run in runs:
        _check_size(run)
        check_means(run)
    return runs


def _check_size(run: LogRun) -> None:
    """Refuse a run without samples or with too many."""
    if not run.samples:
        raise SpecError(f"{run.place}: a log of {run.harness} without samples")
    if len(run.samples) > MAX_SAMPLES:
        raise SpecError(f"{run.place}: more than {MAX_SAMPLES:,} samples in one run")
    if len(run.metrics) > MAX_METRICS:
        raise SpecError(f"{run.place}: more than {MAX_METRICS:,} metrics in one run")


def _runs_of(known: LogFormat, file: LogFile, *, texts: bool) -> list[LogRun]:
    try:
        runs: list[LogRun] = known.reader.read(file, texts=texts)
    except RecursionError:
        raise SpecError(f"{file}: a value is nested too deep") from None
    except UnknownForm as error:
        unknown = f"Assay does not know this form of {known.name}'s logs"
        refusal = UnknownForm(f"{error.message}: {unknown}", hint=error.hint)
        runs = read_unknown(known.reader, file, refusal)
    for run in runs:
        for own in run.files:
            own.forget()
    return runs


def is_log(path: Path) -> bool:
    """Whether a file is a harness's log, or a folder holds one."""
    try:
        return any(format_of(file) is not None for file in _files(path))
    except AssayError:
        return False


def _files(path: Path) -> Iterator[LogFile]:
    """The file itself, or its heads; or every file below a folder."""
    with storage(path):
        if not path.is_dir():
            yield from _heads(LogFile(path))
            return
        count = 0
        for place, folders, files in walk(path):
            folders.sort()
            for name in sorted(files):
                count += 1
                if count > _MOST_FILES:
                    raise SpecError(f"{path}: more than {_MOST_FILES:,} files")
                if (place / name).is_file():
                    yield LogFile(place / name)


def _heads(file: LogFile) -> list[LogFile]:
    """The heads of the runs to which a file belongs that is not a head itself."""
    if format_of(file) is not None:
        return [file]
    for known in FORMATS:
        find = getattr(known.reader, "heads", None)
        heads: list[LogFile] = [] if find is None else find(file)
        if heads:
            return heads
    return [file]
