import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.claim_audit.check import check_claim
from assay.claim_audit.correction.corrected import corrected
from assay.claim_audit.correction.fix import fix_texts
from assay.claim_audit.correction.reprint import reprinted
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in
from assay.errors import SpecError
from assay.tables.numbers.printed_numbers import parse_printed

J = 'json_path_equals path="results/r.json" key_path="{}"'
COUNT = '<!-- claim: aggregate_equals path="results/t.csv" statistic="count" {}-->'


@pytest.mark.parametrize(
    ("old", "observed", "new"),
    [
        ("0.90", 0.8938, "0.89"),
        (".90", 0.8938, ".89"),
        ("Five", 3, "Three"),
        ("FIVE", 3, "THREE"),
        ("50 %", 2 / 3, "67 %"),
        ("50\u00a0%", 2 / 3, "67\u00a0%"),
        ("1,000", 12345, "12,345"),
        ("1\u202f000", 1234567, "1\u202f234\u202f567"),
        ("1,000", 950, "950"),
        ("+0.1", 0.25, "+0.2"),
        ("+0.1", -0.25, "-0.2"),
        ("\u22120.57", -0.61, "\u22120.61"),
        ("\u2212.57", 0.61, ".61"),
        ("0.5", -0.01, "0.0"),
        ("2e-16", 3.4e-16, "3e-16"),
        ("2e-16", 0.05, "5e-2"),
        ("1.2e6", 1345678, "1.3e6"),
        ("9.9e6", 9996000, "1.0e7"),
        ("1.2E+06", 1345678, "1.3E+06"),
        ("2e\u221216", 3.4e-9, "3e\u22129"),
        ("1.2k", 3456, "3.5k"),
        ("2 M", 7_400_000, "7 M"),
        ("2.5x", 3.14159, "3.1x"),
        ("0.9 [0.8, 0.9]", {"auc": 0.8938, "low": 0.83, "high": 0.96}, "0.9 [0.8, 1.0]"),
        ("0.9 [0.8; 0.9]", {"auc": 0.8938, "low": 0.83, "high": 0.96}, "0.9 [0.8; 1.0]"),
        ("0.90", {"auc": 0.8938, "low": 0.83, "high": 0.96}, "0.89"),
        ("1.2.3", "1.2.4", "1.2.4"),
        ("0.90", "text", None),
        ("0.90", "none", None),
        ("half", 0, None),
        ("half", 0.7, None),
        ("five", 3.4, None),
        ("five", 300, None),
        ("five", -3, None),
        ("a dozen", 13, None),
        ("\u20135", -3, None),
        ("0.9 [0.8, 0.9]", 0.7, None),
        ("1.2.3", "a --> b", None),
        ("1.2.3", "a\nb", None),
        ("0.90", 10**40, None),
        ("50 per cent", 2 / 3, "67 per cent"),
        ("50.0\\%", 2 / 3, "66.7\\%"),
        ("1{,}000", 12345, "12{,}345"),
        ("1 000", 12345, "12 345"),
    ],
)
def test_a_number_is_printed_again_in_its_own_form_or_left(old, observed, new):
    assert reprinted(old, observed) == new


FORMS = st.sampled_from(
    ["0.86", ".8", "13", "86.4 %", "5%", "\u2212.57", "+0.082", "2e-16", "1.2e6", "1.2k", "2.5x",
     "thirteen", "1,000", "1\u202f000", "12.5e3", "half", "once"]
)  # fmt: skip


@given(FORMS, st.floats(-1e9, 1e9) | st.integers(-(10**12), 10**12))
def test_what_is_printed_again_admits_what_was_observed(old, observed):
    new = reprinted(old, observed)
    assert new is None or parse_printed(new).admits(observed)


def fixed(repository, text):
    document = Document(text, "x.md", ".md")
    with EvidenceReader(repository) as evidence:
        found = corrected(document, claims_in(document), evidence)
        claims = claims_in(Document(found.text, "x.md", ".md"))
        results = [check_claim(one.claim, evidence) for one in claims]
        failing = [one.id for one in results if not one.stands and not one.control]
        assert [one.id for one in found.left] == failing
    return found


