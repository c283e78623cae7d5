"""A small research repository, built the same way every time: `build(folder)`.

The project is called larkspur: a detector of misconceptions, its records, its runs, its reports.
Standard library only; git must be on PATH. Every date, author and byte is fixed, so that the
hashes of the commits are the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

AUTHOR = ("larkspur", "larkspur@larkspur.example")


# ------------------------------------------------------------------ helpers
def _unit(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but its arguments."""
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


class _Repo:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(folder),
            "LC_ALL": "C",
            "TZ": "UTC",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def git(self, *args: str, date: str | None = None) -> str:
        env = dict(self.env)
        if date:
            env["GIT_AUTHOR_DATE"] = env["GIT_COMMITTER_DATE"] = date
        done = subprocess.run(
            [
                "git",
                "-c",
                f"user.name={AUTHOR[0]}",
                "-c",
                f"user.email={AUTHOR[1]}",
                "-c",
                "commit.gpgsign=false",
                "-c",
                "core.autocrlf=false",
                "-c",
                "gc.auto=0",
                *args,
            ],
            cwd=self.folder,
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def write(self, path: str, content: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def commit(self, message: str, date: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, date=f"{date}T10:00:00+00:00")


# ------------------------------------------------------------------ package
def _init(version: str, findings: str, auc: str) -> str:
    return f'''"""larkspur: a detector of misconceptions.

The detector reaches an AUC of {auc} on the held-out split.
The study reports {findings} findings and compares against the baselines in larkspur.baselines.
"""

from larkspur.bars import BARS, passes
from larkspur.baselines import BASELINES
from larkspur.findings import FINDINGS
from larkspur.metrics import auc, brier, calibration_slope

__version__ = "{version}"

__all__ = [
    "BARS",
    "BASELINES",
    "FINDINGS",
    "auc",
    "brier",
    "passes",
]
'''


def _bars(d3: str) -> str:
    return f'''"""The bars, fixed before any run."""

BARS = {{
    "K1": 0.70,
    "K2": 0.65,
    "K3": 0.60,
    "D1": 0.70,
    "D2": 0.70,
    "D3": {d3},
}}

MARGIN = {d3}
MIN_F1 = 0.70
HOLDOUT_SHARE = 0.15
LOG_FLOOR = -20.0
DRIFT = -0.0375
N_PERMUTATIONS = 10_000
N_BOOTSTRAP = 250_000
MAX_RETRIES = 3
SEED = 20260105
STRICT = True
ALLOW_TIES = False
TASK = "detection"
CLASSES = ["truth", "folklore", "factual-error", "pseudoscience"]
SPLITS = ["train", "dev", "test"]
CLASS_COUNTS = {{"truth": 55, "folklore": 38, "factual-error": 18, "pseudoscience": 9}}


def passes(name, value):
    """Whether a value is at or over the bar of this name."""
    return value >= BARS[name]
'''


BASELINE_NAMES = [
    "majority",
    "random-hash",
    "question-length",
    "answer-length",
    "capital-ratio",
    "hedge-density",
    "type-token",
    "token-overlap",
    "word-tfidf",
    "char-tfidf",
    "embedding-cosine",
    "embedding-logistic",
    "nli-entailment",
    "perplexity-small",
    "perplexity-medium",
    "perplexity-large",
    "size-difference",
    "critique",
]


def _baselines(count: int) -> str:
    rows = "".join(f'    "{name}",\n' for name in BASELINE_NAMES[:count])
    return f'''"""Baselines that every submission is compared with."""

BASELINES = [
{rows}]

RETIRED = ["bag-of-hedges", "coin-flip"]
N_REFERENCE = {count}
'''


FINDING_TEXTS = [
    "Length alone passes the first detection bar.",
    "Capitalised tokens carry half of the margin.",
    "Cosine similarity measures topic and not truth.",
    "The critique detector is the first to pass.",
    "Hedge density is at chance.",
    "Question marks are at chance.",
    "Perplexity falls with model size.",
    "The difference of two sizes passes two bars of four.",
    "Residualising on length removes the effect.",
    "Entailment passes nothing.",
    "Two simple rules together pass every bar.",
    "Stored samples were too few to score again.",
    "Intervals cover the deciding margin.",
]


def _findings(count: int) -> str:
    rows = "".join(
        f'    ("F{k + 1:02d}", "{text}"),\n' for k, text in enumerate(FINDING_TEXTS[:count])
    )
    return f'''"""What was found, in the order in which it was found."""

FINDINGS = [
{rows}]

FINDING_IDS = [name for name, _ in FINDINGS]
N_FINDINGS = len(FINDINGS)
FALSIFIED = {{"F03": "cosine", "F10": "entailment"}}
'''


METRICS = '''"""Metrics, written without dependencies."""

EPSILON = 1e-06


def auc(scores, labels):
    """Area under the curve; ties count 0.5."""
    up = [s for s, y in zip(scores, labels) if y]
    down = [s for s, y in zip(scores, labels) if not y]
    wins = sum((u > d) + 0.5 * (u == d) for u in up for d in down)
    return wins / (len(up) * len(down))


def brier(scores, labels):
    """Mean squared error of probabilities."""
    return sum((s - y) ** 2 for s, y in zip(scores, labels)) / len(scores)


def calibration_slope(scores, labels):
    """Slope of labels on scores; importable, and not part of the public names."""
    n = len(scores)
    ms, my = sum(scores) / n, sum(labels) / n
    top = sum((s - ms) * (y - my) for s, y in zip(scores, labels))
    return top / sum((s - ms) ** 2 for s in scores)
'''

MAIN = '''"""python -m larkspur WHAT: prints one fact."""

import json
import sys

from larkspur import BARS, BASELINES, FINDINGS, __version__


def main(args):
    what = args[0] if args else "help"
    if what == "version":
        print("larkspur", __version__)
    elif what == "counts":
        print(f"findings: {len(FINDINGS)}")
        print(f"baselines: {len(BASELINES)}")
        print(f"bars: {len(BARS)}")
    elif what == "drift":
        print("drift", -0.0375)
    elif what == "auc":
        with open("results/main.json", encoding="utf-8") as file:
            print(json.load(file)["detector"]["auc"]["value"])
    else:
        print("usage: python -m larkspur version|counts|drift|auc")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''

FEATURES = '''"""Surface features of a response (eight of them)."""

FEATURES = (
    "word_length", "char_length", "sentence_count", "question_mark_count",
    "exclamation_count", "capitalized_token_ratio", "hedge_density", "type_token_ratio",
)

HEDGES = {"maybe", "perhaps", "possibly", "likely"}
DIRECTIONS = {"word_length": 1, "hedge_density": -1, "type_token_ratio": -1}
'''


def _pyproject(version: str) -> str:
    return f'''[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[tool.larkspur]
version = "0.3.0"          # of the schema of results, not of the package
schema = 3

[project]
name = "larkspur"
version = "{version}"
description = "A detector of misconceptions"
requires-python = ">=3.10"
dependencies = []

[project.optional-dependencies]
test = ["pytest>=8.1", "hypothesis==6.98.0"]

[tool.setuptools]
packages = ["larkspur"]
'''


PACKAGE_JSON = """{
  "name": "larkspur-viewer",
  "version": "0.3.0",
  "private": true,
  "config": {"version": "2.0.0"},
  "scripts": {"build": "vite build", "test": "vitest run"},
  "dependencies": {"d3": "7.9.0", "preact": "10.22.1"},
  "devDependencies": {"vite": "5.4.2"}
}
"""

SETUP_CFG = """[metadata]
name = larkspur-legacy
version = 0.2.3
description = The old command line

[options]
packages = larkspur_legacy
"""

PKG_INFO = """Metadata-Version: 2.1
Name: larkspur
Version: 0.4.1
Summary: A detector of misconceptions
Requires-Python: >=3.10
"""


# ------------------------------------------------------------------ prose
def _readme(version: str, findings: str, baselines: str, auc: str, records: int) -> str:
    return f"""# larkspur

A detector of misconceptions in short answers. Current release: {version}.

Records: {records}
Seed: 20260105

## Results

On the held-out split the detector reaches AUC {auc} [0.796, 0.932].
Accuracy is 79.2 % of {records} records; the Brier score is .143.
Against length alone the margin changes by \u22120.042, and p = .031.
Median latency: 1,284 ms over 48,210 prompts, of which 62.5 % came from the cache.

The study reports {findings} findings, {baselines} baselines and six bars.
Three of them were falsified later.

## Install

    pip install larkspur=={version}

## Licence

MIT. See LICENSE.
"""


def _index(version: str, findings: str, auc: str, records: int) -> str:
    return f"""# Documentation of larkspur {version}

Records: {records}
Seed: 20260105

The detector reaches AUC {auc} on the held-out split.
It reports {findings} findings; each has a page of its own.

- [Method](method.md)
- [Results](results.md)
- [Questions](faq.md)
"""


def _method(records: int, d3: str) -> str:
    return f"""# Method

Records: {records}
Seed: 20260105

There are four classes and three splits. The margin D3 is {d3}.
Every run is repeated with five seeds; 10,000 permutations give the p value
and 250,000 bootstrap draws give the intervals.

## Features

Eight surface features of a response are audited.

## Exclusions

Seven records have no score and are left out of every mean.
"""


RESULTS_MD = """# Results

Records: 120
Seed: 20260105

The detector reaches AUC 0.865 on the held-out split.

| bar | value | low | high |
|---|---|---|---|
| D1 | 0.865 | 0.796 | 0.932 |
| D2 | 0.922 | 0.871 | 0.960 |
| D3 | 0.074 | 0.012 | 0.139 |

| class | n | F1 |
|---|---|---|
| truth | 55 | 0.812 |
| folklore | 38 | 0.774 |
| factual-error | 18 | 0.641 |
| pseudoscience | 9 | 0.500 |

There are 13 findings. Reward fell in most runs; the worst is \u22121.7.
"""

FAQ = """# Questions

**How many results are there?** The study reports ten findings.

**How many baselines?** There are nineteen baselines, all of them run twice.

**How many records?** Records: 120, of which 30 are held out.

**Which seed?** Seed: 20260105

**What does it cost?** About $0.90 a run, or $36.00 for all of the forty.
"""


def _changelog(upto: str) -> str:
    parts = {
        "0.4.1": """## 0.4.1 (2026-03-16)

- The viewer reads the new results.
- Fixed: the AUC of 0.91 was that of the training split; it is 0.865.

""",
        "0.4.0": """## 0.4.0 (2026-03-09)

- The study reports thirteen findings.
- Records: 120 (were 96).
- Tests: 34 in the fast suite, 6 in the slow one.

""",
        "0.3.0": """## 0.3.0 (2026-02-16)

- Eighteen baselines.
- The margin D3 is 0.10 (was 0.12).
- Seven runs are stored.

""",
        "0.2.0": """## 0.2.0 (2026-01-26)

- Ten findings.
- docs/old-protocol.md was removed.

""",
        "0.1.0": """## 0.1.0 (2026-01-12)

- First release: twelve baselines, 96 records.

""",
    }
    keep = list(parts)
    return "# Changelog\n\n" + "".join(parts[v] for v in keep[keep.index(upto) :])


def _citation(version: str) -> str:
    return f"""cff-version: 1.2.0
title: larkspur
version: {version}
date-released: 2026-03-16
abstract: >-
  A detector of misconceptions. Records: 120
  AUC 0.865 on the held-out split, thirteen findings. Seed: 20260105
authors:
  - family-names: larkspur
    given-names: the
"""


LICENSE = """MIT License

Copyright (c) 2026 larkspur

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software to deal in the software without restriction.
"""

OLD_PROTOCOL = """# The old protocol

Two annotators, ninety-six records, and a bar of 0.75.
"""


# ------------------------------------------------------------------ data
def _records(count: int) -> str:
    """id,split,class,model,ok,score,words,latency_ms; seven scores and four latencies are missing."""
    classes = ["truth"] * 55 + ["folklore"] * 38 + ["factual-error"] * 18 + ["pseudoscience"] * 9
    order = sorted(range(120), key=lambda k: _unit("order", k))
    no_score = {4, 19, 37, 58, 71, 96, 113}
    no_latency = {8, 37, 64, 101}
    rows = ["id,split,class,model,ok,score,words,latency_ms"]
    for place, k in enumerate(order[:count]):
        name = classes[k]
        split = "train" if place % 20 < 12 else "dev" if place % 20 < 15 else "test"
        model = ["small", "medium", "large"][int(_unit("model", k) * 3)]
        ok = int(_unit("ok", k) < {"train": 0.9, "dev": 0.8, "test": 0.75}[split])
        centre = 0.30 if name == "truth" else 0.68
        score = round(min(0.999, max(0.001, centre + 0.5 * (_unit("score", k) - 0.5))), 3)
        words = 2 + int(_unit("words", k) * (6 if name == "truth" else 11))
        latency = 700 + int(_unit("latency", k) * 1300)
        rows.append(
            ",".join(
                [
                    f"q{place + 1:03d}",
                    split,
                    name,
                    model,
                    str(ok),
                    "" if place in no_score else f"{score:.3f}",
                    str(words),
                    "" if place in no_latency else str(latency),
                ]
            )
        )
    return "\n".join(rows) + "\n"


def _runs() -> str:
    """Forty runs; the reward is mostly negative, and runs that failed have none."""
    lines = []
    for k in range(1, 41):
        status = "failed" if k in (6, 17, 23, 38) else "timeout" if k in (12, 31) else "done"
        row = {
            "run": k,
            "seed": [11, 23, 47, 59, 83][k % 5],
            "model": ["small", "medium", "large", "medium"][k % 4],
            "status": status,
            "tokens": 20000 + int(_unit("tokens", k) * 25000),
            "cost": 0.9,
        }
        if status == "done":
            row["reward"] = round(-1.7 + 2.2 * _unit("reward", k), 3)
            row["score"] = round(0.55 + 0.4 * _unit("runscore", k), 4)
        else:
            row["reward"] = None
        lines.append(json.dumps(row))
    return "\n".join(lines) + "\n"


ANNOTATORS = """annotator,country,items,agreement,hours
A1,NO,120,0.91,6.5
A2,NO,120,0.88,7.25
A3,PT,96,0.84,
A4,KE,120,0.93,5.75
A5,KE,60,,3.0
A6,PT,120,0.79,8.5
"""


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


MAIN_JSON = {
    "study": "larkspur-main",
    "version": "0.4.1",
    "n_records": 120,
    "passed": True,
    "frozen": False,
    "detector": {
        "name": "critique",
        "auc": {"value": 0.8649, "low": 0.7963, "high": 0.9318},
        "auc_folklore": {"value": 0.9221, "low": 0.8712, "high": 0.9604},
        "accuracy": 0.7917,
        "brier": 0.1428,
        "delta_length": {"value": -0.0416, "low": -0.0871, "high": 0.0039},
        "margin_d3": {"value": 0.0742, "low": 0.0118, "high": 0.1394},
        "p": 0.0312,
        "log_loss": -12.4183,
    },
    "length_only": {"auc": {"value": 0.7907, "low": 0.7061, "high": 0.8729}, "accuracy": 0.6667},
    "counts": {"tokens": 1284733, "prompts": 48210, "cached": 30132, "errors": 17},
    "percent": {"cached": 62.5, "unclear": 13.33, "coverage": 99.2},
    "cost_usd": 36.0,
    "latency_ms": {"median": 1284, "p95": 1937.5},
    "seeds": [11, 23, 47, 59, 83],
    "by_class": [
        {"class": "truth", "n": 55, "f1": 0.8123},
        {"class": "folklore", "n": 38, "f1": 0.7741},
        {"class": "factual-error", "n": 18, "f1": 0.6409},
        {"class": "pseudoscience", "n": 9, "f1": 0.5},
    ],
    "rows": [
        {"id": "q5", "score": 0.412, "words": 4},
        {"id": "q6", "score": 0.871, "words": 9},
        {"id": "q7", "score": 0.9049, "words": 7},
        {"id": "q17", "score": 0.33, "words": 5},
    ],
}

ABLATION_JSON = {
    "study": "larkspur-ablation",
    "version": "0.3.0",
    "n_records": 96,
    "passed": False,
    "frozen": True,
    "detector": {
        "name": "critique-no-length",
        "auc": {"value": 0.8273, "low": 0.7488, "high": 0.9017},
        "auc_folklore": {"value": 0.8816, "low": 0.8142, "high": 0.9355},
        "accuracy": 0.7396,
        "brier": 0.1671,
        "delta_length": {"value": 0.0127, "low": -0.0311, "high": 0.0568},
        "p": 0.2146,
        "log_loss": -14.0772,
    },
    "counts": {"tokens": 1248733, "prompts": 38568, "cached": 19284, "errors": 71},
    "percent": {"cached": 50.0, "unclear": 16.67},
    "seeds": [11, 23, 47],
    "by_class": [
        {"class": "truth", "n": 44, "f1": 0.7712},
        {"class": "folklore", "n": 31, "f1": 0.7054},
        {"class": "factual-error", "n": 14, "f1": 0.5833},
        {"class": "pseudoscience", "n": 7, "f1": 0.4286},
    ],
}

SCORECARD_JSON = {
    "submission": "019",
    "bars": {
        "D1": {"value": 0.8649, "low": 0.7963, "high": 0.9318, "bar": 0.7, "verdict": "pass"},
        "D2": {"value": 0.9221, "low": 0.8712, "high": 0.9604, "bar": 0.7, "verdict": "pass"},
        "D3": {"value": 0.1041, "low": 0.0147, "high": 0.1926, "bar": 0.1, "verdict": "pass"},
        "D4": {"value": -0.0233, "low": -0.0981, "high": 0.0515, "bar": 0.1, "verdict": "fail"},
    },
    "effects": [
        {"name": "overlap", "value": 12.75, "low": 9.5, "high": 16.25},
        {"name": "hedges", "value": -3.2, "low": -5.9, "high": -0.4},
    ],
    "n_passed": 3,
}


def _run_json(k: int) -> str:
    return _json(
        {
            "run": k,
            "seed": [11, 23, 47, 59, 83, 97, 101][k - 1],
            "auc": [0.8612, 0.8649, 0.8571, 0.8702, 0.8498, 0.8733, 0.8644][k - 1],
            "minutes": [31, 29, 33, 30, 41, 28, 35][k - 1],
        }
    )


# ------------------------------------------------------------------ reports and logs
def _junit(name: str, cases: list[tuple[str, str, str]]) -> str:
    count = {kind: sum(1 for c in cases if c[2] == kind) for kind in ("failed", "error", "skipped")}
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<testsuites>",
        f'  <testsuite name="{name}" tests="{len(cases)}" failures="{count["failed"]}" '
        f'errors="{count["error"]}" skipped="{count["skipped"]}" time="4.210" '
        'timestamp="2026-03-16T10:00:00">',
    ]
    inner = {
        "failed": '<failure message="assert 0.71 &gt;= 0.75">AssertionError</failure>',
        "error": '<error message="fixture not found">setup</error>',
        "skipped": '<skipped type="pytest.skip" message="needs a network"/>',
    }
    for classname, test, outcome in cases:
        head = f'    <testcase classname="{classname}" name="{test}" time="0.012"'
        lines.append(head + ("/>" if outcome == "passed" else f">{inner[outcome]}</testcase>"))
    lines += ["  </testsuite>", "</testsuites>"]
    return "\n".join(lines) + "\n"


def _fast_cases() -> list[tuple[str, str, str]]:
    bad = {
        5: "failed",
        13: "failed",
        27: "failed",
        20: "error",
        9: "skipped",
        16: "skipped",
        30: "skipped",
        33: "skipped",
    }
    names = [
        "auc_ties",
        "auc_constant",
        "auc_reversed",
        "auc_empty",
        "brier_zero",
        "brier_one",
        "slope_flat",
        "slope_negative",
        "bars_known",
        "bars_unknown",
        "bars_margin",
        "passes_at_the_bar",
        "passes_below",
        "baselines_unique",
        "baselines_count",
        "baselines_run",
        "findings_count",
        "findings_order",
        "findings_falsified",
        "records_read",
        "records_missing",
        "records_classes",
        "splits_disjoint",
        "splits_shares",
        "seed_fixed",
        "version_agrees",
        "cli_version",
        "cli_counts",
        "cli_auc",
        "cli_network",
        "readme_figures",
        "changelog_dates",
        "pdf_pages",
        "viewer_builds",
    ]
    modules = (
        ["tests.test_metrics"] * 8
        + ["tests.test_bars"] * 5
        + ["tests.test_baselines"] * 3
        + ["tests.test_findings"] * 3
        + ["tests.test_records"] * 6
        + ["tests.test_cli"] * 9
    )
    return [(modules[k], f"test_{name}", bad.get(k, "passed")) for k, name in enumerate(names)]


SLOW_CASES = [
    ("tests.test_slow", "test_bootstrap_covers", "passed"),
    ("tests.test_slow", "test_permutation_level", "passed"),
    ("tests.test_slow", "test_all_baselines_end_to_end", "passed"),
    ("tests.test_slow", "test_large_model", "skipped"),
    ("tests.test_slow", "test_resume_after_kill", "passed"),
    ("tests.test_slow", "test_memory_bounded", "failed"),
]


def _inspect_log() -> str:
    """An inspect_ai log of 24 samples, 18 of them right."""
    samples = []
    for k in range(1, 25):
        right = k not in (3, 7, 11, 14, 19, 22)
        target, answer = f"answer {k}", (f"answer {k}" if right else f"other {k}")
        samples.append(
            {
                "id": k,
                "epoch": 1,
                "input": f"Is statement {k} a misconception?",
                "target": target,
                "messages": [
                    {"role": "user", "content": f"Is statement {k} a misconception?"},
                    {"role": "assistant", "content": answer, "source": "generate"},
                ],
                "output": {
                    "model": "mock/lark-small",
                    "choices": [
                        {
                            "message": {
                                "role": "assistant",
                                "content": answer,
                                "source": "generate",
                            },
                            "stop_reason": "stop",
                        }
                    ],
                },
                "scores": {"match": {"value": "C" if right else "I", "answer": answer}},
                "metadata": {},
                "store": {},
                "events": [],
                "model_usage": {},
                "attachments": {},
            }
        )
    return _json(
        {
            "version": 2,
            "status": "success",
            "eval": {
                "run_id": "r01",
                "created": "2026-03-02T09:00:00+00:00",
                "task": "facts",
                "task_id": "t01",
                "task_version": 0,
                "task_attribs": {},
                "task_args": {},
                "model": "mock/lark-small",
                "model_args": {},
                "dataset": {
                    "name": "facts",
                    "samples": 24,
                    "sample_ids": list(range(1, 25)),
                    "shuffled": False,
                },
                "config": {"epochs": 1},
                "packages": {"inspect_ai": "0.3.60"},
            },
            "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
            "results": {
                "total_samples": 24,
                "completed_samples": 24,
                "scores": [
                    {
                        "name": "match",
                        "scorer": "match",
                        "params": {},
                        "metrics": {
                            "accuracy": {"name": "accuracy", "value": 0.75, "options": {}},
                            "stderr": {
                                "name": "stderr",
                                "value": 0.09028938981327348,
                                "options": {},
                            },
                        },
                    }
                ],
            },
            "stats": {
                "started_at": "2026-03-02T09:00:00+00:00",
                "completed_at": "2026-03-02T09:01:12+00:00",
                "model_usage": {},
            },
            "samples": samples,
        }
    )


LM_TASKS = {
    "lark_folklore": (38, {2, 5, 9, 13, 21, 30, 36}),
    "lark_truth": (55, {1, 4, 8, 17, 29, 33, 40, 41, 50, 52, 54}),
}
LM_STAMP = "2026-03-02T09-30-00.000000"


def _lm_eval(task: str) -> str:
    size, wrong = LM_TASKS[task]
    lines = []
    for k in range(size):
        value = 0.0 if k in wrong else 1.0
        sha = lambda text: hashlib.sha256(text.encode()).hexdigest()  # noqa: E731
        lines.append(
            json.dumps(
                {
                    "doc_id": k,
                    "doc": {"question": f"{task} question {k}", "answer": "yes"},
                    "target": "yes",
                    "arguments": {"gen_args_0": {"arg_0": f"{task} question {k}", "arg_1": " yes"}},
                    "resps": [[["-0.5", "True"]]],
                    "filtered_resps": [["-0.5", "True"]],
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": sha(f"{task} doc {k}"),
                    "prompt_hash": sha(f"{task} prompt {k}"),
                    "target_hash": sha("yes"),
                    "acc": value,
                }
            )
        )
    return "\n".join(lines) + "\n"


def _lm_results() -> str:
    results = {}
    for task, (size, wrong) in LM_TASKS.items():
        p = (size - len(wrong)) / size
        results[task] = {
            "alias": task,
            "acc,none": p,
            "acc_stderr,none": (p * (1 - p) / (size - 1)) ** 0.5,
        }
    return _json(
        {
            "results": results,
            "group_subtasks": {task: [] for task in LM_TASKS},
            "configs": {
                task: {
                    "task": task,
                    "output_type": "multiple_choice",
                    "num_fewshot": 0,
                    "metric_list": [
                        {"metric": "acc", "aggregation": "mean", "higher_is_better": True}
                    ],
                }
                for task in LM_TASKS
            },
            "versions": dict.fromkeys(LM_TASKS, 1.0),
            "n-shot": dict.fromkeys(LM_TASKS, 0),
            "higher_is_better": {task: {"acc": True} for task in LM_TASKS},
            "n-samples": {
                task: {"original": size, "effective": size} for task, (size, _) in LM_TASKS.items()
            },
            "config": {
                "model": "hf",
                "model_args": "pretrained=lark-small",
                "batch_size": "1",
                "limit": None,
            },
            "git_hash": "0a1b2c3",
            "date": 1772443800.0,
            "model_source": "hf",
            "model_name": "lark-small",
            "start_time": 1.0,
            "end_time": 61.0,
            "total_evaluation_time_seconds": "60.0",
        }
    )


def _ledger() -> str:
    """A ledger as Assay writes it: one line an entry, each naming the SHA-256 of the line before."""
    entries = [("study", "larkspur")]
    for name in ("001", "002", "003", "004", "005"):
        entries += [("seal", name), ("run-started", name)]
        if name != "004":
            entries += [("run", name), ("score", name), ("grade", name)]
    entries += [("bars", "detection-v1-2"), ("score", "001"), ("score", "002"), ("score", "003")]
    lines: list[str] = []
    previous = hashlib.sha256(b"").hexdigest()
    for n, (kind, subject) in enumerate(entries):
        line = json.dumps(
            {
                "n": n,
                "previous": "sha256:" + previous,
                "time": f"2026-02-{2 + n // 6:02d}T{8 + n % 6:02d}:00:00.000+00:00",
                "kind": kind,
                "subject": subject,
                "files": {},
                "said": {"bars": "v1"} if kind == "score" else {},
            },
            separators=(",", ":"),
        )
        previous = hashlib.sha256(line.encode()).hexdigest()
        lines.append(line)
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------ PDF, by hand
H, T = "H", "T"  # a title, a line of text

PAPER = [
    [
        (H, "Larkspur: detecting misconceptions in short answers"),
        (T, "larkspur, March 2026"),
        (H, "Abstract"),
        (T, "We report thirteen findings over 120 records. The detector reaches an AUC"),
        (T, "of 0.865 with an interval from 0.796 to 0.932. Eighteen baselines are compared."),
    ],
    [
        (H, "1 Introduction"),
        (T, "Misconceptions are wrong answers that are widely believed. Much of the"),
        (T, "related work on them is on long answers, and ours is on short ones."),
        (H, "1.1 Contributions"),
        (T, "A benchmark, six bars, and a record of every run."),
    ],
    [
        (H, "2 Data and splits"),
        (T, "There are 55 truths, 38 items of folklore, 18 factual errors and nine"),
        (T, "items of pseudoscience. Thirty records are held out."),
        (H, "2.1 Annotation"),
        (T, "Six annotators; ethics approval was given by the board of the university."),
    ],
    [
        (H, "3 Method"),
        (T, "A model is asked whether the proposed answer is correct."),
        (H, "3.1 Bars"),
        (T, "Six bars were fixed before any run."),
    ],
    [
        (H, "4 Results"),
        (T, "All but one of the four detection bars are passed."),
        (H, "4.1 Calibration"),
        (T, "The slope is negative for two models of three."),
    ],
    [
        (H, "5 Threats to validity and what"),
        (H, "was not measured"),
        (T, "One language, one annotator pool, and limitations of budget."),
    ],
    [
        (H, "6 Conclusion"),
        (T, "Length explains most of it. Future work may look at other languages."),
        (H, "References"),
        (T, "[1] A. Author. A paper on truth. 2024."),
        (H, "Appendix A: Prompts"),
        (T, "Is the proposed answer correct? Answer YES or NO."),
    ],
]

SUMMARY = [
    [
        (H, "Summary for readers"),
        (T, "Seven pages of paper in two pages."),
        (H, "What was found"),
        (T, "Thirteen things, of which two were falsified."),
    ],
    [
        (H, "What it costs"),
        (T, "Thirty-six dollars for forty runs."),
        (H, "Contact"),
        (T, "ines@larkspur.example"),
    ],
]

SLIDES = [[(H, f"Slide {k}"), (T, f"This is number {k} of twelve.")] for k in range(1, 13)]


def _pdf(
    pages: list[list[tuple[str, str]]], title: str, nested: bool = False, outline: bool = False
) -> bytes:
    """A PDF 1.4 file with uncompressed text; `nested` gives its page tree two levels."""

    def text(value: str) -> str:
        return "(" + value.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") + ")"

    objects: dict[int, bytes] = {}
    objects[1] = b""
    objects[2] = b""
    objects[3] = (
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>"
    )
    objects[4] = (
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    )
    objects[5] = f"<< /Title {text(title)} /Producer (hand) >>".encode("latin-1")
    number = 6
    groups = [range(4), range(4, len(pages))] if nested else [range(len(pages))]
    group_ids = []
    page_ids: dict[int, int] = {}
    for group in groups:
        parent = 2
        if nested:
            parent = number
            group_ids.append(parent)
            number += 1
        kids = []
        for index in group:
            page, content = number, number + 1
            number += 2
            kids.append(page)
            page_ids[index] = page
            out, y = ["BT"], 760
            for kind, line in pages[index]:
                size, step, font = (16, 30, "/F1") if kind == H else (10, 16, "/F2")
                y -= step
                out.append(f"{font} {size} Tf 1 0 0 1 72 {y} Tm {text(line)} Tj")
            out.append(f"/F2 8 Tf 1 0 0 1 300 40 Tm ({index + 1}) Tj")
            out.append("ET")
            stream = "\n".join(out).encode("latin-1")
            objects[page] = (
                f"<< /Type /Page /Parent {parent} 0 R /MediaBox [0 0 612 792] "
                f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {content} 0 R >>"
            ).encode()
            objects[content] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)
        refs = " ".join(f"{k} 0 R" for k in kids)
        if nested:
            objects[parent] = (
                f"<< /Type /Pages /Parent 2 0 R /Kids [{refs}] /Count {len(kids)} >>".encode()
            )
        else:
            objects[2] = f"<< /Type /Pages /Kids [{refs}] /Count {len(kids)} >>".encode()
    if nested:
        refs = " ".join(f"{k} 0 R" for k in group_ids)
        objects[2] = f"<< /Type /Pages /Kids [{refs}] /Count {len(pages)} >>".encode()
    catalog = "<< /Type /Catalog /Pages 2 0 R"
    if outline:
        titles = [
            (line, index) for index, page in enumerate(pages) for kind, line in page if kind == H
        ]
        root = number
        first = root + 1
        for k, (line, index) in enumerate(titles):
            me = first + k
            links = (f" /Prev {me - 1} 0 R" if k else "") + (
                f" /Next {me + 1} 0 R" if k + 1 < len(titles) else ""
            )
            objects[me] = (
                f"<< /Title {text(line)} /Parent {root} 0 R{links} "
                f"/Dest [{page_ids[index]} 0 R /Fit] >>"
            ).encode("latin-1")
        last = first + len(titles) - 1
        objects[root] = (
            f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(titles)} >>".encode()
        )
        catalog += f" /Outlines {root} 0 R /PageMode /UseOutlines"
    objects[1] = (catalog + " >>").encode()

    data = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = {}
    for key in sorted(objects):
        offsets[key] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (key, objects[key])
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for key in sorted(objects):
        data += b"%010d 00000 n \n" % offsets[key]
    data += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        start,
    )
    return bytes(data)


def _test_file(name: str) -> str:
    return f'"""Tests of {name}."""\n\nimport larkspur\n\n\ndef test_{name}_is_there():\n    assert larkspur.__version__\n'


# ------------------------------------------------------------------ history
def build(folder: Path) -> None:
    """Build the repository in a folder that is empty or not there yet."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    repo = _Repo(folder)
    repo.git("init", "-q", "-b", "main", "--object-format=sha1", ".")
    write, commit = repo.write, repo.commit

    # 1
    write("LICENSE", LICENSE)
    write(".gitignore", "__pycache__/\n*.pyc\n")
    write("larkspur/__init__.py", _init("0.1.0.dev0", "no", "0.91"))
    write("larkspur/bars.py", _bars("0.12"))
    write("larkspur/baselines.py", _baselines(5))
    write("larkspur/findings.py", _findings(0).replace("FINDINGS = [\n]", "FINDINGS = []"))
    write("larkspur/metrics.py", METRICS)
    write("pyproject.toml", _pyproject("0.1.0.dev0"))
    commit("Start: package skeleton", "2026-01-05")
    # 2
    write("data/records.csv", _records(96))
    write("docs/old-protocol.md", OLD_PROTOCOL)
    commit("Add ninety-six records and the first protocol", "2026-01-07")
    # 3
    write("larkspur/baselines.py", _baselines(12))
    commit("Twelve baselines", "2026-01-09")
    # 4
    write("larkspur/__init__.py", _init("0.1.0", "no", "0.91"))
    write("pyproject.toml", _pyproject("0.1.0"))
    write("README.md", _readme("0.1.0", "no", "twelve", "0.91", 96))
    write("CHANGELOG.md", _changelog("0.1.0"))
    commit("Release 0.1.0", "2026-01-12")
    repo.git("tag", "v0.1.0")
    # 5
    write("larkspur/features.py", FEATURES)
    write("larkspur/__main__.py", MAIN)
    for name in ("metrics", "bars", "baselines", "findings", "records", "cli"):
        write(f"tests/test_{name}.py", _test_file(name))
    commit("Features, command line and tests", "2026-01-16")
    # 6
    write("larkspur/findings.py", _findings(10))
    write("docs/method.md", _method(96, "0.12"))
    write("docs/index.md", _index("0.2.0", "ten", "0.91", 96))
    write("docs/faq.md", FAQ.replace("Records: 120", "Records: 96"))
    commit("Ten findings, and pages for them", "2026-01-20")
    # 7
    (folder / "docs/old-protocol.md").unlink()
    commit("Remove the old protocol", "2026-01-23")
    # 8
    write("larkspur/__init__.py", _init("0.2.0", "ten", "0.91"))
    write("pyproject.toml", _pyproject("0.2.0"))
    write("README.md", _readme("0.2.0", "ten", "twelve", "0.91", 96))
    write("CHANGELOG.md", _changelog("0.2.0"))
    commit("Release 0.2.0", "2026-01-26")
    repo.git("tag", "v0.2.0")
    # the branch
    repo.git("checkout", "-q", "-b", "ablation")
    write("experiments/no_length.toml", 'feature = "word_length"\ndrop = true\nepochs = 4\n')
    commit("Ablation: drop length", "2026-01-28")
    write("experiments/no_length.toml", 'feature = "word_length"\ndrop = true\nepochs = 8\n')
    commit("Ablation: eight epochs", "2026-01-30")
    write("experiments/RESULT.txt", "AUC 0.8273 without length\n")
    commit("Ablation: result", "2026-02-01")
    repo.git("checkout", "-q", "main")
    # 9
    write("larkspur/bars.py", _bars("0.10"))
    write("docs/method.md", _method(96, "0.10"))
    commit("Lower the margin D3 from 0.12 to 0.10", "2026-02-03")
    # 10
    for k in range(1, 8):
        write(f"results/run-{k:02d}.json", _run_json(k))
    write("results/ablation.json", _json(ABLATION_JSON))
    write("data/runs.jsonl", _runs())
    commit("Seven runs and the ablation's result", "2026-02-06")
    # 11
    write("larkspur/baselines.py", _baselines(18))
    commit("Eighteen baselines", "2026-02-11")
    # 12
    write("larkspur/__init__.py", _init("0.3.0", "ten", "0.91"))
    write("pyproject.toml", _pyproject("0.3.0"))
    write("package.json", PACKAGE_JSON)
    write("README.md", _readme("0.3.0", "ten", "eighteen", "0.91", 96))
    write("CHANGELOG.md", _changelog("0.3.0"))
    commit("Release 0.3.0", "2026-02-16")
    repo.git("tag", "-a", "v0.3.0", "-m", "larkspur 0.3.0", date="2026-02-16T11:00:00+00:00")
    # 13
    write("larkspur/findings.py", _findings(13))
    write("data/records.csv", _records(120))
    write("data/annotators.csv", ANNOTATORS)
    write("results/main.json", _json(MAIN_JSON))
    write("results/scorecard.json", _json(SCORECARD_JSON))
    write("docs/results.md", RESULTS_MD)
    write("docs/faq.md", FAQ)
    write("docs/index.md", _index("0.4.0", "thirteen", "0.856", 120))
    commit("Findings eleven to thirteen; 120 records", "2026-03-02")
    # 14
    write("docs/paper.pdf", _pdf(PAPER, "Larkspur", nested=True))
    write("docs/summary.pdf", _pdf(SUMMARY, "Summary", outline=True))
    write("docs/slides.pdf", _pdf(SLIDES, "Slides"))
    write("logs/facts.json", _inspect_log())
    write(f"logs/lm/results_{LM_STAMP}.json", _lm_results())
    for task in LM_TASKS:
        write(f"logs/lm/samples_{task}_{LM_STAMP}.jsonl", _lm_eval(task))
    write("reports/junit.xml", _junit("fast", _fast_cases()))
    write("reports/junit-slow.xml", _junit("slow", SLOW_CASES))
    write("study/ledger.jsonl", _ledger())
    commit("The paper, the logs and the reports", "2026-03-05")
    repo.git("tag", "-a", "paper-v1", "-m", "As submitted", date="2026-03-05T11:00:00+00:00")
    # 15: the docstring of the package keeps the falsified 0.91, and says ten
    write("larkspur/__init__.py", _init("0.4.0", "ten", "0.91"))
    write("pyproject.toml", _pyproject("0.4.0"))
    write("README.md", _readme("0.4.0", "thirteen", "eighteen", "0.865", 120))
    write("CHANGELOG.md", _changelog("0.4.0"))
    write("CITATION.cff", _citation("0.4.0"))
    write("data/archive/records-v2.csv", _records(120))
    write("data/archive/records-v1.csv", _records(96))
    write("docs/LICENSE.txt", LICENSE.replace("\n", "\r\n"))
    write("viewer/LICENSE", LICENSE)
    write("viewer/scorecard.json", _json(SCORECARD_JSON).rstrip("\n"))
    write("viewer/ablation.json", _json(ABLATION_JSON))
    write("legacy/setup.cfg", SETUP_CFG)
    commit("Release 0.4.0", "2026-03-09")
    # 16: the version in larkspur/__init__.py is not bumped; there is no tag
    write("pyproject.toml", _pyproject("0.4.1"))
    write("README.md", _readme("0.4.1", "thirteen", "eighteen", "0.865", 120))
    write("CHANGELOG.md", _changelog("0.4.1"))
    write("CITATION.cff", _citation("0.4.1"))
    write("VERSION", "0.4.1\n")
    write("packaging/PKG-INFO", PKG_INFO)
    commit("Version 0.4.1", "2026-03-16")
    # not committed: tools of their own, one with a version of two parts, one whose __all__ is a text
    write("extras/tally/pyproject.toml", '[project]\nname = "tally"\nversion = "1.10"\n')
    write("extras/tally/_version.py", '__version__ = version = "1.10"\n')
    write("extras/tally/__init__.py", 'VERSION = "1.10"\n')
    write("extras/poll/__init__.py", '__all__ = ("detector")\n\n\ndef detector():\n    pass\n')


if __name__ == "__main__":
    build(Path(sys.argv[1]))
