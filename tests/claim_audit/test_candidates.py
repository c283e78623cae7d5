import json
from decimal import Decimal

import pytest

from assay.api.claims import scan_claims
from assay.claim_audit.check import check_claim
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.scan import candidates as candidates_module
from assay.claim_audit.scan.candidates import NumberIndex
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in
from assay.claim_audit.texts.mentions import mentions_in
from assay.tables.numbers.printed_numbers import Printed


def proposed(root, text):
    (mention,) = mentions_in(Document(text, "x", ".md"))
    with EvidenceReader(root) as evidence:
        return NumberIndex(evidence).candidates(mention)


KEYS = ["gpt-3.5", "a[b]", 'say "so"', "it's", "both ' and \"", "back\\slash", "x=y", "$"]


@pytest.mark.parametrize("key", KEYS)
def test_a_proposed_comment_is_a_claim_that_holds(tmp_path, key):
    (tmp_path / "r.json").write_text(json.dumps({"auc": {key: 0.8938}}))
    (found,) = proposed(tmp_path, "The AUC is 0.8938 .")
    (one,) = claims_in(Document(f"The AUC is 0.8938 {found.comment}", "x", ".md"))
    with EvidenceReader(tmp_path) as evidence:
        assert check_claim(one.claim, evidence).stands


def test_a_key_that_would_end_the_comment_is_not_proposed(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps({"a --> b": 0.8938}))
    assert proposed(tmp_path, "The AUC is 0.8938 .") == []


def test_names_that_share_words_come_first_and_the_others_are_marked(tmp_path):
    value = {"aaa": 0.8938, "bbb": 0.8938, "recall": {"auc": 0.8938}, "auc": 0.8938}
    (tmp_path / "r.json").write_text(json.dumps(value))
    found = proposed(tmp_path, "The AUC of the recall is 0.8938 .")
    told = [(one.args["key_path"], one.related) for one in found]
    assert told == [("recall.auc", True), ("auc", True), ("aaa", False)]


def test_a_common_number_is_proposed_only_where_names_share_words(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps({"seeds": 5, **{f"k{n}": 5 for n in range(9)}}))
    assert [one.args["key_path"] for one in proposed(tmp_path, "It has 5 seeds.")] == ["seeds"]
    assert proposed(tmp_path, "It has 5 wheels.") == []


def test_the_values_that_differ_in_a_column_are_proposed(tmp_path):
    rows = "".join(f"i{n},m{n % 14}\n" for n in range(40))
    (tmp_path / "t.csv").write_text(f"id,model\n{rows}")
    (found, *_) = proposed(tmp_path, "We compare 14 models.")
    assert found.args == {"path": "t.csv", "statistic": "distinct", "column": "model"}
    assert (found.value, found.match) == (14, "equal")


def test_missing_cells_are_no_zeros_in_what_is_proposed(tmp_path):
    (tmp_path / "t.csv").write_text("id,score\na,0.71\nb,\nc,0.92\n")
    (found, *_) = proposed(tmp_path, "The mean score is 0.815 .")
    assert found.args["statistic"] == "mean"


def test_an_index_that_is_cut_says_so(tmp_path, monkeypatch):
    (tmp_path / "r.json").write_text(json.dumps(list(range(50))))
    with EvidenceReader(tmp_path) as evidence:
        assert NumberIndex(evidence).cut is None
        monkeypatch.setattr(candidates_module, "_MOST_NUMBERS", 10)
        assert NumberIndex(evidence).cut == "only the first 10 numbers were looked at"
        monkeypatch.setattr(candidates_module, "_MOST_NUMBERS", 1000)
        monkeypatch.setattr("assay.claim_audit.scan.repository_numbers.MOST_BYTES", 20)
        assert "1 files of more than" in NumberIndex(evidence).cut


def test_a_number_is_looked_up_without_comparing_it_with_every_other(tmp_path, monkeypatch):
    numbers = {f"k{n}": 1 + n / 100_000 for n in range(20_000)}
    (tmp_path / "r.json").write_text(json.dumps(numbers))
    compared = []
    admits = Printed.admits
    monkeypatch.setattr(
        Printed, "admits", lambda one, value: compared.append(1) or admits(one, value)
    )
    (found, *_) = proposed(tmp_path, "The AUC is 1.12345 .")
    assert Decimal(str(found.value)) == Decimal("1.12345")
    assert len(compared) < 100


def test_a_repository_that_cannot_be_listed_has_no_candidates(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.claim_audit.evidence._MOST_FILES", 1)
    for name in ("a.json", "b.json", "t.md"):
        (tmp_path / name).write_text("[1]" if name.endswith("json") else "The AUC is 0.894.")
    (one,) = scan_claims(tmp_path / "t.md", root=tmp_path).uncovered
    assert one.candidates == ()
