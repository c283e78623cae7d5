import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from helpers.command import command
from helpers.dual_cases import SYSTEM, call, lay_out, memory_rows, write_lines

SLOW = SYSTEM + "\nimport time; time.sleep(0.2)\n"
STRONG = SYSTEM.replace("score = 0.3 *", "score = 2.0 *")
STOPPED = 130


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("dual")


@pytest.fixture(scope="module")
def plain(home):
    """One evaluation, and what was printed of it."""
    path = lay_out(home / "plain")
    return path, call("dual", path)


def test_a_result_for_people(plain):
    path, done = plain
    assert done.code == 1  # it only remembers
    for said in ("AUROC", "A  all its state", "A - B  what the state adds", "A - C  memorisation",
                 "C - B  transfer", "on 40 items seen", "MEMORISED", "only-memorised:",
                 "n 80 · 3 seeds · bench.jsonl@", "preconditions 15/15"):  # fmt: skip
        assert said in done.out
    assert max(map(len, done.out.splitlines())) <= 110
    assert next((path.parent / "results").glob("bench-*.json")).name in done.out


def test_typed_again_nothing_is_made_and_the_same_is_said(plain):
    path, done = plain
    files = {one: one.read_bytes() for one in (path.parent / "results").rglob("*.json*")}
    again = call("dual", path)
    assert (again.code, again.out) == (done.code, done.out)
    assert {one: one.read_bytes() for one in (path.parent / "results").rglob("*.json*")} == files


def test_json_is_the_artifact(plain):
    path, _ = plain
    done = call("dual", path, "--json")
    stored = next((path.parent / "results").glob("bench-*.json")).read_bytes()
    assert json.loads(done.out) == json.loads(stored)


@pytest.mark.parametrize("metric", ["auroc", "accuracy", "f1", "average-precision"])
def test_every_metric_is_judged_from_the_same_runs(plain, metric):
    path, _ = plain
    journal = next((path.parent / "results" / "runs").glob("*/runs.jsonl")).read_bytes()
    found = json.loads(call("dual", path, "--metric", metric, "--json").out)
    name = metric.replace("-", "_")
    a, b = (found[f"condition_{key}_{name}"] for key in ("a_production", "b_architecture_only"))
    assert found["learning_contribution"] == pytest.approx(a - b)
    assert call("gate", path.parent / "results").code == 0
    assert next((path.parent / "results" / "runs").glob("*/runs.jsonl")).read_bytes() == journal
    assert call("matrix", path.parent / "results").code == 0


LEANS = SYSTEM.replace("0.3 *", "0.0 *").replace("+= known", "+= 3 * known")
CODES = {
    "undetermined": ({"body": STRONG}, 1, "UNDETERMINED"),
    "memory-carried": ({"body": LEANS, "conditions": '["A", "B"]'}, 1, "MEMORY-CARRIED"),
    "memorised": ({"body": LEANS}, 1, "MEMORISED"),
    "harmful": ({"body": LEANS.replace("+= 3", "-= 3")}, 1, "HARMFUL"),
    "a pilot": ({"count": 12}, 1, "PILOT ONLY"),
    "blocked": ({"body": SYSTEM + "raise SystemExit('broken')"}, 3, "BLOCKED"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CODES)
def test_exit_codes(home, kind):
    parts, code, said = CODES[kind]
    path = lay_out(home / kind, seeds="[1, 2]", **parts)
    if kind in ("memory-carried", "memorised", "harmful"):
        write_lines(home / kind / "state" / "memory.jsonl", memory_rows(range(80)))
    if kind == "undetermined":
        rows = [{"item": "other", "verdict": 0}]
        write_lines(home / kind / "state" / "memory.jsonl", rows)
    done = call("dual", path)
    assert said in done.out
    assert done.code == code
    assert max(map(len, done.out.splitlines())) <= 110


def test_results_go_where_they_are_told_to(home):
    path = lay_out(home / "elsewhere", seeds="[1]", conditions='["A", "B"]')
    done = call("dual", path, "--out", home / "there")
    assert done.code in (0, 1)
    assert list((home / "there").glob("bench-*.json"))
    assert not (home / "elsewhere" / "results").exists()
    refused = call("dual", path, "--out", home / "elsewhere" / "state" / "results")
    assert refused.code == 2
    assert "is inside the state" in refused.error.message


def test_a_changed_state_makes_a_second_result_beside_the_first(home):
    path = lay_out(home / "second", seeds="[1]", conditions='["A", "B"]')
    call("dual", path)
    write_lines(home / "second" / "state" / "memory.jsonl", memory_rows(range(10)))
    call("dual", path)
    assert len(list((home / "second" / "results").glob("bench-*.json"))) == 2


def test_errors_are_words_and_codes(home):
    path = lay_out(home / "errors")
    done = command(home / "errors", "dual", "gone.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "gone.toml: No such file" in done.stderr
    path.write_text("[system")
    done = command(home / "errors", "dual", "dual.toml", "--json")
    assert done.returncode == 2
    assert "not TOML" in json.loads(done.stdout)["error"]["message"]
    assert call("dual", path, "--metric", "mcc").code == 2
    assert call("dual").code == 2


def journal_of(home):
    path = next((home / "results" / "runs").glob("*/runs.jsonl"), None)
    return b"" if path is None else path.read_bytes()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_what_is_stopped_in_the_middle_goes_on_from_there(tmp_path, how):
    lay_out(tmp_path, body=SLOW)
    before = (tmp_path / "state" / "memory.jsonl").read_bytes()
    words = [sys.executable, "-m", "assay", "dual", "dual.toml"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while journal_of(tmp_path).count(b"\n") < 2:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(how)
        said = process.communicate(timeout=60)[1]
    if how == signal.SIGINT:
        assert process.returncode == STOPPED
        assert "Finished runs are kept. The same command continues." in said
    assert "Traceback" not in said
    made = journal_of(tmp_path)
    made = made[: made.rfind(b"\n") + 1]
    assert made.count(b"\n") < 9
    done = command(tmp_path, "dual", "dual.toml")
    assert done.returncode == 1
    whole = journal_of(tmp_path)
    assert whole.startswith(made)
    runs = [json.loads(line)["run"] for line in whole.splitlines()]
    cells = Counter((run["condition"], run["seed"]) for run in runs)
    assert cells == {(name, seed): 1 for name in "ABC" for seed in (1, 2, 3)}
    assert (tmp_path / "state" / "memory.jsonl").read_bytes() == before


def test_while_one_runs_another_is_refused(tmp_path):
    lay_out(tmp_path, body=SLOW.replace("0.2", "60"))
    words = [sys.executable, "-m", "assay", "dual", "dual.toml"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as first:
        while not list(tmp_path.glob("results/**/.lock")):
            assert first.poll() is None
            time.sleep(0.02)
        second = command(tmp_path, "dual", "dual.toml")
        first.send_signal(signal.SIGINT)
    assert second.returncode == 3
    assert "another process is making runs" in second.stderr


def test_progress_is_for_a_terminal_only(tmp_path):
    lay_out(tmp_path, body=SLOW.replace("0.2", "0.6"), conditions='["A", "B"]', seeds="[1, 2]")
    outer, inner = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "dual", "dual.toml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=inner,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(inner)
        shown = b""
        while True:
            try:
                data = os.read(outer, 4096)
            except OSError:
                break
            if not data:
                break
            shown += data
        out = process.communicate(timeout=60)[0]
    os.close(outer)
    assert b"runs" in shown
    assert b"\x1b" not in out
    done = command(tmp_path, "dual", "dual.toml")
    assert done.stderr == ""
