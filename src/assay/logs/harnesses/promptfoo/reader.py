"""Logs of promptfoo: `.json` and `.jsonl`.

One evaluation runs every test under every prompt and provider, and each such pair is a run here. A
test is identified by its variables, assertions and description; every repeat has its own row.
`failureReason` 2 means that the request or the grader failed: score 0, no named scores, and not in
any mean here. A wrong answer has an `error` text too, but is not a failure.

The file reports sums, not means. `pass` and `score` are over the rows that did not fail. A named
score is multiplied by the weight of its assertion, so its sum is divided by the sum of the weights.
Old versions have no weights. Lines of JSON hold only rows, without sums and version. The CSV rounds
scores to two digits and lacks the assertions, so it is refused. Evaluations have no common name, so
the task is the names of the variables.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.errors import SpecError
from assay.files import names_beside
from assay.logs.harnesses.promptfoo.evaluation import (
    EvaluateResults,
    Evaluation,
    PromptColumn,
    PromptfooRow,
    PromptfooTest,
)
from assay.logs.harnesses.promptfoo.sums import means_of, tested
from assay.logs.instance_names import TrialNumbers, instance_name, shown
from assay.logs.lenient_json import decode
from assay.logs.log import LogRun, Sample
from assay.logs.log_file import LogFile, fingerprint, number, text

_JSON_KEYS = {"evalId", "results", "config"}
_LINE_KEYS = {"testCase", "namedScores", "success", "score", "promptIdx"}
_CSV_COLUMNS = {"Status", "Score", "Named Scores", "Grader Reason"}
_KNOWN_VERSIONS = (2, 3)
_PARAMETERS = frozenset(
    "temperature max_tokens maxTokens max_completion_tokens maxOutputTokens top_p topP top_k topK"
    " seed stop frequency_penalty presence_penalty reasoning reasoning_effort".split()
)
_TARGETS = ("target", "expected", "reference")


def recognise(file: LogFile) -> bool:
    """Whether a file is an evaluation, or its lines are rows of one."""
    return file.keys >= _JSON_KEYS or (file.is_lines and file.keys >= _LINE_KEYS)


def heads(file: LogFile) -> list[LogFile]:
    """No heads; the CSV of an evaluation is refused."""
    first = file.head.decode("utf-8-sig", "replace").split("\n", 1)[0]
    try:
        columns = next(csv.reader([first]), [])
    except csv.Error:
        return []
    if set(columns) >= _CSV_COLUMNS:
        raise SpecError(
            f"{file}: promptfoo's CSV cannot be used: scores are rounded, assertions missing",
            hint=_whole_beside(file.path) or "Export the evaluation as .json or .jsonl.",
        )
    return []


def _whole_beside(path: Path) -> str | None:
    """A hint that names the same evaluation in a form that can be read, if it lies beside."""
    for suffix in (".json", ".jsonl"):
        other = path.with_suffix(suffix)
        if str(other) in names_beside(path):
            return f"Name {other.name}, which lies beside it."
    return None


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """A run for each prompt under each provider."""
    if file.keys >= _JSON_KEYS:
        log = file.decoded(Evaluation)
    else:
        rows = [decode(line, PromptfooRow, where=where) for where, line in file.raw_lines()]
        log = Evaluation(results=EvaluateResults(results=rows))
    found = log.results
    columns = found.prompts or ([] if found.table is None else found.table.head.prompts)
    groups: dict[object, list[PromptfooRow]] = {}
    for row in found.results:
        key = row.prompt_idx if row.prompt_idx is not None else (_model(row), _label(row))
        groups.setdefault(key, []).append(row)
    return [
        _run(file, log, _column(columns, key), rows, alone=len(groups) == 1, texts=texts)
        for key, rows in groups.items()
    ]


def _column(columns: Sequence[PromptColumn], key: object) -> PromptColumn | None:
    if isinstance(key, int):
        return columns[key] if 0 <= key < len(columns) else None
    return next((c for c in columns if (_named(c.provider), c.label) == key), None)


def _run(
    file: LogFile,
    log: Evaluation,
    column: PromptColumn | None,
    rows: list[PromptfooRow],
    *,
    alone: bool,
    texts: bool,
) -> LogRun:
    sums = None if column is None else column.metrics
    samples = tuple(_samples(rows, texts=texts))
    place = str(file) if alone else f"{file}, {_model(rows[0])}, prompt {_label(rows[0])!r:.60}"
    lines = not file.keys >= _JSON_KEYS
    missing = "rows alone: no mean to compute again" if lines else "no sums: it did not finish"
    means, notes = means_of(sums, rows, place) if sums else ([], [missing])
    if not lines and log.results.version not in _KNOWN_VERSIONS:
        notes.append(f"results of version {log.results.version} are unknown; read as version 3")
    return LogRun(
        harness="promptfoo",
        version=None if log.metadata is None else log.metadata.promptfoo_version,
        task=", ".join(sorted({name for row in rows for name in row.test.vars or ()})) or "tests",
        model=(None if column is None else _named(column.provider)) or _model(rows[0]),
        settings=_settings(log, rows[0]),
        scorer=_scorer(rows),
        samples=samples,
        means=tuple(means),
        planned=None if sums is None else tested(sums),
        finished=lines or sums is not None,
        place=place,
        files=(file,),
        notes=tuple(notes),
    )


def _samples(rows: Sequence[PromptfooRow], *, texts: bool) -> Iterator[Sample]:
    numbers = TrialNumbers()
    for row in rows:
        test = row.test
        label = test.description or next(iter((test.vars or {}).values()), None)
        instance = instance_name(label, [test.vars, test.assertions, test.description])
        scores: dict[str, float | None] = {}
        if not row.failed:
            scores = {name: number(value) for name, value in (row.named_scores or {}).items()}
            scores = {"pass": float(row.success), "score": number(row.score)} | scores
        yield Sample(
            instance=instance,
            trial=numbers.next(instance),
            scores=scores,
            failed=row.failed,
            costs=_costs(row),
            question=text(row.prompt.raw) if texts and row.prompt else None,
            response=text(row.response.output) if texts and row.response else None,
            target=_target(test) if texts else None,
        )


def _costs(row: PromptfooRow) -> dict[str, float]:
    costs = {}
    usage = row.response.token_usage if row.response else None
    if usage is not None and usage.total is not None:
        costs["tokens"] = usage.total
    if row.latency_ms is not None:
        costs["seconds"] = row.latency_ms / 1000
    return costs


def _target(test: PromptfooTest) -> str | None:
    """The value of the only assertion that has one, or a variable named like a target."""
    named = [test.vars[name] for name in _TARGETS if name in (test.vars or {}) and test.vars]
    if named:
        return text(named[0])
    values = [a.get("value") for a in _assertions(test) if a.get("type") in ("equals", "contains")]
    return text(values[0]) if len(values) == 1 else None


def _assertions(test: PromptfooTest) -> list[dict[str, Any]]:
    listed = test.assertions if isinstance(test.assertions, list) else []
    return [assertion for assertion in listed if isinstance(assertion, dict)]


def _named(provider: object) -> str | None:
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return provider if isinstance(provider, str) else None


def _model(row: PromptfooRow) -> str | None:
    return _named(row.provider)


def _label(row: PromptfooRow) -> str | None:
    return None if row.prompt is None else row.prompt.label


def _settings(log: Evaluation, row: PromptfooRow) -> dict[str, str]:
    """The prompt, and the usual model parameters in the provider's configuration."""
    settings = {}
    if row.prompt_id or _label(row):
        settings["prompt"] = (row.prompt_id or fingerprint(_label(row)))[:12]
    listed = [] if log.config is None else log.config.providers
    providers = listed if isinstance(listed, list) else []
    for provider in providers:
        config = provider.get("config") if isinstance(provider, dict) else None
        if isinstance(config, dict) and (len(providers) == 1 or _named(provider) == _model(row)):
            settings |= {name: shown(config[name]) for name in config if name in _PARAMETERS}
    return settings


def _scorer(rows: Sequence[PromptfooRow]) -> str | None:
    """The kinds of assertions, without their values, which differ between tests."""
    kinds, names = set(), set()
    for row in rows:
        test = row.test
        for assertion in _assertions(test):
            kinds.add(fingerprint([{**assertion, "value": None}, test.options]))
            names.add(str(assertion.get("metric") or assertion.get("type")))
    return f"{', '.join(sorted(names))} @ {fingerprint(sorted(kinds))}" if names else None
