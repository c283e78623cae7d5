import json
import sqlite3
from contextlib import closing

import pytest
from helpers.dual_cases import evaluate, lay_out, memory_rows, write_lines

from assay.benchmark.benchmark import Item
from assay.dual_condition.state.forgetting import forget, mentions_of
from assay.dual_condition.state.item_traces import ItemTraces
from assay.dual_condition.state.layers import Layer
from assay.errors import MethodError, SpecError, StateNotIsolated

QUESTION = "Which planet of the solar system has the most moons?"
ITEMS = (
    Item(id="q1", question=QUESTION, response="Saturn", label=True),
    Item(id="7", question="Yes?", response="", label=False),
    Item(id="q3", question="How many legs has a spider, and how many an ant?", label=True),
)
TRACES = ItemTraces(ITEMS)
BY_ITEM = Layer(files=("*",), provenance="item")
BY_ID = Layer(files=("*",), match=("id",))
BY_TEXT = Layer(files=("*",), match=("text",))


def forgotten(folder, name, layer, items=ITEMS):
    """How many rows are found and taken out of a file, which must be the same."""
    found = mentions_of(folder, [name], layer, ItemTraces(items))
    gone = sum(file.rows for file in forget(folder, [name], layer, ItemTraces(items)).values())
    assert gone == found.from_items
    return gone, found


def lines(path, *rows):
    path.write_text("".join(row if row.endswith("\n") else row + "\n" for row in rows))
    return path


def test_a_field_names_the_item_or_several(tmp_path):
    path = lines(
        tmp_path / "m.jsonl",
        '{"item": "q1", "v": 1}',
        '{"item": 7}',
        '{"item": 7.0}',
        '{"item": ["x", "q3"]}',
        '{"item": {"q3": 1}}',
        '{"item": "[\\"q1\\"]"}',
        '{"item": "q11"}',
        '{"item": null}',
        '{"other": "q1"}',
        '{"item": true}',
    )
    gone, found = forgotten(tmp_path, "m.jsonl", BY_ITEM)
    assert (gone, found.rows, found.items) == (6, 10, {"q1", "7", "q3"})
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"item": "q11"},
        {"item": None},
        {"other": "q1"},
        {"item": True},
    ]


def test_lines_of_others_keep_every_byte(tmp_path):
    others = ['{"item" :  "x",\t"v": 1.50}\r\n', '{"v":1e5,"item":"\\u00e9"}\n', '{"item":"ü"}\n']
    path = tmp_path / "m.jsonl"
    path.write_bytes("".join([others[0], '{"item":"q1"}\n', *others[1:]]).encode())
    assert forgotten(tmp_path, "m.jsonl", BY_ITEM)[0] == 1
    assert path.read_bytes() == "".join(others).encode()


def test_a_file_that_holds_nothing_of_the_items_is_left_alone(tmp_path):
    rows = '\ufeff{"item":"x"}\n\n\n{"item":"y"}'
    path = tmp_path / "m.jsonl"
    path.write_text(rows)
    assert forgotten(tmp_path, "m.jsonl", BY_ITEM)[0] == 0
    assert path.read_text() == rows


def test_ids_are_found_anywhere(tmp_path):
    lines(
        tmp_path / "m.jsonl",
        '{"a": {"b": [{"c": "q1"}]}}',
        '{"q1": 1}',
        '{"a": {"q3": 1}}',
        '{"n": 7}',
        '{"meta": "{\\"item\\": \\"q3\\"}"}',
        '["q1"]',
        '"q1"',
        '{"a": "of q1"}',
        '{"a": 77}',
        '{"value": 8}',
    )
    assert forgotten(tmp_path, "m.jsonl", BY_ID)[0] == 7


