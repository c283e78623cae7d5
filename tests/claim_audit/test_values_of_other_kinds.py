"""Booleans, null, lists, units in files of claims, and markup that `fix` must leave."""

import json

import pytest

from assay.claim_audit.check import check_claim
from assay.claim_audit.claim import Claim
from assay.claim_audit.collect import audit_claims
from assay.claim_audit.correction.fix import fix_texts
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.scan.scan import scan_texts

VALUES = {
    "on": True, "off": False, "nothing": None, "seeds": [1, 2, 3, 4], "ms": 396.45, "usd": 1284.37,
    "neg": -0.0118, "share": 0.7312, "big": 28583147,
    "ci": {"value": 0.087, "ci": [0.061, 0.113]}, "ends": {"point": 0.087, "ci_low": 0.061,
    "ci_high": 0.113},
    "numbers": {"gap": 3},
}  # fmt: skip


@pytest.fixture
def root(tmp_path):
    (tmp_path / "v.json").write_text(json.dumps(VALUES))
    (tmp_path / "t.csv").write_text("id,s\na,1\nb,\nc,3\n")
    return tmp_path


def result(root, key, expected, checker="json_path_equals", **args):
    with EvidenceReader(root) as evidence:
        asked = {"path": "v.json", "key_path": key, **args}
        return check_claim(Claim(id="it", checker=checker, args=asked, expected=expected), evidence)


@pytest.mark.parametrize(
    ("key", "expected", "verdict"),
    [
        ("on", True, "holds"), ("on", False, "fails"), ("on", "true", "holds"), ("off", "true",
        "fails"),
        ("nothing", "null", "holds"), ("nothing", None, "holds"), ("share", "null", "fails"),
        ("ms", "396 ms", "holds"), ("ms", "397 ms", "fails"), ("usd", "$1,284.37", "holds"),
        ("usd", "1,284.37 USD", "holds"), ("usd", "1284.37 dollars", "holds"), ("usd", "1284.37.",
        "holds"),
        ("usd", "about 1284", "unverifiable"), ("usd", "< 1300", "unverifiable"), ("usd", "~1284",
        "unverifiable"),
        ("seeds", 4, "unverifiable"), ("gap", 3, "fails"),
        ("ci", "0.087 [0.061, 0.113]", "holds"), ("ends", "0.087 [0.061, 0.114]", "fails"),
    ],
)  # fmt: skip
def test_values_of_other_kinds(root, key, expected, verdict):
    found = result(root, key, expected)
    assert found.verdict == verdict
    if verdict == "holds":
        assert found.stands


def test_entries_are_counted_where_a_claim_says_so(root):
    assert result(root, "seeds", 4, length=True).stands
    assert result(root, "seeds", 5, length=True).verdict == "fails"
    assert result(root, "ms", 4, length=True).verdict == "unverifiable"


def test_a_word_that_multiplies_and_a_scale_are_not_put_together(root):
    assert result(root, "big", "28.6 million").stands
    assert result(root, "big", "28.6 million", scale=1e-6).verdict == "unverifiable"


def test_a_key_that_stands_deeper_is_named(root):
    assert "there is numbers.gap" in result(root, "gap", 3).evidence.why


@pytest.mark.parametrize(
    ("where", "count"),
    [("s == null", 1), ("s != null", 2), ("s == ''", 1), ("s == 9", 0), ("s == 1 or id == b", 2)],
)
def test_missing_cells_can_be_chosen(root, where, count):
    with EvidenceReader(root) as evidence:
        args = {"path": "t.csv", "statistic": "count", "where": where, "value": count}
        found = check_claim(Claim(id="it", checker="aggregate_equals", args=args), evidence)
    assert found.verdict == "holds"
    assert ("no row satisfies" in found.evidence.where) is (count == 0)


@pytest.mark.parametrize("where", ["(id == a)", "(id == a or id == b) and s == 1", "id == (a, b)"])
def test_an_expression_with_parentheses_is_unverifiable(root, where):
    with EvidenceReader(root) as evidence:
        args = {"path": "t.csv", "statistic": "count", "where": where, "value": 1}
        found = check_claim(Claim(id="it", checker="aggregate_equals", args=args), evidence)
    assert found.verdict == "unverifiable"


COMMENT = '<!-- claim: json_path_equals path="v.json" key_path="{}" -->'


@pytest.mark.parametrize(
    ("text", "key", "new"),
    [
        ("&minus;0.0207", "neg", "&minus;0.0118"),
        ("61.3&nbsp;%", "share", "73.1&nbsp;%"),
        ("**61.3** %", "share", "**73.1** %"),
        ("<b>0.61</b>", "share", "<b>0.73</b>"),
    ],
)
def test_a_fix_leaves_the_markup_around_a_number(root, text, key, new):
    path = root / "README.md"
    path.write_text(f"It is {text} {COMMENT.format(key)}.\n")
    with EvidenceReader(root) as evidence:
        fixed = fix_texts([path], evidence, write=True)
    assert (fixed.changed, fixed.left) == (1, ())
    assert path.read_text().startswith(f"It is {new} <!--")
    assert audit_claims([path], root=root).favourable


def test_a_scan_proposes_nothing_out_of_a_file_of_claims(root):
    claim = {"id": "a", "checker": "json_path_equals", "args": {}, "expected": 77.25}
    (root / "claims.json").write_text(json.dumps([claim]))
    path = root / "README.md"
    path.write_text("The expected value is 77.25.\n")
    assert scan_texts([path], root=root).uncovered[0].candidates == ()


def test_a_table_cell_that_cannot_be_read_is_unverifiable_and_a_dash_is_missing(root):
    table = "| id | s |\n| --- | --- |\n| a | {} |\n| b | \u2014 |\n| c | 3 |\n\n"
    path = root / "T.md"
    for cell, verdict in (("1", "holds"), ("**1**", "holds"), ("1*", "unverifiable"),
                          ("1 \u00b1 2", "unverifiable"), ("2", "fails")):  # fmt: skip
        path.write_text(table.format(cell) + '<!-- claim: table_equals path="t.csv" -->\n')
        assert audit_claims([path], root=root).claims[0].verdict == verdict, cell
