import pytest

from assay.api.claims import scan_claims
from assay.claim_audit.document import Document
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.fix import fix_texts
from assay.claim_audit.mentions import mentions_in
from assay.claim_audit.reprint import reprinted

TEXT = """# 3 Results

On 2026-11-18 we ran v1.2.3 (Section 4, `n = 7`). The AUC is 0.894 and 86.4 % hold.
There are thirteen files. As they say, “ninety of them”.
"""


def kinds(text):
    return {one.text: one.kind for one in mentions_in(Document(text, "x", ".md"))}


def test_statements_are_told_from_dates_sections_versions_code_and_quotations():
    found = kinds(TEXT)
    assert (found["0.894"], found["86.4 %"], found["thirteen"]) == ("figure", "figure", "count")
    assert found["ninety"] == "quotation"
    assert {found[text] for text in found if text not in ("0.894", "86.4 %", "thirteen")} <= {
        "date", "section", "version", "code", "quotation"
    }  # fmt: skip


def test_headline_figures_come_before_counts():
    weights = {one.text: one.weight for one in mentions_in(Document(TEXT, "x", ".md"))}
    assert weights["thirteen"] < min(weights["0.894"], weights["86.4 %"])


def test_a_number_that_is_there_is_proposed_and_a_count_that_drifted_is_seen(repository):
    text = repository / "text.md"
    text.write_text("The AUC is 0.8938. The folder results has five json files.")
    found = {one.number: one.candidates for one in scan_claims(text).uncovered}
    (auc,) = found["0.8938"]
    assert (auc.args["key_path"], auc.match) == ("d1.auc", "equal")
    assert {one.match for one in found["five"]} == {"near"}


def test_a_covered_number_is_not_shown(repository):
    comment = '<!-- claim: json_path_equals path="results/r.json" key_path="d1.auc" -->'
    text = repository / "text.md"
    text.write_text(f"The AUC is 0.894 {comment}, not 0.7.")
    found = scan_claims(text)
    assert [one.number for one in found.uncovered] == ["0.7"]
    assert (found.coverage.numbers, found.coverage.covered) == (2, 1)


@pytest.mark.parametrize(
    ("old", "observed", "new"),
    [
        ("0.90", 0.8938, "0.89"),
        (".90", 0.8938, ".89"),
        ("Five", 3, "Three"),
        ("50 %", 2 / 3, "67 %"),
        ("1,000", 12345, "12,345"),
        ("+0.1", 0.25, "+0.2"),
        ("0.9 [0.8, 0.9]", {"auc": 0.8938, "low": 0.83, "high": 0.96}, "0.9 [0.8, 1.0]"),
        ("0.90", "text", None),
        ("9 % [8, 9]", {"auc": 0.8938, "low": 0.83, "high": 0.96}, "89 % [83, 96]"),
        ("50 per cent", 2 / 3, "67 per cent"),
        ("50.0\\%", 2 / 3, "66.7\\%"),
        ("1{,}000", 12345, "12{,}345"),
        ("1 000", 12345, "12 345"),
        ("1e-5", 1e-6, None),
    ],
)
def test_a_number_is_printed_again_in_its_own_form(old, observed, new):
    assert reprinted(old, observed) == new


COUNT = '<!-- claim: aggregate_equals path="results/t.csv" statistic="count" -->'


def fixed(repository, text, *, write=True):
    path = repository / "x.md"
    path.write_text(text)
    with EvidenceReader(repository) as evidence:
        made = fix_texts([path], evidence, write=write)
    return made, path.read_text()


def test_only_numbers_that_fail_are_rewritten(repository):
    made, text = fixed(repository, f"five {COUNT}, three {COUNT}")
    assert text == f"three {COUNT}, three {COUNT}"
    assert (made.changed, made.left, made.written) == (1, (), True)


def test_without_write_only_a_patch_is_given(repository):
    made, text = fixed(repository, f"five {COUNT}", write=False)
    assert text == f"five {COUNT}"
    assert "+three" in made.patch
    assert made.written is False


def test_a_number_with_two_claims_is_rewritten_once(repository):
    _, text = fixed(repository, f"There are 9 {COUNT} {COUNT} rows.")
    assert text == f"There are 3 {COUNT} {COUNT} rows."


@pytest.mark.parametrize(
    "text",
    [
        '5 <!-- claim: json_path_equals path="results/r.json" key_path="nowhere" -->',
        "over 20 " + COUNT.replace(" -->", ' op=">" -->'),
        '5 <!-- claim: json_path_equals path="nowhere.json" key_path="a" -->',
    ],
)
def test_what_cannot_be_mended_is_listed(text, repository):
    made, after = fixed(repository, text)
    assert after == text
    assert (len(made.left), made.favourable) == (1, False)
    assert "cannot be mended" in made.sentence


def test_a_control_is_not_mended(repository):
    text = f"9 {COUNT.replace(' -->', ' control=true -->')}"
    made, after = fixed(repository, text)
    assert (after, made.left) == (text, ())


def test_a_symbolic_link_stays_one(repository):
    (repository / "real.md").write_text(f"five {COUNT}")
    link = repository / "link.md"
    link.symlink_to("real.md")
    with EvidenceReader(repository) as evidence:
        fix_texts([link], evidence, write=True)
    assert link.is_symlink()
    assert (repository / "real.md").read_text() == f"three {COUNT}"


def test_a_claim_is_proposed_where_one_value_equals(repository):
    path = repository / "text.md"
    path.write_text("The AUC is **0.8938**, and 0.7771 is nowhere.")
    found = scan_claims(path, write=True)
    assert found.written
    assert path.read_text().startswith("The AUC is **0.8938** <!-- claim: json_path_equals path=")
    again = scan_claims(path)
    assert [one.number for one in again.uncovered] == ["0.7771"]
    assert again.patch == ""


def test_a_proposal_is_a_patch_until_it_is_written(repository):
    path = repository / "text.md"
    path.write_text("The AUC is 0.8938.\n")
    found = scan_claims(path)
    assert path.read_text() == "The AUC is 0.8938.\n"
    assert "+The AUC is 0.8938 <!-- claim:" in found.patch
