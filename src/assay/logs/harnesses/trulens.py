"""Logs of TruLens: the records of `get_records_and_feedback`, as JSON.

A record has a column for each feedback, and `NAME_calls` beside it. A feedback without a value is
unscored. Version 2 keeps no error: a record failed if it has no output and no feedback was called;
version 1 has `main_error`. There are no means in the records. Records pair by their input; several
of one input are repeats. A file may hold several versions of an app: each is a run.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import SpecError
from assay.logs.instance_names import asked, named, numbered
from assay.logs.log import LogRun, Sample
from assay.logs.log_file import LogFile, number

_KEYS = {"app_id", "record_id", "input", "output"}
_CALLS, _DIRECTION = "_calls", " direction"


def recognise(file: LogFile) -> bool:
    """Whether the first record is one of an app, with feedback."""
    return file.keys >= _KEYS and bool(_feedbacks(file.keys))


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """Each app and version of it whose records are in a file."""
    apps: dict[tuple[str, str | None], list[Mapping[str, Any]]] = {}
    for record in _records(file):
        version = record.get("app_version")
        app = str(record.get("app_name") or record["app_id"])
        apps.setdefault((app, None if version is None else str(version)), []).append(record)
    return [
        _run(file, app, version, records, texts=texts) for (app, version), records in apps.items()
    ]


def _records(file: LogFile) -> list[Mapping[str, Any]]:
    found = [value for _, value in file.lines()] if file.is_lines else file.json
    if not isinstance(found, list):
        raise SpecError(f"{file}: expected a list of records")
    for at, record in enumerate(found):
        if not isinstance(record, dict) or not record.keys() >= _KEYS:
            raise SpecError(f"{file}, record {at}: expected {', '.join(sorted(_KEYS))}")
        if record["input"] in (None, ""):
            raise SpecError(f"{file}, record {at}: no input, which is needed to pair it")
    return sorted(found, key=_moment)


def _moment(record: Mapping[str, Any]) -> tuple[float, str]:
    """The time of a record: a number of milliseconds, or a time as text."""
    moment = record.get("ts")
    return number(moment) or 0.0, "" if isinstance(moment, (int, float)) else str(moment)


def _run(
    file: LogFile,
    app: str,
    version: str | None,
    records: Sequence[Mapping[str, Any]],
    *,
    texts: bool,
) -> LogRun:
    feedbacks = list(dict.fromkeys(name for record in records for name in _feedbacks(record)))
    names = [named(record["input"]) for record in records]
    return LogRun(
        harness="TruLens",
        task=app,
        model=version,
        scorer=", ".join(sorted(feedbacks)),
        samples=tuple(
            _sample(record, feedbacks, name, trial, texts=texts)
            for record, name, trial in zip(records, names, numbered(names), strict=True)
        ),
        lower=frozenset(
            name
            for name in feedbacks
            if any(record.get(f"{name}{_DIRECTION}") is False for record in records)
        ),
        place=str(file),
        files=(file,),
        notes=("records hold no mean to compute again",),
    )


def _feedbacks(keys: Mapping[str, Any] | frozenset[str]) -> list[str]:
    named_calls = [key.removesuffix(_CALLS) for key in keys if key.endswith(_CALLS)]
    return [name for name in named_calls if name in keys]


def _sample(
    record: Mapping[str, Any],
    feedbacks: Sequence[str],
    name: str,
    trial: str | None,
    *,
    texts: bool,
) -> Sample:
    costs = {"tokens": number(record.get("total_tokens")), "seconds": number(record.get("latency"))}
    return Sample(
        instance=name,
        trial=trial,
        scores={metric: _score(record.get(metric), name) for metric in feedbacks},
        failed=_failed(record, feedbacks),
        costs={what: value for what, value in costs.items() if value},
        question=asked(record["input"]) if texts else None,
        response=asked(record["output"]) if texts else None,
    )


def _score(value: object, name: str) -> float | None:
    if isinstance(value, (str, list, dict)):
        raise SpecError(f"record of {name!r:.60}: feedback is {value!r:.60}, expected a number")
    return number(value)


def _failed(record: Mapping[str, Any], feedbacks: Sequence[str]) -> bool:
    inner = record.get("record_json")
    if isinstance(inner, dict) and inner.get("main_error"):
        return True
    return not record["output"] and not any(record.get(f"{name}{_CALLS}") for name in feedbacks)
