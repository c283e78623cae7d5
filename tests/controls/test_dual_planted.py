"""Planted systems: each is described as what it is, or blocked.

What they know is planted, so it is known how much of their score is memory of the benchmark, how
much was learnt elsewhere, and which of them cheat.
"""

import json
import random
import subprocess
import sys

import pytest

from assay.dual_condition.collect import run_dual
from assay.dual_condition.result import Regime, RowState
from assay.dual_condition.spec import load_dual_spec

ITEMS = 240
BEGINNING = """
import json, os, random, sys
from pathlib import Path

items, outputs, seed, state = sys.argv[1:]
rng = random.Random(int(seed))
memory = Path(state) / "memory.jsonl"
asked = [json.loads(line) for line in open(items)]
"""
READING = """
rows = [json.loads(line) for line in memory.open()] if memory.exists() else []
known = {row["item"]: row["verdict"] for row in rows}
skilled = any(row["item"].startswith("elsewhere") for row in rows)
"""
ENDING = """
with open(outputs, "w") as out:
    for item in asked:
        out.write(json.dumps({"id": item["id"], "score": score(item)}) + "\\n")
"""
GUESS = """
def guess(item):
    return float(item["response"]) + rng.gauss(0.0, 2.0)
"""
MEMORISES = """
def score(item):
    return known[item["id"]] * 20.0 - 10.0 if item["id"] in known else guess(item)
"""
TRANSFERS = """
def score(item):
    return float(item["response"]) if skilled else guess(item)
"""
BOTH = """
def score(item):
    if item["id"] in known:
        return known[item["id"]] * 20.0 - 10.0
    return float(item["response"]) if skilled else guess(item)
"""
FLAG = """
production = bool(os.listdir(state))
def score(item):
    return float(item["response"]) if production else guess(item)
"""
FLAG_THAT_OPENS = """
production = memory.exists() and bool(memory.read_text())
def score(item):
    return float(item["response"]) if production else guess(item)
"""
CACHE_OUTSIDE = """
cache = json.loads((Path(__file__).parent / "cache.json").read_text())
def score(item):
    return cache.get(item["id"], guess(item)) + 0.01 * len(known)
"""
TRAINS_ITSELF = """
def score(item):
    seen = len(known)
    with memory.open("a") as file:
        file.write(json.dumps({"item": "elsewhere-" + item["id"], "verdict": 0}) + "\\n")
    known["elsewhere-" + item["id"]] = 0
    return float(item["response"]) + rng.gauss(0.0, 100.0 / (10.0 + seen))
"""
SPEC = """
[system]
command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]
[state]
root = "state"
[state.layers.memory]
files = ["memory.jsonl"]
provenance = "item"
[evaluation]
benchmark = "bench.jsonl"
positive = "label == 1"
seeds = [1, 2, 3]
conditions = ["A", "B", "C"]
"""
PLACEBO = (
    SPEC.replace('"C"]', '"C", "placebo"]')
    + """
[placebo]
shuffle = ["verdict"]
"""
)


@pytest.fixture
def laid_out(tmp_path):
    """A folder with a benchmark, a memory of 80 of its items and of other things, and a system."""

    def lay_out(*parts, spec=SPEC):
        rng = random.Random(1)  # noqa: S311 - seeded
        lines, memory = [], []
        for number in range(ITEMS):
            label = number % 2
            item = {"id": f"q{number}", "question": f"What of number {number}?", "label": label}
            lines.append(json.dumps(item | {"response": f"{rng.gauss(1.2 * label, 1.0):.4f}"}))
            if number % 3 == 0:
                memory.append(json.dumps({"item": item["id"], "verdict": label}))
        memory += [json.dumps({"item": f"elsewhere-{n}", "verdict": n % 2}) for n in range(30)]
        (tmp_path / "bench.jsonl").write_text("\n".join(lines) + "\n")
        (tmp_path / "state").mkdir()
        (tmp_path / "state" / "memory.jsonl").write_text("\n".join(memory) + "\n")
        (tmp_path / "cache.json").write_text(json.dumps({f"q{n}": n % 2 for n in range(ITEMS)}))
        (tmp_path / "system.py").write_text("".join((BEGINNING, READING, GUESS, *parts, ENDING)))
        (tmp_path / "dual.toml").write_text(spec)
        return tmp_path

    return lay_out


def judged(folder):
    return run_dual(load_dual_spec(folder / "dual.toml"), folder / "results").result


def test_a_system_that_memorises_is_seen_to_memorise_and_nothing_else(laid_out):
    found = judged(laid_out(MEMORISES))
    assert found.row is RowState.REPORTED
    assert found.memorisation.interval[0] > 0.05
    assert found.transfer.interval[0] <= 0.0 <= found.transfer.interval[1]
    assert found.regime is Regime.MEMORISED
    assert found.exit_code == 1
    assert found.seen.items == ITEMS // 3
    assert found.seen.learning_contribution.interval[0] > 0.1
    low, high = found.unseen.learning_contribution.interval
    assert low <= 0.0 <= high


