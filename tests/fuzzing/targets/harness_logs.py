"""Logs of evaluation harnesses, as their tests write them."""

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import msgspec
from helpers.inspect_logs import archive, header, members, samples

from assay.logs.format_table import read_log
from assay.logs.harnesses import inspect_ai
from assay.logs.harnesses.every_eval_ever.files import written_files
from assay.logs.log_trials import described, trials_of
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile, ScratchFiles, joined, lines
from fuzzing.targets import target

_VALUES = ["C", "I", "P", None, "0.5", 0.25]
Files = Mapping[str, bytes]


def _tests_of(harness: str) -> ModuleType:
    return import_module(f"logs.harnesses.test_{harness}")


def _encoded(value: object) -> bytes:
    return json.dumps(value).encode()


def _written(harness: str, scratch: Path) -> Files:
    """The files that the `write` of a harness's tests writes."""
    folder = scratch / "written"
    folder.mkdir()
    _tests_of(harness).write(folder)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _inspect(_: Path) -> Files:
    made = samples(_VALUES)
    return {"a.json": _encoded(header(made) | {"samples": made})}


def _lm_eval(_: Path) -> Files:
    made = _tests_of("lm_eval")
    return {
        f"samples_facts_{made.TIME}.jsonl": lines([made.line(n, acc=1.0) for n in range(3)]),
        f"results_{made.TIME}.json": _encoded(made.results(**{"acc,none": 1.0})),
    }


def _promptfoo(_: Path) -> Files:
    made = _tests_of("promptfoo")
    return {"results.json": _encoded(made.log(made.ROWS, [made.column(made.ROWS)]))}


def _deepeval(_: Path) -> Files:
    made = _tests_of("deepeval")
    return {"test_run_1.json": _encoded(made.log(made.CASES))}


def _openai_evals(_: Path) -> Files:
    made = _tests_of("openai_evals")
    report = {"final_report": made.REPORT, "run_id": "r"}
    return {"log.jsonl": lines([made.spec(), *made.EVENTS, report])}


def _braintrust(_: Path) -> Files:
    made = _tests_of("braintrust")
    return {"results.json": _encoded(made.log(made.ROWS))}


def _braintrust_spans(_: Path) -> Files:
    made = _tests_of("braintrust")
    return {"rows.jsonl": lines([s for n, row in enumerate(made.ROWS) for s in made.spans(n, row)])}


def _helm(_: Path) -> Files:
    made = _tests_of("helm")
    return {
        "per_instance_stats.json": _encoded(list(made.entries())),
        "stats.json": _encoded([made.stat("exact_match", 0.5)]),
        "scenario_state.json": _encoded({"request_states": made.requests()}),
        "run_spec.json": _encoded(made.run_spec()),
    }


def _enter(name: str, make: Callable[[Path], Files], thousands: int) -> None:
    """A target that writes the files of a log, reads them and makes trials of them."""

    @target(f"logs: {name}", thousands=thousands)
    def _(scratch: Path) -> Reader:
        seed = make(scratch)
        files = ScratchFiles(scratch / "log", *seed)

        def read(data: bytes) -> object:
            return _all_of(files.put(data))

        return Reader(read=read, seeds=[joined(*seed.values())])


def _all_of(path: Path) -> object:
    """Everything that is done with a log, by readers of ours alone."""
    with patch.object(inspect_ai, "read_by_harness", None):  # it may be installed, and is not ours
        runs = read_log(path, texts=True)
    told = [(described(run), msgspec.json.encode(trials_of(run))) for run in runs]
    return told, [written_files(run) for run in runs]


for _name, _make in (
    ("inspect_ai, JSON", _inspect),
    ("lm-evaluation-harness", _lm_eval),
    ("promptfoo", _promptfoo),
    ("deepeval", _deepeval),
    ("OpenAI evals", _openai_evals),
    ("Braintrust", _braintrust),
    ("Braintrust, spans", _braintrust_spans),
    ("HELM", _helm),
):
    _enter(_name, _make, 40)
for _name in ("langfuse", "mlflow", "ragas", "trulens", "every_eval_ever"):
    _enter(_name, lambda scratch, name=_name: _written(name, scratch), 40)


@target("logs: lighteval", thousands=4)
def _lighteval(scratch: Path) -> Reader:
    seed = _written("lighteval", scratch)
    files = ScratchFiles(scratch / "log", *seed)
    return Reader(read=lambda data: _all_of(files.put(data)), seeds=[joined(*seed.values())])


@target("logs: inspect_ai, archives", thousands=40)
def _archives(scratch: Path) -> Reader:
    file = ScratchFile(scratch / "a.eval")
    content = members(samples(_VALUES))
    seeds = [archive(content, packing) for packing in ("zstandard", "deflate", "stored")]
    return Reader(read=lambda data: _all_of(file.put(data)), seeds=seeds)
