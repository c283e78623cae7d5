import json

import pytest
from helpers.corpora import gathered, lines

from assay.errors import SpecError

OLD = "Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers,Source"
NEW = OLD.replace("Best Answer", "Best Answer,Best Incorrect Answer")
ANSWERS = 'No bull cares; It is the movement; ","Red angers bulls; Bulls hate red'


def told(found):
    return {one.response: one.label for one in found.items}


def test_each_answer_is_an_item_of_its_question_s_group(tmp_path):
    path = tmp_path / "TruthfulQA.csv"
    path.write_text(
        f'{OLD}\nAdversarial,Misconceptions,"Why red, of all?",It is the movement,"{ANSWERS}",x\n'
        "Adversarial,Law,Who may?,Nobody,Nobody,Everybody,x\n",
        encoding="utf-8",
    )
    found = gathered("truthfulqa", path)
    assert told(found) == {
        "No bull cares": False,
        "It is the movement": False,
        "Red angers bulls": True,
        "Bulls hate red": True,
        "Nobody": False,
        "Everybody": True,
    }
    assert {one.group for one in found.items} == {"1", "2"}
    assert {one.source for one in found.items} == {"Misconceptions", "Law"}
    assert found.items[0].question == "Why red, of all?"
    assert sorted(one.id for one in found.items) == ["1#1", "1#2", "1#3", "1#4", "2#1", "2#2"]
    with pytest.raises(
        SpecError, match="line 2: no field 'Best Incorrect Answer', which `best=True` needs"
    ):
        gathered("truthfulqa", path, best=True)


def test_the_newer_file_also_gives_the_best_pair_alone(tmp_path):
    path = tmp_path / "TruthfulQA.csv"
    path.write_text(
        f'{NEW}\nAdversarial,Myths,Why red?,It is the movement,Red does it,"{ANSWERS}",x\n',
        encoding="utf-8",
    )
    assert told(gathered("truthfulqa", path, best=True)) == {
        "It is the movement": False,
        "Red does it": True,
    }
    assert told(gathered("truthfulqa", path))["Red does it"] is True
    assert len(gathered("truthfulqa", path).items) == 5


CHOICES = {"Nobody": 1, "Everybody": 0, "Kings": 0}


@pytest.mark.parametrize(
    "targets", [CHOICES, {"choices": list(CHOICES), "labels": list(CHOICES.values())}]
)
def test_the_fullest_set_of_choices_is_taken(tmp_path, targets):
    row = {
        "question": "Who may?",
        "mc0_targets": {"Nobody": 1, "Kings": 0},
        "mc1_targets": {"Nobody": 1},
        "mc2_targets": targets,
    }
    path = tmp_path / "mc_task.json"
    path.write_text(json.dumps([row], indent=1), encoding="utf-8")
    assert told(gathered("truthfulqa", path)) == {"Nobody": False, "Everybody": True, "Kings": True}
    assert told(gathered("truthfulqa", path, best=True)) == {"Nobody": False, "Kings": True}
    del row["mc0_targets"]
    path.write_text(json.dumps([row]), encoding="utf-8")
    refused = "record 1: no field 'mc0_targets', which `best=True` needs"
    with pytest.raises(SpecError, match=refused):
        gathered("truthfulqa", path, best=True)


def test_lists_of_answers_are_read_too(tmp_path):
    row = {
        "type": "Adversarial",
        "category": "Law",
        "question": "Who may?",
        "best_answer": "Nobody",
        "correct_answers": ["Nobody", "No one"],
        "incorrect_answers": ["Kings"],
    }
    found = gathered("truthfulqa", lines(tmp_path / "generation.jsonl", [row]))
    assert told(found) == {"Nobody": False, "No one": False, "Kings": True}
    assert {one.source for one in found.items} == {"Law"}


@pytest.mark.parametrize(
    "targets",
    [{"a": 2}, {"a": True}, [1], {"choices": ["a"], "labels": []}, {"choices": "a", "labels": [1]}],
)
def test_choices_that_are_none_are_named(tmp_path, targets):
    path = lines(tmp_path / "mc.jsonl", [{"question": "Q?", "mc1_targets": targets}])
    with pytest.raises(SpecError, match="line 1, field 'mc1_targets': expected"):
        gathered("truthfulqa", path)
