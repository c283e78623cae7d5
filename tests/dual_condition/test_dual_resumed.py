"""What a result says of runs made at another time, beside each other, or beside others."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.dual_cases import SYSTEM, evaluate, lay_out, memory_rows, write_lines

from assay.dual_condition.result import RowState
from assay.errors import IntegrityError, SpecError, StateNotIsolated
from assay.folders import state_digest

IN_PLACE = SYSTEM.replace(
    "items, outputs, seed, state = sys.argv[1:5]",
    "items, outputs, seed = sys.argv[1:4]\n"
    'state = pathlib.Path(__file__).parent / "state"\nimport time; time.sleep(0.5)',
)
FIXED_PATH = '["python", "system.py", "{items}", "{outputs}", "{seed}"]'


def codes(found):
    return [caveat.code for caveat in found.result.caveats]


def journal_of(path):
    (found,) = path.parent.glob("results/runs/*/runs.jsonl")
    return found


def test_so_many_runs_at_a_time_give_the_same_result(tmp_path):
    one = evaluate(lay_out(tmp_path / "one"))
    many = evaluate(lay_out(tmp_path / "many", system="jobs = 3"))
    assert many.made == one.made == 9
    for key in ("reproducibility_checksum", "scores", "learning_contribution_interval"):
        assert many.record[key] == one.record[key]


def test_runs_that_were_only_observed_stay_so_when_others_are_made_in_private(tmp_path):
    path = lay_out(tmp_path)
    assert "not-private" in codes(evaluate(path, private=False))
    lines = journal_of(path).read_bytes().splitlines(keepends=True)
    journal_of(path).write_bytes(b"".join(lines[:4]))
    again = evaluate(path)
    assert again.made == 5
    assert "not-private" in codes(again)
    assert again.record["state"]["private"] is False


@pytest.mark.parametrize("how", ["null", "short"])
def test_a_journal_that_was_edited_is_refused(tmp_path, how):
    path = lay_out(tmp_path)
    evaluate(path)
    lines = [json.loads(line) for line in journal_of(path).read_text().splitlines()]
    scores = lines[2]["scores"]
    lines[2]["scores"] = [None, *scores[1:]] if how == "null" else scores[1:]
    write_lines(journal_of(path), lines)
    with pytest.raises(IntegrityError, match="do not match the run"):
        evaluate(path)


def test_a_system_that_left_an_item_out_once_is_asked_again(tmp_path):
    forgetful = SYSTEM.replace(
        "        score += known",
        "        if item['id'] == 'q3' and seed == '2' and not known:\n            continue\n"
        "        score += known",
    )
    path = lay_out(tmp_path, body=forgetful)
    blocked = evaluate(path)
    assert blocked.result.row is RowState.BLOCKED
    assert not blocked.result.preconditions["every_item_scored"].holds
    assert evaluate(path).made >= 1


def test_whoever_writes_to_a_state_that_is_run_in_place_is_seen_and_loses_nothing(tmp_path):
    path = lay_out(
        tmp_path, body=IN_PLACE, command=FIXED_PATH, state='route = "in-place"', seeds="[1]"
    )
    before = state_digest(tmp_path / "state")
    writer = """
import pathlib, sys, time
state = pathlib.Path(sys.argv[1])
while not (state.parent / ".state.assay" / "journal.json").exists():
    time.sleep(0.005)
time.sleep(0.3)
with (state / "memory.jsonl").open("a") as file:
    file.write('{"item": "learnt-meanwhile", "verdict": 1}\\n')
"""
    other = subprocess.Popen([sys.executable, "-c", writer, str(tmp_path / "state")])
    with pytest.raises(StateNotIsolated, match=r"another process wrote to memory\.jsonl"):
        evaluate(path, private=False)
    assert other.wait(timeout=30) == 0
    assert state_digest(tmp_path / "state") == before
    (kept,) = tmp_path.glob("state.written-meanwhile-*")
    assert "learnt-meanwhile" in (kept / "memory.jsonl").read_text()


def test_alone_in_place_nobody_is_suspected(tmp_path):
    learning = IN_PLACE.replace("time.sleep(0.5)", "pass") + (
        '\nwith memory.open("a") as file:\n    file.write(\'{"item": "x", "verdict": 0}\\n\')\n'
    )
    path = lay_out(
        tmp_path, body=learning, command=FIXED_PATH, state='route = "in-place"', seeds="[1]"
    )
    found = evaluate(path, private=False)
    assert found.result.row is RowState.REPORTED
    assert found.record["state"]["route"] == "in-place"


def test_rows_that_name_no_item_are_said_to_be_kept_in_c(tmp_path):
    path = lay_out(tmp_path)
    rows = [row | {"item": f"claim-{row['item']}"} for row in memory_rows()]
    write_lines(tmp_path / "state" / "memory.jsonl", rows)
    assert "nothing-forgotten" in codes(evaluate(path))


def test_a_placebo_that_holds_nothing_is_refused(tmp_path):
    path = lay_out(tmp_path, conditions='["A", "B", "placebo"]', more='[placebo]\nstate = "other"')
    (tmp_path / "other").mkdir()
    with pytest.raises(SpecError, match="so it would equal B"):
        evaluate(path)


def test_line_numbers_are_no_ids_where_a_layer_names_items(tmp_path):
    path = lay_out(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "bench.jsonl").read_text().splitlines()]
    write_lines(tmp_path / "bench.jsonl", [{"key": row.pop("id"), **row} for row in rows])
    with pytest.raises(SpecError, match="no column 'id'"):
        evaluate(path)
    path.write_text(path.read_text().replace("[evaluation]", '[evaluation]\nid = "key"'))
    assert evaluate(path).result.row is RowState.REPORTED


def test_a_memory_among_what_is_installed_is_no_part_of_it(tmp_path):
    """Only what a package brought is open to all."""
    import sysconfig

    planted = [
        f"{sysconfig.get_paths()['purelib']}/assay-planted-{time.time_ns()}.jsonl",
        f"{sys.prefix}/lib/assay-planted-{time.time_ns()}.jsonl",
    ]
    for place in planted:
        Path(place).write_text("{}\n")
        try:
            body = SYSTEM + f"\nopen({place!r}).read()\n"
            found = evaluate(lay_out(tmp_path / str(planted.index(place)), body=body))
        finally:
            Path(place).unlink()
        assert not found.result.preconditions["nothing_undeclared_read"].holds
