import pytest
from helpers.corpora import gathered, lines

from assay.errors import SpecError

PROBLEM = "Prove the hypothesis.\n\nfact1: {A}"
ROW = {
    "id": "fld-1",
    "problem": PROBLEM,
    "solution_steps": ["fact1 -> int1: {B}", "int1 -> int2: {A}", "The final answer is PROVED"],
    "error_labels": [False, True, None],
    "base_dataset": "fldx2_symbol",
    "messages": [
        {"role": "user", "content": "..."},
        {"role": "assistant", "content": "incorrect"},
        {"role": "user", "content": "..."},
        {"role": "assistant", "content": "correct"},
        {"role": "user", "content": "..."},
        {"role": "assistant", "content": "?"},
    ],
}


def test_true_means_that_a_step_is_correct_and_steps_see_those_before(tmp_path):
    found = gathered("fover", lines(tmp_path / "test.jsonl", [ROW]))
    assert [(one.id, one.label, one.cls) for one in found.items] == [
        ("fld-1#1", True, "incorrect"),
        ("fld-1#2", False, "correct"),
    ]
    first, second = found.items
    assert first.question == PROBLEM
    assert first.response == ROW["solution_steps"][0]
    assert second.question == f"{PROBLEM}\n\n{ROW['solution_steps'][0]}"
    assert {one.group for one in found.items} == {"fld-1"}
    assert {one.source for one in found.items} == {"fldx2_symbol"}
    assert found.left_out == {"step without a label": 1}


def test_the_short_form_needs_no_more_than_three_fields(tmp_path):
    short = {key: ROW[key] for key in ("problem", "solution_steps", "error_labels")}
    found = gathered("fover", lines(tmp_path / "test.jsonl", [short]))
    assert [one.id for one in found.items] == ["1#1", "1#2"]


def test_solutions_of_one_problem_share_a_group_and_what_they_share_is_taken_once(tmp_path):
    other = {
        **ROW,
        "solution_steps": ["fact1 -> int1: {B}", "guess"],
        "error_labels": [False, True],
    }
    other = {key: value for key, value in other.items() if key != "messages"}
    found = gathered("fover", lines(tmp_path / "test.jsonl", [ROW, other]))
    assert [one.id for one in found.items] == ["fld-1#1", "fld-1#2", "fld-1~2#2"]
    assert {one.group for one in found.items} == {"fld-1"}
    assert found.left_out["the same question and response again"] == 1


def test_labels_that_the_conversation_contradicts_are_refused(tmp_path):
    turned = {**ROW, "error_labels": [True, False, None]}
    with pytest.raises(SpecError, match="line 1, field 'error_labels': contradicts 'mess"):
        gathered("fover", lines(tmp_path / "test.jsonl", [turned]))


def test_parquet_is_read_as_it_is_published(tmp_path):
    import polars

    rows = [{key: ROW[key] for key in ("id", "problem", "solution_steps", "error_labels")}]
    polars.DataFrame(rows).write_parquet(tmp_path / "train-00000-of-00001.parquet")
    found = gathered("fover", tmp_path / "train-00000-of-00001.parquet")
    assert [(one.id, one.label) for one in found.items] == [("fld-1#1", True), ("fld-1#2", False)]


def test_processbench_knows_steps_up_to_the_first_error(tmp_path):
    row = {
        "id": "gsm8k-0",
        "generator": "a-model",
        "problem": "1 + 1 + 1?",
        "steps": ["1 + 1 = 2", "2 + 1 = 4", "So 4."],
        "final_answer_correct": False,
        "label": 1,
    }
    right = {**row, "id": "gsm8k-1", "problem": "2?", "steps": ["2"], "label": -1}
    found = gathered("fover", lines(tmp_path / "gsm8k.json", [row, right]))
    assert [(one.id, one.label, one.source) for one in found.items] == [
        ("gsm8k-0#1", False, "a-model"),
        ("gsm8k-0#2", True, "a-model"),
        ("gsm8k-1#1", False, "a-model"),
    ]
    assert found.left_out == {"step without a label": 1}
    with pytest.raises(SpecError, match="line 1, field 'label': expected the number of a step"):
        gathered("fover", lines(tmp_path / "bad.json", [{**row, "label": 3}]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"error_labels": [True]}, "1 labels for 3 steps"),
        ({"error_labels": ["yes", True, True]}, "expected true, false or null, got 'yes'"),
        ({"error_labels": "no"}, "expected a list of true, false and null, got 'no'"),
        ({"solution_steps": ["a", 1, "b"]}, "expected a list of texts, got 1"),
        ({"problem": None}, "field 'problem': expected text, got null"),
    ],
)
def test_a_wrong_field_is_named(tmp_path, change, words):
    with pytest.raises(SpecError) as refused:
        gathered("fover", lines(tmp_path / "test.jsonl", [ROW, {**ROW, **change}]))
    assert "test.jsonl, line 2" in refused.value.message
    assert words in refused.value.message
