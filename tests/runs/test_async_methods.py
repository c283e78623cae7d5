"""Coroutines are awaited, on one loop a worker, and fail as other methods do."""

import asyncio
import functools
import subprocess
import sys
import threading

import pytest

import assay
from assay import errors
from assay.runs.event_loop import EventLoop
from assay.runs.worker import start_worker

DARK = assay.load_benchmark("darkcore")
LENGTHS = [
    record.output for record in assay.run(lambda question, response: len(response), DARK).records
]


async def detect(question, response):
    await asyncio.sleep(0)
    return len(response)


class Judge:
    async def __call__(self, question, response):
        return await detect(question, response)


def logged(function):
    @functools.wraps(function)
    def wrapper(*given):
        return function(*given)

    return wrapper


def unlabelled(function):
    return lambda *given: function(*given)


FORMS = {
    "a coroutine function": detect,
    "an object": Judge(),
    "a partial": functools.partial(
        lambda prompt, question, response: detect(question, response), ""
    ),
    "decorated": logged(detect),
    "decorated without wraps": unlabelled(detect),
    "a function that gives back a coroutine": lambda question, response: detect(question, response),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_async_method_gives_what_a_plain_one_gives(form):
    assert [record.output for record in assay.run(FORMS[form], DARK).records] == LENGTHS


def test_an_async_method_runs_in_a_process_of_its_own_too(assay_cmd, method_file):
    body = "import asyncio\nasync def detect(question, response):\n    return len(response)\n"
    done = assay_cmd("try", method_file(body), "--bars", "v1", "--json")
    assert done.json["bars"][0]["value"] == pytest.approx(0.784, abs=0.001)
    body = "async def predict(question):\n    return 'folklore'\n"
    assert assay_cmd("try", method_file(body, "predict"), "--json").json["task"] == "classification"


def test_an_async_method_works_inside_a_running_loop():
    async def notebook():
        return assay.run(detect, DARK)

    run = asyncio.run(notebook())
    assert [record.output for record in run.records] == LENGTHS


ONE_LOOP = """
import asyncio
loops = set()

async def detect(question, response):
    loops.add(asyncio.get_running_loop())
    return float(len(loops))
"""


def test_the_loop_is_kept_between_items(method_file, tmp_path):
    loops = set()

    async def here(question, response):
        loops.add(asyncio.get_running_loop())
        return float(len(loops))

    method_file(ONE_LOOP)
    for method in (here, f"{tmp_path}/method.py:detect"):
        assert {record.output for record in assay.run(method, DARK).records} == {1.0}


def test_a_learner_may_give_back_an_async_function(assay_cmd, method_file):
    body = """
class Learner:
    def fit(self, examples):
        rate = sum(example["target"] for example in examples) / len(examples)
        async def score(question, response):
            return rate
        return score
"""
    reference = method_file(body, "Learner")
    done = assay_cmd("try", reference, "--task", "detection", "--bars", "v1", "--json")
    assert done.json["unscored"] == 0


AT_FIFTY = (
    "import asyncio\ncount = 0\nasync def detect(question, response):\n"
    "    global count\n    count += 1\n"
)
FAILURES = {
    "an exception": (
        "raise ValueError('boom')",
        errors.MethodRaised,
        "ValueError: boom (method.py",
    ),
    "SystemExit": ("raise SystemExit(0)", errors.MethodExited, "SystemExit(0)"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", errors.MethodRaised, "KeyboardInterrupt"),
    "a cancelled task": (
        "asyncio.current_task().cancel(); await asyncio.sleep(1)",
        errors.MethodRaised,
        "Cancel",
    ),
    "a stopped loop": (
        "asyncio.get_running_loop().stop(); await asyncio.sleep(9)",
        errors.MethodRaised,
        "stopped",
    ),
    "a hang": ("await asyncio.sleep(60)", errors.MethodTimedOut, "still answering after 1 s"),
    "a hang of the loop": ("import time; time.sleep(60)", errors.MethodTimedOut, "still answering"),
    "a crash": ("import os; os._exit(3)", errors.MethodCrashed, "ended with code 3"),
    "NaN": ("return float('nan')", errors.BadOutput, "got nan"),
    "nothing": ("return None", errors.BadOutput, "NoneType"),
    "another coroutine": ("return detect('', '')", errors.BadOutput, "got coroutine"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_of_an_async_method_is_typed_and_loses_nothing(name, assay_cmd, method_file):
    statement, kind, words = FAILURES[name]
    body = f"{AT_FIFTY}    if count == 50:\n        {statement}\n    return 0.5\n"
    done = assay_cmd("try", method_file(body), "--save", "kept", "--item-seconds", "1")
    assert done.code == 5
    assert f"{kind.__name__}: method.py:detect, item darkcore-" in done.err
    assert words in done.err
    assert "The 49 outputs that were made are kept in kept" in done.err


@pytest.mark.parametrize(
    "statement",
    ["raise SystemExit(1)", "asyncio.get_running_loop().stop(); await asyncio.sleep(1)"],
)
def test_the_items_after_a_failure_are_asked_on_the_same_loop(statement, assay_cmd, method_file):
    body = f"{AT_FIFTY}    if count == 50:\n        {statement}\n    return 0.5\n"
    done = assay_cmd("try", method_file(body), "--keep-going", "--json")
    assert done.json["unscored"] == 1


def test_a_generator_is_refused_when_it_is_loaded(assay_cmd, method_file):
    for body in (
        "async def detect(question, response):\n    yield 1.0\n",
        "def detect(question, response):\n    yield 1.0\n",
        "class D:\n    async def __call__(self, question, response):\n        yield 1.0\n"
        "detect = D()\n",
    ):
        done = assay_cmd("try", method_file(body))
        assert done.code == 5
        assert "MethodNotLoaded: method.py:detect: it yields" in done.err


def test_a_generator_that_a_decorator_hides_is_no_answer():
    async def answers(question, response):
        yield 1.0

    with pytest.raises(errors.BadOutput, match="got async_generator"):
        assay.run(unlabelled(answers), DARK)


LEFT_RUNNING = """
import asyncio
kept = []

async def forever():
    try:
        await asyncio.sleep(600)
    finally:
        raise RuntimeError("ended badly")

async def detect(question, response):
    kept.append(asyncio.create_task(forever()))
    await asyncio.sleep(0)
    return float(len(response))
"""


def test_tasks_that_a_method_leaves_are_ended_without_noise(assay_cmd, method_file, tmp_path):
    done = assay_cmd("try", method_file(LEFT_RUNNING), "--json")
    assert done.json["unscored"] == 0
    assert "Task" not in done.err and "ended badly" not in done.err
    here = (
        "import assay, threading\nfrom method import detect, kept\n"
        "assay.run(detect, assay.load_benchmark('darkcore'))\n"
        "assert all(task.done() for task in kept) and len(kept) == 108\n"
        "assert threading.active_count() == 1\n"
    )
    made = subprocess.run(
        [sys.executable, "-X", "dev", "-c", here],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, "")


def test_a_task_that_will_not_be_cancelled_holds_nothing_up(monkeypatch):
    monkeypatch.setattr("assay.runs.event_loop._CLOSING_SECONDS", 0.05)

    async def stubborn():
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                continue

    async def method(question, response):
        asyncio.get_running_loop().kept = asyncio.create_task(stubborn())
        return 1.0

    with start_worker(method) as worker:
        assert worker.ask("q", "r") == 1.0


def test_a_background_task_that_asks_to_exit_does_not_end_the_thread():
    async def leaves():
        raise SystemExit(3)

    async def method(question, response):
        asyncio.get_running_loop().kept = asyncio.create_task(leaves())
        await asyncio.sleep(0.01)
        return 1.0

    with start_worker(method) as worker:
        assert [worker.ask("q", "r") for _ in range(3)] == [1.0] * 3


def test_an_interrupt_while_a_coroutine_runs_is_the_users():
    async def interrupted(question, response):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.run(interrupted, DARK, keep_going=True)


def test_a_loop_that_was_never_needed_starts_no_thread_and_imports_nothing():
    before = threading.active_count()
    loop = EventLoop(own_thread=True)
    loop.close()
    assert threading.active_count() == before
    code = (
        "import assay.runs.worker_main, assay.runs.worker, sys; sys.exit('asyncio' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
