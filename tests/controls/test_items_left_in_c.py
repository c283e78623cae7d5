"""Memories of a benchmark's own claims, kept in many ways: none of them is called transfer.

Every claim comes under one fixed question, as in FEVER, so a memory of it holds the response alone.
The system answers by that memory and guesses otherwise: all of its gain is memory of these items.
"""

import hashlib
import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from helpers.dual_cases import gate_file

from assay.dual_condition.collect import run_dual
from assay.dual_condition.result import Regime, RowState
from assay.dual_condition.spec import load_dual_spec
from assay.dual_condition.store import matrix_in
from assay.report.matrix import matrix_csv, matrix_markdown

CLAIMS = 120
QUESTION = "Is this claim true?"
NAMES = ("Ada", "Boole", "Curie", "Darwin", "Euler", "Fermi", "Gauss", "Hopper", "Ising", "Jacobi")
PLACES = ("Aachen", "Bergen", "Cadiz", "Dover", "Essen", "Fano", "Ghent", "Hull", "Izmir", "Jena",
          "Kiel", "Lodz")  # fmt: skip
SYSTEM = """
import hashlib, json, random, sqlite3, sys
from pathlib import Path

items, outputs, seed, state = sys.argv[1:]
rng = random.Random(int(seed))
known, state = {}, Path(state)
LOAD
with open(outputs, "w") as out:
    for line in open(items):
        item = json.loads(line)
        claim = item["response"]
        verdict = known.get(KEY)
        score = 0.7 * len(claim) % 1 + rng.random() if verdict is None else 10 * int(verdict)
        out.write(json.dumps({"id": item["id"], "score": score}) + "\\n")
"""
SPEC = """
[system]
command = ["python", "system.py", "{items}", "{outputs}", "{seed}", "{state}"]
[state]
root = "state"
LAYERS
[evaluation]
benchmark = "bench.jsonl"
positive = "label == 1"
seeds = [1, 2, 3]
conditions = ["A", "B", "C"]
"""


def claims():
    for number in range(CLAIMS):
        yield f"{NAMES[number % 10]} was born in {PLACES[number // 10]}.", number * 7 % 3 % 2


