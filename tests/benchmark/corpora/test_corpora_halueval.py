import pytest
from helpers.corpora import HALUEVAL_QA, gathered, lines

from assay.errors import SpecError

DIALOGUE = {
    "knowledge": "Oaks are trees.",
    "dialogue_history": "[Human]: What is an oak?",
    "right_response": "A tree.",
    "hallucinated_response": "A fish.",
}
SUMMARY = {
    "document": "It rained for a week and the river rose.",
    "right_summary": "The river rose.",
    "hallucinated_summary": "The river fell.",
}
GENERAL = {
    "ID": "5",
    "user_query": "Name a tree.",
    "chatgpt_response": "Pike.",
    "hallucination": "yes",
    "hallucination_spans": ["Pike"],
}


def test_each_question_gives_a_right_and_a_hallucinated_answer_of_one_group(tmp_path):
    found = gathered("halueval-qa", lines(tmp_path / "qa_data.json", HALUEVAL_QA))
    assert (len(found.items), found.positives, found.groups) == (80, 40, 40)
    for one in found.items:
        record = HALUEVAL_QA[int(one.id.split("#")[0]) - 1]
        assert one.question == record["question"]
        assert one.response == record["hallucinated_answer" if one.label else "right_answer"]
        assert one.cls == ("hallucinated" if one.label else "right")
        assert one.group == one.id.split("#")[0]
    assert found.left_out == {}


def test_ids_do_not_tell_the_label(tmp_path):
    found = gathered("halueval-qa", lines(tmp_path / "qa_data.json", HALUEVAL_QA))
    first = [one.label for one in found.items if one.id.endswith("#1")]
    assert 8 < sum(first) < 32


def test_knowledge_is_shown_when_asked_for(tmp_path):
    path = lines(tmp_path / "dialogue_data.json", [DIALOGUE])
    plain, with_it = (
        gathered("halueval-dialogue", path),
        gathered("halueval-dialogue", path, knowledge=True),
    )
    assert plain.items[0].question == "[Human]: What is an oak?"
    assert with_it.items[0].question == "Oaks are trees.\n\n[Human]: What is an oak?"
    refused = "`knowledge=True` has no effect on halueval-summarization"
    with pytest.raises(SpecError, match=refused):
        gathered("halueval-summarization", lines(tmp_path / "s.json", [SUMMARY]), knowledge=True)


def test_the_document_is_what_a_summary_answers(tmp_path):
    found = gathered("halueval-summarization", lines(tmp_path / "s.json", [SUMMARY, SUMMARY]))
    assert {one.question for one in found.items} == {SUMMARY["document"]}
    assert {one.response: one.label for one in found.items} == {
        "The river rose.": False,
        "The river fell.": True,
    }
    assert found.left_out == {"the same question and response again": 2}
    assert found.groups == 1


def test_general_answers_have_one_label_each_in_either_version(tmp_path):
    older = {key: GENERAL[key] for key in ("user_query", "chatgpt_response")}
    older |= {"ID": "6", "hallucination_label": "No", "chatgpt_response": "Oak."}
    found = gathered("halueval-general", lines(tmp_path / "general_data.json", [GENERAL, older]))
    assert [(one.id, one.label, one.group) for one in found.items] == [
        ("5", True, "5"),
        ("6", False, "5"),
    ]
    with pytest.raises(SpecError, match="line 1, field 'hallucination': expected yes or no"):
        gathered(
            "halueval-general", lines(tmp_path / "x.json", [{**GENERAL, "hallucination": "maybe"}])
        )


def test_an_answer_under_both_labels_and_an_empty_one_are_left_out_and_counted(tmp_path):
    same = {**HALUEVAL_QA[0], "hallucinated_answer": HALUEVAL_QA[0]["right_answer"]}
    empty = {**HALUEVAL_QA[1], "hallucinated_answer": " "}
    found = gathered("halueval-qa", lines(tmp_path / "qa.json", [same, empty, HALUEVAL_QA[2]]))
    assert len(found.items) == 3
    assert found.left_out == {
        "empty question or response": 1,
        "the same question and response under both labels": 2,
    }


def test_a_file_of_another_format_is_recognised(tmp_path):
    path = lines(tmp_path / "data.json", [DIALOGUE])
    with pytest.raises(SpecError) as refused:
        gathered("halueval-qa", path)
    assert "data.json, line 1: not halueval-qa: expected the fields" in refused.value.message
    assert refused.value.hint == "This looks like halueval-dialogue."
