"""Which rows a claim chooses: truth values, decimal commas, and conditions that choose none."""

import pytest

from assay.api.claims import claims, fix_claims
from assay.claim_audit.check import check_claim
from assay.claim_audit.claim import Claim
from assay.claim_audit.evidence import EvidenceReader

TRUTHS = ",id,ok\n0,a,True\n1,b,True\n2,c,False\n3,d,True\n"
BITS = "id,ok\na,1\nb,1.0\nc,0\nd,1\n"


def checked(root, text, *, name="t.csv", checker="aggregate_equals", **args):
    (root / name).write_text(text, encoding="utf-8")
    with EvidenceReader(root) as evidence:
        claim = Claim(id="it", checker=checker, args={"path": name, **args})
        return check_claim(claim, evidence)


@pytest.mark.parametrize("table", [TRUTHS, TRUTHS.lower(), BITS])
@pytest.mark.parametrize("value", ["1", "1.0", "true", "True", "TRUE"])
def test_a_truth_value_is_chosen_in_any_spelling(tmp_path, table, value):
    share = checked(tmp_path, table, statistic="share", of=f"ok == {value}", value="75 %")
    assert share.stands, share.evidence
    others = checked(tmp_path, table, statistic="count", where=f"ok != {value}", value=1)
    assert others.stands


def test_in_a_column_of_other_numbers_true_is_no_number(tmp_path):
    found = checked(tmp_path, "id,n\na,1\nb,2\n", statistic="count", where="n == true", value=1)
    assert found.verdict == "fails"
    assert "no row satisfies 'n == true' (n holds '1', '2')" in found.evidence.where


@pytest.mark.parametrize(("statistic", "value"), [("mean", "0.75"), ("sum", 3), ("min", 0)])
def test_a_statistic_of_truth_values_counts_the_true_ones(tmp_path, statistic, value):
    assert checked(tmp_path, TRUTHS, statistic=statistic, column="ok", value=value).stands


def test_words_are_no_numbers_and_the_message_says_how_to_count_them(tmp_path):
    found = checked(tmp_path, "id,s\na,good\nb,bad\n", statistic="mean", column="s", value=1)
    assert found.verdict == "unverifiable"
    assert 'statistic="share" of="s == good"' in found.evidence.why


def test_decimal_commas_are_read_where_semicolons_separate_the_cells(tmp_path):
    table = "\ufeffmodel;acc;n\nsmall;0,6142;1\nbase;0,9387;2\n"
    assert checked(tmp_path, table, statistic="max", column="acc", value="0.9387").stands
    assert checked(tmp_path, table, statistic="count", where="acc >= 0.9", value=1).stands
    printed = "| model | acc | n |\n|---|---|---|\n| small | 0.61 | 1 |\n| base | 0.94 | 2 |"
    (tmp_path / "t.csv").write_text(table, encoding="utf-8")
    with EvidenceReader(tmp_path) as evidence:
        claim = Claim(id="it", checker="table_equals", args={"path": "t.csv"}, printed=printed)
        assert check_claim(claim, evidence).stands
    commas = checked(tmp_path, 'a\n"0,61"\n', statistic="max", column="a", value="0.61")
    assert commas.verdict == "unverifiable", "elsewhere 1,234 may be a thousand"


def test_a_condition_that_chooses_no_row_says_what_there_is(tmp_path):
    found = checked(tmp_path, "id,s\na,good\n", statistic="share", of="s == god", value="50 %")
    assert "no row satisfies 's == god' (s holds 'good'; did you mean 'good'?)" in (
        found.evidence.where
    )
    none = checked(tmp_path, "id,s\na,3\n", statistic="mean", column="s", where="id == b", value=3)
    assert "no row satisfies 'id == b' (id holds 'a')" in none.evidence.why
    nameless = checked(tmp_path, TRUTHS, statistic="count", where="okay == 1", value=3)
    assert nameless.evidence.why == "t.csv has no column 'okay'; there are '', id, ok"


COMMENT = '<!-- claim: aggregate_equals path="t.csv" statistic="{}" {} -->'


def test_a_fix_never_writes_a_zero_that_no_row_gave(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("id,s\na,good\nb,bad\n")
    of = (("share", 'of="s == yes"', "50 %"), ("count", 'where="s == yes"', "1"))
    for statistic, condition, number in of:
        text = f"It is {number} {COMMENT.format(statistic, condition)}.\n"
        (tmp_path / "t.md").write_text(text)
        fixed = fix_claims("t.md", root=tmp_path, write=True)
        assert (tmp_path / "t.md").read_text() == text
        assert "the condition may be wrong" in fixed.left[0].why
        right = text.replace("yes", "good")
        (tmp_path / "t.md").write_text(right.replace("50 %", "40 %").replace("is 1", "is 2"))
        assert fix_claims("t.md", root=tmp_path, write=True).changed == 1
        assert (tmp_path / "t.md").read_text() == right


def test_a_zero_that_the_text_claims_still_holds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("id,s\na,good\nb,good\n")
    (tmp_path / "t.md").write_text(
        "Errors: 0 " + COMMENT.format("count", 'where="s == bad"') + ".\n"
    )
    assert claims("t.md", root=tmp_path).favourable