def others():
    for number in range(40):
        yield f"The river number {number} flows past the old town of Linz.", number % 2


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def jsonl(state):
    rows = [{"claim": claim, "verdict": v} for claim, v in (*claims(), *others())]
    (state / "memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def keys_of_jsonl(state):
    rows = [{claim: v} for claim, v in (*claims(), *others())]
    (state / "memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def nested(state):
    rows = [{"claim": claim, "verdict": v} for claim, v in (*claims(), *others())]
    (state / "memory.json").write_text(json.dumps({"version": 3, "memory": {"facts": rows}}))


def markdown(state):
    lines = [f"- {claim} **{v}**" for claim, v in (*claims(), *others())]
    (state / "memory.md").write_text("# What I know\n\n" + "\n".join(lines) + "\n")


def database(state):
    with closing(sqlite3.connect(state / "memory.db")) as made:
        made.execute("CREATE TABLE memory(claim TEXT, verdict INT)")
        made.executemany("INSERT INTO memory VALUES (?, ?)", [*claims(), *others()])
        made.commit()


def hashes(state):
    rows = [{"key": sha(claim), "verdict": v} for claim, v in claims()]
    (state / "memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def lower_hashes(state):
    rows = {sha(claim.lower().strip()): v for claim, v in claims()}
    (state / "memory.json").write_text(json.dumps(rows))


def raw_hashes(state):
    rows = [(hashlib.sha256(claim.encode()).digest(), v) for claim, v in claims()]
    with closing(sqlite3.connect(state / "memory.db")) as made:
        made.execute("CREATE TABLE memory(claim BLOB, verdict INT)")
        made.executemany("INSERT INTO memory VALUES (?, ?)", rows)
        made.commit()


def salted_hashes(state):
    rows = [{"key": sha("salt" + claim), "verdict": v} for claim, v in (*claims(), *others())]
    (state / "memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def named_salted_hashes(state):
    rows = [{"item": f"m{at}", "key": sha("salt" + claim), "verdict": v}
            for at, (claim, v) in enumerate((*claims(), *others()))]  # fmt: skip
    (state / "memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def vectors(state):
    known = [*claims(), *others()]
    (state / "texts.json").write_text(json.dumps([claim for claim, _ in known]))
    np.save(state / "vectors.npy", np.array([[len(claim), v] for claim, v in known], dtype="f4"))


def weights(state):
    """A table of verdicts by a hash of the claim: numbers, and nothing to look up."""
    table = np.zeros(4096, dtype="f4")
    for claim, v in claims():
        table[int(sha(claim)[:8], 16) % 4096] = 1 + v
    table.tofile(state / "weights.bin")


def file_names(state):
    (state / "memory").mkdir()
    for claim, v in claims():
        (state / "memory" / f"{sha(claim)}.txt").write_text(str(v))


ROWS = 'rows = [json.loads(l) for l in (state / "memory.jsonl").open()] if any(state.iterdir()) else []'  # noqa: E501
FROM_ROWS = f'{ROWS}\nknown = {{row["claim"]: row["verdict"] for row in rows}}'
FROM_KEYS = f'{ROWS}\nknown = {{row["key"]: row["verdict"] for row in rows}}'
FROM_ONE = f"{ROWS}\nfor row in rows:\n    known |= row"
FROM_NESTED = """
if any(state.iterdir()):
    rows = json.loads((state / "memory.json").read_text())["memory"]["facts"]
    known = {row["claim"]: row["verdict"] for row in rows}
"""
FROM_OBJECT = (
    'known = json.loads((state / "memory.json").read_text()) if any(state.iterdir()) else {}'
)
FROM_MARKDOWN = """
if any(state.iterdir()):
    for line in (state / "memory.md").read_text().splitlines():
        if line.startswith("- "):
            known[line[2:-6]] = line[-3]
"""
FROM_DATABASE = """
if any(state.iterdir()):
    known = dict(sqlite3.connect(state / "memory.db").execute("SELECT * FROM memory"))
"""
FROM_VECTORS = """
if any(state.iterdir()):
    texts = json.loads((state / "texts.json").read_text())
    import struct
    data = (state / "vectors.npy").read_bytes()[-8 * 160:]
    pairs = list(struct.iter_unpack("ff", data))
    known = dict(zip(texts, (int(v) for _, v in pairs[-len(texts):])))
"""
FROM_WEIGHTS = """
import struct
if any(state.iterdir()):
    table = [v for (v,) in struct.iter_unpack("f", (state / "weights.bin").read_bytes())]
    known = {at: v - 1 for at, v in enumerate(table) if v}
"""
FROM_NAMES = """
for path in sorted(state.glob("memory/*.txt")):
    known[path.stem] = path.read_text()
"""
CLAIM, HASHED = "claim", "hashlib.sha256(claim.encode()).hexdigest()"
BY_TEXT = '[state.layers.memory]\nfiles = ["memory*"]\nmatch = ["text"]'
KEPT = '[state.layers.memory]\nfiles = ["*"]\nin_c = "keep"'
BY_NAME = '[state.layers.memory]\nfiles = ["memory*"]\nprovenance = "item"'
INDEX = (
    '[state.layers.texts]\nfiles = ["texts.json"]\nmatch = ["text"]\n'
    '[state.layers.vectors]\nfiles = ["vectors.npy"]\nin_c = "keep"'
)
MEMORIES = {
    "JSONL": (jsonl, FROM_ROWS, CLAIM, BY_TEXT, "forgotten"),
    "JSONL, the claim as a key": (keys_of_jsonl, FROM_ONE, CLAIM, BY_TEXT, "forgotten"),
    "JSON, deep inside": (nested, FROM_NESTED, CLAIM, BY_TEXT, "forgotten"),
    "Markdown": (markdown, FROM_MARKDOWN, CLAIM, BY_TEXT, "forgotten"),
    "SQLite": (database, FROM_DATABASE, CLAIM, BY_TEXT, "forgotten"),
    "hashes": (hashes, FROM_KEYS, HASHED, BY_TEXT, "forgotten"),
    "hashes in lower case": (lower_hashes, FROM_OBJECT,
        HASHED.replace("claim.", "claim.lower().strip()."), BY_TEXT, "forgotten"),
    "raw hashes": (raw_hashes, FROM_DATABASE,
        "hashlib.sha256(claim.encode()).digest()", BY_TEXT, "forgotten"),
    "JSONL, kept": (jsonl, FROM_ROWS, CLAIM, KEPT, "C still holds items"),
    "Markdown, kept": (markdown, FROM_MARKDOWN, CLAIM, KEPT, "C still holds items"),
    "SQLite, kept": (database, FROM_DATABASE, CLAIM, KEPT, "C still holds items"),
    "raw hashes, kept": (raw_hashes, FROM_DATABASE,
        "hashlib.sha256(claim.encode()).digest()", KEPT, "C still holds items"),
    "hashes as names of files": (file_names, FROM_NAMES, HASHED,
        KEPT.replace("*", "memory"), "C still holds items"),
    "salted hashes": (salted_hashes, FROM_KEYS, HASHED.replace("claim.", "('salt' + claim)."),
        BY_TEXT, "cannot be looked up"),
    "salted hashes under other names": (named_salted_hashes, FROM_KEYS,
        HASHED.replace("claim.", "('salt' + claim)."), BY_NAME, "cannot be looked up"),
    "an index of vectors": (vectors, FROM_VECTORS, CLAIM, INDEX, "cannot be looked up"),
    "weights": (weights, FROM_WEIGHTS, f"int({HASHED}[:8], 16) % 4096", KEPT,
        "cannot be looked up"),
}  # fmt: skip


def lay_out(home, keep, load, key, layers, *, bench=claims):
    state = home / "state"
    state.mkdir(parents=True)
    keep(state)
    body = SYSTEM.replace("LOAD", load).replace("KEY", key)
    (home / "system.py").write_text(body)
    rows = [
        {"id": f"c{at}", "question": QUESTION, "response": claim, "label": v}
        for at, (claim, v) in enumerate(bench())
    ]
    (home / "bench.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (home / "dual.toml").write_text(SPEC.replace("LAYERS", layers))
    return home


def evaluated(home):
    return run_dual(load_dual_spec(home / "dual.toml"), home / "results")


@pytest.mark.parametrize("name", MEMORIES)
def test_a_memory_of_the_claims_is_never_called_transfer(tmp_path, name):
    *parts, outcome = MEMORIES[name]
    dual = evaluated(lay_out(tmp_path, *parts))
    found = dual.result
    assert found.row is RowState.REPORTED, found.reasons
    assert found.learning_contribution.interval[0] > 0.2, "the planted memory is one"
    assert found.exit_code == 1
    gated = gate_file(dual.path)
    assert gated.faults == ()
    (row,) = matrix_in(tmp_path / "results").rows
    page = matrix_markdown(matrix_in(tmp_path / "results"), of="results")
    if outcome == "forgotten":
        assert found.split.holds
        assert found.regime is Regime.MEMORISED
        assert found.memorisation.interval[0] > 0.2
        assert abs(found.transfer.value) < 0.05
        assert gated.notes == ()
        return
    assert not found.split.holds
    assert outcome in found.split.evidence
    assert found.regime is Regime.UNDETERMINED
    assert (found.c, found.memorisation, found.transfer) == (None, None, None)
    assert dual.record["split"] == {"holds": False, "evidence": found.split.evidence}
    assert dual.record["memorisation"] is dual.record["transfer"] is None
    assert outcome in gated.notes[0]
    assert "split-undecidable" in row.caveats
    assert page.count("| undecidable |") == 1
    assert ",undecidable," in matrix_csv(matrix_in(tmp_path / "results"), of="results")
    assert outcome in page.replace("\\", "")


def elsewhere():
    """Claims of which the state holds nothing."""
    for number in range(CLAIMS):
        yield f"Bridge {number} of the northern line was built by hand.", number * 7 % 3 % 2


@pytest.mark.parametrize("name", ["JSONL", "JSON, deep inside", "Markdown", "SQLite", "hashes"])
def test_the_same_memory_of_other_claims_leaves_the_split_decidable(tmp_path, name):
    """A search that always found something would prove nothing."""
    keep, load, key, layers, _ = MEMORIES[name]
    found = evaluated(lay_out(tmp_path, keep, load, key, layers, bench=elsewhere)).result
    if name == "hashes":
        assert "cannot be looked up" in found.split.evidence, "whose they are, nothing tells"
        return
    assert found.split.holds
    assert found.memorisation.value == 0.0


def test_a_kept_layer_of_a_few_numbers_is_said_and_not_refused(tmp_path):
    def tuned(state):
        jsonl(state)
        (state / "tuned.json").write_text('{"bias": 0.25, "slope": [1.5, 2.5]}')

    load = f'{FROM_ROWS}\n(state / "tuned.json").exists() and (state / "tuned.json").read_text()'
    layers = f'{BY_TEXT}\n[state.layers.tuned]\nfiles = ["tuned.json"]\nin_c = "keep"'
    found = evaluated(lay_out(tmp_path, tuned, load, CLAIM, layers)).result
    assert found.split.holds
    said = {caveat.code: caveat.message for caveat in found.caveats}
    assert "3 values in tuned.json" in said["values-in-c"]


FORGETTING = """
import json, pathlib, sys
state, items = map(pathlib.Path, sys.argv[1:3])
asked = {json.loads(line)["response"] for line in items.open()}
texts = json.loads((state / "texts.json").read_text())
data = (state / "vectors.npy").read_bytes()
head, body = data[:-8 * len(texts)], data[-8 * len(texts):]
kept = [at for at, text in enumerate(texts) if text not in asked]
(state / "texts.json").write_text(json.dumps([texts[at] for at in kept]))
(state / "vectors.npy").write_bytes(head + b"".join(body[8 * at : 8 * at + 8] for at in kept))
"""


@pytest.mark.parametrize("works", [True, False])
def test_a_command_that_builds_an_index_anew_is_taken_at_its_word_but_searched(tmp_path, works):
    layers = INDEX.replace('match = ["text"]', "").replace('in_c = "keep"', "")
    home = lay_out(tmp_path, vectors, FROM_VECTORS, CLAIM, layers)
    command = 'root = "state"\nforget = ["python", "forget.py", "{state}", "{items}"]'
    spec = (home / "dual.toml").read_text().replace('root = "state"', command)
    (home / "dual.toml").write_text(spec)
    body = FORGETTING if works else FORGETTING.replace("not in asked", "")
    (home / "forget.py").write_text(body)
    found = evaluated(home).result
    assert found.split.holds == works
    if works:
        assert "values-in-c" in [caveat.code for caveat in found.caveats]
    else:
        assert "texts.json repeats 120 items" in found.split.evidence
