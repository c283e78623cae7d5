"""Trials, specs, comparisons and pilots."""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
from helpers.sides import read_two

from assay.comparison.collect import Request, compare_paths
from assay.comparison.pilot import power_of_pilot
from assay.comparison.spec import parse_dimensions
from assay.comparison.store import read_comparison, write_comparison
from assay.comparison.trials.journal import Plan, begin, read_journal
from assay.comparison.trials.schedule import schedule
from assay.comparison.trials.spec import load_trial_spec
from assay.digests import digest
from assay.logs.eval_folder import read_run
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns, read_rows
from assay.report.comparison import draw_comparison, draw_pilot
from assay.report.terminal import console
from assay.tables.source import TableSource
from fuzzing.campaign import Reader
from fuzzing.files import ScratchFile, ScratchFiles, joined, lines
from fuzzing.targets import target

TRIALS = [
    {
        "instance": "q1",
        "trial": 1,
        "grounded": True,
        "recall": 0.5,
        "cost_usd": 0.02,
        "harness": {"model": "m", "params": {"b": 1, "a": 2}},
        "scorer": "s",
        "run": "r1",
        "status": "ok",
    },
    {"instance": "q2", "trial": 1, "grounded": 0, "recall": None, "cost_usd": 1, "run": "r2"},
    {"instance": 3, "trial": "x", "grounded": 1, "recall": 1.0, "error": "timeout", "run": "r3"},
]
_CSV = b"instance,trial,score,cost_usd,harness.model,drawn_order\nq1,1,1,0.5,m,1\nq2,1,0,,m,2\n"
EVAL = {"fixture": "f", "grounded": 1.0, "recall": 0.5, "trajectory": 1, "tokens": 120, "run_id": 1}
MANIFEST = {"model": "m", "profile": "p", "params": {"b": [1], "a": None}, "artifact": "sha256:1"}
DIMENSIONS = b"""
[dimensions.grounded]
gated = true
margin = 0.05
[dimensions.tokens]
counts = false
better = "lower"
[dimensions.score]
range = [0, 10]
ideal = 9.5
weight = 2
[policy]
missing = "exclude"
crashed = "fail"
allow = ["harness"]
gates = "strict"
"""
SPEC = b"""
instances = ["a", "b"]
trials = 2
seed = 7
jobs = 1
[system]
folder = "agent"
command = ["sh", "agent.sh", "{out}", "{instance}"]
seconds = 20.0
environment = ["PATH"]
[artifact]
path = "skill.md"
into = "skills/skill.md"
probe = ["sh", "{home}/probe.sh"]
[candidate]
arguments = ["--skill", "{artifact}"]
[score]
command = ["sh", "score.sh", "{out}"]
file = "eval.json"
[budget]
runs = 10
minutes = 1.5
money = 2
[stop]
sequential = false
[harness]
model = "m"
[dimensions.score]
gated = true
[policy]
missing = "exclude"
"""


def _rows(name: str, data: bytes) -> dict[str | None, list[Trial]]:
    source = TableSource(place=name, name=name, files=((name, data),))
    return read_rows(source, TrialColumns()).sides


@target("trials: JSONL", thousands=300)
def _trials(_: Path) -> Reader:
    return Reader(
        read=lambda data: _rows("trials.jsonl", data),
        seeds=[lines(TRIALS), lines([{"instance": "a", "score": {"x": 1, "y": {"z": 0.5}}}])],
    )


@target("trials: CSV", thousands=300)
def _trials_csv(_: Path) -> Reader:
    return Reader(read=lambda data: _rows("trials.csv", data), seeds=[_CSV], language="csv")


@target("trials: eval.json and manifest.json", thousands=60)
def _eval(scratch: Path) -> Reader:
    files = ScratchFiles(scratch / "run", "eval.json", "manifest.json")

    def read(data: bytes) -> object:
        return read_run(files.put(data), all_scores=bool(len(data) & 1), fixture_required=False)

    both = (json.dumps(EVAL).encode(), json.dumps(MANIFEST).encode())
    return Reader(read=read, seeds=[joined(*both), joined(both[0], b"{}")])


@target("trials: sides", thousands=15)
def _sides(scratch: Path) -> Reader:
    one = ScratchFiles(scratch / "sides" / "one", "eval.json", "manifest.json")
    files = ScratchFile(scratch / "trials.jsonl")

    def read(data: bytes) -> object:
        first, _, second = data.partition(b"\n=====\n")
        return read_two([one.put(first + b"\n=====\n{}").parent], [files.put(second)])

    return Reader(read=read, seeds=[joined(json.dumps(EVAL).encode(), lines(TRIALS))])


