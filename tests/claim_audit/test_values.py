"""Values of tables, reports, JSON and derived ones: what is missing or odd is no number."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.claim_audit.check import check_claim
from assay.claim_audit.checkers.aggregates import numeral
from assay.claim_audit.checkers.key_path import joined, value_at
from assay.claim_audit.claim import Claim, Unverifiable
from assay.claim_audit.evidence import EvidenceReader


def checked(root, checker, **args):
    with EvidenceReader(root) as evidence:
        return check_claim(Claim(id="it", checker=checker, args=args), evidence)


def over(root, text, **args):
    (root / "t.csv").write_text(text)
    return checked(root, "aggregate_equals", path="t.csv", **args)


@pytest.mark.parametrize(
    "cell", ["none", "no", "half", "50%", "2k", "nan", "inf", "1 000", "2x", "--1", "1e9999"]
)
def test_a_cell_that_is_no_plain_numeral_is_no_number(tmp_path, cell):
    found = over(tmp_path, f"id,s\na,{cell}\nb,0.9\n", statistic="mean", column="s", value=0.45)
    assert found.verdict == "unverifiable"
    assert repr(cell) in found.evidence.why


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("0.5", 0.5),
        (" -3 ", -3.0),
        ("+1e3", 1000.0),
        (".5", 0.5),
        ("7.", 7.0),
        (2, 2.0),
        (True, 1.0),
    ],
)
def test_plain_numerals_are_numbers(cell, number):
    assert numeral(cell) == number


def test_missing_cells_are_left_out_and_told(tmp_path):
    text = "id,s\na,1\nb,\nc,3\nd,\n"
    mean = over(tmp_path, text, statistic="mean", column="s", value=2)
    assert (mean.verdict, mean.evidence.where) == (
        "holds",
        "t.csv, mean of s, 2 rows, 2 without 's'",
    )
    distinct = over(tmp_path, text, statistic="distinct", column="s", value=2)
    assert (distinct.verdict, distinct.evidence.where) == (
        "holds",
        mean.evidence.where.replace("mean", "distinct"),
    )


def test_distinct_values_of_a_column_that_is_not_there_are_none(tmp_path):
    found = over(tmp_path, "id,s\na,1\n", statistic="distinct", column="z", value=1)
    assert found.verdict == "fails"
    assert "no column 'z'; there are id, s" in found.evidence.why


def test_a_missing_cell_satisfies_no_comparison_and_is_told(tmp_path):
    text = "id,ok\na,1\nb,\nc,0\n"
    for where in ("ok != 1", "ok == 0", "ok < 1", "id == b and ok != 1 or ok == 0"):
        found = over(tmp_path, text, statistic="count", where=where, value=1)
        assert (found.verdict, found.evidence.where) == ("holds", "t.csv, 1 rows, 1 without 'ok'")
    share = over(tmp_path, text, statistic="share", of="ok == 1", value="33 %")
    assert (share.verdict, share.evidence.where) == ("holds", "t.csv, 1 of 3 rows, 1 without 'ok'")
    (tmp_path / "u.jsonl").write_text('{"k":"a","ok":1}\n{"k":"b","ok":null}\n{"k":"c"}\n')
    lines = checked(tmp_path, "aggregate_equals", path="u.jsonl", statistic="count",
                    where="ok != 1", value=0)  # fmt: skip
    assert (lines.verdict, lines.evidence.where) == (
        "holds",
        "u.jsonl, 0 rows, 2 without 'ok', no row satisfies 'ok != 1' (ok holds '1')",
    )


CASES = """<testsuites><testsuite><testcase classname="a" name="x"/>
<testcase classname="b" name="x"><failure/></testcase><testcase classname="c" name="y"/>
<testcase classname="d" name="y"/></testsuite></testsuites>"""


def reported(root, data, **args):
    (root / "j.xml").write_bytes(data if isinstance(data, bytes) else data.encode())
    return checked(root, "junit_equals", path="j.xml", **args)


def test_an_outcome_that_no_test_can_have_is_refused(tmp_path):
    for outcome in ("errored", "pass", 5, ""):
        found = reported(tmp_path, CASES, outcome=outcome, value=0)
        assert found.verdict == "unverifiable"
        assert "expected one of passed, failed, error, skipped, all" in found.evidence.why
    assert reported(tmp_path, CASES, outcome="all", value=4).stands


def test_tests_of_one_name_that_disagree_are_unverifiable(tmp_path):
    assert reported(tmp_path, CASES, test="x", value="passed").verdict == "unverifiable"
    assert reported(tmp_path, CASES, test="y", value="passed").stands
    assert reported(tmp_path, CASES, test="b::x", value="failed").stands
    both = reported(tmp_path, CASES, test="y", outcome="passed", value="passed")
    assert both.verdict == "unverifiable"


ENTITY = (
    '<!DOCTYPE t [<!ENTITY a "two">]><testsuite><testcase classname="a" name="&a;"/></testsuite>'
)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-7", "cp037"]
)
def test_a_document_type_is_refused_in_every_encoding(tmp_path, encoding):
    data = f'<?xml version="1.0" encoding="{encoding}"?>{ENTITY}'.encode(encoding)
    assert reported(tmp_path, data, test="two", value="passed").verdict == "unverifiable"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_a_report_is_read_in_the_encoding_that_it_has(tmp_path, encoding):
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = f'<?xml version="1.0" encoding="{declared}"?>' + CASES.replace('"x"', '"é"')
    assert reported(tmp_path, text.encode(encoding), test="a::é", value="passed").stands


def test_what_is_no_test_report_is_unverifiable(tmp_path):
    for text in ("<html/>", "", "<testsuite>", "<a:testsuite xmlns:a='b'/>"):
        found = reported(tmp_path, text, outcome="failed", value=0)
        assert found.verdict == "unverifiable"


VALUE = {
    "d1": {"auc": 0.9},
    "models": {"gpt-3.5": {"auc": 0.7}, "a]b": 1, 'q"q': 2, "$x": 3, "": 4, "a=b": 5},
    "rows": [{"id": "q.7", "v": 1}, {"id": "a]", "v": 2}],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("d1.auc", 0.9), ("$.d1.auc", 0.9), ("$['d1'].auc", 0.9), ('models["gpt-3.5"].auc', 0.7),
        ("models['gpt-3.5'].auc", 0.7), ('models["a]b"]', 1), ('models["q\\"q"]', 2),
        ("rows[0].v", 1), ("rows[-1].v", 2), ("rows.1.v", 2), ("rows[id=q.7].v", 1),
        ('rows[id="a]"].v', 2), ("models.$x", 3), ('models[""]', 4),
    ],
)  # fmt: skip
def test_a_path_leads_to_its_value(path, value):
    assert value_at(VALUE, path, "r.json") == value


@pytest.mark.parametrize(
    "path",
    ["d1]]..auc[[", "d1..auc", "d1.", ".", "d1[", "d1]", 'd1["auc]', "d1[auc]x", 'd1["auc"]x',
     "rows[id=]", "d1[]", "[id=x", 'd1["\\x"]'],
)  # fmt: skip
def test_a_path_that_cannot_be_read_to_its_end_is_refused(path):
    with pytest.raises(Unverifiable, match="key_path"):
        value_at(VALUE, path, "r.json")


@given(st.lists(st.text(min_size=0, max_size=8), min_size=1, max_size=4))
def test_every_key_can_be_written_in_a_path(names):
    value, path = 7, ""
    for name in reversed(names):
        value = {name: value}
    for name in names:
        path = joined(path, name)
    assert value_at(value, path, "r.json") == 7


PART = {"checker": "json_path_equals", "args": {"path": "r.json", "key_path": "a"}}
FORM = 'of=[{checker="json_path_equals", args={path="r.json", key_path="a"}}, ...]'


def derived(root, of, operation="difference", value=1):
    (root / "r.json").write_text(json.dumps({"a": 3, "w": "none", "huge": 10**400}))
    return checked(root, "derived_equals", operation=operation, of=of, value=value)


def with_args(**args):
    return {**PART, "args": {**PART["args"], **args}}


@pytest.mark.parametrize(
    "of",
    [
        [3, 2], 5, [PART], "ab", [{**PART, "args": 5}, 2], [{"checker": 5}, 2],
        [with_args(op=">"), 2], [with_args(percent=True), 2], [with_args(expected=3), 2],
        [{**PART, "more": 1}, 2], [True, PART], [PART] * 101,
    ],
)  # fmt: skip
def test_parts_of_another_form_are_refused_with_the_right_one(tmp_path, of):
    found = derived(tmp_path, of)
    assert found.verdict == "unverifiable"
    assert FORM in found.evidence.why


@pytest.mark.parametrize("operation", ["difference", "points", "ratio", "percent", "change"])
def test_operations_of_two_values_take_two(tmp_path, operation):
    found = derived(tmp_path, [PART, 2, 1], operation)
    assert (found.verdict, "takes two values, got 3" in found.evidence.why) == (
        "unverifiable",
        True,
    )


@pytest.mark.parametrize(
    ("operation", "of", "value"),
    [("sum", [PART, 2, 1], 6), ("mean", [PART, 2, 1], 2), ("product", [PART, 2, 5], 30),
     ("difference", [PART, 2], 1), ("change", [PART, 2], "50 %")],
)  # fmt: skip
def test_a_derived_value_holds(tmp_path, operation, of, value):
    assert derived(tmp_path, of, operation, value).stands


def test_a_word_and_an_endless_number_give_none(tmp_path):
    word, huge = with_args(key_path="w"), with_args(key_path="huge")
    assert derived(tmp_path, [PART, word], "sum", 3).verdict == "fails"
    assert derived(tmp_path, [huge, 2], "ratio", 3).verdict == "fails"
    assert derived(tmp_path, [PART, 0], "ratio", 3).verdict == "fails"
