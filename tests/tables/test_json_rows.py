"""Strict JSON in arrays, objects of columns and objects around an array; every fault at once."""

import json
from pathlib import Path

import pandas
import pytest

from assay.errors import SpecError
from assay.tables.faults import Faults
from assay.tables.rows import rows_of


def refused(text, name="f.json"):
    faults = Faults(name)
    with pytest.raises(SpecError) as caught:
        list(rows_of(Path(name), text.encode(), faults=faults))
        faults.refuse()
    return caught.value


BAD = {
    "a key twice": ('[{"a": 1}, {"a": 1, "a": 2}]', "f.json, element 2: key 'a' occurs twice"),
    "NaN": ('[{"a": NaN}]', "element 1: NaN is not JSON"),
    "half a pair": (r'[{"a": "\ud800"}]', "element 1: half of a surrogate pair"),
    "too deep": ('[{"a": ' + "[" * 40 + "]" * 40 + "}]", "element 1: nested deeper than 32"),
    "a number": ("[1, 2]", "element 1: expected an object, got 1"),
    "cut off": ('[{"a": 1}, {"a"', "f.json, line 1, column 16: not JSON: "),
    "no comma": ('[{"a": 1}\n {"a": 2}]', "f.json, line 2, column 2: not JSON: expected , or ]"),
    "an open array": ('[{"a": 1},\n', "got the end of the file"),
    "more behind": ('[{"a": 1}]\n[{"a": 2}]', "line 2: more text after the JSON value"),
    "two arrays": (
        '{"train": [{"a": 1}], "test": [{"a": 2}]}',
        "2 arrays of objects: 'train', 'test'",
    ),
    "ragged": ('{"a": [1, 2], "b": [1]}', "columns of different lengths: 'a' has 2, 'b' has 1"),
    "a top key twice": ('{"a": [1], "a": [2]}', "key 'a' occurs twice in one object"),
    "NaN in a column": ('{"a": [1, NaN], "b": [1, 2]}', "element 2 of 'a': NaN is not JSON"),
    "no array": ('{"a": 1,\n "b": {"c": 2}}', "that holds no array of objects; its keys are"),
    "nothing": ("{}", "that holds no array of objects; its keys are none"),
    "words": ("hello", "f.json, line 1, column 1: not JSON: expected ["),
    "a key of numbers": ("{1: 2}", "not JSON"),
    "huge number": ("[{" + '"a": ' + "9" * 5000 + "}]", "too many digits"),
    "in a wrapper": ('{"data": [{"a": 1, "a": 1}]}', "element 1 of 'data': key 'a' occurs twice"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_slightly_wrong_is_refused_with_its_place(name):
    text, words = BAD[name]
    assert words in refused(text).message


def test_every_fault_of_an_array_is_named_at_once():
    good, bad = '{"a": 1}', '{"a": 1, "a": 2}'
    error = refused("[" + ", ".join([good, bad, "3", good, '{"a": NaN}', bad]) + "]")
    assert error.message.startswith("f.json, element 2: key 'a' occurs twice")
    assert error.message.endswith("and 3 more faults")
    assert [detail.split(":")[0] for detail in error.details] == [
        "element 3",
        "element 5",
        "element 6",
    ]


def test_faults_that_differ_only_in_place_are_one_line():
    error = refused("[" + ", ".join(["1"] * 30) + "]")
    assert error.message.endswith("got 1; 29 more like it: element 2, element 3, element 4, ...")
    assert not error.details


def test_at_most_twenty_are_named_and_all_are_counted():
    error = refused("[" + ", ".join(f'{{"a{i}": 1, "a{i}": 2}}, {i}' for i in range(30)) + "]")
    assert "30 more like it" not in error.message
    assert len(error.details) <= 20


def test_a_frame_that_pandas_wrote_by_default_is_read(tmp_path):
    frame = pandas.DataFrame({"q": ["a", "b"], "label": [0, 1]})
    rows = [row for _, row in rows_of(Path("f.json"), frame.to_json().encode())]
    assert rows == frame.to_dict(orient="records")
    single = [row for _, row in rows_of(Path("f.json"), b'{"q": {"text": "a"}, "label": 1}')]
    assert single == [{"q": {"text": "a"}, "label": 1}]


def test_deep_nesting_never_exhausts_the_reader():
    error = refused('[{"a": ' + "[" * 200_000)
    assert "nested" in error.message or "not JSON" in error.message


def test_columns_may_hold_objects():
    text = json.dumps({"q": ["a", "b"], "meta": [{"x": 1}, {"x": 2}]})
    rows = [row for _, row in rows_of(Path("f"), text.encode())]
    assert rows == [{"q": "a", "meta": {"x": 1}}, {"q": "b", "meta": {"x": 2}}]
