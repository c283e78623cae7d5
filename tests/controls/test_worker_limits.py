"""A worker is held to limits of memory, time, files and processes, which its run records."""

import json
import sys

import pytest
from helpers.command import command
from helpers.studies import a_study, drafted, opened, remember_installed, write_rows

import assay
from assay.runs.store import load_run, save_run
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits are set by the launcher")
GREEDY = {
    "memory_bytes": ("bytearray(1 << 30)", 1 << 28, "MemoryError"),
    "file_bytes": ("open('large', 'wb').truncate(1 << 24)", 1 << 20, "File too large"),
    "cpu_seconds": ("[None for _ in iter(int, 1)]", 1, "SIG"),
}


def tried(folder, *words):
    write_rows(folder / "data.jsonl")
    return command(folder, "try", "method.py:detect", "--benchmark", "data.jsonl", *words, "--json")


@LINUX
@pytest.mark.parametrize("name", GREEDY)
def test_a_method_that_takes_more_than_its_limit_fails_and_says_so(tmp_path, name):
    body, most, word = GREEDY[name]
    lines = f"def detect(question, response):\n    {body}\n    return len(response)\n"
    (tmp_path / "method.py").write_text(lines)
    done = tried(tmp_path, "--limit", f"{name}={most}")
    assert done.returncode == 5
    assert word in done.stderr


@LINUX
def test_nor_has_it_more_processes_where_they_are_bounded(tmp_path):
    """Root is not bound by the number, so that only the limit itself can be seen."""
    (tmp_path / "method.py").write_text(
        "import resource\nassert resource.getrlimit(resource.RLIMIT_NPROC) == (77, 77)\n"
        "def detect(question, response):\n    return len(response)\n"
    )
    assert tried(tmp_path, "--limit", "processes=77").returncode in (0, 1)
    assert tried(tmp_path, "--limit", "processes=78").returncode == 5


@LINUX
def test_within_the_usual_limits_scikit_learn_works(tmp_path):
    (tmp_path / "method.py").write_text(
        "import numpy as np\nfrom sklearn.linear_model import LogisticRegression\n"
        "MODEL = LogisticRegression().fit(np.arange(8).reshape(-1, 1), [0, 1] * 4)\n"
        "def detect(question, response):\n"
        "    return float(MODEL.predict_proba([[len(response)]])[0, 1])\n"
    )
    assert tried(tmp_path).returncode in (0, 1)


def test_the_run_says_what_held_and_an_older_run_that_nothing_did(tmp_path):
    study = a_study(tmp_path, "finished")
    kept = json.loads((study.root / "runs/001/run.json").read_bytes())["limits"]
    assert kept["memory_bytes"] == 8 << 30
    assert min(kept[name] for name in ("cpu_seconds", "processes", "file_bytes")) > 0
    run = load_run(study.root / "runs/001")
    save_run(run, tmp_path / "copy")
    head = json.loads((tmp_path / "copy/run.json").read_bytes())
    head["limits"] = {name: head["limits"][name] for name in ("load_seconds", "item_seconds")}
    (tmp_path / "copy/run.json").write_text(json.dumps(head))
    assert load_run(tmp_path / "copy").limits == assay.Limits(
        memory_bytes=None, cpu_seconds=None, processes=None, file_bytes=None
    )


@LINUX
def test_a_sealed_method_is_held_to_the_limits_that_were_sealed(tmp_path, monkeypatch):
    remember_installed(monkeypatch)
    study = opened(tmp_path)
    body = (
        "def detect(question, response):\n"
        "    return len(bytearray(1 << 30) if 'number 7?' in question else response)\n"
    )
    folder = drafted(study, "001", body)
    plan = folder / "prereg.toml"
    plan.write_text(plan.read_text() + "memory_bytes = 268435456\nprocesses = 0\n")
    seal(study, "001")
    run_sealed(study, "001", unwitnessed=True)
    run = load_run(study.root / "runs/001")
    assert (run.limits.memory_bytes, run.limits.processes) == (1 << 28, None)
    assert [record.error.kind for record in run.records if record.error] == ["raised"]
    assert "MemoryError" in next(r.error.message for r in run.records if r.error)


@pytest.mark.parametrize("words", ["memory_bytes=-1", "memory=1", "processes=x", "processes"])
def test_a_limit_that_is_none_is_refused(tmp_path, words):
    done = command(tmp_path, "try", "oracle:word_length", "--limit", words)
    assert done.returncode == 2
