"""A line that could be read in two ways is refused, and the line is named."""

import json

import msgspec
import pytest
from helpers.ledgers import TIME, joined, ledger_lines
from helpers.scale import scale
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.ledger.chain as ledger_chain
from assay.digests import MAX_LINE_BYTES, digest
from assay.errors import BrokenChain
from assay.ledger.chain import read_chain
from assay.ledger.entry import NOTHING, Entry, decode_lines, encode_line


def around(line: bytes) -> bytes:
    """A ledger of three lines with this one in the middle, to which the last one is linked."""
    first = ledger_lines(1)[0]
    last = Entry(n=2, previous=digest(line), time=TIME, kind="seal", subject="last")
    return joined([first, line, encode_line(last)])


GOOD = ledger_lines(2)[1]


def spelled(old: bytes, new: bytes) -> bytes:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def reordered() -> bytes:
    fields = json.loads(GOOD)
    order = sorted(fields)
    return json.dumps({key: fields[key] for key in order}, separators=(",", ":")).encode()


# The same entry, written in another way: any lenient reader takes them for the same.
RESPELLED = {
    "a space": (
        spelled(b'"n":1', b'"n": 1'),
        "not in the exact form in which Assay writes an entry",
    ),
    "a space before": (b" " + GOOD, "not in the exact form in which Assay writes an entry"),
    "a space behind": (GOOD + b" ", "not in the exact form in which Assay writes an entry"),
    "a tab": (GOOD + b"\t", "not in the exact form in which Assay writes an entry"),
    "CRLF": (GOOD + b"\r", "ends in CR LF"),
    "another order": (reordered(), "not in the exact form in which Assay writes an entry"),
    "an escaped letter": (
        spelled(b'"seal"', b'"se\\u0061l"'),
        "not in the exact form in which Assay writes an entry",
    ),
    "an escaped slash": (
        spelled(b"study-1", b"study\\/1"),
        "not in the exact form in which Assay writes an entry",
    ),
    "an escaped umlaut": (
        spelled("schön".encode(), b"sch\\u00f6n"),
        "not in the exact form in which Assay writes an entry",
    ),
    "a field left out": (
        spelled(b',"said":' + '{"why":"schön"}'.encode(), b""),
        "not in the exact form in which Assay writes an entry",
    ),
    "a whole surrogate pair": (
        spelled(b"study-1", b"\\ud83d\\ude00"),
        "not in the exact form in which Assay writes an entry",
    ),
    "a key twice": (spelled(b'"kind":', b'"kind":"x","kind":'), "key 'kind' occurs twice"),
    "a key twice, the same": (
        spelled(b'"kind":"seal"', b'"kind":"seal","kind":"seal"'),
        "key 'kind' occurs twice",
    ),
    "a file twice": (
        spelled(b'"seal.json":', b'"seal.json":"sha256:0","seal.json":'),
        "key 'seal.json' occurs twice",
    ),
    "an unknown field": (spelled(b'"kind":', b'"more":1,"kind":'), "unknown field `more`"),
    "a float": (spelled(b'"n":1', b'"n":1.0'), "Expected `int`, got `float`"),
    "an exponent": (spelled(b'"n":1', b'"n":1e0'), "Expected `int`, got `float`"),
}
BROKEN = {
    "NaN": (spelled(b'"n":1', b'"n":NaN'), "NaN is not JSON"),
    "infinity": (spelled(b'"n":1', b'"n":-Infinity'), "Infinity is not JSON"),
    "a leading zero": (spelled(b'"n":1', b'"n":01'), "not JSON"),
    "a plus": (spelled(b'"n":1', b'"n":+1'), "not JSON"),
    "true": (spelled(b'"n":1', b'"n":true'), "Expected `int`, got `bool`"),
    "a number as text": (spelled(b'"n":1', b'"n":"1"'), "Expected `int`, got `str`"),
    "null": (spelled(b'"n":1', b'"n":null'), "Expected `int`, got `null`"),
    "minus zero": (
        spelled(b'"n":1', b'"n":-0'),
        "not in the exact form in which Assay writes an entry",
    ),
    "minus one": (spelled(b'"n":1', b'"n":-1'), "got entry -1, expected entry 1"),
    "2 to the 64": (spelled(b'"n":1', b'"n":18446744073709551616'), "entry 18446744073709551616"),
    "4,000 digits": (spelled(b'"n":1', b'"n":' + b"9" * 4000), "entry 9999999999"),
    "5,000 digits": (spelled(b'"n":1', b'"n":' + b"9" * 5000), "too many digits"),
    "1e400": (spelled(b'"n":1', b'"n":1e400'), "too large to hold"),
    "a number for a text": (spelled(b'"seal"', b"7"), "Expected `str`, got `int`"),
    "a list for a text": (spelled(b'"seal"', b'["seal"]'), "Expected `str`, got `array`"),
    "a text for files": (spelled('{"why":"schön"}'.encode(), b'"why"'), "Expected `object`"),
    "a missing field": (spelled(b'"kind":"seal",', b""), "missing required field `kind`"),
    "half a surrogate pair": (spelled(b"study-1", b"\\ud800"), "half of a surrogate pair"),
    "the other half": (spelled(b"study-1", b"\\udc00"), "half of a surrogate pair"),
    "half a pair, raw": (spelled(b"study-1", b"\xed\xa0\x80"), "is not UTF-8"),
    "Latin-1": (spelled("schön".encode(), b"sch\xf6n"), "is not UTF-8"),
    "an overlong slash": (spelled(b"study-1", b"\xc0\xaf"), "is not UTF-8"),
    "UTF-16": (GOOD.decode().encode("utf-16"), "is not UTF-8"),
    "a BOM": (b"\xef\xbb\xbf" + GOOD, "not JSON"),
    "a NUL": (spelled(b"study-1", b"study\x001"), "not JSON"),
    "a raw tab": (spelled(b"study-1", b"study\t1"), "not JSON"),
    "nothing": (b"", "is empty"),
    "a blank": (b" ", "not JSON"),
    "a carriage return": (b"\r", "ends in CR LF"),
    "two on a line": (GOOD + GOOD, "not JSON: Extra data"),
    "a comment": (GOOD + b" // ok", "not JSON: Extra data"),
    "half a line": (GOOD[:50], "not JSON"),
    "a list": (b"[" + GOOD + b"]", "Expected `object`, got `array`"),
    "a number": (b"1", "Expected `object`, got `int`"),
    "null alone": (b"null", "Expected `object`, got `null`"),
    "brackets": (b"[" * 100_000, "nested deeper than 32"),
    "closed brackets": (b"[" * 100_000 + b"]" * 100_000, "nested deeper than 32"),
    "braces": (b'{"a":' * 100_000, "nested deeper than 32"),
    "brackets in a field": (
        spelled(b'"seal"', b"[" * 100_000 + b"]" * 100_000),
        "nested deeper than 32",
    ),
    "brackets in an unknown field": (
        spelled(b'"kind":', b'"more":' + b"[" * 400 + b"]" * 400 + b',"kind":'),
        "nested deeper than 32",
    ),
    "an endless line": (
        spelled(b"study-1", b"x" * MAX_LINE_BYTES),
        "bytes, at most 1,048,576 allowed",
    ),
    "an endless line of blanks": (GOOD + b" " * MAX_LINE_BYTES, "at most 1,048,576 allowed"),
}


