"""Logs of many samples against the readers of their harnesses.

    python benchmarks/log_speed.py

A log of 10,000 samples is written as inspect_ai writes it, and read by its own `read_eval_log`; two
of them are compared by `compare_evals` of inspect-mlflow and by `assay compare`, each in a process
of its own. Samples of lm-evaluation-harness, which has no reader, are read by json and pandas.
Costs are processor seconds of those processes, since their readers use threads.
"""

import hashlib
import json
import random
import resource
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from timing import gain

SAMPLES = 10_000
_OURS = (
    "import sys; from pathlib import Path; from assay.logs.format_table import read_log;"
    " print(len(read_log(Path(sys.argv[1]))[0].samples))"
)
_INSPECT = (
    "import sys; from inspect_ai.log import read_eval_log;"
    " print(len(read_eval_log(sys.argv[1]).samples))"
)
_INSPECT_MLFLOW = (
    "import sys; from inspect_mlflow.comparison import compare_evals;"
    " print(compare_evals(sys.argv[1], sys.argv[2]))"
)
_COMPARE = "import sys; from assay.cli import main; sys.argv[1:1] = ['compare']; main()"
_PANDAS = (
    "import sys, json; import pandas as pd;"
    " rows = [json.loads(line) for line in open(sys.argv[1])];"
    " print(pd.json_normalize(rows)[['doc_id', 'acc']].mean())"
)
_PANDAS_PAIRS = (
    "import sys, json; import pandas as pd;"
    " sides = [pd.json_normalize([json.loads(line) for line in open(p)]) for p in sys.argv[1:]];"
    " both = sides[0].merge(sides[1], on=['doc_hash', 'target_hash']);"
    " print((both['acc_y'] - both['acc_x']).describe(), both.groupby(['acc_x', 'acc_y']).size())"
)
_LM_EVAL = "samples_facts_2026-01-01T00-00-00.jsonl"


def log_readers() -> None:
    """Reading and comparing, as ratios of processor time; and the memory it takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [write_inspect(folder / f"{side}.eval", seed) for seed, side in enumerate("ab")]
        ours, memory = _spent(_OURS, paths[:1])
        peer, _ = _spent(_INSPECT, paths[:1])
        what = f"reading an inspect_ai log of {SAMPLES:,} samples"
        gain(what, ours, peer, "read_eval_log", 30)
        _memory(what, memory)
        ours, memory = _spent(_COMPARE, paths)
        peer, _ = _spent(_INSPECT_MLFLOW, paths)
        what = f"comparing two inspect_ai logs of {SAMPLES:,} samples"
        gain(what, ours, peer, "inspect-mlflow's compare_evals", 20)
        _memory(what, memory)
        paths = [
            write_lm_eval(folder / f"{side}/{_LM_EVAL}", seed) for seed, side in enumerate("ab")
        ]
        ours, memory = _spent(_OURS, paths[:1])
        peer, _ = _spent(_PANDAS, paths[:1])
        what = f"reading lm-evaluation-harness samples, {SAMPLES:,} lines"
        gain(what, ours, peer, "json + pandas", 3)
        _memory(what, memory)
        ours, memory = _spent(_COMPARE, paths)
        peer, _ = _spent(_PANDAS_PAIRS, paths)
        what = f"comparing two files of lm-evaluation-harness samples, {SAMPLES:,} lines"
        gain(what, ours, peer, "json + pandas", 3)
        _memory(what, memory)


def _spent(code: str, paths: Sequence[Path]) -> tuple[float, float]:
    """The processor seconds and the most memory of a process in MB: the least of three."""
    found = []
    for _ in range(3):
        words = [sys.executable, "-c", f"{_PEAK}{code}", *map(str, paths)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1) or "peak " not in done.stderr:
            raise SystemExit(done.stderr)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found.append((spent, int(done.stderr.rsplit("peak ", 1)[1]) / 1000.0))
    return min(found)


_PEAK = (
    "import atexit, sys; atexit.register(lambda: sys.stderr.write('peak '"
    " + open('/proc/self/status').read().split('VmHWM:')[1].split()[0]));"
)
"""The most memory since the program began; what getrusage says counts the parent's too."""


def _memory(what: str, peak: float) -> None:
    said = "holds" if peak < 200.0 else "MISSED"
    print(f"{what}: {peak:.0f} MB at most; under 200: {said}", flush=True)


def write_inspect(path: Path, seed: int) -> Path:
    """A log as inspect_ai writes it: zstandard members, one a sample, and summaries."""
    rng = random.Random(seed)  # noqa: S311 - made-up scores
    summaries: list[dict[str, Any]] = []
    members: list[tuple[str, object]] = []
    for number in range(SAMPLES):
        made = _sample(number, "C" if rng.random() < 0.5 + 0.02 * seed else "I")
        members.append((f"samples/{made['id']}_epoch_1.json", made))
        left_out = ("messages", "output", "events", "store", "attachments")
        summaries.append({k: v for k, v in made.items() if k not in left_out})
    right = sum(one["scores"]["match"]["value"] == "C" for one in summaries)
    head = _header([one["id"] for one in summaries], f"mock/{seed}", right / SAMPLES)
    members += [("summaries.json", summaries), ("header.json", head)]
    path.write_bytes(_archive([(name, json.dumps(value).encode()) for name, value in members]))
    return path


