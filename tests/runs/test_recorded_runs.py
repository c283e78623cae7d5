"""Methods over models, through the worker: recorded, replayed without a model, and disclosed."""

import json

import pytest
from helpers.model_server import Answer, refusal, said, serving

import assay
from assay.digests import digest
from assay.errors import MethodError, SpecError
from tests.helpers.command import command

QUESTIONS = ("Do cats purr?", "Can cows fly?", "Do fish have gills?", "Is the moon cheese?")


def steady(path, body):
    """Says the same in every rephrasing of the first two questions, and repeats the others."""
    prompt = body["messages"][-1]["content"]
    return said("They do." if "cats" in prompt or "cows" in prompt else prompt)


@pytest.fixture
def answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"a{n}", "question": question, "response": "Yes.", "label": n // 2}
        for n, question in enumerate(QUESTIONS)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def outputs(run):
    return {record.item: record.output for record in run.records}


def test_a_run_is_recorded_and_its_replay_gives_the_same_with_the_server_gone(answers):
    words = {"task": "detection", "cassette": "kept/calls.jsonl", "batch": 3}
    (answers.parent / "kept").mkdir()
    with serving(steady) as server:
        method = f"rephrasing:{server.url}#m"
        first = assay.run(method, answers, **words)
        asked = len(server.asked)
    file = answers.parent / "kept/calls.jsonl"
    kept = file.read_bytes()
    assert asked == 16 and len(kept.splitlines()) > asked, "the encoder's calls are in it too"
    assert outputs(first)["a0"] == outputs(first)["a1"] == 0.0
    assert min(outputs(first)["a2"], outputs(first)["a3"]) > 0.1
    again = assay.run(method, answers, **words, mode="replay")
    assert outputs(again) == outputs(first)
    assert file.read_bytes() == kept
    assert again.harness["cassette"] == "calls.jsonl"
    assert (first.harness["cassette_mode"], again.harness["cassette_mode"]) == ("auto", "replay")
    assert first.harness["cassette_digest"] == again.harness["cassette_digest"] == digest(kept)
    assert again.harness["models"].split()[0] == f"{server.url}#m"
    assert again.harness["models"].split()[1].startswith("encoder:")
    assert again.harness["prompts"].startswith("sha256:")


def test_the_command_says_the_same_as_the_library(answers):
    with serving(steady) as server:
        method = f"justification:{server.url}#m"
        made = assay.run(method, answers, task="detection", cassette="calls.jsonl")
    words = ("--benchmark", answers.name, "--cassette", "calls.jsonl", "--mode", "replay")
    done = command(answers.parent, "try", method, *words, "--save", "kept", "--json")
    assert done.returncode in (0, 1), done.stderr
    assert outputs(assay.load_run(answers.parent / "kept")) == outputs(made)


def test_several_models_record_into_one_file(answers):
    other = serving(lambda path, body: said("They do not."))
    with serving(steady) as one, other as two:
        method = f"disagreement:{one.url}#a,{two.url}#b"
        first = assay.run(method, answers, cassette="calls.jsonl")
    again = assay.run(method, answers, cassette="calls.jsonl", mode="replay")
    assert outputs(first) == outputs(again)
    lines = (answers.parent / "calls.jsonl").read_text().splitlines()
    calls = [json.loads(line)["call"] for line in lines]
    assert len({json.loads(call)["model"] for call in calls}) == 3


def test_a_replay_of_another_method_or_of_nothing_is_refused(answers):
    with serving(steady) as server:
        model = f"{server.url}#m"
        assay.run(f"rephrasing:{model}", answers, cassette="calls.jsonl")
    with pytest.raises(MethodError, match="was not recorded"):
        assay.run(f"injection:{model}", answers, cassette="calls.jsonl", mode="replay")
    with pytest.raises(MethodError, match="no recorded calls"):
        assay.run(f"rephrasing:{model}", answers, cassette="other.jsonl", mode="replay")


def test_an_edited_recording_is_refused(answers):
    with serving(steady) as server:
        method = f"rephrasing:{server.url}#m"
        assay.run(method, answers, cassette="calls.jsonl")
    file = answers.parent / "calls.jsonl"
    file.write_text(file.read_text().replace("They do.", "They did."))
    with pytest.raises(MethodError, match="does not have its digest"):
        assay.run(method, answers, cassette="calls.jsonl", mode="replay")


@pytest.mark.parametrize("method", ["token-overlap", "mine.py:detect", len])
def test_a_recording_for_a_method_that_asks_no_model_is_refused(answers, method):
    (answers.parent / "mine.py").write_text("def detect(question, response): return 0.0")
    with pytest.raises(SpecError, match=r"cassette=calls\.jsonl"):
        assay.run(method, answers, cassette="calls.jsonl")
    assert not (answers.parent / "calls.jsonl").exists()


def test_a_mode_without_a_recording_is_refused(answers):
    for words, told in (({"mode": "replay"}, "needs the file"), ({"mode": "x"}, "expected replay")):
        with pytest.raises(SpecError, match=told):
            assay.try_method("rephrasing:http://127.0.0.1:9/v1#m", answers, **words)


def test_a_learner_records_each_text_once_over_all_folds(answers):
    rows = [
        {"id": str(n), "question": f"Is {n} even?", "response": "It is.", "label": n % 2}
        for n in range(20)
    ]
    first = assay.run("similarity-residual:encoder", rows, cassette="calls.jsonl", task="detection")
    assert len((answers.parent / "calls.jsonl").read_bytes().splitlines()) == 21
    again = assay.run(
        "similarity-residual:encoder", rows, cassette="calls.jsonl", task="detection", mode="replay"
    )
    assert outputs(first) == outputs(again)
    assert first.folds == 5 and first.task == "detection"


def test_the_task_of_a_learner_is_one_that_it_does(answers):
    with pytest.raises(SpecError, match="similarity-residual does detection, not classification"):
        assay.run("similarity-residual:encoder", "darkcore", task="classification")


def test_one_call_that_fails_is_one_item_that_fails(answers):
    def partly(path, body):
        told = "cows" in body["messages"][-1]["content"]
        return Answer({"choices": []}) if told else steady(path, body)

    with serving(partly) as server:
        run = assay.run(f"rephrasing:{server.url}#m", answers, keep_going=True)
    failed = {record.item: record.error.kind for record in run.records if record.error}
    assert failed == {"a1": "raised"}


def test_a_wrong_key_is_told_without_the_place_in_our_code(answers):
    with serving(refusal(401)) as server, pytest.raises(MethodError, match="401") as caught:
        assay.run(f"rephrasing:{server.url}#m", answers)
    assert ".py, line" not in str(caught.value)
