"""A row is blocked where answers differ from their targets in form alone."""

import json
from pathlib import Path

import pytest
from helpers.dual_cases import call, gate_file

from assay.dual_condition.collect import run_dual
from assay.dual_condition.result import RowState
from assay.dual_condition.spec import load_dual_spec
from assay.errors import SpecError

SYSTEM = """
import json, re, sys
from pathlib import Path

items, outputs, seed, state = sys.argv[1:]
memory = Path(state) / "memory.json"
known = json.loads(memory.read_text()) if memory.exists() else {}
with open(outputs, "w") as out:
    for line in open(items):
        item = json.loads(line)
        a, b = map(int, re.findall("[0-9]+", item["question"]))
        right = a * b
        said = SAID
        out.write(json.dumps({"id": item["id"], "answer": said}) + "\\n")
"""
SPEC = """
[system]
command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]
[state.layers.memory]
files = ["memory.json"]
match = ["id"]
[evaluation]
benchmark = "tasks.jsonl"
answer = "target"
seeds = [1, 2]
conditions = ["A", "B"]
"""
ITEMS = 60
KNOWN = {f"t{n}": 0 for n in range(0, ITEMS, 2)}
HALF_RIGHT = "right if item['id'] in known or a % 3 else 0"


def lay_out(home, *, said, target="{}", system=SYSTEM):
    (home / "state").mkdir(parents=True)
    (home / "state" / "memory.json").write_text(json.dumps(KNOWN))
    tasks = [
        {"id": f"t{n}", "question": f"{n + 40} times {n + 60}?", "target": target.format(value)}
        for n in range(ITEMS)
        for value in [(n + 40) * (n + 60)]
    ]
    (home / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    (home / "system.py").write_text(system.replace("SAID", said))
    (home / "dual.toml").write_text(SPEC)
    return home / "dual.toml"


def evaluate(path):
    return run_dual(load_dual_spec(path), path.parent / "results")


def test_a_thousands_separator_in_the_targets_makes_no_answer_wrong(tmp_path):
    plain = evaluate(lay_out(tmp_path / "plain", said=HALF_RIGHT)).result
    separated = evaluate(lay_out(tmp_path / "separated", said=HALF_RIGHT, target="{:,}")).result
    assert (separated.a.value, separated.b.value) == (plain.a.value, plain.b.value)
    assert plain.a.value == pytest.approx(5 / 6, abs=0.02)
    assert plain.preconditions["answers_comparable"].holds


def test_a_row_in_which_nothing_is_ever_right_is_blocked_with_examples(tmp_path):
    dual = evaluate(lay_out(tmp_path, said=HALF_RIGHT, target="${}"))
    assert dual.result.row is RowState.BLOCKED
    (reason,) = dual.result.reasons
    assert "answers_comparable: none of 240 answers equals its target" in reason
    assert "where the target is '$" in reason
    assert "let the system write the answer alone" in reason
    assert gate_file(dual.path).faults == ()


FORMS = {
    "sentences without state": "right if known else f'The answer is {right}.'",
    "sentences with state": "f'The answer is {right}.' if known else right",
    "a few sentences with state": "f'It is {right}.' if known and a % 5 == 0 else right",
}


@pytest.mark.parametrize("name", FORMS)
def test_a_difference_in_form_is_no_difference_in_ability(tmp_path, name):
    """Marked by form alone, these would be LEARNING and HARMFUL; every answer is right."""
    dual = evaluate(lay_out(tmp_path, said=FORMS[name]))
    assert dual.result.row is RowState.BLOCKED
    (reason,) = dual.result.reasons
    assert reason.startswith("answers_comparable: ")
    assert "hold" in reason
    assert f"{'The answer is' if 'few' not in name else 'It is'} " in reason


def test_wrong_answers_that_hold_nothing_do_not_block(tmp_path):
    result = evaluate(lay_out(tmp_path, said="right if known or a % 2 else right + 1")).result
    assert result.row is RowState.REPORTED
    assert result.a.value > result.b.value


def test_how_answers_are_written_is_part_of_the_evidence(tmp_path):
    dual = evaluate(lay_out(tmp_path, said="right if known and a % 4 == 0 else right + 1"))
    record = json.loads(dual.path.read_text())
    assert record["answers"]["B"]["1"]["holding"] == 0
    assert len(record["answers"]["B"]["1"]["wrong"]) == 3
    for planted in (
        {name: value for name, value in record.items() if name != "answers"},
        {**record, "answers": {}},
        {**record, "answers": {**record["answers"], "A": {}}},
    ):
        dual.path.write_text(json.dumps(planted))
        assert gate_file(dual.path).faults, "the gate finds it"


def test_a_result_of_before_is_refused_and_says_why(tmp_path):
    dual = evaluate(lay_out(tmp_path, said=HALF_RIGHT))
    old = {**json.loads(dual.path.read_text()), "format": "assay-dual/3"}
    dual.path.write_text(json.dumps(old))
    (fault,) = gate_file(dual.path).faults
    assert "how answers are written" in fault.message


def test_where_most_answers_are_wrong_some_are_shown(tmp_path):
    path = lay_out(tmp_path / "few", said="right if known and a % 4 == 0 or a % 9 == 0 else 'x'")
    shown = call("dual", path).out
    assert "Most answers differ from their targets. The first of A that do:" in shown
    assert "'x' where the target is '" in shown
    path = lay_out(tmp_path / "many", said=HALF_RIGHT)
    assert "Most answers" not in call("dual", path).out


def test_a_blocked_row_names_the_folder_of_its_runs(tmp_path):
    shown = call("dual", lay_out(tmp_path, said="'x'")).out
    (named,) = [line for line in shown.split("\n") if line.startswith("  ") and "/runs/" in line]
    assert (Path(named.strip()) / "runs.jsonl").exists()
    assert "After a change of the spec, the code or the state" in shown


def test_a_system_that_needs_its_state_is_told_what_b_lacks(tmp_path):
    needy = SYSTEM.replace("json.loads(memory.read_text()) if memory.exists() else {}", "READ")
    path = lay_out(
        tmp_path, said="right", system=needy.replace("READ", "json.loads(memory.read_text())")
    )
    shown = call("dual", path)
    assert shown.code == 5 or "BLOCKED" in shown.out
    assert "(B has no memory.json: the system must start without it" in " ".join(shown.out.split())
    assert "remove" not in shown.out


def test_items_without_ids_are_told_by_their_texts(tmp_path):
    path = lay_out(tmp_path, said="right")
    rows = [json.loads(line) for line in (tmp_path / "tasks.jsonl").read_text().splitlines()]
    for row in rows:
        del row["id"]
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(SpecError, match="names items by id") as caught:
        load_dual_spec(path)
    hint = str(caught.value.hint)
    assert '[state.layers.memory] with files = ["memory.json"] and match = ["text"]' in hint
    mended = path.read_text().replace('match = ["id"]', 'match = ["text"]')
    path.write_text(mended)
    assert load_dual_spec(path).benchmark.items[0].id == "1"
