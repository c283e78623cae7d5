"""What is found of the items in files of every kind, and what is counted as not to be looked up."""

import base64
import gzip
import hashlib
import json
import pickle
import sqlite3
import uuid
from contextlib import closing

import pytest

from assay.benchmark.benchmark import Item
from assay.dual_condition.state.item_traces import ItemTraces, looks_like_digest
from assay.dual_condition.state.layers import Layer
from assay.dual_condition.state.remains import remains_of

FIXED = "Is this claim true?"
CLAIM = "Gödel was born in the town of Brünn, which is now Brno."
SAID = (
    CLAIM,
    "Ada wrote programs.",
    "Paris",
    *["I do not know that at all."] * 3,
    *(f"The bridge number {n} is made of stone." for n in range(30)),
)
ITEMS = tuple(
    Item(id=f"c{at}", question=FIXED, response=text, label=at % 2 == 0)
    for at, text in enumerate(SAID)
)
TRACES = ItemTraces(ITEMS)
SHA = hashlib.sha256(CLAIM.encode())


def remains(folder, name, data, layer=None, **sets):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    layers = {} if layer is None else {name: layer}
    return remains_of(folder, layers, TRACES, **{"in_b": set(), "rewritten": set(), **sets})


HOLDERS = {
    "a line of a text": ("n.txt", f"on Monday: {CLAIM} yes\n"),
    "two lines of a text": ("n.md", CLAIM.replace("born in", "born\nin")),
    "other case and punctuation": ("n.txt", f"x-{CLAIM.upper().replace('BRÜNN', '«Brünn»')}"),
    "its beginning": ("n.jsonl", json.dumps({"k": CLAIM[:46]})),
    "other order of words": ("n.txt", "now Brno is which in Brünn was the town of born Gödel"),
    "a table": ("n.csv", f'1,"{CLAIM}",1\n'),
    "JSON of any shape": ("n.json", json.dumps({"a": [[{"b": {"c": [CLAIM]}}]]})),
    "JSON with escapes": ("n.state", json.dumps({"x": CLAIM})),
    "a key": ("n.json", json.dumps({CLAIM: True})),
    "broken JSON": ("n.json", '{"x": "' + CLAIM),
    "a pickle": ("n.pkl", pickle.dumps({CLAIM: 1})),
    "other bytes": ("n.bin", bytes(range(256)) + CLAIM.encode() + b"\xff\x00"),
    "two bytes a letter": ("n.bin", "\0Ada wrote many programs in her life".encode("utf-16-le")),
    "a short claim by itself": ("n.jsonl", '{"x": "ada wrote programs"}'),
    "a digest": ("n.txt", SHA.hexdigest()),
    "a digest in capitals": ("n.txt", f"sha256:{SHA.hexdigest().upper()}"),
    "the beginning of a digest": ("n.txt", SHA.hexdigest()[:16]),
    "a digest in base 64": ("n.txt", base64.b64encode(SHA.digest()).decode()),
    "another digest": ("n.txt", hashlib.md5(CLAIM.lower().encode()).hexdigest()),  # noqa: S324
    "a digest as a UUID": (
        "n.txt", str(uuid.UUID(bytes=hashlib.md5(CLAIM.encode()).digest()))  # noqa: S324
    ),
    "a digest of question and claim": (
        "n.txt", hashlib.sha1(f"{FIXED} {CLAIM}".encode()).hexdigest()  # noqa: S324
    ),
    "a digest of an id": ("n.txt", hashlib.sha256(b"c0").hexdigest()),
    "the name of a file": (f"notes/{SHA.hexdigest()}.txt", "1"),
    "a claim as the name of a file": (f"notes/{CLAIM}", "1"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOLDERS)
def test_an_item_is_found_in(tmp_path, kind):
    items = ITEMS
    if kind == "two bytes a letter":
        items = (Item(id="c0", question="x", response="Ada wrote many programs", label=True),)
    name, data = HOLDERS[kind]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    found = remains_of(tmp_path, {}, ItemTraces(items), in_b=set(), rewritten=set())
    (trace,) = found.traces
    assert trace.file == name
    assert trace.items == 1
    assert trace.example == ("c1" if "short claim" in kind else "c0")


def test_an_item_is_found_in_what_a_database_deleted(tmp_path):
    with closing(sqlite3.connect(tmp_path / "n.db")) as made:
        made.execute("PRAGMA secure_delete = OFF")
        made.execute("CREATE TABLE t(x)")
        made.executemany("INSERT INTO t VALUES (?)", [(f"  {CLAIM} ",), ("other",)] * 3)
        made.execute("DELETE FROM t")
        made.commit()
    found = remains_of(tmp_path, {}, TRACES, in_b=set(), rewritten=set())
    assert [trace.example for trace in found.traces] == ["c0"]


CLEAN = {
    "another text": "Gödel was born in the town of Linz, and so was nobody else.",
    "the fixed question": FIXED,
    "a beginning that many items have": "The bridge number",
    "a beginning that is too short": "Gödel was born in",
    "an answer that several items have": "I do not know that at all.",
    "a short answer within a text": "We met in Paris, long ago.",
    "another digest": hashlib.sha256(b"other").hexdigest(),
}


@pytest.mark.parametrize("kind", CLEAN)
def test_no_item_is_found_in(tmp_path, kind):
    assert remains(tmp_path, "n.txt", CLEAN[kind]).traces == ()


COUNTED = {
    "bytes that are no text": ("n.bin", bytes(range(256)) * 2, None, 128),
    "compressed text": ("n.gz", gzip.compress(b"x y z", mtime=0), None, 7),
    "numbers of a list": ("n.json", "[1.5, 2.5, 3.5]", None, 3),
    "numbers under names": ("n.json", '{"bias": 0.5, "w": [1, 2]}', None, 3),
    "numbers of a table": ("n.csv", "0.5,0.25\n0.75,1\n", None, 4),
    "the same row again": ("n.jsonl", '{"v": 1}\n' * 9, None, 1),
    "digests": ("n.jsonl", f'{{"k": "{SHA.hexdigest()[::-1]}", "v": true}}\n', None, 1),
    "a short answer": ("n.jsonl", '{"word": "paris", "v": "yes"}\n', None, 1),
    "a word that is no item's": ("n.jsonl", '{"word": "london", "v": "yes"}\n', None, 0),
    "numbers beside a text": ("n.jsonl", '{"t": "some words here", "v": [1, 2]}\n', None, 0),
    "numbers of a named source": (
        "n.jsonl", '{"from": "o1", "v": 1}\n', Layer(files=("*",), provenance="from"), 0
    ),
    "a digest of a named source": (
        "n.jsonl", f'{{"from": "o1", "k": "{SHA.hexdigest()[::-1]}"}}\n',
        Layer(files=("*",), provenance="from"), 1
    ),
    "a source that is itself a digest": (
        "n.jsonl", f'{{"from": "{SHA.hexdigest()[::-1]}", "v": 1}}\n',
        Layer(files=("*",), provenance="from"), 0
    ),
    "a row that names no source": (
        "n.jsonl", '{"from": null, "v": 1}\n', Layer(files=("*",), provenance="from"), 1
    ),
    "nothing": ("n.jsonl", "", None, 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", COUNTED)
def test_what_cannot_be_looked_up_is_counted(tmp_path, kind):
    name, data, layer, values = COUNTED[kind]
    found = remains(tmp_path, name, data, layer)
    if kind == "compressed text":
        assert found.unreadable[0].values >= values
        return
    assert sum(file.values for file in found.unreadable) == values


def test_what_b_has_too_is_searched_and_not_counted(tmp_path):
    found = remains(tmp_path, "n.bin", bytes(range(256)), in_b={"n.bin"})
    assert found.unreadable == ()
    found = remains(tmp_path, "n.txt", CLAIM, in_b={"n.txt", "n.bin"})
    assert [trace.file for trace in found.traces] == ["n.txt"]


def test_what_a_command_wrote_anew_is_marked(tmp_path):
    found = remains(tmp_path, "n.bin", bytes(range(256)), rewritten={"n.bin"})
    assert [file.rewritten for file in found.unreadable] == [True]


def test_words_that_look_like_digests():
    for word in (
        SHA.hexdigest(),
        SHA.hexdigest()[:16],
        str(uuid.UUID(int=7)),
        "q83vEjRWeJCrze8SNAVn",
    ):
        assert looks_like_digest(word), word
    for word in (
        "internationalisation",
        "1234567890123456",
        "deadbeef",
        "a/path/to/some_module.py",
    ):
        assert not looks_like_digest(word), word
