"""Logs of Langfuse: the result of `run_experiment`, as JSON.

A failed item has no result and leaves no trace. A failed evaluator leaves no evaluation. Reported
means are evaluations of the run by a user's function, which may round them; one named after a
metric (`mean_exact`, `exact avg`) is taken as the mean over all results that have it.

Items pair by the id of the dataset, else by `id` in their metadata, else by their input. The SDKs
for Python and JavaScript spell keys in their own ways; both are read.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.errors import SpecError
from assay.logs.instance_names import asked, named, numbered
from assay.logs.log import LogRun, ReportedMean, Sample
from assay.logs.log_file import LogFile, canonical, number
from assay.logs.means import is_equal, mean_of

_MEAN = re.compile(r"^(?:mean|avg|average)[ _./-]+(.+)$|^(.+?)[ _./-]+(?:mean|avg|average)$", re.I)


def recognise(file: LogFile) -> bool:
    """Whether an object is the result of an experiment."""
    return {"item_results", "run_evaluations"} <= file.keys or (
        {"itemResults", "runEvaluations"} <= file.keys
    )


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The one run of a result."""
    result = file.json
    if not isinstance(result, dict):
        raise SpecError(f"{file}: expected the result of one experiment")
    rows = _listed(result, "item_results", str(file))
    samples = _samples(rows, str(file), texts=texts)
    metrics = list(dict.fromkeys(name for sample in samples for name in sample.scores))
    means, unchecked = _means(_listed(result, "run_evaluations", str(file)), samples)
    notes = ["Langfuse leaves no trace of an item that failed"]
    if unchecked:
        notes.append(f"not computed again: {', '.join(unchecked)}")
    run_name = _get(result, "run_name")
    return [
        LogRun(
            harness="Langfuse",
            task=str(result.get("name") or "experiment"),
            model=None if run_name is None else str(run_name),
            scorer=", ".join(sorted(metrics)) or None,
            samples=samples,
            means=tuple(means),
            place=str(file),
            files=(file,),
            notes=tuple(notes),
        )
    ]


def _samples(rows: Sequence[Mapping[str, Any]], where: str, *, texts: bool) -> tuple[Sample, ...]:
    items = [_item(row, f"{where}, result {at}") for at, row in enumerate(rows)]
    names = _names(items)
    return tuple(
        Sample(
            instance=name,
            trial=trial,
            scores=_scores(row, f"{where}, result {at}"),
            question=asked(item.get("input")) if texts else None,
            response=asked(row.get("output")) if texts else None,
            target=asked(_get(item, "expected_output")) if texts else None,
        )
        for at, (row, item, name, trial) in enumerate(
            zip(rows, items, names, numbered(names), strict=True)
        )
    )


def _get(values: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - JSON is any of six types
    """A value by its key in Python's spelling, or in JavaScript's."""
    if name in values:
        return values[name]
    first, *others = name.split("_")
    return values.get(first + "".join(word.capitalize() for word in others))


def _listed(values: Mapping[str, Any], name: str, where: str) -> list[Mapping[str, Any]]:
    found = _get(values, name)
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise SpecError(f"{where}: expected `{name}` to be a list of objects")
    return found


def _item(row: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    item = row.get("item")
    if not isinstance(item, dict):
        raise SpecError(f"{where}: expected `item` to be an object")
    return item


def _names(items: Sequence[Mapping[str, Any]]) -> list[str]:
    """A name for each item, by the first key that all items have and that is unique per input."""
    for key in _KEYS:
        found = [key(item) for item in items]
        if any(value in (None, "") or isinstance(value, (dict, list)) for value in found):
            continue
        inputs: dict[str, str] = {}
        same = [
            inputs.setdefault(named(value), asked_for) == asked_for
            for value, asked_for in zip(
                found, (canonical(it.get("input")) for it in items), strict=True
            )
        ]
        if all(same):
            return [named(value) for value in found]
    return [named(item.get("input")) for item in items]


def _metadata_id(item: Mapping[str, Any]) -> object:
    metadata = item.get("metadata")
    return metadata.get("id") if isinstance(metadata, dict) else None


_KEYS: tuple[Callable[[Mapping[str, Any]], object], ...] = (
    lambda item: item.get("id"),
    _metadata_id,
)


def _scores(row: Mapping[str, Any], where: str) -> dict[str, float | None]:
    scores: dict[str, float | None] = {}
    for evaluation in _listed(row, "evaluations", where):
        name = str(evaluation.get("name"))
        if name in scores:
            raise SpecError(f"{where}: two evaluations are named {name!r:.60}")
        scores[name] = number(evaluation.get("value"))
    return scores


def _means(
    evaluations: Sequence[Mapping[str, Any]], samples: Sequence[Sample]
) -> tuple[list[ReportedMean], list[str]]:
    """The evaluations of a run that are the mean of a metric, and the others."""
    means, unchecked = [], []
    for evaluation in evaluations:
        name, value = str(evaluation.get("name")), number(evaluation.get("value"))
        found = _MEAN.match(name)
        metric = str(found[1] or found[2]) if found else ""
        again = mean_of(samples, metric, "rows")
        if value is None or again is None:
            unchecked.append(name)
        elif not is_equal(again, value) and _is_rounded(again, value):
            unchecked.append(f"{name} (rounded)")
        else:
            means.append(ReportedMean(metric=metric, value=value, over="rows"))
    return means, unchecked


def _is_rounded(exact: float, value: float) -> bool:
    """Whether a value is the exact one, rounded to two decimals or more."""
    return any(is_equal(round(exact, places), value) for places in range(2, 9))