@pytest.mark.parametrize("name", [*RESPELLED, *BROKEN])
def test_a_line_not_written_as_we_write_it_is_refused_by_its_number(name):
    line, words = {**RESPELLED, **BROKEN}[name]
    with pytest.raises(BrokenChain) as caught:
        read_chain(around(line), where="ledger.jsonl")
    assert caught.value.message.startswith("ledger.jsonl, line 2")
    assert words in caught.value.message
    assert caught.value.exit_code == 4


def test_the_frame_itself_is_sound():
    assert len(read_chain(around(GOOD), where="x").entries) == 3


@pytest.mark.parametrize("name", RESPELLED)
def test_a_lenient_reader_would_let_them_pass(name, monkeypatch):
    def lenient(data, *, where, first=0):
        fields = [json.loads(line) for line in data.splitlines()]
        known = [{k: f[k] for k in Entry.__struct_fields__ if k in f} for f in fields]
        return [msgspec.convert(f, Entry, strict=False) for f in known]

    monkeypatch.setattr(ledger_chain, "decode_lines", lenient)
    monkeypatch.setattr(ledger_chain, "decode_links", lenient)
    assert read_chain(around(RESPELLED[name][0]), where="x").size > 0


@pytest.mark.parametrize("where", range(4))
def test_an_empty_line_anywhere_is_refused(where):
    lines = ledger_lines(3)
    lines.insert(where, b"")
    with pytest.raises(BrokenChain, match=f"x, line {where + 1} is empty"):
        read_chain(joined(lines), where="x")


