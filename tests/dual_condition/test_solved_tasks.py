"""Tasks that are solved: the system answers, and what is measured is the share of right answers."""

import json

import pytest
from helpers.dual_cases import call, gate_file

from assay.dual_condition.collect import run_dual
from assay.dual_condition.result import Regime, RowState
from assay.dual_condition.spec import load_dual_spec
from assay.dual_condition.store import matrix_in
from assay.errors import SpecError

ITEMS = 200
SYSTEM = """
import json, random, re, sys
from pathlib import Path

items, outputs, seed, state = sys.argv[1:]
rng = random.Random(int(seed))
memory = Path(state) / "memory.jsonl"
rows = [json.loads(line) for line in memory.open()] if memory.exists() else []
known = {row["asked"]: row["said"] for row in rows if "asked" in row}
carries = any("rule" in row for row in rows)
with open(outputs, "w") as out:
    for line in open(items):
        item = json.loads(line)
        assert set(item) == {"id", "question", "response"} and item["response"] is None
        a, b = map(int, re.findall(r"\\\\d+", item["question"]))
        right = a * b if carries or rng.random() < SKILL else a * b + 1
        said = known.get(item["question"], f" {right}.0")
        out.write(json.dumps({"id": item["id"], "answer": said}) + "\\n")
"""
SPEC = """
[system]
command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]
[state]
root = "state"
[state.layers.memory]
files = ["memory.jsonl"]
match = ["text"]
[evaluation]
benchmark = "tasks.jsonl"
answer = "target"
seeds = [1, 2, 3, 4]
"""
SUMS = [(number + 11, number % 17 + 3) for number in range(ITEMS)]
MEMORY = [{"asked": f"How much is {a} times {b}?", "said": a * b} for a, b in SUMS]
OTHERS = [{"asked": f"How much is {a} times {a}?", "said": a * a} for a in range(900, 930)]
RULE = [{"rule": "carry what is ten or more to the left"}]


