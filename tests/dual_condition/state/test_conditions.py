import json
import sqlite3
from contextlib import closing

import pytest
from helpers.dual_cases import lay_out, memory_rows, write_lines

from assay.dual_condition.evidence import subset_name
from assay.dual_condition.spec import load_dual_spec
from assay.dual_condition.state import conditions as module
from assay.dual_condition.state.conditions import Conditions, conditions_of
from assay.errors import SpecError, StateNotIsolated
from assay.folders import manifest

LAYERS = """
[state.layers.cache]
files = ["cache/"]
in_c = "initial"

[state.layers.weights]
files = ["weights.json"]
initial = "defaults.json"
in_c = "keep"
"""
ALL = '["A", "B", "C", "shapley", "placebo"]'


def a_state(home, **spec):
    """A state of three layers and a fixed file."""
    more = {"state": 'fixed = ["README.md", "rules/"]', "more_layers": LAYERS} | spec
    path = lay_out(home, **more)
    state = home / "state"
    for name, text in {
        "README.md": "fixed",
        "rules/a.txt": "fixed too",
        "cache/x.json": '[{"hit":1},{"hit":1}]',
        "cache/deep/y.bin": "\x00\x01",
        "weights.json": '{"a": 0.9, "b": 0.1, "c": 0.4, "d": 0.5}',
    }.items():
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).write_text(text)
    (home / "defaults.json").write_text('{"a": 0.5, "b": 0.5}')
    return path


def build(path, scratch):
    """Every condition of a spec, as what each file of it holds."""
    spec = load_dual_spec(path)
    scratch.mkdir()
    made = Conditions(spec, scratch)
    found = {}
    for condition in conditions_of(spec):
        built = made.build(condition)
        assert built.entries == manifest(built.folder)
        found[condition.name] = {
            entry.path: b""
            if entry.path.endswith("/")
            else (built.folder / entry.path).read_bytes()
            for entry in built.entries
        }
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("conditions")


@pytest.fixture(scope="module")
def built(home):
    path = a_state(home / "one", conditions=ALL, more='[placebo]\nshuffle = ["verdict"]')
    return build(path, home / "scratch")


FIXED = {"README.md": b"fixed", "rules/a.txt": b"fixed too"}
DEFAULTS = {"weights.json": b'{"a": 0.5, "b": 0.5}'}


def production(home):
    state = home / "one" / "state"
    return {
        path.relative_to(state).as_posix(): path.read_bytes()
        for path in state.rglob("*")
        if path.is_file()
    }


def test_a_is_production(built, home):
    assert built["A"] == production(home)


def test_b_is_the_beginning_and_what_is_fixed(built):
    assert built["B"] == FIXED | DEFAULTS


def test_c_is_production_without_the_items(built, home):
    kept = [row for row in memory_rows() if row["item"].startswith("other")]
    rows = "".join(json.dumps(row) + "\n" for row in kept).encode()
    weights = production(home)["weights.json"]
    assert built["C"] == FIXED | {"memory.jsonl": rows, "weights.json": weights}


def test_without_a_layer_it_is_as_at_the_beginning(built, home):
    whole = production(home)
    assert built["without-weights"] == whole | DEFAULTS
    assert built["without-memory"] == {k: v for k, v in whole.items() if k != "memory.jsonl"}
    assert built["without-cache"] == {k: v for k, v in whole.items() if "cache" not in k}


def test_only_a_layer_is_the_beginning_with_it(built, home):
    whole = production(home)
    assert built["only-memory"] == built["B"] | {"memory.jsonl": whole["memory.jsonl"]}
    assert built["only-weights"] == built["B"] | {"weights.json": whole["weights.json"]}


def test_the_subsets_are_all_there_once(built):
    names = ["memory", "cache", "weights"]
    assert set(built) == {"A", "B", "C", "placebo"} | {
        f"{kind}-{name}" for kind in ("without", "only") for name in names
    }
    four = ["a", "b", "c", "d"]
    assert subset_name(four, {"c", "a"}) == "only-a+c"
    assert subset_name(four, four) == "A"
    assert subset_name(four, ()) == "B"