def _sample(number: int, value: str) -> dict[str, Any]:
    name, words = f"q-{number:05}", " ".join(f"word{k % 97}" for k in range(number, number + 120))
    score = {"match": {"value": value, "answer": "x", "explanation": words, "history": []}}
    usage = {"mock/model": {"input_tokens": 90, "output_tokens": 30, "total_tokens": 120}}
    messages = [
        {"id": f"{name}-u", "role": "user", "content": f"What is {words}?", "source": "input"},
        {"id": f"{name}-a", "role": "assistant", "content": words, "source": "generate"},
    ]
    output = {
        "model": "mock/model", "choices": [{"message": messages[1], "stop_reason": "stop"}],
        "usage": usage["mock/model"],
    }  # fmt: skip
    return {
        "id": name, "epoch": 1, "input": f"What is {words}?", "target": "x",
        "messages": messages, "output": output,
        "scores": score, "metadata": {"category": f"c{number % 8}"}, "store": {},
        "events": _events(name, messages, output, score["match"]),
        "model_usage": usage, "total_time": 1.5, "working_time": 1.0,
        "uuid": f"u{number}", "attachments": {},
    }  # fmt: skip


def _events(
    name: str, messages: list[dict[str, Any]], output: dict[str, Any], score: dict[str, Any]
) -> list[dict[str, Any]]:
    """The fourteen events that one generation and one score leave in a log."""
    spans = ("init", "solvers", "generate", "scorers", "match")
    begun = [{"event": "span_begin", "id": f"{name}-{span}", "name": span} for span in spans]
    ended = [{"event": "span_end", "id": f"{name}-{span}"} for span in spans]
    state = {
        "messages": messages[:1], "tools": [], "tool_choice": None, "store": {},
        "output": {"model": "mock/model", "choices": []}, "completed": False, "metadata": {},
    }  # fmt: skip
    asked = {"input": messages[0]["content"], "target": "x", "id": name}
    changed = [{"op": "add", "path": "/messages/1", "value": messages[1]}]
    events: list[dict[str, Any]] = [
        begun[0],
        {"event": "sample_init", "sample": asked, "state": state},
        ended[0],
        *begun[1:3],
        {"event": "model", "model": "mock/model", "input": messages[:1], "tools": [],
         "tool_choice": "none", "config": {}, "output": output},
        {"event": "state", "changes": changed},
        *ended[2:0:-1],
        *begun[3:],
        {"event": "score", "score": score, "target": "x", "intermediate": False},
        *ended[:2:-1],
    ]  # fmt: skip
    shared = {"timestamp": _TIME, "working_start": 0.5, "span_id": name}
    return [{**event, **shared, "uuid": f"{name}-{at}"} for at, event in enumerate(events)]


_TIME = "2026-01-01T00:00:00+00:00"


def _header(ids: Sequence[str], model: str, mean: float) -> dict[str, Any]:
    return {
        "version": 2, "status": "success",
        "eval": {
            "eval_id": "e", "run_id": "r", "created": _TIME, "task": "facts", "task_id": "t",
            "task_version": 0, "task_attribs": {}, "task_args": {},
            "dataset": {"name": "set", "samples": len(ids), "sample_ids": list(ids)},
            "model": model, "model_args": {}, "config": {"epochs": 1},
            "packages": {"inspect_ai": "0.3.285"}, "scorers": [{"name": "match", "options": {}}],
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": {
            "total_samples": len(ids), "completed_samples": len(ids),
            "scores": [{
                "name": "match", "scorer": "match", "reducer": "mean", "params": {},
                "metrics": {"accuracy": {"name": "accuracy", "value": mean, "params": {}}},
            }],
        },
        "stats": {"started_at": _TIME, "completed_at": _TIME, "model_usage": {}},
    }  # fmt: skip


def _archive(members: Sequence[tuple[str, bytes]]) -> bytes:
    """A zip archive of zstandard members, which the standard library cannot write."""
    from backports import zstd

    body, directory = bytearray(), bytearray()
    for name, data in members:
        packed = zstd.compress(data)
        sizes = (zlib.crc32(data), len(packed), len(data), len(name), 0)
        common = struct.pack("<5H3L2H", 45, 0, 93, 0, 33, *sizes)
        directory += b"PK\x01\x02" + struct.pack("<H", 45) + common
        directory += struct.pack("<3H2L", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + common + name.encode() + packed
    count = len(members)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + end)


def write_lm_eval(path: Path, seed: int) -> Path:
    """Samples as lm-evaluation-harness writes them."""
    rng = random.Random(seed)  # noqa: S311 - made-up scores
    path.parent.mkdir()
    with path.open("w", encoding="utf-8") as file:
        for number in range(SAMPLES):
            words = " ".join(f"word{k % 97}" for k in range(number, number + 60))
            line = {
                "doc_id": number, "doc": {"question": words, "choices": ["a", "b", "c", "d"]},
                "target": "0",
                "arguments": {
                    f"gen_args_{k}": {"arg_0": words, "arg_1": f" {k}"} for k in range(4)
                },
                "resps": [[["-1.5", "False"]]] * 4, "filtered_resps": [["-1.5", "False"]] * 4,
                "filter": "none", "metrics": ["acc", "acc_norm"], "doc_hash": _hash(number),
                "prompt_hash": _hash(-number), "target_hash": _hash(0),
                "acc": float(rng.random() < 0.5), "acc_norm": float(rng.random() < 0.5),
            }  # fmt: skip
            file.write(json.dumps(line) + "\n")
    return path


def _hash(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


if __name__ == "__main__":
    log_readers()
