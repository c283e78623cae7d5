import json
import sqlite3
from contextlib import closing

import pytest
from helpers.dual_cases import (
    COMMAND,
    SYSTEM,
    bench_rows,
    evaluate,
    lay_out,
    memory_rows,
    write_lines,
)

from assay.dual_condition import condition_run as dual_run
from assay.dual_condition.commit_gate import check_result
from assay.dual_condition.judge.regime import Regime
from assay.dual_condition.result import RowState
from assay.errors import AssayError, DigestMismatch, IntegrityError, SpecError

TAIL = "\nimport os, pathlib\nhome = pathlib.Path(__file__).parent\n"
TRIED = f"{TAIL}try:\n    DO\nexcept OSError:\n    pass\n"


def tried(what):
    """The system, which also tries something that may be held back."""
    return SYSTEM + TRIED.replace("DO", what)


def extra(name, text="x"):
    def change(home):
        (home / "state" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "state" / name).write_text(text)

    return change


def empty(home):
    (home / "state" / "memory.jsonl").unlink()


def outputs(line):
    """The system, with another last line in place of its outputs'."""
    return SYSTEM + f"\nlines = open(outputs).read().splitlines()\n{line}\n"


WRITE = 'open(outputs, "w").write("\\n".join(lines))'
IN_B = 'if not memory.exists():\n    raise SystemExit("I am nothing without it")'