def test_only_numbers_that_fail_are_rewritten(repository):
    text = f"five {COUNT.format('')}, three {COUNT.format('')}"
    found = fixed(repository, text)
    assert found.text == text.replace("five", "three")
    assert found.left == ()


def test_claims_of_one_number_that_want_the_same_are_one_edit(repository):
    text = f"five {COUNT.format('says=five ')} {COUNT.format('says=five ')}"
    assert fixed(repository, text).text == text.replace("five", "three")
    plain = f"5 {COUNT.format('')}{COUNT.format('')}"
    assert fixed(repository, plain).text == plain.replace("5 ", "3 ")


def test_claims_of_one_number_that_differ_leave_it_and_are_listed(repository):
    auc = f"<!-- claim: {J.format('d1.auc')} -->"
    for text in (f"5 {COUNT.format('')}{auc}", f"3 {COUNT.format('')}{auc}"):
        found = fixed(repository, text)
        assert found.text == text
        assert "another claim covers the same number" in found.left[-1].why


def test_a_comment_that_names_the_number_names_the_new_one(repository):
    (repository / "src/pkg/__init__.py").write_text('__version__ = "1.2.4"\n')
    version = 'package_version_equals path="src/pkg/__init__.py" says="1.2.3"'
    text = f"Version 1.2.3 is out <!-- claim: {version} -->, of 5 {COUNT.format('says=5 ')}"
    found = fixed(repository, text)
    assert found.text == text.replace("1.2.3", "1.2.4").replace("5", "3")


def test_controls_and_bounds_are_left(repository):
    control = COUNT.format("control=true id=c ")
    bound = COUNT.format('op="<" id=b ')
    text = f"5 {control} and 2 {bound}"
    found = fixed(repository, text)
    assert found.text == text
    assert [(one.id, "a bound" in one.why) for one in found.left] == [("b", True)]


def test_what_cannot_be_fixed_is_listed_with_its_place_and_why(repository):
    absent = J.format("d1.nothing")
    text = f"half {COUNT.format('')}\n0.5 <!-- claim: {absent} -->\n4 {COUNT.format('')}"
    found = fixed(repository, text.replace("half", "a dozen"))
    assert found.text.endswith(f"3 {COUNT.format('')}")
    assert [one.place for one in found.left] == ["x.md, line 1", "x.md, line 2"]
    assert "no form" in found.left[0].why
    assert "has no 'nothing'" in found.left[1].why


def written(repository, name, text):
    path = repository / name
    path.write_text(text)
    with EvidenceReader(repository) as evidence:
        return fix_texts([path], evidence, write=True), path.read_text()


def test_a_notebook_is_left_and_its_false_claims_are_listed(repository):
    cell = {"cell_type": "markdown", "source": f"five {COUNT.format('')}"}
    text = json.dumps({"cells": [cell]})
    made, after = written(repository, "x.ipynb", text)
    assert (after, made.favourable) == (text, False)
    assert "notebooks are not rewritten" in made.left[0].why


def test_a_list_of_claims_has_no_text_to_correct(repository):
    with pytest.raises(SpecError, match="expected a text"):
        written(repository, "x.toml", "")


def test_without_write_only_a_patch_is_given(repository):
    path = repository / "x.md"
    path.write_text(f"five {COUNT.format('')}")
    with EvidenceReader(repository) as evidence:
        made = fix_texts([path], evidence, write=False)
    assert path.read_text().startswith("five")
    assert ("+three" in made.patch, made.written, made.changed) == (True, False, 1)


def test_a_symbolic_link_stays_one(repository):
    (repository / "real.md").write_text(f"five {COUNT.format('')}")
    (repository / "link.md").symlink_to("real.md")
    with EvidenceReader(repository) as evidence:
        fix_texts([repository / "link.md"], evidence, write=True)
    assert (repository / "link.md").is_symlink()
    assert (repository / "real.md").read_text().startswith("three")


TABLE = """| model | accuracy |
|:--|--:|
| small | 0.81 |
| **large** | **0.90** |
"""
CLAIM = '<!-- claim: table_equals path="results/m.csv" -->'


