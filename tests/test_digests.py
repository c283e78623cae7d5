import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.digests import MAX_LINE_BYTES, digest, is_name, json_lines, parse_json, short
from assay.errors import SpecError

jsons = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.text(max_size=20)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(jsons)
def test_what_json_writes_is_read_back(value):
    text = json.dumps(value)
    try:
        text.encode()
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert parse_json(text, where="here") == value


REFUSED = {
    '{"a": 1, "a": 2}': "key 'a' occurs twice",
    '{"a": {"b": 1, "b": 1}}': "key 'b' occurs twice",
    "NaN": "NaN is not JSON",
    "[Infinity]": "Infinity is not JSON",
    "1e999": "too large to hold",
    '"\\ud800"': "half of a surrogate pair",
    '{"\\udfff": 1}': "half of a surrogate pair",
    "[" * 40 + "]" * 40: "nested deeper than 32",
    "[" * 100_000: "nested deeper than 32",
    "9" * 5000: "too many digits",
    "{'a': 1}": "column 2: not JSON",
    '{"a": 1}x': "not JSON: Extra data",
    "": "not JSON",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_two_readers_could_read_differently_is_refused(text):
    with pytest.raises(SpecError) as caught:
        parse_json(text, where="file.jsonl, line 7")
    assert caught.value.message.startswith("file.jsonl, line 7")
    assert REFUSED[text] in caught.value.message


def test_a_whole_surrogate_pair_is_a_character():
    assert parse_json('"\\ud83d\\ude00"', where="") == "😀"


def test_lines_are_counted_blank_ones_passed_over_and_a_bom_is_no_error():
    assert list(json_lines(b"\xef\xbb\xbf1\r\n\n2", where="f")) == [(1, 1), (3, 2)]


def test_a_byte_that_is_not_utf8_is_named():
    with pytest.raises(SpecError, match=r"f, line 2: byte 1 \(0xff\) is not UTF-8"):
        list(json_lines(b'1\n"\xff"', where="f"))


def test_an_endless_line_is_refused():
    with pytest.raises(SpecError, match="line 1: 1,048,580 bytes, at most"):
        list(json_lines(b" " * (MAX_LINE_BYTES + 4), where="f"))


def test_a_digest_is_tagged_and_of_exact_bytes():
    assert (
        digest(b"")
        == "sha256:" + "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
    assert digest(b"1.0") != digest(b"1")
    assert short(digest(b"")) == "e3b0c44298fc"


def test_names():
    assert all(map(is_name, ("v1", "a.b-c_d", "0")))
    assert not any(map(is_name, ("", "V1", "../x", "a b", "-x", "x" * 65, "v1\n")))


def test_a_fault_of_json_has_one_place():
    with pytest.raises(SpecError, match=r"column 7: not JSON: Unterminated string; got") as caught:
        parse_json('{"a": "b', where="f, line 1")
    assert "starting at" not in caught.value.message
