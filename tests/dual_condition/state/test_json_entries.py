"""One memory in many shapes of JSON: whatever the shape, C lacks the same entries.

It holds 60 verdicts on items and 40 on other questions. After forgetting, the shape must still be
readable, by the code that read it before, and give the 40.
"""

import json
from hashlib import sha256

import pytest

from assay.benchmark.benchmark import Item
from assay.dual_condition.state.forgetting import forget, mentions_of
from assay.dual_condition.state.item_traces import ItemTraces
from assay.dual_condition.state.layers import Layer
from assay.dual_condition.state.remains import remains_of

ITEMS = tuple(
    Item(id=f"m{n}", question=f"What is {n + 11} times {n + 37}?", response=f"It is {n * 7}.",
         label=n % 3 == 0)
    for n in range(60)
)  # fmt: skip
TRACES = ItemTraces(ITEMS)
OURS = {item.question: int(item.label) for item in ITEMS}
OTHERS = {f"How far is it from town {n} to the sea?": n % 2 for n in range(40)}
MIXED = dict(sorted({**OURS, **OTHERS}.items(), key=lambda pair: sha256(pair[0].encode()).digest()))
IDS = {item.question: item.id for item in ITEMS}
BY_BOTH = Layer(files=("**",), match=("id", "text"))
BY_TEXT = Layer(files=("**",), match=("text",))


def name_of(question):
    return IDS[question] if question in IDS else f"other-{question.split()[6]}"


def records(pairs, q="q", v="v"):
    return [{q: question, v: verdict} for question, verdict in pairs.items()]


def read_records(listed):
    return {each["q"]: each["v"] for each in listed}


def halves(pairs):
    listed = list(pairs.items())
    return dict(listed[:50]), dict(listed[50:])


def columns(pairs):
    return {"q": list(pairs), "v": list(pairs.values())}


def read_columns(held):
    return dict(zip(held["q"], held["v"], strict=True))


SHAPES = {
    "a mapping": (lambda p: p, lambda m: m),
    "records": (records, read_records),
    "records under a name": (lambda p: {"seen": records(p)}, lambda m: read_records(m["seen"])),
    "records by id": (
        lambda p: {"seen": {name_of(q): {"q": q, "v": v} for q, v in p.items()}},
        lambda m: read_records(m["seen"].values()),
    ),
    "a mapping under a name": (lambda p: {"seen": p}, lambda m: m["seen"]),
    "beside a version": (lambda p: {"version": 1, "seen": p}, lambda m: m["seen"]),
    "two names deep": (lambda p: {"mem": {"seen": p}}, lambda m: m["mem"]["seen"]),
    "columns": (columns, read_columns),
    "columns under a name, beside others": (
        lambda p: {"version": 2, "mem": {**columns(p), "log": ["started", "stopped", "ended"]}},
        lambda m: read_columns(m["mem"]),
    ),
    "pairs": (lambda p: list(map(list, p.items())), dict),
    "pairs under a name": (
        lambda p: {"seen": list(map(list, p.items()))},
        lambda m: dict(m["seen"]),
    ),
    "lists by verdict": (
        lambda p: {str(v): [q for q in p if p[q] == v] for v in (0, 1)},
        lambda m: {q: int(v) for v, listed in m.items() for q in listed},
    ),
    "lists by verdict, in words": (
        lambda p: {
            "version": 1,
            "says": {w: [q for q in p if p[q] == v] for v, w in enumerate(("no", "yes"))},
        },
        lambda m: {q: int(w == "yes") for w, listed in m["says"].items() for q in listed},
    ),
    "tuples by id": (
        lambda p: {name_of(q): [q, v] for q, v in p.items()},
        lambda m: dict(m.values()),
    ),
    "columns of objects": (
        lambda p: {
            "q": {str(n): q for n, q in enumerate(p)},
            "v": {str(n): v for n, v in enumerate(p.values())},
        },
        lambda m: {m["q"][n]: m["v"][n] for n in m["q"]},
    ),
    "texts by id, verdicts by id": (
        lambda p: {
            "texts": {name_of(q): q for q in p},
            "verdicts": {name_of(q): v for q, v in p.items()},
        },
        lambda m: {m["texts"][n]: m["verdicts"][n] for n in m["texts"]},
    ),
    "records with a part of their own": (
        lambda p: [
            {"n": n, "asked": {"text": q, "lang": "en"}, "said": {"verdict": v}}
            for n, (q, v) in enumerate(p.items())
        ],
        lambda m: {each["asked"]["text"]: each["said"]["verdict"] for each in m},
    ),
    "mappings in a list": (
        lambda p: {"parts": list(halves(p))},
        lambda m: {**m["parts"][0], **m["parts"][1]},
    ),
    "mappings in records": (
        lambda p: [
            {"day": day, "seen": part} for day, part in zip(("Mon", "Tue"), halves(p), strict=True)
        ],
        lambda m: {**m[0]["seen"], **m[1]["seen"]},
    ),
    "mappings by day": (
        lambda p: dict(zip(("2024-01-01", "2024-01-02"), halves(p), strict=True)),
        lambda m: {**m["2024-01-01"], **m["2024-01-02"]},
    ),
    "mappings under two names": (
        lambda p: dict(zip(("easy", "hard"), halves(p), strict=True)),
        lambda m: {**m["easy"], **m["hard"]},
    ),
    "verdicts as records": (
        lambda p: {"seen": {q: {"v": v, "tries": 3} for q, v in p.items()}},
        lambda m: {q: each["v"] for q, each in m["seen"].items()},
    ),
}