def test_a_system_that_transfers_is_seen_to_transfer_and_nothing_else(laid_out):
    found = judged(laid_out(TRANSFERS))
    assert found.transfer.interval[0] > 0.02
    low, high = found.memorisation.interval
    assert low <= 0.0 <= high
    assert found.memorisation.value == 0.0
    assert found.unseen.learning_contribution.interval[0] > 0.0
    assert found.regime is Regime.LEARNING


def test_a_system_that_does_both_is_seen_to_do_both(laid_out):
    found = judged(laid_out(BOTH))
    assert found.memorisation.interval[0] > 0.05
    assert found.transfer.interval[0] > 0.02
    whole = found.memorisation.value + found.transfer.value
    assert found.learning_contribution.value == pytest.approx(whole)


def test_a_system_whose_b_is_a_flag_is_blocked_since_it_never_opens_its_state(laid_out):
    folder = laid_out(FLAG)
    text = (folder / "system.py").read_text().replace(READING, "")
    (folder / "system.py").write_text(text)
    found = judged(folder)
    assert found.row is RowState.BLOCKED
    assert not found.preconditions["layers_opened_in_a"].holds
    assert "never opened" in found.reasons[0]
    assert found.a is None
    assert found.learning_contribution is None


def test_a_flag_that_opens_its_state_and_ignores_it_gains_by_a_placebo_too(laid_out):
    found = judged(laid_out(FLAG_THAT_OPENS, spec=PLACEBO))
    assert found.row is RowState.REPORTED
    assert found.learning_contribution.interval[0] > 0.0
    assert found.placebo.gain.interval[0] > 0.0
    assert "placebo-gains" in [caveat.code for caveat in found.caveats]
    assert found.regime is not Regime.LEARNING


def test_a_system_that_really_learns_gains_beyond_the_placebo(laid_out):
    found = judged(laid_out(MEMORISES, spec=PLACEBO))
    assert found.placebo.beyond.interval[0] > 0.0
    assert found.regime is Regime.MEMORISED


def test_a_system_that_reads_a_cache_outside_its_state_is_blocked(laid_out):
    found = judged(laid_out(CACHE_OUTSIDE))
    assert found.row is RowState.BLOCKED
    assert not found.preconditions["nothing_undeclared_read"].holds
    assert "cache.json" in found.reasons[0]


def test_the_same_cache_is_no_leak_once_it_is_declared_to_be_part_of_the_system(laid_out):
    declared = SPEC.replace("[state]\n", 'reads = ["cache.json"]\n[state]\n', 1)
    assert judged(laid_out(CACHE_OUTSIDE, spec=declared)).row is RowState.REPORTED


def test_a_cache_that_is_written_in_one_run_and_read_in_the_next_is_blocked(laid_out):
    writes = """
cache = Path(__file__).parent / "answers.json"
answers = json.loads(cache.read_text()) if cache.exists() else {}
def score(item):
    answers[item["id"]] = guess(item)
    try:
        cache.write_text(json.dumps(answers))
    except OSError:
        pass
    return answers[item["id"]]
"""
    folder = laid_out(writes)
    found = judged(folder)
    assert found.row is RowState.BLOCKED
    assert not found.preconditions["no_writes_outside"].holds
    assert not (folder / "answers.json").exists()


def test_a_system_that_trains_itself_during_a_teaches_no_other_run(laid_out):
    folder = laid_out(TRAINS_ITSELF)
    before = (folder / "state" / "memory.jsonl").read_bytes()
    found = judged(folder)
    assert (folder / "state" / "memory.jsonl").read_bytes() == before
    assert found.row is RowState.REPORTED
    assert "learns-during-runs" in [caveat.code for caveat in found.caveats]
    assert found.preconditions["a_is_snapshot"].holds
    alone = SPEC.replace("seeds = [1, 2, 3]", "seeds = [3]")
    (folder / "dual.toml").write_text(alone)
    assert judged(folder).a.per_seed["3"] == found.a.per_seed["3"]


def test_by_hand_the_same_system_would_teach_its_next_run(laid_out):
    """The planted wrong is real: run twice on one folder, the second run has learnt."""
    folder = laid_out(TRAINS_ITSELF)
    rows = [json.loads(line) for line in (folder / "bench.jsonl").read_text().splitlines()]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = [sys.executable, "system.py", "items.jsonl", "out.jsonl", "1", "state"]
    outputs = []
    for _ in range(2):
        subprocess.run(words, cwd=folder, check=True)
        outputs.append((folder / "out.jsonl").read_text())
    assert outputs[0] != outputs[1]