PLANTED = {
    "a file that no layer owns": (
        {"change": extra("strange.txt")},
        {"state_declared": "strange.txt of the state"},
    ),
    "a layer with no file": ({"change": empty}, {"state_declared": "no file of layer memory"}),
    "a layer that is never opened": (
        {"body": SYSTEM.replace("memory.exists()", "False")},
        {"layers_opened_in_a": "layer memory was never opened in A"},
    ),
    "a write beside itself": (
        {"body": tried('(home / "notes.txt").write_text("x")')},
        {"no_writes_outside": "notes.txt"},
    ),
    "a write to production by its path": (
        {"body": tried('open(home / "state" / "memory.jsonl", "a").write("{}")')},
        None,
    ),
    "a write to a folder of all": (
        {"body": tried('open("/var/lib/assay-test-x", "w").write("x")')},
        {"no_writes_outside": "/var/lib/assay-test-x"},
    ),
    "the labels read": (
        {"body": tried('(home / "bench.jsonl").read_text()')},
        {"nothing_undeclared_read": "bench.jsonl, the benchmark with its labels"},
    ),
    "a file beside it read": (
        {"body": tried('(home / "dual.toml").read_text()')},
        {"nothing_undeclared_read": "dual.toml"},
    ),
    "a crash in B": (
        {"body": SYSTEM + IN_B},
        {"runs_completed": "condition B, seed 1: exit code 1: I am nothing without it"},
    ),
    "a program that is not there": (
        {"command": '["no-such-program", "{items}", "{outputs}", "{state}"]'},
        {"runs_completed": "no-such-program: there is no such program"},
    ),
    "one that never ends": (
        {"body": "import time; time.sleep(60)", "system": "seconds = 0.3"},
        {"runs_completed": "seed 1"},
    ),
    "an item without a score": (
        {"body": outputs(f"lines.pop()\n{WRITE}")},
        {"every_item_scored": "1 of 80 items have no score"},
    ),
    "nothing written": (
        {"body": "pass"},
        {"runs_completed": "it did not write {outputs}"},
    ),
    "a score for no item": (
        {"body": outputs(f'lines.append(\'{{"id": "zz", "score": 1}}\')\n{WRITE}')},
        {"runs_completed": "a score for 'zz', which is not an item"},
    ),
    "two scores for one": (
        {"body": outputs(f"lines.append(lines[0])\n{WRITE}")},
        {"runs_completed": "a second score for"},
    ),
    "no number": (
        {"body": outputs(f'lines[0] = lines[0].split(", ")[0] + \', "score": NaN}}\'\n{WRITE}')},
        {"runs_completed": "NaN"},
    ),
    "an endless number": (
        {"body": outputs(f'lines[0] = lines[0].split(", ")[0] + \', "score": 1e999}}\'\n{WRITE}')},
        {"runs_completed": "1e999"},
    ),
    "a score in words": (
        {"body": outputs(f'lines[0] = lines[0].split(", ")[0] + \', "score": "1"}}\'\n{WRITE}')},
        {"runs_completed": "expected a number, got '1'"},
    ),
    "no JSON": (
        {"body": outputs(f'lines[0] = "score: 1"\n{WRITE}')},
        {"runs_completed": "not JSON"},
    ),
    "a link for outputs": (
        {"body": SYSTEM + "\nimport os\nos.rename(outputs, outputs + 'x')\n"
                          "os.symlink(outputs + 'x', outputs)\n"},
        {"runs_completed": "it did not write {outputs}"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", PLANTED)
def test_what_is_wrong_blocks_the_row_by_its_precondition(tmp_path, kind):
    parts, expected = PLANTED[kind]
    parts = dict(parts)
    change = parts.pop("change", None)
    path = lay_out(tmp_path, conditions='["A", "B"]', seeds="[1]", **parts)
    if change is not None:
        change(tmp_path)
    before = _production(tmp_path)
    found = evaluate(path)
    assert _production(tmp_path) == before
    assert check_result(found.record, where="x") == []
    if expected is None:
        assert found.result.row is not RowState.BLOCKED
        return
    broken = {
        name: one.evidence for name, one in found.result.preconditions.items() if not one.holds
    }
    for name, said in expected.items():
        assert said in broken[name]
    assert found.result.row is RowState.BLOCKED
    assert found.result.a is found.result.b is found.result.regime is None
    assert not (tmp_path / "notes.txt").exists()


def _production(home):
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted((home / "state").rglob("*"))
        if path.is_file()
    }


def meanwhile(monkeypatch, act):
    """Do something after the second run, as somebody else might."""
    real, seen = dual_run.DualRuns.run, []

    def run(self, *words):
        made = real(self, *words)
        seen.append(1)
        if len(seen) == 2:
            act()
        return made

    monkeypatch.setattr(dual_run.DualRuns, "run", run)


def test_production_that_somebody_changes_blocks_the_row(tmp_path, monkeypatch):
    path = lay_out(tmp_path, conditions='["A", "B"]')
    meanwhile(monkeypatch, lambda: write_lines(tmp_path / "state" / "memory.jsonl", []))
    found = evaluate(path)
    assert not found.result.preconditions["production_unchanged"].holds


def test_code_that_somebody_changes_blocks_the_row(tmp_path, monkeypatch):
    path = lay_out(tmp_path, conditions='["A", "B"]')
    meanwhile(monkeypatch, lambda: (tmp_path / "system.py").write_text(SYSTEM + "\n# other\n"))
    found = evaluate(path)
    assert "system.py changed" in found.result.preconditions["code_unchanged"].evidence
    assert found.result.row is RowState.BLOCKED


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("dualling")


METHOD = """
import json, os, pathlib
memory = pathlib.Path(os.environ["ASSAY_STATE"], "memory.jsonl")
known = {}
if memory.exists():
    rows = map(json.loads, memory.read_text().splitlines())
    known = {row["item"]: row["verdict"] for row in rows}
number = 0
def judge(question, response):
    told = known.get("q" + question.split()[3], 0)
    return told + 0.5 * ("wrong" in response)
"""


def test_a_method_finds_its_state_in_the_environment(home):
    path = lay_out(home / "method", command="", system='method = "method.py:judge"', seeds="[1, 2]")
    (home / "method" / "method.py").write_text(METHOD)
    found = evaluate(path)
    assert found.record["state"]["route"] == "environment"
    assert found.record["system"] == "method.py:judge"
    assert found.result.row is RowState.REPORTED
    assert found.result.memorisation.value > 0.05
    assert "seed-blind" in {caveat.code for caveat in found.result.caveats}


def test_a_method_that_is_not_there_is_told(home):
    path = lay_out(home / "no-method", command="", system='method = "method.py:judge"')
    try:
        found = evaluate(path)
    except AssayError as refused:
        assert "method.py" in refused.message
    else:
        assert "method.py" in found.result.preconditions["runs_completed"].evidence


def test_a_variable_names_the_state(home):
    body = SYSTEM.replace("items, outputs, seed, state = sys.argv[1:5]",
                          'import os\nitems, outputs, seed = sys.argv[1:4]\n'
                          'state = os.environ["AGENT_HOME"]')  # fmt: skip
    path = lay_out(home / "variable", body=body, state='variable = "AGENT_HOME"',
                   command=COMMAND.replace(', "{state}"', ""), seeds="[1]")  # fmt: skip
    found = evaluate(path)
    assert found.record["state"]["route"] == "environment"
    assert found.result.learning_contribution.value > 0.1
    assert "one-seed" in {caveat.code for caveat in found.result.caveats}
    assert found.result.a.t_interval is None


def test_a_variable_that_is_to_be_passed_on_and_is_not_there(home, monkeypatch):
    path = lay_out(home / "passed", system='environment = ["NO_SUCH_KEY"]')
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(SpecError, match="variable NO_SUCH_KEY is not set"):
        evaluate(path)


LAYERED = SYSTEM.replace("with open(outputs", '''
import sqlite3, contextlib
cache = pathlib.Path(state, "cache.db")
hits = {}
if cache.exists():
    with contextlib.closing(sqlite3.connect(cache)) as database:
        hits = dict(database.execute("SELECT item, score FROM cache"))
weights = pathlib.Path(state, "weights.json")
weight = json.loads(weights.read_text())["weight"]
with open(outputs''').replace('known.get(item["id"], 0)', '''known.get(item["id"], 0)
        score += hits.get(item["id"], 0) + weight * ("wrong" in item["response"])''')  # fmt: skip
LAYERS = """
[state.layers.cache]
sqlite = "cache.db"
provenance = "item"
[state.layers.weights]
files = ["weights.json"]
initial = "weights.json"
in_c = "keep"
"""


@pytest.fixture(scope="module")
def layered(home):
    """A system of three layers, with every condition that there is."""
    folder = home / "layered"
    path = lay_out(folder, body=LAYERED, more_layers=LAYERS, seeds="[1, 2]",
                   conditions='["A", "B", "C", "shapley", "placebo"]',
                   more='[placebo]\nshuffle = ["verdict", "score"]')  # fmt: skip
    (folder / "weights.json").write_text('{"weight": 0.0}')
    (folder / "state" / "weights.json").write_text('{"weight": 0.5}')
    with closing(sqlite3.connect(folder / "state" / "cache.db")) as made:
        made.execute("CREATE TABLE cache(item TEXT UNIQUE, score REAL)")
        rows = [(f"q{n}", float(n % 2)) for n in range(40, 60)]
        made.executemany("INSERT INTO cache VALUES (?, ?)", rows)
        made.commit()
    return evaluate(path)


def test_every_condition_is_run_at_every_seed(layered):
    assert layered.record["conditions"] == [
        *("A", "B", "C", "only-memory", "only-cache", "only-weights"),
        *("without-weights", "without-cache", "without-memory", "placebo"),
    ]
    assert layered.made == layered.planned == 20
    assert layered.result.row is RowState.REPORTED


def test_shapley_values_add_up_to_what_the_state_adds(layered):
    found = layered.result
    total = sum(one.shapley.value for one in found.layers.values())
    assert total == pytest.approx(found.learning_contribution.value)
    assert all(one.contribution is not None for one in found.layers.values())


def test_memorisation_and_transfer_add_up_too(layered):
    found = layered.result
    both = found.memorisation.value + found.transfer.value
    assert both == pytest.approx(found.learning_contribution.value)
    layers = layered.record["state"]["layers"]
    assert layers["cache"]["rows_forgotten"] == 20
    assert layers["memory"]["rows_forgotten"] == 40
    assert layers["weights"]["rows_forgotten"] is None
    assert (found.seen.items, found.unseen.items) == (60, 20)


def test_the_result_of_all_conditions_passes_the_gate(layered):
    assert check_result(json.loads(layered.path.read_bytes()), where="x") == []


def test_layers_alone_leave_each_out_in_turn(home):
    path = lay_out(home / "leave", conditions='["A", "B", "layers"]', seeds="[1]",
                   body=LAYERED, more_layers=LAYERS)  # fmt: skip
    folder = home / "leave"
    (folder / "weights.json").write_text('{"weight": 0.0}')
    (folder / "state" / "weights.json").write_text('{"weight": 0.5}')
    with closing(sqlite3.connect(folder / "state" / "cache.db")) as made:
        made.execute("CREATE TABLE cache(item TEXT, score REAL)")
        made.execute("INSERT INTO cache VALUES ('q50', 0.5)")
        made.commit()
    found = evaluate(path)
    assert found.planned == 5
    assert {name: one.shapley for name, one in found.result.layers.items()} == {
        "memory": None,
        "cache": None,
        "weights": None,
    }


def test_a_placebo_of_another_corpus(home):
    path = lay_out(home / "placebo", conditions='["A", "B", "placebo"]', seeds="[1, 2]",
                   more='[placebo]\nstate = "other"')  # fmt: skip
    rows = [{"item": f"z{n}", "verdict": n % 2} for n in range(50)]
    write_lines(home / "placebo" / "other" / "memory.jsonl", rows)
    found = evaluate(path)
    assert found.result.placebo.gain.value == 0.0
    assert found.result.placebo.beyond.value > 0.1
    assert found.result.regime is Regime.LEARNING


def test_c_by_words(home):
    path = lay_out(home / "words", layer='match = ["text"]', seeds="[1]")
    rows = list(bench_rows())
    told = [
        {"item": row["id"], "verdict": row["label"], "asked": row["question"].upper()}
        for row in rows[:40]
    ]
    others = [{"item": "zz", "verdict": 1, "asked": "What colour is the sky on a clear day?"}]
    write_lines(home / "words" / "state" / "memory.jsonl", told + others)
    found = evaluate(path)
    assert found.record["state"]["layers"]["memory"]["rows_forgotten"] == 40
    assert found.result.memorisation.value > 0.1


def test_c_by_ids_and_by_leaving_out_and_by_keeping(home):
    for name, rule, left in (
        ("ids", 'match = ["id"]', 10),
        ("out", 'in_c = "initial"', 0),
        ("kept", 'in_c = "keep"', 50),
    ):
        found = evaluate(lay_out(home / name, layer=rule, seeds="[1]"))
        (home / name / "c").mkdir()
        sizes = [entry["size"] for entry in found.record["state"]["manifests"]["C"]]
        wanted = [json.dumps(row) for row in memory_rows()][50 - left :]
        assert sum(sizes) == sum(len(line) + 1 for line in wanted)


def test_typed_twice_nothing_new_is_made(home):
    path = lay_out(home / "twice", seeds="[1, 2]")
    first = evaluate(path)
    data = first.path.read_bytes()
    again = evaluate(path)
    assert (first.made, again.made) == (6, 0)
    assert again.path.read_bytes() == data
    other = evaluate(path, private=True)
    assert other.record["made"] == first.record["made"]


def test_another_metric_or_threshold_needs_no_new_runs(home):
    path = lay_out(home / "metric", seeds="[1, 2]", evaluation="threshold = 0.8")
    evaluate(path)
    text = path.read_text()
    for metric in ("accuracy", "f1", "average-precision"):
        path.write_text(f"{text}".replace("threshold = 0.8", f'metric = "{metric}"'))
        found = evaluate(path)
        assert found.made == 0
        assert found.path.name.endswith(f".{metric}.json")
        name = metric.replace("-", "_")
        assert 0.0 < found.record[f"condition_a_production_{name}"] <= 1.0
        assert check_result(json.loads(found.path.read_bytes()), where="x") == []


def test_a_changed_state_makes_a_second_result_beside_the_first(home):
    path = lay_out(home / "changed", seeds="[1]")
    first = evaluate(path)
    write_lines(home / "changed" / "state" / "memory.jsonl", memory_rows(range(20)))
    second = evaluate(path)
    assert second.made == 3
    assert first.path != second.path
    assert first.path.exists()
    assert [past["checksum"] for past in second.record["history"]] == [
        first.record["reproducibility_checksum"]
    ]


def test_an_edited_result_is_not_believed_as_history(home):
    path = lay_out(home / "edited", seeds="[1]")
    first = evaluate(path)
    record = json.loads(first.path.read_bytes())
    low = {"condition_b_architecture_only_auroc": 0.1}
    first.path.write_text(json.dumps({**record, **low}))
    assert evaluate(path).path.read_bytes() != json.dumps({**record, **low}).encode()
    first.path.write_text(json.dumps({**record, **low}))
    write_lines(home / "edited" / "state" / "memory.jsonl", memory_rows(range(20)))
    with pytest.raises(DigestMismatch, match="B's history is in it"):
        evaluate(path)


def test_half_a_line_in_the_journal_was_cut_off(home):
    path = lay_out(home / "half", seeds="[1, 2]")
    found = evaluate(path)
    journal = next((home / "half" / "results" / "runs").glob("*/runs.jsonl"))
    *lines, last = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines, last[: len(last) // 2]]))
    found.path.unlink()
    again = evaluate(path)
    assert again.made == 1
    assert again.record["scores"] == found.record["scores"]


def test_a_journal_that_is_none_is_told_by_its_line(home):
    path = lay_out(home / "journal", seeds="[1]")
    evaluate(path)
    journal = next((home / "journal" / "results" / "runs").glob("*/runs.jsonl"))
    journal.write_text("{}\n")
    with pytest.raises(IntegrityError, match=r"runs\.jsonl, line 1"):
        evaluate(path)


def test_a_command_that_forgets_otherwise_each_time_has_c_run_again(home):
    forget = 'forget = ["python", "forget.py", "{state}", "{items}"]'
    path = lay_out(home / "fickle", layer="", state=forget, seeds="[1, 2]")
    (home / "fickle" / "forget.py").write_text(
        "import os, pathlib, sys\n"
        "pathlib.Path(sys.argv[1], 'memory.jsonl').write_text("
        '\'{"item": "%s", "verdict": 0}\\n\' % os.urandom(8).hex())\n'
    )
    assert evaluate(path).made == 6
    again = evaluate(path)
    assert again.made == 2
    assert check_result(json.loads(again.path.read_bytes()), where="x") == []


def test_results_in_the_state_or_among_what_is_read_are_refused(home):
    from assay.dual_condition.collect import run_dual
    from assay.dual_condition.spec import load_dual_spec

    path = lay_out(home / "apart", system='reads = ["model"]')
    (home / "apart" / "model").mkdir()
    for place in ("state/results", "state", "model/results"):
        with pytest.raises(AssayError):
            run_dual(load_dual_spec(path), home / "apart" / place)


def test_without_a_private_view_the_same_comes_out(home):
    path = lay_out(home / "open", seeds="[1]")
    found = evaluate(path, private=False)
    assert not found.record["state"]["private"]
    assert found.result.row is RowState.REPORTED
    assert "not-private" in {caveat.code for caveat in found.result.caveats}


def test_a_system_that_learns_while_it_is_judged_is_said_to(home):
    body = SYSTEM + '\nopen(memory, "a").write(json.dumps({"item": "n", "verdict": 1}) + "\\n")\n'
    found = evaluate(lay_out(home / "learns", body=body, seeds="[1, 2]"))
    assert found.result.row is RowState.REPORTED
    assert "learns-during-runs" in {caveat.code for caveat in found.result.caveats}


def test_where_all_of_it_is_remembered_that_is_said(home):
    found = evaluate(lay_out(home / "remembers"))
    assert found.result.regime is Regime.MEMORISED
    assert "only-memorised" in {caveat.code for caveat in found.result.caveats}


def test_nothing_is_left_in_the_temporary_folder(home, monkeypatch):
    import tempfile

    folder = home / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    evaluate(lay_out(home / "tidy", seeds="[1]"))
    assert list(folder.iterdir()) == []
