"""Methods that take lists: what they are given, what they must give back, what a failure costs."""

import json

import pytest

import assay
from assay import errors
from assay.confounding.own_features import measure_feature
from assay.runs.result import BATCH
from assay.runs.worker import default_task, start_worker

DARK = assay.load_benchmark("darkcore")
ALL = len(DARK.items)


def lengths(run):
    return [record.output for record in run.records]


PLAIN = lengths(assay.run(lambda question, response: len(response), DARK))


def detect_batch(questions, responses):
    return [len(response) for response in responses]


async def async_batch(questions, responses):
    return detect_batch(questions, responses)


def array_batch(questions, responses):
    import numpy as np

    return np.array(detect_batch(questions, responses))


FORMS = {
    "a list": detect_batch,
    "async": async_batch,
    "a tuple": lambda questions, responses: tuple(detect_batch(questions, responses)),
    "an array": array_batch,
    "by name": lambda responses, questions: detect_batch(questions, responses),
    "only one of them": lambda responses: detect_batch([], responses),
    "by keyword": lambda *, responses, questions: detect_batch(questions, responses),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_batch_method_gives_what_a_plain_one_gives(form):
    run = assay.run(FORMS[form], DARK)
    assert lengths(run) == PLAIN
    assert run.batch == BATCH


SIGNATURES = {
    "def detect(questions, responses)": True,
    "def detect(questions)": True,
    "def detect_batch(qs, rs)": True,
    "def detect_batch(*both)": True,
    "def detect(question, response)": False,
    "def detect_batch(question, response)": False,
    "def detect(question, responses=None)": False,
    "def batch(q, r)": False,
    "async def predict_batch(questions)": True,
    "async def predict(question)": False,
}


@pytest.mark.parametrize("signature", SIGNATURES)
def test_parameters_tell_a_batch_method_and_else_its_name(signature, method_file, tmp_path):
    name = signature.removeprefix("async ")[4:].partition("(")[0]
    method_file(f"{signature}:\n    return None\n")
    with start_worker(f"{tmp_path}/method.py:{name}") as worker:
        assert worker.takes_batches is SIGNATURES[signature]


def test_a_mixture_of_one_and_many_is_refused(assay_cmd, method_file):
    done = assay_cmd("try", method_file("def detect(question, responses):\n    return 1.0\n"))
    assert done.code == 5
    assert "it takes (question, responses), expected" in done.err
    assert "no mixture" in done.err


def test_a_batch_method_that_wants_more_is_refused(assay_cmd, method_file):
    done = assay_cmd("try", method_file("def detect_batch(a, b, c):\n    pass\n", "detect_batch"))
    assert "expected (questions) or (questions, responses)" in done.err


def test_the_task_of_a_batch_method_follows_from_its_parameters():
    with start_worker(lambda questions: None) as worker:
        assert default_task(worker, DARK) == "classification"
    with start_worker(detect_batch) as worker:
        assert default_task(worker, DARK) == "detection"


def test_batches_have_the_size_that_is_asked_for_and_nothing_but_texts():
    seen = []

    def method(questions, responses):
        seen.append(len(questions))
        assert len(questions) == len(responses)
        assert all(type(text) is str for text in (*questions, *responses))
        return [1.0] * len(questions)

    run = assay.run(method, DARK, batch=50)
    assert seen == [50, 50, 8]
    assert run.batch == 50
    assert [record.item for record in run.records] == [
        record.item for record in assay.run(lambda question, response: 1.0, DARK).records
    ]


def test_what_a_method_does_to_its_lists_changes_nothing():
    def method(questions, responses):
        answers = [float(len(text)) for text in responses]
        questions.clear()
        responses.clear()
        return answers

    assert lengths(assay.run(method, DARK)) == PLAIN


@pytest.mark.parametrize("size", [0, -1, 10_001])
def test_a_size_that_is_none_is_refused_before_the_method_is_loaded(size):
    with pytest.raises(assay.SpecError, match="expected a number of items, 1 to 10,000"):
        assay.run(detect_batch, DARK, batch=size)


def test_a_size_for_a_method_that_takes_one_item_is_refused(assay_cmd, method_file):
    with pytest.raises(assay.SpecError, match="takes one item at a time"):
        assay.run(lambda question, response: 1.0, DARK, batch=4)
    done = assay_cmd("try", method_file("def detect(q, r):\n    return 1.0\n"), "--batch", "4")
    assert done.code == 2


def test_a_fitted_function_may_take_batches_within_its_fold():
    sizes = []

    class Learner:
        def fit(self, examples):
            def score_batch(questions, responses):
                sizes.append(len(questions))
                return [float(len(text)) for text in responses]

            return score_batch

    run = assay.run(Learner(), DARK, task="detection", batch=16)
    assert run.batch == 16
    assert sum(sizes) == ALL
    assert max(sizes) == 16
    plain = {record.item: record.output for record in assay.run(detect_batch, DARK).records}
    assert {record.item: record.output for record in run.records} == plain


def test_a_feature_of_ones_own_may_take_batches(method_file, tmp_path):
    method_file("def size(responses):\n    return [len(text) for text in responses]\n", "size")
    feature = measure_feature(f"{tmp_path}/method.py:size", DARK)
    assert feature.on == "response"
    assert list(feature.values) == [len(item.response) for item in DARK.items]


BAD = """
count = 0

def detect_batch(questions, responses):
    global count
    count += 1
    answers = [0.5] * len(questions)
    if count == 5:
        {statement}
    return answers
"""
OF_THE_BATCH = {
    "an exception": ("raise ValueError('boom')", errors.MethodRaised, "ValueError: boom"),
    "SystemExit": ("raise SystemExit(0)", errors.MethodExited, "SystemExit(0)"),
    "a hang": ("import time; time.sleep(60)", errors.MethodTimedOut, "answering after 1 s"),
    "a crash": ("import os; os._exit(3)", errors.MethodCrashed, "ended with code 3"),
    "too few answers": ("answers.pop()", errors.BadOutput, "got 9 answers, expected a list of 10"),
    "too many": ("answers.append(1.0)", errors.BadOutput, "got 11 answers, expected a list of 10"),
    "a number": ("return 0.5", errors.BadOutput, "got float, expected a list of 10 answers"),
    "a mapping": ("return {'score': 1.0}", errors.BadOutput, "got dict, expected a list"),
    "nothing": ("return None", errors.BadOutput, "got NoneType, expected a list"),
}


def kept(folder):
    return [json.loads(line) for line in (folder / "kept/outputs.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", OF_THE_BATCH)
def test_a_failure_of_a_batch_names_it_and_loses_nothing(name, assay_cmd, method_file, tmp_path):
    statement, kind, words = OF_THE_BATCH[name]
    reference = method_file(BAD.replace("{statement}", statement), "detect_batch")
    flags = ("--batch", "10", "--save", "kept", "--item-seconds", "0.1")
    done = assay_cmd("try", reference, *flags)
    assert done.code == 5
    assert f"{kind.__name__}: method.py:detect_batch, batch of 10 items (darkcore-" in done.err
    assert words in done.err
    assert "--batch 1 shows which item it is." in done.err
    assert "The 40 outputs that were made are kept in kept" in done.err
    lines = kept(tmp_path)
    assert [line["output"] for line in lines] == [0.5] * 40 + [None] * 10
    assert {line["error"]["kind"] for line in lines[40:]} == {kind.kind}
    assert lines[-1]["error"]["message"].startswith("its batch: ")


OF_ONE = {
    "NaN": ("float('nan')", "got nan as score"),
    "None": ("None", "NoneType"),
    "a text": ("'high'", "got 'high' as score"),
    "an object": ("object()", "got object"),
    "a nested list": ("[1.0]", "got list"),
    "a flood of lists": ("__import__('functools').reduce(lambda a, _: [a], range(9999), 1)", "got"),
    "a generator": ("(lambda: (i for i in ()))()", "got generator"),
}


@pytest.mark.parametrize("name", OF_ONE)
def test_one_bad_answer_names_its_item_and_the_others_are_kept(
    name, assay_cmd, method_file, tmp_path
):
    answer, words = OF_ONE[name]
    body = BAD.replace("{statement}", f"answers[3] = {answer}")
    reference = method_file(body, "detect_batch")
    done = assay_cmd("try", reference, "--batch", "10", "--save", "kept")
    assert done.code == 5
    assert "BadOutput: method.py:detect_batch, item darkcore-" in done.err
    assert words in done.err
    outputs = [line["output"] for line in kept(tmp_path)]
    assert outputs == [0.5] * 43 + [None] + [0.5] * 6


def test_one_bad_answer_in_process_names_its_item():
    def method(questions, responses):
        return [float("nan"), *[1.0] * (len(questions) - 1)]

    with pytest.raises(errors.BadOutput, match=r"item darkcore-\d+ .*got nan") as caught:
        assay.run(method, DARK, batch=10)
    assert len(caught.value.run.records) == 10
    assert caught.value.run.batch == 10


@pytest.mark.parametrize("name", ["an exception", "a crash", "too few answers"])
def test_with_keep_going_the_other_batches_are_asked(name, assay_cmd, method_file):
    body = BAD.replace("{statement}", OF_THE_BATCH[name][0]).replace("== 5", "== 2")
    reference = method_file(body, "detect_batch")
    done = assay_cmd("try", reference, "--batch", "10", "--keep-going", "--json")
    # After a crash the count starts again, so that the second batch of each process ends it.
    assert done.json["items"] == ALL
    assert done.json["verdict"] == "unresolved"
    assert done.json["unscored"] == (ALL // 20 * 10 if name == "a crash" else 10)


def test_a_method_whose_every_batch_crashes_is_given_up(assay_cmd, method_file):
    reference = method_file("def detect_batch(q, r):\n    import os; os._exit(1)", "detect_batch")
    done = assay_cmd("try", reference, "--keep-going", "--batch", "2")
    assert done.code == 5
    assert "10 batches in a row ended its process" in done.err


def test_a_batch_of_one_names_the_item(assay_cmd, method_file):
    reference = method_file(BAD.replace("{statement}", "raise ValueError('boom')"), "detect_batch")
    done = assay_cmd("try", reference, "--batch", "1")
    assert "method.py:detect_batch, item darkcore-" in done.err
    assert "--batch 1" not in done.err


def test_forged_answers_to_a_batch_are_seen(assay_cmd, method_file):
    body = (
        "import os\n"
        "def detect_batch(questions, responses):\n"
        "    for descriptor in range(3, 12):\n"
        "        try:\n"
        "            os.write(descriptor, {line})\n"
        "        except OSError:\n"
        "            pass\n"
        "    return [1.0] * len(questions)\n"
    )
    for line in (
        'b\'{"n": 2, "ok": [1.0]}\\n\'',
        'b\'{"n": 2, "ok": 1}\\n\'',
        'b\'{"n": 2, "ok": [{"o": 1}, {"ok": 1}]}\\n\'',
    ):
        reference = method_file(body.replace("{line}", line), "detect_batch")
        done = assay_cmd("try", reference, "--batch", "2")
        assert done.code == 5, done.err
        assert "BadOutput" in done.err


def test_the_card_says_that_items_were_asked_together(assay_cmd, method_file):
    body = "def detect_batch(questions, responses):\n    return [len(r) for r in responses]\n"
    reference = method_file(body, "detect_batch")
    saved = assay_cmd("try", reference, "--save", "kept", "--json")
    (said,) = (c["message"] for c in saved.json["caveats"] if c["code"] == "batched")
    assert "32 at a time" in said
    assert assay_cmd("score", "kept", "--json").out == saved.out
    alone = assay_cmd("try", reference, "--batch", "1", "--json")
    assert "batched" not in [caveat["code"] for caveat in alone.json["caveats"]]
    assert alone.json["bars"] == saved.json["bars"]


FAILS = """
def detect(questions, responses):
    return [ValueError("no idea") if "?" not in q else 1.0 for q in questions]
"""


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("isolated", [True, False])
def test_an_exception_that_is_returned_is_the_failure_of_its_item_alone(tmp_path, isolated, batch):
    (tmp_path / "mine.py").write_text(FAILS)
    here = {}
    exec(FAILS, here)  # noqa: S102 - the same function, in this process
    rows = [
        {"id": str(n), "question": "Why" if n == 2 else "Why?", "response": "a", "label": n % 2}
        for n in range(4)
    ]
    method = f"{tmp_path}/mine.py:detect" if isolated else here["detect"]
    run = assay.run(method, rows, keep_going=True, batch=batch)
    failed = {record.item: record.error for record in run.records if record.error}
    assert list(failed) == ["2"]
    assert failed["2"].kind == "raised" and "ValueError: no idea" in failed["2"].message
    with pytest.raises(errors.MethodRaised, match="no idea"):
        assay.run(method, rows, batch=batch)