def test_a_shuffled_placebo_hands_the_same_values_to_other_rows(built, home):
    whole, placebo = production(home), built["placebo"]
    assert {k: v for k, v in placebo.items() if k != "memory.jsonl"} == {
        k: v for k, v in whole.items() if k != "memory.jsonl"
    }
    ours, theirs = (
        [json.loads(line) for line in some["memory.jsonl"].splitlines()]
        for some in (placebo, whole)
    )
    assert [row["item"] for row in ours] == [row["item"] for row in theirs]
    assert sorted(row["verdict"] for row in ours) == sorted(row["verdict"] for row in theirs)
    assert ours != theirs


def test_what_is_built_twice_is_the_same(built, home):
    assert build(home / "one" / "dual.toml", home / "again") == built


def test_values_of_an_object_are_shuffled_as_values(tmp_path):
    path = a_state(tmp_path, conditions='["A", "B", "placebo"]',
                   more='[placebo]\nshuffle = ["verdict", "value"]')  # fmt: skip
    found = json.loads(build(path, tmp_path / "scratch")["placebo"]["weights.json"])
    assert sorted(found.values()) == [0.1, 0.4, 0.5, 0.9]
    assert list(found) == ["a", "b", "c", "d"]


def test_a_placebo_may_be_the_state_of_another_corpus(tmp_path):
    path = a_state(tmp_path, conditions='["A", "B", "placebo"]', more='[placebo]\nstate = "other"')
    write_lines(tmp_path / "other" / "memory.jsonl", [{"item": "z", "verdict": 1}])
    (tmp_path / "other" / "strange.txt").write_text("of no layer")
    (tmp_path / "other" / "README.md").write_text("another fixed file")
    found = build(path, tmp_path / "scratch")["placebo"]
    assert found == FIXED | {"memory.jsonl": b'{"item": "z", "verdict": 1}\n'}


NO_PLACEBO = {
    "a field that no row has": ('shuffle = ["verdict", "verdct"]', "has the field 'verdct'"),
    "values that are all the same": ('shuffle = ["hit"]', "equals production"),
    "a copy of production": ('state = "copy"', "equals production"),
}


@pytest.mark.parametrize("kind", NO_PLACEBO)
def test_a_placebo_that_is_production_is_refused(tmp_path, kind):
    said, expected = NO_PLACEBO[kind]
    path = a_state(tmp_path, conditions='["A", "B", "placebo"]', more=f"[placebo]\n{said}")
    module.shutil.copytree(tmp_path / "state", tmp_path / "copy")
    with pytest.raises(SpecError, match=expected):
        build(path, tmp_path / "scratch")


DATABASE = """
CREATE TABLE memory(id INTEGER PRIMARY KEY, item TEXT UNIQUE NOT NULL, verdict INT, t STRICTLY);
CREATE TRIGGER no BEFORE UPDATE ON memory BEGIN SELECT RAISE(ABORT, 'append only'); END;
"""


def a_database(home, shuffle):
    layer = '[state.layers.db]\nsqlite = "m.db"\nprovenance = "item"\n'
    path = lay_out(home, conditions='["A", "B", "placebo"]', more_layers=layer,
                   more=f"[placebo]\nshuffle = {shuffle}")  # fmt: skip
    with closing(sqlite3.connect(home / "state" / "m.db")) as made:
        made.executescript(DATABASE)
        rows = [(n, f"q{n}", n, "x") for n in range(30)]
        made.executemany("INSERT INTO memory VALUES (?, ?, ?, ?)", rows)
        made.commit()
    return path