def test_an_id_that_is_called_as_rows_call_their_parts(tmp_path):
    items = (Item(id="value", question="x", label=True), Item(id="key", question="y", label=False))
    lines(tmp_path / "m.jsonl", "1", '{"a": "value"}')
    assert forgotten(tmp_path, "m.jsonl", BY_ID, items)[0] == 1
    (tmp_path / "o.json").write_text('{"a": 1, "key": 2, "b": "value"}')
    assert forgotten(tmp_path, "o.json", BY_ID, items)[0] == 2
    assert json.loads((tmp_path / "o.json").read_text()) == {"a": 1}


def test_words_are_found_with_other_case_and_punctuation(tmp_path):
    lines(
        tmp_path / "m.jsonl",
        json.dumps({"asked": "WHICH planet of the Solar System has the most moons"}),
        json.dumps({"asked": f"  {QUESTION}  Saturn!"}),
        json.dumps({"log": f"User said: “{QUESTION}” and I answered Saturn."}),
        json.dumps({"deep": [{"x": QUESTION}]}),
        json.dumps({"asked": "Which planet of the solar system has the fewest moons, if any?"}),
        json.dumps({"asked": "Which planet?"}),
        json.dumps({"asked": "How many legs has a spider?"}),
    )
    gone, found = forgotten(tmp_path, "m.jsonl", BY_TEXT)
    assert (gone, found.items) == (4, {"q1"})


def test_short_words_are_no_trace_unless_they_are_all_there_is(tmp_path):
    lines(
        tmp_path / "m.jsonl",
        '{"verdict": "yes"}',
        '{"a": "Yes, indeed"}',
        '{"a": ""}',
        '{"a": "..."}',
        '{"a": "ant legs an has many how"}',
    )
    assert forgotten(tmp_path, "m.jsonl", BY_TEXT)[1].items == {"7"}
    blank = (Item(id="b", question=" ", response="", label=True),)
    lines(tmp_path / "m.jsonl", '{"a": ""}', '{"a": " "}')
    assert forgotten(tmp_path, "m.jsonl", BY_TEXT, blank)[0] == 0


def test_a_text_that_is_one_item_s_is_not_put_down_to_its_neighbours(tmp_path):
    stem = "a b c d e f g h i j k l m n o p q r s number"
    items = tuple(Item(id=f"t{n}", question=f"{stem} {n}", label=n == 1) for n in range(3))
    lines(tmp_path / "m.jsonl", json.dumps({"asked": f"{stem} 1"}))
    assert forgotten(tmp_path, "m.jsonl", BY_TEXT, items)[1].items == {"t1"}


def test_entries_of_a_list_and_of_an_object(tmp_path):
    (tmp_path / "l.json").write_text('[{"item": "q1"}, {"item": "x", "f": 1.5}, {"v": 3}]')
    assert forgotten(tmp_path, "l.json", BY_ITEM)[0] == 1
    assert json.loads((tmp_path / "l.json").read_text()) == [{"item": "x", "f": 1.5}, {"v": 3}]
    (tmp_path / "o.json").write_text('{"q1": 1, "x": {"key": "q3"}, "y": {"z": 2}, "w": 0.25}')
    assert forgotten(tmp_path, "o.json", BY_ID)[0] == 2
    assert json.loads((tmp_path / "o.json").read_text()) == {"y": {"z": 2}, "w": 0.25}
    (tmp_path / "k.json").write_text('{"q1": {"v": 1}, "x": {"v": 2}}')
    assert forgotten(tmp_path, "k.json", Layer(files=("*",), provenance="key"))[0] == 1
    assert json.loads((tmp_path / "k.json").read_text()) == {"x": {"v": 2}}


def test_a_number_alone_has_no_rows(tmp_path):
    (tmp_path / "n.json").write_text("0.25")
    assert forgotten(tmp_path, "n.json", BY_ID) == (
        0,
        mentions_of(tmp_path, ["n.json"], BY_ID, TRACES),
    )
    assert (tmp_path / "n.json").read_text() == "0.25"