def written_table(repository, rows="model,accuracy\nsmall,0.806\nlarge,0.866\n"):
    (repository / "results/m.csv").write_text(rows)
    path = repository / "TABLE.md"
    path.write_text(f"{TABLE}\n{CLAIM}\n")
    return path


def test_a_cell_of_a_table_is_mended_and_the_layout_stays(repository):
    path = written_table(repository)
    with EvidenceReader(repository) as evidence:
        fixed = fix_texts([path], evidence, write=True)
    assert (fixed.changed, fixed.left) == (1, ())
    assert path.read_text().startswith(TABLE.replace("0.90", "0.87"))


@pytest.mark.parametrize(
    "rows", ["model,accuracy\nsmall,0.806\n", "model,acc\nsmall,0.806\nlarge,0.866\n"]
)
def test_a_table_with_other_rows_or_heads_is_left(repository, rows):
    path = written_table(repository, rows)
    with EvidenceReader(repository) as evidence:
        fixed = fix_texts([path], evidence, write=True)
    assert fixed.changed == 0 and "its rows or heads are others" in fixed.left[0].why


@pytest.mark.parametrize(
    ("text", "found", "times", "scale"),
    [("2.3 s", 2310, "1000", "0.001"), ("86.4", 0.8641, "0.01", "100"), ("12", 120, "10", "0.1")],
)  # fmt: skip
def test_a_number_off_by_a_power_of_ten_is_left_to_the_author(
    repository, text, found, times, scale
):
    (repository / "results/unit.json").write_text(json.dumps({"x": found}))
    claim = '<!-- claim: json_path_equals path="results/unit.json" key_path="x"{} -->'
    path = repository / "UNIT.md"
    path.write_text(f"It is {text} {claim.format('')}.")
    with EvidenceReader(repository) as evidence:
        left = fix_texts([path], evidence, write=True).left
    assert f"{times} times as much" in left[0].why and "scale" not in left[0].why
    path.write_text(f"It is {text} {claim.format(f' scale={scale}')}.")
    with EvidenceReader(repository) as evidence:
        fixed = fix_texts([path], evidence, write=True)
    assert (fixed.changed, fixed.left) == (0, ())


def test_a_scaled_value_is_mended_in_the_unit_of_the_text(repository):
    record = {"x": 4210, "y": {"value": 12, "low": 9, "high": 16}}
    (repository / "results/unit.json").write_text(json.dumps(record))
    claim = '<!-- claim: json_path_equals path="results/unit.json" key_path="{}" scale=0.001 -->'
    second = f"0.013 [0.008, 0.015] {claim.format('y')}"
    path = repository / "UNIT.md"
    path.write_text(f"It is 2.3 s {claim.format('x')}, and {second}.")
    with EvidenceReader(repository) as evidence:
        fixed = fix_texts([path], evidence, write=True)
    assert (fixed.changed, fixed.left) == (2, ())
    text = path.read_text()
    assert text.startswith("It is 4.2 s ") and "0.012 [0.009, 0.016] " in text


def test_a_change_of_sign_and_another_choice_than_the_sentences_are_left(tmp_path):
    (tmp_path / "r.json").write_text('{"delta": -0.442}')
    (tmp_path / "t.csv").write_text("split,ok\ntest,1\ntest,0\ntest,0\ndev,1\ndev,1\n")
    page = tmp_path / "page.md"
    rows = '<!-- claim: aggregate_equals path="t.csv" statistic="count" where="split == dev" -->'
    for text, why in (
        ('It improves by +0.442 <!-- claim: json_path_equals path="r.json" key_path="delta" -->.',
         "the sign changes"),
        (f"There are 3 {rows} test items.", "the text says 'test', and the claim split == dev"),
    ):  # fmt: skip
        page.write_text(text)
        found = assay.fix_claims(page, root=tmp_path, write=True)
        assert (found.changed, page.read_text()) == (0, text)
        assert why in found.left[0].why
    page.write_text(f"There are 3 {rows} dev items.")
    assert assay.fix_claims(page, root=tmp_path, write=True).changed == 1