def test_columns_of_a_database_are_shuffled_even_unique_ones(tmp_path):
    path = a_database(tmp_path, '["item", "verdict"]')
    spec = load_dual_spec(path)
    (tmp_path / "scratch").mkdir()
    made = Conditions(spec, tmp_path / "scratch")
    folder = made.build(conditions_of(spec)[-1]).folder
    with closing(sqlite3.connect(folder / "m.db")) as found:
        rows = found.execute("SELECT id, item, verdict FROM memory ORDER BY id").fetchall()
        triggers = found.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    assert [row[0] for row in rows] == list(range(30))
    assert sorted(row[1] for row in rows) == sorted(f"q{n}" for n in range(30))
    assert sorted(row[2] for row in rows) == list(range(30))
    assert sum(row[1] == f"q{row[0]}" for row in rows) < 10
    assert triggers == [("no",)]


def test_the_key_of_a_table_cannot_be_shuffled(tmp_path):
    path = a_database(tmp_path, '["id"]')
    with pytest.raises(SpecError, match="column id of table memory cannot be shuffled"):
        build(path, tmp_path / "scratch")


INITIAL = {
    "a file for a file": ('files = ["w.json"]', "begin.json", {"w.json": b"{}"}),
    "a file for a database": (
        'files = ["extra.json"]\nsqlite = "w.db"',
        "begin.json",
        {"w.db": b"{}"},
    ),
    "a file for a folder": ('files = ["w/"]', "begin.json", {"w/begin.json": b"{}"}),
    "a folder for a folder": ('files = ["w/"]', "begin", {"w/a": b"1", "w/b/c": b"2"}),
    "a file by its own name": ('files = ["begin*", "x"]', "begin.json", {"begin.json": b"{}"}),
}


@pytest.mark.parametrize("kind", INITIAL)
def test_what_a_layer_begins_with_goes_to_its_place(tmp_path, kind):
    files, initial, expected = INITIAL[kind]
    layer = f'[state.layers.w]\n{files}\ninitial = "{initial}"\nin_c = "initial"\n'
    path = lay_out(tmp_path, more_layers=layer)
    if "w/" in files:
        (tmp_path / "state" / "w").mkdir()
        (tmp_path / "state" / "w" / "old").write_text("old")
    (tmp_path / "begin.json").write_text("{}")
    for name, text in (("a", "1"), ("b/c", "2")):
        (tmp_path / "begin" / "w" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "begin" / "w" / name).write_text(text)
    spec = load_dual_spec(path)
    found = build(path, tmp_path / "scratch")["B"]
    assert found == expected
    made = Conditions(spec, _new(tmp_path / "third"))
    assert made.initial_digest == made.build(conditions_of(spec)[1]).digest


def _new(folder):
    folder.mkdir()
    return folder


def test_a_beginning_that_brings_others_files_is_refused(tmp_path):
    path = lay_out(tmp_path, layer='provenance = "item"\ninitial = "begin"')
    write_lines(tmp_path / "begin" / "memory.jsonl", [])
    (tmp_path / "begin" / "more.txt").write_text("x")
    with pytest.raises(
        SpecError, match=r"memory: initial has more\.txt, which is not a file of this layer"
    ):
        build(path, tmp_path / "scratch")


def test_a_link_in_the_state_is_refused(tmp_path):
    path = lay_out(tmp_path)
    (tmp_path / "state" / "link").symlink_to("/etc/hostname")
    with pytest.raises(SpecError, match="neither a regular file nor a folder"):
        build(path, tmp_path / "scratch")


def test_a_state_that_changes_while_it_is_copied_is_refused(tmp_path, monkeypatch):
    path = lay_out(tmp_path)
    real = module.shutil.copytree

    def busy(source, target):
        real(source, target)
        (tmp_path / "state" / "memory.jsonl").write_text("{}\n")

    monkeypatch.setattr(module.shutil, "copytree", busy)
    with pytest.raises(StateNotIsolated, match="changed while it was being copied"):
        build(path, tmp_path / "scratch")


def test_a_database_is_read_without_a_change_to_the_snapshot(tmp_path):
    path = a_database(tmp_path, '["verdict"]')
    spec = load_dual_spec(path)
    made = Conditions(spec, _new(tmp_path / "scratch"))
    assert made.mentions()["db"].from_items == 30
    assert manifest(made.snapshot) == manifest(spec.state.root) == made.entries
