"""One memory in several shapes gives one split; where C had to lack too much, none is given.

The system knows 40 of 160 items by heart, and 60 entries about other things teach it what helps
with every item.
"""

import json
import random

import pytest

from assay.dual_condition.collect import run_dual
from assay.dual_condition.result import Regime, RowState
from assay.dual_condition.spec import load_dual_spec

SYSTEM = """
import json, random, re, sys
from pathlib import Path

items, outputs, seed, state = sys.argv[1:]
path = Path(state) / "memory.json"
known = READ if path.exists() else {}
skill = sum(WORD in question for question in known) / COUNT
chance = random.Random(int(seed))
with open(outputs, "w") as out:
    for line in open(items):
        item = json.loads(line)
        a, b, said = map(int, re.findall("[0-9]+", item["question"] + item["response"]))
        score = skill * float(a * b != said) + chance.gauss(0, 0.5)
        if item["question"] in known:
            score = 5 * known[item["question"]]
        out.write(json.dumps({"id": item["id"], "score": score}) + "\\n")
"""
SPEC = """
[system]
command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]
[state]
root = "state"
[state.layers.memory]
files = ["memory.json"]
match = ["id", "text"]
[evaluation]
benchmark = "bench.jsonl"
seeds = [1, 2, 3]
"""


def bench():
    rng = random.Random(7)  # noqa: S311 - a seeded benchmark, not a secret
    for n in range(160):
        a, b, wrong = rng.randint(11, 99), rng.randint(11, 99), n % 2
        said = a * b + wrong * rng.randint(1, 9)
        question = f"Now tell me, what is {a} times {b}?"
        yield {"id": f"m{n}", "question": question, "response": f"It is {said}.", "label": wrong}


ROWS = list(bench())
SEEN = {row["question"]: row["label"] for row in ROWS[:40]}
OTHERS = {f"On a market day, what is {n} plus {n + 3}?": 0 for n in range(60)}
ALL = {**SEEN, **OTHERS}
LOADED = "json.loads(path.read_text())"


def lay_out(home, held, read, *, word="plus", count=60):
    (home / "state").mkdir(parents=True)
    (home / "state" / "memory.json").write_text(json.dumps(held))
    (home / "bench.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    body = SYSTEM.replace("READ", read).replace("WORD", repr(word)).replace("COUNT", str(count))
    (home / "system.py").write_text(body)
    (home / "dual.toml").write_text(SPEC)
    return home


def evaluated(home):
    return run_dual(load_dual_spec(home / "dual.toml"), home / "results")


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    """The split of the memory as one mapping."""
    home = lay_out(tmp_path_factory.mktemp("flat"), ALL, LOADED)
    return evaluated(home).result


def test_the_planted_skill_is_transfer(flat):
    assert flat.row is RowState.REPORTED
    assert flat.regime in (Regime.LEARNING, Regime.MEMORY_CARRIED)
    assert flat.transfer.interval[0] > 0.2
    assert flat.split.holds
    assert "helps-unseen" not in {caveat.code for caveat in flat.caveats}


SHAPES = {
    "a mapping under a name": ({"version": 1, "seen": ALL}, f"{LOADED}['seen']"),
    "columns": (
        {"q": list(ALL), "v": list(ALL.values())},
        f"(lambda m: dict(zip(m['q'], m['v'])))({LOADED})",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_another_shape_of_the_same_memory_gives_the_same_split(tmp_path, flat, shape):
    found = evaluated(lay_out(tmp_path, *SHAPES[shape])).result
    assert found.regime is flat.regime
    for name in ("a", "b", "c", "memorisation", "transfer"):
        assert getattr(found, name).value == pytest.approx(getattr(flat, name).value, abs=1e-9)
    assert found.left_out["memory"].entries == 40
    assert "C: memory.json without 40 of 10" in str(found)


def test_a_split_is_refused_where_c_lacks_other_entries_too(tmp_path):
    """Neither names nor neighbours tell whether these are entries or fields."""
    names = {question: "".join(chr(97 + int(d)) for d in str(7919 * n + 104729))
             for n, question in enumerate(ALL)}  # fmt: skip
    held = {names[question]: question for question in ALL}
    read = f"{{q: {SEEN!r}.get(q, 0) for q in {LOADED}.values()}}"
    dual = evaluated(lay_out(tmp_path, held, read))
    found = dual.result
    assert found.learning_contribution.interval[0] > 0.2
    assert not found.split.holds
    assert "nothing tells where an entry ends" in found.split.evidence
    assert "1 entry of memory.json" in found.split.evidence
    assert found.regime is Regime.UNDETERMINED
    assert (found.c, found.memorisation, found.transfer) == (None, None, None)
    undivided = dual.record["state"]["remains"]["undivided"]
    assert undivided == [{"file": "memory.json", "entries": 1}]


def test_a_gain_on_items_it_holds_nothing_of_is_not_called_memorised(tmp_path):
    """It learns from the 40 items what helps with the others: C lacks that, and A has it."""
    dual = evaluated(lay_out(tmp_path, SEEN, LOADED, word="times", count=40))
    found = dual.result
    assert found.split.holds
    assert found.memorisation.interval[0] > 0.0 >= found.transfer.interval[0]
    assert found.unseen.learning_contribution.interval[0] > 0.2
    assert found.regime is Regime.UNDETERMINED
    assert "also with items that it holds nothing of" in found.meaning
    assert "helps-unseen" in {caveat.code for caveat in found.caveats}
    assert found.exit_code == 1


def test_a_gain_on_the_items_it_holds_alone_is_memorised(tmp_path):
    found = evaluated(lay_out(tmp_path, SEEN, LOADED, word="no such word", count=1)).result
    assert found.memorisation.interval[0] > 0.0
    assert found.regime is Regime.MEMORISED
    assert "helps-unseen" not in {caveat.code for caveat in found.caveats}


def test_a_failure_in_c_says_what_c_lacks(tmp_path):
    held = {"last": {"question": ROWS[0]["question"], "score": 1}, "rest": OTHERS}
    dual = evaluated(lay_out(tmp_path, held, f"{LOADED}['last'] and {LOADED}['rest']"))
    assert dual.result.row is RowState.BLOCKED
    (reason,) = [each for each in dual.result.reasons if "condition C" in each]
    assert "KeyError: 'last'" in reason
    assert "C lacks 'last' of memory.json, which names an item" in reason


def test_a_failure_that_c_did_not_cause_says_nothing_of_c(tmp_path):
    home = lay_out(tmp_path, {"last": ROWS[0]["question"], "rest": OTHERS}, f"{LOADED}['rest']")
    body = (home / "system.py").read_text()
    (home / "system.py").write_text(body.replace("chance =", "{}['rest']\nchance ="))
    reasons = evaluated(home).result.reasons
    assert any("KeyError: 'rest'" in reason for reason in reasons)
    assert not any("C lacks" in reason for reason in reasons)
