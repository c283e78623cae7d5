import pytest
from helpers.corpora import gathered, lines

from assay.errors import SpecError


def row(number, label, claim, page=None):
    return {
        "id": number,
        "verifiable": "VERIFIABLE" if page else "NOT VERIFIABLE",
        "label": label,
        "claim": claim,
        "evidence": [[[1, 2, page, 0 if page else None]]],
    }


ROWS = [
    row(10, "SUPPORTS", "Oaks are trees.", "Oak"),
    row(11, "REFUTES", "Oaks are fish.", "Oak"),
    row(12, "REFUTES", "Pikes are trees.", "Pike"),
    row(13, "NOT ENOUGH INFO", "Pikes are clever."),
]


def test_the_claim_is_the_response_and_a_refuted_one_is_positive(tmp_path):
    found = gathered("fever", lines(tmp_path / "train.jsonl", ROWS))
    assert [(one.id, one.response, one.label, one.cls, one.group) for one in found.items] == [
        ("10", "Oaks are trees.", False, "supported", "Oak"),
        ("11", "Oaks are fish.", True, "refuted", "Oak"),
        ("12", "Pikes are trees.", True, "refuted", "Pike"),
    ]
    assert len({one.question for one in found.items}) == 1
    ((why, count),) = found.left_out.items()
    assert count == 1
    assert why.startswith("claim with not enough info")


def test_claims_with_not_enough_info_can_be_kept_and_told_by_their_class(tmp_path):
    found = gathered("fever", lines(tmp_path / "train.jsonl", ROWS), keep_unverifiable=True)
    kept = found.items[3]
    assert (kept.id, kept.label, kept.cls, kept.group) == ("13", True, "not-enough-info", None)
    assert found.left_out == {}


def test_overlapping_files_give_each_claim_once(tmp_path):
    one = lines(tmp_path / "shared_task_dev.jsonl", ROWS)
    two = lines(tmp_path / "paper_dev.jsonl", ROWS[:2])
    found = gathered("fever", one, two)
    assert [item.id for item in found.items] == ["10", "11", "12"]
    assert found.left_out["the same question and response again"] == 2


def test_one_row_a_piece_of_evidence_is_the_same_claim(tmp_path):
    flat = [
        {"id": 10, "label": "SUPPORTS", "claim": "Oaks are trees.", "evidence_wiki_url": page}
        for page in ("Oak", "Tree")
    ]
    found = gathered("fever", lines(tmp_path / "train.jsonl", [*flat, *ROWS[1:3]]))
    assert [(one.id, one.group) for one in found.items] == [
        ("10", "Oak"),
        ("11", "Oak"),
        ("12", "Pike"),
    ]


def test_a_file_without_labels_gives_no_benchmark(tmp_path):
    rows = [{"id": 1, "claim": "Oaks are trees."}, {"id": 2, "claim": "No.", "label": ""}]
    with pytest.raises(SpecError, match="no items are left: 2 x claim without a label"):
        gathered("fever", lines(tmp_path / "shared_task_test.jsonl", rows))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"label": "TRUE"},
            "field 'label': expected SUPPORTS, REFUTES or NOT ENOUGH INFO, got 'TRUE'",
        ),
        ({"label": 7}, "field 'label': expected SUPPORTS, REFUTES or NOT ENOUGH INFO, got 7"),
        (
            {"label": ["REFUTES"]},
            "field 'label': expected SUPPORTS, REFUTES or NOT ENOUGH INFO, got a list",
        ),
        ({"claim": 3}, "field 'claim': expected text, got 3"),
        ({"evidence": "Oak"}, "field 'evidence': expected a list of evidence sets, got 'Oak'"),
        (
            {"evidence": [["Oak"]]},
            "field 'evidence': expected [annotation, evidence, page, sentence]",
        ),
        (
            {"id": None, "evidence": [1]},
            "field 'evidence': expected a list of evidence sets, got 1",
        ),
    ],
)
def test_a_wrong_field_is_named(tmp_path, change, words):
    with pytest.raises(SpecError) as refused:
        gathered("fever", lines(tmp_path / "train.jsonl", [ROWS[0], {**ROWS[1], **change}]))
    assert f"train.jsonl, line 2, {words}" in refused.value.message
