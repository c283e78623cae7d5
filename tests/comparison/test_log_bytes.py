"""Logs in UTF-16, on standard input, and compressed once more."""

import gzip
import io
import json
import sys

import pytest
from helpers.inspect_logs import samples, write_eval

from assay import SpecError
from assay.cli.inspect_hook import verdict_on
from assay.comparison.collect import Request, compare_paths
from assay.comparison.sides.read import read_sides
from assay.comparison.sides.reader import SideReading
from assay.logs.trial_rows import TrialColumns


def log_lines(scores):
    """A log of OpenAI evals."""
    own = {"cls": "basic.match:Match", "args": {}}
    spec = {
        "spec": {
            "completion_fns": ["m"],
            "eval_name": "facts.dev",
            "run_config": {"eval_spec": own, "seed": 7},
            "run_id": "r",
        }
    }
    report = {"final_report": {"accuracy": sum(scores) / len(scores)}}
    events = [
        {"run_id": "r", "sample_id": f"q{at}", "type": "match", "data": {"correct": bool(score)}}
        for at, score in enumerate(scores)
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (spec, report, *events))


def reads(path, **columns):
    (side,) = read_sides([("a", [path])], SideReading(columns=TrialColumns(**columns)))
    return side.reads


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("flag", [{}, {"encoding": "utf-16"}])
def test_a_log_with_a_mark_is_read_with_and_without_a_flag(tmp_path, encoding, flag):
    (tmp_path / "a.jsonl").write_text(log_lines([1, 0, 1, 1]), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text(log_lines([1, 0, 1, 1]), encoding=encoding)
    plain, marked = reads(tmp_path / "a.jsonl"), reads(tmp_path / "b.jsonl", **flag)
    assert marked[0].trials == plain[0].trials and len(plain[0].trials) == 4
    assert marked[0].kind == "log OpenAI evals"


def piped(monkeypatch, data):
    class Stream:
        buffer = io.BytesIO(data)

        def isatty(self):
            return False

    monkeypatch.setattr(sys, "stdin", Stream())


def test_a_log_on_standard_input_is_read_as_its_file_is(tmp_path, monkeypatch):
    path = write_eval(tmp_path / "a.eval", samples(["C"] * 12 + ["I"] * 8), model="m/a")
    piped(monkeypatch, path.read_bytes())
    (found,) = reads("-")
    (stored,) = reads(path)
    assert found.trials == stored.trials and found.digest == stored.digest
    assert found.kind == "log inspect_ai" and found.place == "standard input"


def test_a_broken_log_on_standard_input_is_called_by_that_name(tmp_path, monkeypatch):
    path = write_eval(tmp_path / "a.eval", samples(["C"] * 20))
    piped(monkeypatch, path.read_bytes()[:-40])
    with pytest.raises(SpecError) as error:
        reads("-")
    assert error.value.message.startswith("standard input")


def test_a_compressed_eval_log_is_refused_as_what_it_is(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(["C"] * 20))
    packed = tmp_path / "a.eval.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(SpecError, match="compressed a second time") as error:
        compare_paths([packed], [path], Request(plan=None, policies={}))
    assert "gunzip" in str(error.value.hint)


def test_the_hook_names_the_command_that_allows_another_harness(tmp_path, monkeypatch):
    plan = {"name": "plan", "steps": [{"solver": "other", "params": {}}], "config": {}}
    ours = write_eval(tmp_path / "a.eval", samples(["C"] * 20))
    theirs = write_eval(tmp_path / "b.eval", samples(["I"] * 20), plan=plan)
    monkeypatch.setenv("ASSAY_BASELINE", str(ours))
    told = verdict_on(str(theirs))
    assert "BLOCKS: harness-differs" in told
    assert f"assay compare {ours} {theirs} --allow harness" in told