SHAPES |= {
    "a table split into its parts": (
        lambda p: {
            "columns": ["q", "v"],
            "index": list(range(len(p))),
            "data": list(map(list, p.items())),
        },
        lambda m: dict(m["data"]),
    ),
    "columns of texts, vectors and records": (
        lambda p: {
            "ids": list(map(name_of, p)),
            "documents": list(p),
            "embeddings": [[n / 7, n / 3, 0.5] for n in range(len(p))],
            "metadatas": [{"verdict": v} for v in p.values()],
        },
        lambda m: {
            q: meta["verdict"] for q, meta in zip(m["documents"], m["metadatas"], strict=True)
        },
    ),
    "records by a digest": (
        lambda p: {
            sha256(f"salt {q}".encode()).hexdigest(): {"text": q, "verdict": v}
            for q, v in p.items()
        },
        lambda m: {each["text"]: each["verdict"] for each in m.values()},
    ),
    "mappings by first letter": (
        lambda p: {a: {q: v for q, v in p.items() if q[0] == a} for a in "WH"},
        lambda m: {**m["W"], **m["H"]},
    ),
    "a list of mappings of one": (
        lambda p: {"seen": [{q: v} for q, v in p.items()]},
        lambda m: {q: v for each in m["seen"] for q, v in each.items()},
    ),
    "fields called key and value": (
        lambda p: {"entries": records(p, "key", "value")},
        lambda m: {each["key"]: each["value"] for each in m["entries"]},
    ),
    "lines of text": (
        lambda p: {"notes": [f"{q} -> {v}" for q, v in p.items()]},
        lambda m: {each[:-5]: int(each[-1]) for each in m["notes"]},
    ),
    "every answer there was": (
        lambda p: {"seen": {q: [1 - v, v, v] for q, v in p.items()}},
        lambda m: {q: each[-1] for q, each in m["seen"].items()},
    ),
    "two lists": (lambda p: [list(p), list(p.values())], lambda m: dict(zip(*m, strict=True))),
    "records four names deep": (
        lambda p: {"a": {"b": {"c": {"d": records(p)}}}},
        lambda m: read_records(m["a"]["b"]["c"]["d"]),
    ),
    "a mapping for each user": (
        lambda p: {
            "users": {
                name: {"since": 2020, "seen": part}
                for name, part in zip(("ann", "bob"), halves(p), strict=True)
            }
        },
        lambda m: {**m["users"]["ann"]["seen"], **m["users"]["bob"]["seen"]},
    ),
    "a mapping beside the last question": (
        lambda p: {"last": next(iter(OTHERS)), "seen": p, "stats": {"hits": 3, "since": "May"}},
        lambda m: m["seen"],
    ),
    "verdicts in words": (
        lambda p: {"mem": [{"claim": q, "verdict": ["no", "yes"][v]} for q, v in p.items()]},
        lambda m: {each["claim"]: int(each["verdict"] == "yes") for each in m["mem"]},
    ),
    "by verdict, then by question": (
        lambda p: {w: {q: {"n": 1} for q in p if p[q] == v} for v, w in enumerate(("no", "yes"))},
        lambda m: {q: int(w == "yes") for w, part in m.items() for q in part},
    ),
}