MALFORMED = {
    "m.jsonl": (b'{"item": "x"}\n{"item"\n', r"m\.jsonl, line 2.*not JSON"),
    "n.jsonl": (b'{"item": NaN}\n', r"n\.jsonl, line 1.*NaN"),
    "d.jsonl": (b'{"item": 1, "item": 2}\n', r"d\.jsonl, line 1.*twice"),
    "b.jsonl": (b'{"item": "\xff"}\n', r"b\.jsonl, line 1.*UTF-8"),
    "h.jsonl": (b'{"item": "' + b"x" * (1 << 20) + b'"}\n', r"h\.jsonl, line 1: 1,048,\d+ bytes"),
    "w.json": (b'{"item": ', r"w\.json.*not JSON"),
    "x.bin": (b"\x80\x04K\x01.", r"x\.bin: no way to find the parts that came from items"),
    "y.db": (b"SQLite format 3\0" + b"\0" * 100, r"y\.db: SQLite says"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_rows_that_cannot_be_read_are_told_by_file_and_line(tmp_path, name):
    data, said = MALFORMED[name]
    (tmp_path / name).write_bytes(data)
    for ask in (mentions_of, forget):
        with pytest.raises(SpecError, match=said):
            ask(tmp_path, [name], BY_ITEM, TRACES)


def test_empty_files_and_folders_have_no_rows(tmp_path):
    for name in ("m.jsonl", "m.db", "x.bin"):
        (tmp_path / name).touch()
    files = ["m.jsonl", "m.db", "x.bin", "empty/"]
    assert mentions_of(tmp_path, files, BY_ITEM, TRACES).rows == 0


def test_a_field_that_no_row_has_is_a_misspelling(tmp_path):
    lines(tmp_path / "m.jsonl", '{"item": "q1"}')
    with pytest.raises(
        SpecError, match=r"no row of m\.jsonl has the provenance field 'itme'"
    ) as refused:
        mentions_of(tmp_path, ["m.jsonl"], Layer(files=("*",), provenance="itme"), TRACES)
    assert "They have item." in refused.value.hint


def database(path, script, *, wal=False):
    """A database; with `wal` as a system leaves it that was stopped while writing."""
    with closing(sqlite3.connect(path)) as made:
        if wal:
            made.execute("PRAGMA journal_mode = WAL")
            made.execute("PRAGMA wal_autocheckpoint = 0")
        made.executescript(script.replace("TRACE", TRACE))
        made.commit()
        if wal:
            copies = {one.name: one.read_bytes() for one in path.parent.glob(f"{path.name}*")}
    if wal:
        for name, data in copies.items():
            (path.parent / name).write_bytes(data)
    return path


def rows(path, query):
    with closing(sqlite3.connect(path)) as found:
        return found.execute(query).fetchall()


TRACE = "zebra-crossing-of-q1"
PLAIN = """
CREATE TABLE memory(id INTEGER PRIMARY KEY, item TEXT, said TEXT, extra BLOB);
INSERT INTO memory VALUES (1, 'q1', 'TRACE', x'00ff'), (2, 'x', 'kept', x'00ff');
CREATE TABLE numbers(item INTEGER, v REAL);
INSERT INTO numbers VALUES (7, 0.5), (8, 0.25), (NULL, 1);
CREATE TABLE "odd ""name"(item, "a b");
INSERT INTO "odd ""name" VALUES ('q3', 1), ('y', 2);
CREATE VIEW seen AS SELECT item FROM memory;
CREATE INDEX by_said ON memory(said);
"""


@pytest.mark.parametrize("wal", [False, True])
def test_rows_of_every_table_go_and_their_bytes_with_them(tmp_path, wal):
    path = database(tmp_path / "m.db", PLAIN, wal=wal)
    files = sorted(one.name for one in tmp_path.iterdir())
    assert len(files) == (3 if wal else 1)
    layer = Layer(sqlite="m.db", provenance="item")
    found = mentions_of(tmp_path, files, layer, TRACES)
    assert (found.rows, found.from_items, found.items) == (7, 3, {"q1", "7", "q3"})
    assert forget(tmp_path, files, layer, TRACES)["m.db"].rows == 3
    assert not [one for one in tmp_path.iterdir() if TRACE.encode() in one.read_bytes()]
    assert rows(path, "SELECT * FROM memory") == [(2, "x", "kept", b"\x00\xff")]
    assert rows(path, "SELECT * FROM numbers") == [(8, 0.25), (None, 1.0)]
    assert rows(path, 'SELECT * FROM "odd ""name"') == [("y", 2)]
    assert rows(path, "SELECT * FROM seen") == [("x",)]


STRANGE = {
    "no row numbers": (
        "CREATE TABLE t(item TEXT, n INT, v, PRIMARY KEY (item, n)) WITHOUT ROWID;"
        "INSERT INTO t VALUES ('q1', 1, 'a'), ('q1', 2, 'b'), ('x', 1, 'c')",
        [("x", 1, "c")],
    ),
    "a column called rowid": (
        "CREATE TABLE t(item TEXT, rowid TEXT, oid TEXT);"
        "INSERT INTO t VALUES ('q1', 's', 'a'), ('x', 's', 'b'), ('q3', 's', 'c')",
        [("x", "s", "b")],
    ),
    "a generated column": (
        "CREATE TABLE t(item TEXT, v INT, w INT AS (v + 1) STORED);"
        "INSERT INTO t(item, v) VALUES ('q1', 1), ('x', 2)",
        [("x", 2, 3)],
    ),
    "a trigger that forbids": (
        "CREATE TABLE t(item TEXT); INSERT INTO t VALUES ('q1'), ('x');"
        "CREATE TRIGGER no BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'append only'); END",
        [("x",)],
    ),
    "a trigger that remembers": (
        "CREATE TABLE bin(item TEXT); CREATE TABLE t(item TEXT);"
        "INSERT INTO t VALUES ('q1'), ('x');"
        "CREATE TRIGGER keep AFTER DELETE ON t BEGIN INSERT INTO bin VALUES (old.item); END",
        [("x",)],
    ),
    "what cascades": (
        "CREATE TABLE t(item TEXT PRIMARY KEY); INSERT INTO t VALUES ('q1'), ('x');"
        "CREATE TABLE vectors(of TEXT REFERENCES t(item) ON DELETE CASCADE, v TEXT);"
        "INSERT INTO vectors VALUES ('q1', 'gone'), ('x', 'kept')",
        [("x",)],
    ),
    "numbers and texts alike": (
        "CREATE TABLE t(item); INSERT INTO t VALUES (7), ('7'), (7.0), (x'37'), ('77')",
        [("77",)],
    ),
    "JSON in a column": (
        'CREATE TABLE t(item); INSERT INTO t VALUES (\'["q1","z"]\'), (\'["z"]\')',
        [('["z"]',)],
    ),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_tables(tmp_path, kind):
    script, kept = STRANGE[kind]
    path = database(tmp_path / "m.db", script)
    before = rows(path, "SELECT name, sql FROM sqlite_master ORDER BY name")
    assert forgotten(tmp_path, "m.db", BY_ITEM)[0] >= 1
    assert rows(path, "SELECT * FROM t") == kept
    assert rows(path, "SELECT name, sql FROM sqlite_master ORDER BY name") == before
    if kind == "a trigger that remembers":
        assert rows(path, "SELECT * FROM bin") == []
    if kind == "what cascades":
        assert rows(path, "SELECT v FROM vectors") == [("kept",)]


def test_rows_that_still_refer_to_what_is_taken_out_are_not_left_behind_unsaid(tmp_path):
    database(
        tmp_path / "m.db",
        "CREATE TABLE t(item TEXT PRIMARY KEY); INSERT INTO t VALUES ('q1'), ('x');"
        "CREATE TABLE vectors(of TEXT REFERENCES t(item)); INSERT INTO vectors VALUES ('q1')",
    )
    with pytest.raises(SpecError, match=r"m\.db: SQLite says: FOREIGN KEY") as refused:
        forget(tmp_path, ["m.db"], BY_ITEM, TRACES)
    assert "state.forget" in refused.value.hint


@pytest.mark.parametrize("outside", [False, True])
def test_an_index_of_words_forgets_too(tmp_path, outside):
    try:
        path = database(
            tmp_path / "m.db",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, item, said);"  # noqa: S608
            "CREATE VIRTUAL TABLE words USING fts5(item, said"
            + (", content='t', content_rowid='id');" if outside else ");")
            + "INSERT INTO t VALUES (1, 'q1', 'TRACE'), (2, 'x', 'kept');"
            "INSERT INTO words(rowid, item, said) SELECT id, item, said FROM t;",
        )
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no fts5")
    forgotten(tmp_path, "m.db", BY_ITEM)
    assert rows(path, "SELECT said FROM words") == [("kept",)]
    assert rows(path, "SELECT rowid FROM words WHERE words MATCH 'kept'") == [(2,)]
    assert b"zebra" not in path.read_bytes()
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


def test_statistics_forget_too(tmp_path):
    many = "".join(f"INSERT INTO t VALUES ('TRACE {n % 3}', 'q1');" for n in range(50))  # noqa: S608
    path = database(
        tmp_path / "m.db",
        f"CREATE TABLE t(said, item); CREATE INDEX i ON t(said); {many}"  # noqa: S608
        "INSERT INTO t VALUES ('kept', 'x'); ANALYZE",
    )
    forgotten(tmp_path, "m.db", BY_ITEM)
    assert b"zebra" not in path.read_bytes()


FORGET = """
import json, pathlib, sys
state, items = sys.argv[1:3]
known = {json.loads(line)["id"] for line in open(items)}
assert all("label" not in json.loads(line) for line in open(items))
path = pathlib.Path(state, "memory.jsonl")
kept = [line for line in path.read_text().splitlines() if json.loads(line)["item"] not in known]
path.write_text("".join(line + "\\n" for line in kept))
"""


def by_command(home, body):
    path = lay_out(home, layer="", state='forget = ["python", "forget.py", "{state}", "{items}"]')
    (home / "forget.py").write_text(body)
    return path


def test_a_command_may_forget(tmp_path):
    found = evaluate(by_command(tmp_path, FORGET))
    wanted = write_lines(
        tmp_path / "wanted.jsonl",
        [row for row in memory_rows() if row["item"].startswith("other")],
    )
    assert found.record["state"]["manifests"]["C"][0]["size"] == wanted.stat().st_size
    assert found.result.memorisation.value > 0.1
    assert abs(found.result.transfer.value) < 0.05
    assert len((tmp_path / "state" / "memory.jsonl").read_text().splitlines()) == 50


FAULTS = {
    "one that fails": ("raise SystemExit('no idea')", "state.forget: exit code 1: no idea"),
    "one that writes elsewhere": (
        "import pathlib\ntry:\n    pathlib.Path('elsewhere').write_text('x')\n"
        "except OSError:\n    pass",
        "outside its copy of the state",
    ),
    "one that writes to production": (
        "import pathlib\np = pathlib.Path('state/memory.jsonl')\n"
        "try:\n    p.write_text('')\nexcept OSError:\n    pass",
        "outside its copy of the state",
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_command_that_forgets_badly_ends_it(tmp_path, kind):
    body, said = FAULTS[kind]
    path = by_command(tmp_path, body)
    before = (tmp_path / "state" / "memory.jsonl").read_bytes()
    with pytest.raises((MethodError, StateNotIsolated), match=said):
        evaluate(path)
    assert (tmp_path / "state" / "memory.jsonl").read_bytes() == before
    assert not (tmp_path / "elsewhere").exists()