@target("comparison: dimensions", thousands=150)
def _dimensions(_: Path) -> Reader:
    return Reader(
        read=lambda data: parse_dimensions(data, where="dims.toml"),
        seeds=[DIMENSIONS, b"[dimensions]\na = {}\nb = {gated = true}\n"],
        language="toml",
    )


@target("trials: spec", thousands=40)
def _spec(scratch: Path) -> Reader:
    files = ScratchFiles(scratch, "trial.toml", "instances.jsonl")
    seeds = [SPEC, SPEC.replace(b'["a", "b"]', b'"instances.jsonl"')]
    rows = lines([{"instance": "a", "x": 1}, {"id": 2}])
    return Reader(
        read=lambda data: load_trial_spec(files.put(data) / "trial.toml"),
        seeds=[joined(seed, rows) for seed in seeds],
        language="toml",
    )


def _arm(arm: str) -> dict[str, object]:
    """A line of the journal."""
    treatment = {"opened": ["skill.md"], "original": False, "probe": 0, "wrong": None}
    return {
        "pair": 1,
        "arm": arm,
        "instance": "a",
        "trial": 1,
        "seed": 7,
        "status": "scored",
        "why": None,
        "dimensions": {"score": 0.5, "cost_usd": None},
        "treatment": treatment,
        "seconds": 0.25,
        "exit_code": 0,
    }


@target("trials: plan and journal", thousands=60)
def _journal(scratch: Path) -> Reader:
    files = ScratchFiles(scratch, "plan.json", "runs.jsonl")
    pairs = schedule(["a"], 2, 0)
    mark = digest(b"x")
    plan = Plan(
        format="assay-trials/1", spec=mark, system=None, artifact=mark, scorer=None, pairs=2
    )

    def read(data: bytes) -> object:
        folder = files.put(data)
        begin(folder, plan)
        return read_journal(folder, pairs)

    rows = [_arm("baseline"), _arm("candidate")]
    return Reader(read=read, seeds=[joined(msgspec.json.encode(plan), lines(rows))])


def _request() -> Request:
    return Request(plan=None, policies={}, resamples=19)


def _runs(score: int) -> bytes:
    rows = [
        {"instance": f"i{n}", "score": score, "cost_usd": 0.5, "recall": 0.25 * n} for n in range(4)
    ]
    return lines(rows)


@target("comparison: file", thousands=60)
def _stored(scratch: Path) -> Reader:
    return _reads_comparison(scratch, lambda data: data)


@target("comparison: file, its checksum made anew", thousands=30)
def _forged(scratch: Path) -> Reader:
    def forged(data: bytes) -> bytes:
        with contextlib.suppress(Exception):  # no object any more: it is read as it is
            record = json.loads(data)
            inner = {key: record[key] for key in record if key not in ("format", "checksum")}
            record["checksum"] = digest(msgspec.json.encode(inner, order="sorted"))
            return json.dumps(record).encode()
        return data

    return _reads_comparison(scratch, forged)


def _reads_comparison(scratch: Path, prepared: Callable[[bytes], bytes]) -> Reader:
    sides = [ScratchFile(scratch / f"{n}.jsonl").put(_runs(n)) for n in (0, 1)]
    made = scratch / "made.json"
    write_comparison(made, compare_paths(sides[:1], sides[1:], _request()))
    file = ScratchFile(scratch / "comparison.json")
    return Reader(
        read=lambda data: read_comparison(file.put(prepared(data))), seeds=[made.read_bytes()]
    )


@target("comparison: judged and drawn", thousands=8)
def _compare(scratch: Path) -> Reader:
    files = ScratchFiles(scratch, "before.jsonl", "after.jsonl")

    def read(data: bytes) -> object:
        folder = files.put(data)
        sides = [folder / "before.jsonl"], [folder / "after.jsonl"]
        made = compare_paths(*sides, _request())
        draw_comparison(made, console(io.StringIO()))
        return msgspec.json.encode(made)

    return Reader(read=read, seeds=[joined(_runs(0), _runs(1))], language="numbers")


@target("power: pilots", thousands=12)
def _pilot(scratch: Path) -> Reader:
    files = ScratchFiles(scratch, "before.jsonl", "after.jsonl")

    def read(data: bytes) -> object:
        folder = files.put(data)
        reads = read_two([folder / "before.jsonl"], [folder / "after.jsonl"])
        first, second = ([trial for read in side for trial in read.trials] for side in reads)
        made = power_of_pilot(first, second)
        draw_pilot(made, console(io.StringIO()))
        return msgspec.json.encode(made)

    return Reader(read=read, seeds=[joined(_runs(0), _runs(1))], language="numbers")