def forgotten(folder, name, layer=BY_BOTH):
    """Forget the items in a file, by both ways of counting; what went."""
    found = mentions_of(folder, [name], layer, TRACES)
    gone = forget(folder, [name], layer, TRACES)[name]
    assert gone.rows == found.from_items
    assert found.items == set(IDS.values())
    return gone


def check_free(folder):
    """The state holds nothing of the items, and next to nothing that cannot be looked up."""
    remains = remains_of(folder, {}, TRACES, in_b=set(), rewritten=set())
    assert remains.traces == ()
    assert sum(file.values for file in remains.unreadable) <= 2


@pytest.mark.parametrize("layer", [BY_BOTH, BY_TEXT], ids=["by id", "by text"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_loses_the_items_and_nothing_else(tmp_path, shape, layer):
    write, read = SHAPES[shape]
    assert read(json.loads(json.dumps(write(MIXED)))) == MIXED, "the shape holds it all"
    (tmp_path / "m.json").write_text(json.dumps(write(MIXED)))
    gone = forgotten(tmp_path, "m.json", layer)
    left = json.loads((tmp_path / "m.json").read_text())
    assert read(left) == OTHERS
    assert (gone.rows, gone.unsure) == (60, 0)
    check_free(tmp_path)


LINES = {
    "a pair a line": (
        lambda p: [{q: v} for q, v in p.items()],
        lambda m: {q: v for each in m for q, v in each.items()},
    ),
    "a record a line": (records, read_records),
    "a mapping in each line": (
        lambda p: [{"day": n, "seen": part} for n, part in enumerate(halves(p))],
        lambda m: {**m[0]["seen"], **m[1]["seen"]},
    ),
    "a mapping deep in each line": (
        lambda p: [{"day": n, "mem": {"seen": part}} for n, part in enumerate(halves(p))],
        lambda m: {**m[0]["mem"]["seen"], **m[1]["mem"]["seen"]},
    ),
    "columns in each line": (
        lambda p: [{"day": n, **columns(part)} for n, part in enumerate(halves(p))],
        lambda m: {**read_columns(m[0]), **read_columns(m[1])},
    ),
    "a pair as a list": (lambda p: list(map(list, p.items())), dict),
    "a mapping a line": (lambda p: list(halves(p)), lambda m: {**m[0], **m[1]}),
}


def written(folder, rows):
    path = folder / "m.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("shape", LINES)
def test_every_shape_of_lines_loses_the_items_and_nothing_else(tmp_path, shape):
    write, read = LINES[shape]
    assert read(write(MIXED)) == MIXED, "the shape holds it all"
    path = written(tmp_path, write(MIXED))
    gone = forgotten(tmp_path, "m.jsonl")
    assert read([json.loads(line) for line in path.read_text().splitlines()]) == OTHERS
    assert (gone.rows, gone.unsure) == (60, 0)
    check_free(tmp_path)


def test_lines_that_name_no_item_keep_their_bytes_beside_one_that_loses_entries(tmp_path):
    path = written(tmp_path, [{"seen": MIXED}])
    other = '{"seen" :  {"Is it far from Oslo to Rome?": 1.50}}\n'
    path.write_text(path.read_text() + other)
    forgotten(tmp_path, "m.jsonl")
    first, second = path.read_text().splitlines(keepends=True)
    assert json.loads(first) == {"seen": OTHERS}
    assert second == other


def test_files_of_one_record_each_go_whole(tmp_path):
    """Its verdict alone would be left of a file otherwise: `yes` cannot be looked up."""
    for n, (q, v) in enumerate(MIXED.items()):
        record = {"question": q, "verdict": "yes" if v else "no", "why": f"It was said on day {n}."}
        (tmp_path / f"{n}.json").write_text(json.dumps(record))
    names = sorted(path.name for path in tmp_path.iterdir())
    gone = forget(tmp_path, names, BY_TEXT, TRACES)
    assert sum(file.rows for file in gone.values()) == 60
    assert not any(file.unsure for file in gone.values())
    left = [json.loads(path.read_text()) for path in tmp_path.iterdir()]
    assert {each["question"] for each in left} == set(OTHERS)
    assert all(len(each) == 3 for each in left)


def unlike_ids(question):
    return "".join(chr(97 + int(digit)) for digit in sha256(question.encode()).hexdigest()
                   if digit.isdigit())[:9]  # fmt: skip


UNDIVIDED = {
    "a mapping from names to texts": {unlike_ids(q): q for q in MIXED},
    "the same beside a like": {
        "texts": {unlike_ids(q): q for q in MIXED},
        "verdicts": {unlike_ids(q): v for q, v in MIXED.items()},
    },
    "records inside records": [{"day": n, "seen": records(part)} for n, part in
                               enumerate(halves(MIXED))],
    "lists of texts in a list, of any length": [[q for q in MIXED if p(q)] for p in
                                                (lambda q: "7" in q, lambda q: "7" not in q)],
    "columns that are none": {"easy": list(MIXED)[:50], "hard": list(MIXED)[50:]},
}  # fmt: skip


@pytest.mark.parametrize("shape", UNDIVIDED)
def test_a_shape_that_does_not_tell_entries_apart_is_unsure(tmp_path, shape):
    (tmp_path / "m.json").write_text(json.dumps(UNDIVIDED[shape]))
    gone = forget(tmp_path, ["m.json"], BY_TEXT, TRACES)["m.json"]
    assert gone.unsure > 0


@pytest.mark.parametrize("shape", UNDIVIDED)
def test_the_same_shape_is_sure_where_it_holds_no_item(tmp_path, shape):
    """A doubt that is always there would say nothing."""
    text = json.dumps(UNDIVIDED[shape])
    for at, question in enumerate(OURS):
        text = text.replace(question, f"Who was the mayor in the year {1500 + at}?")
    (tmp_path / "m.json").write_text(text)
    gone = forget(tmp_path, ["m.json"], BY_TEXT, TRACES)["m.json"]
    assert (gone.rows, gone.unsure) == (0, 0)
    assert json.loads((tmp_path / "m.json").read_text()) == json.loads(text)


def test_a_record_s_own_list_goes_with_it(tmp_path):
    """What was said after a question is part of the record, whatever it is."""
    rows = [
        {"task": n, "steps": [{"role": "user", "text": q}, {"role": "agent", "text": "It is not."}]}
        for n, q in enumerate(MIXED)
    ]
    path = written(tmp_path, rows)
    gone = forgotten(tmp_path, "m.jsonl", BY_TEXT)
    assert (gone.rows, gone.unsure) == (60, 0)
    left = [json.loads(line) for line in path.read_text().splitlines()]
    assert [each["steps"][0]["text"] for each in left] == [q for q in MIXED if q in OTHERS]


def test_numbers_without_text_are_counted_one_by_one(tmp_path):
    """A list of verdicts in the order of the items is a memory, and its zeros are not one value."""
    for held in (
        {"v": [0, 1] * 30},
        {"a": [0, 1] * 30, "b": [1, 0] * 30},
        [[0, 1]] * 30,
        [0, 1] * 30,
    ):
        (tmp_path / "m.json").write_text(json.dumps(held))
        remains = remains_of(tmp_path, {}, TRACES, in_b=set(), rewritten=set())
        assert sum(file.values for file in remains.unreadable) >= 60
