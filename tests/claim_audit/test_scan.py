from assay.api.claims import scan_claims
from assay.claim_audit.scan.propose import propose_claims
from assay.claim_audit.scan.scan import scan_texts
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.mentions import mentions_in

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
        "date", "section", "reference", "version", "code", "quotation"
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


def test_a_name_with_a_digit_is_a_word_and_a_cell_of_a_table_is_not_claimed(repository):
    (repository / "results/f.json").write_text('{"f1": 0.8123}')
    path = repository / "SCAN.md"
    path.write_text("The F1 is 0.812 here.\n\n| model | f1 |\n|---|---|\n| a | 0.812 |\n")
    scan = propose_claims(scan_texts([path], repository), [path], write=True)
    assert scan.proposed == 1 and scan.written
    assert "1 claim written" in str(scan)
    text = path.read_text()
    assert "0.812 <!-- claim:" in text.split("|")[0] and text.endswith("| a | 0.812 |\n")
