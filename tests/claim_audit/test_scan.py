from pathlib import Path

import pytest

from assay.api.claims import scan_claims
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.fix import corrected, reprinted
from assay.claim_audit.scan.mentions import mentions_in, ranked

TEXT = """# 3 Results

On 2026-11-18 we ran v1.2.3 (Section 4, `n = 7`). The AUC is 0.894 and 86.4 % hold.
There are thirteen files. As they say, “ninety of them”.
"""


def kinds(text):
    return {one.text: one.kind for one in mentions_in(text)}


def test_statements_are_told_from_dates_sections_versions_code_and_quotations():
    found = kinds(TEXT)
    assert (found["0.894"], found["86.4 %"], found["thirteen"]) == ("figure", "figure", "count")
    assert found["ninety"] == "quotation"
    assert {found[text] for text in found if text not in ("0.894", "86.4 %", "thirteen")} <= {
        "date", "section", "version", "code", "quotation"
    }  # fmt: skip


def test_headline_figures_come_before_counts():
    assert [one.text for one in ranked(mentions_in(TEXT))][-1] == "thirteen"


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


def test_only_numbers_that_fail_are_rewritten(repository):
    comment = '<!-- claim: aggregate_equals path="results/t.csv" statistic="{}" -->'
    text = f"five {comment.format('count')}, three {comment.format('count')}"
    with EvidenceReader(Path(repository)) as evidence:
        new = corrected(text, "x.md", ".md", evidence)
    assert new == text.replace("five", "three")