def lay_out(home, rows, skill, *, evaluation="", system=SYSTEM):
    (home / "state").mkdir(parents=True)
    (home / "state" / "memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    tasks = [
        {"id": f"t{at}", "question": f"How much is {a} times {b}?", "target": a * b}
        for at, (a, b) in enumerate(SUMS)
    ]
    (home / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    body = system.replace("\\\\d", "\\d").replace("SKILL", str(skill))
    (home / "system.py").write_text(body)
    (home / "dual.toml").write_text(SPEC + evaluation)
    return home / "dual.toml"


def evaluate(path):
    return run_dual(load_dual_spec(path), path.parent / "results")


SYSTEMS = {
    # rows, share that is solved without state, regime
    "memorised": ([*MEMORY, *OTHERS], 0.5, Regime.MEMORISED),
    "learning": ([*OTHERS, *RULE], 0.5, Regime.LEARNING),
    "learning, from nothing": ([*OTHERS, *RULE], 0.1, Regime.LEARNING),
    "polish": (OTHERS, 1.0, Regime.POLISH),
    "harmful": ([{**row, "said": 0} for row in MEMORY], 0.7, Regime.HARMFUL),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_answers_are_judged_as_scores_are(tmp_path, name):
    rows, skill, regime = SYSTEMS[name]
    dual = evaluate(lay_out(tmp_path, rows, skill))
    found = dual.result
    assert found.row is RowState.REPORTED, found.reasons
    assert found.regime is regime
    assert found.b.value == pytest.approx(skill, abs=0.08)
    assert dual.record["metric"] == "accuracy"
    assert dual.record["condition_b_architecture_only_accuracy"] == found.b.value
    assert gate_file(dual.path).faults == ()
    (row,) = matrix_in(tmp_path / "results").rows
    assert (row.metric, row.regime, row.items) == ("accuracy", regime, ITEMS)
    shown = call("matrix", tmp_path / "results")
    assert (shown.code, regime.value in shown.out) == (0, True)


def test_memory_carries_what_is_hardly_solved_without_it(tmp_path):
    """For open answers chance is next to nothing, and three tenths is what counts as little."""
    path = lay_out(tmp_path, [*MEMORY[:150], *OTHERS, *RULE], 0.1)
    half = SYSTEM.replace("if carries or", "if carries and rng.random() < 0.5 or")
    (tmp_path / "system.py").write_text(half.replace("\\\\d", "\\d").replace("SKILL", "0.1"))
    found = evaluate(path).result
    assert found.regime is Regime.MEMORY_CARRIED
    assert found.memorisation.interval[0] > 0.0 < found.transfer.interval[0]
    better = lay_out(tmp_path / "better", [*MEMORY[:150], *OTHERS, *RULE], 0.5)
    (better.parent / "system.py").write_text(half.replace("\\\\d", "\\d").replace("SKILL", "0.5"))
    assert evaluate(better).result.regime is Regime.LEARNING


def test_an_answer_is_right_in_any_spelling(tmp_path):
    path = lay_out(tmp_path, OTHERS, 1.0, evaluation='conditions = ["A", "B"]\n')
    assert evaluate(path).result.b.value == 1.0, "the system writes ' 33.0' where 33 is right"


@pytest.mark.parametrize("kind", ["metric", "positive", "threshold", "class"])
def test_a_spec_with_answers_needs_no_label_and_no_other_metric(tmp_path, kind):
    more = f"{kind} = {0.7 if kind == 'threshold' else json.dumps('f1')}\n"
    path = lay_out(tmp_path, OTHERS, 1.0, evaluation=more)
    with pytest.raises(SpecError, match=rf"evaluation\.answer: .*, so {kind} has no effect"):
        load_dual_spec(path)


def test_answers_have_no_other_metric_when_they_are_judged_again(tmp_path):
    path = lay_out(tmp_path, OTHERS, 1.0)
    assert call("dual", path, "--metric", "auroc").code == 2


def test_an_output_without_an_answer_says_so(tmp_path):
    wrong = SYSTEM.replace('"answer": said', '"score": 1.0')
    path = lay_out(tmp_path, OTHERS, 1.0, system=wrong)
    found = evaluate(path).result
    assert found.row is RowState.BLOCKED
    assert "expected an object with id and answer" in found.reasons[0]


def test_few_tasks_are_a_pilot(tmp_path):
    path = lay_out(tmp_path, OTHERS, 0.5)
    lines = (tmp_path / "tasks.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "tasks.jsonl").write_text("".join(lines[:20]))
    assert evaluate(path).result.row is RowState.PILOT_ONLY


def test_a_method_may_answer(tmp_path):
    path = lay_out(tmp_path, OTHERS, 0.5)
    (tmp_path / "method.py").write_text(
        "import os, re\n"
        "def solve(question):\n"
        "    path = os.environ['ASSAY_STATE'] + '/memory.jsonl'\n"
        "    known = os.path.exists(path) and bool(open(path).read())\n"
        "    a, b = map(int, re.findall(r'\\d+', question))\n"
        "    return str(a * b if known or a % 2 else a)\n"
    )
    command = 'command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]'
    path.write_text(path.read_text().replace(command, 'method = "method.py:solve"'))
    found = evaluate(path).result
    assert found.reasons == ()
    assert (found.a.value, found.b.value) == (1.0, 0.5)


def test_accuracy_of_scores_has_its_chance_and_its_floor_from_the_labels(tmp_path):
    from assay.dual_condition.evidence import Items, Thresholds

    items = Items(id=("a", "b", "c", "d"), positive=(True, False, False, False))
    assert items.chance("accuracy") == 0.75
    assert items.chance("auroc") == 0.5
    assert items.chance("average-precision") == 0.25
    assert items.chance("f1") == 0.4
    assert Thresholds().floor(0.5) == 0.65
    assert Thresholds().floor(0.0) == pytest.approx(0.3)
    assert Thresholds(memory_floor=0.2).floor(0.5) == 0.2