def test_the_longest_line_is_read_and_one_byte_more_is_not():
    def line(size: int) -> bytes:
        entry = Entry(n=0, previous=NOTHING, time=TIME, kind="seal", subject="")
        room = size - len(encode_line(entry))
        return msgspec.json.encode(msgspec.structs.replace(entry, subject="x" * room))

    assert read_chain(line(MAX_LINE_BYTES) + b"\n", where="x").size == MAX_LINE_BYTES + 1
    with pytest.raises(BrokenChain, match="x, line 1: 1,048,577 bytes"):
        read_chain(line(MAX_LINE_BYTES + 1) + b"\n", where="x")


# Lines are read in parts, and are counted on.
@pytest.mark.parametrize("number", [1, 2, 1000, 1001, 1002, 2000, 2001, 2499, 2500])
def test_the_number_of_a_bad_line_is_right_in_a_long_ledger(number):
    lines = list(LONG)
    lines[number - 1] = lines[number - 1].replace(b'"seal"', b'"seals"')
    after = f"x, line {number + 1}: it names {digest(LONG[number - 1])}"
    if number < len(lines):
        with pytest.raises(BrokenChain, match=after):
            read_chain(joined(lines), where="x")
    lines[number - 1] = lines[number - 1][:-1]
    with pytest.raises(BrokenChain, match=f"x, line {number}, column"):
        read_chain(joined(lines), where="x")
    del lines[number - 1]
    if number < len(LONG):
        said = f"x, line {number}: got entry {number}, expected entry {number - 1}"
        with pytest.raises(BrokenChain, match=said):
            read_chain(joined(lines), where="x")


LONG = ledger_lines(2500)


def test_a_first_line_that_follows_something_is_refused():
    entry = Entry(n=0, previous=digest(b"x"), time=TIME, kind="seal", subject="s")
    with pytest.raises(BrokenChain, match=r"line 1: .* but it is the first line"):
        read_chain(encode_line(entry) + b"\n", where="x")


def test_more_entries_than_anyone_needs_are_refused(monkeypatch):
    monkeypatch.setattr(ledger_chain, "MAX_ENTRIES", 3)
    assert read_chain(joined(ledger_lines(3)), where="x").size
    with pytest.raises(BrokenChain, match="x: more than 3 entries"):
        read_chain(joined(ledger_lines(4)), where="x")


@settings(max_examples=scale(300, 20_000), deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode()))
def test_no_bytes_raise_anything_else(data):
    with pytest.raises(BrokenChain, match="x, line 1"):
        read_chain(data.replace(b"\n", b" ") + b"\n", where="x")


texts = st.text(max_size=30)
entries = st.builds(
    Entry,
    n=st.just(0),
    previous=st.just(NOTHING),
    time=texts,
    kind=texts,
    subject=texts,
    files=st.dictionaries(texts, texts, max_size=3),
    said=st.dictionaries(texts, texts, max_size=3),
)


@settings(max_examples=scale(300, 20_000), deadline=None)
@given(entries)
def test_whatever_is_written_is_read_back(entry):
    line = encode_line(entry)
    assert b"\n" not in line
    assert decode_lines(line + b"\n", where="x") == [entry]
    assert read_chain(line + b"\n", where="x").entries == [entry]
