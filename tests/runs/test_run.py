from pathlib import Path

import pytest
from helpers.trial_systems import alive, eventually

import assay
from assay.benchmark.benchmark import Item
from assay.runs.worker import default_task, start_worker

DARK = assay.load_benchmark("darkcore")


def test_every_item_gives_one_record():
    run = assay.run("oracle:word_length", DARK)
    assert sorted(record.item for record in run.records) == sorted(item.id for item in DARK.items)
    assert run.complete
    by_id = {item.id: item for item in DARK.items}
    for record in run.records:
        assert record.output == len(by_id[record.item].response.split())


def test_a_registered_method_gives_in_a_process_what_it_gives_here():
    from assay.method.registry import REGISTERED

    for name in ("token-overlap", "oracle:hedge_density", "hash-random"):
        there = assay.run(name, DARK, task="detection")
        here = assay.run(REGISTERED[name].method, DARK, task="detection")
        assert [r.output for r in there.records] == [r.output for r in here.records]
        assert (there.isolation, here.isolation) == ("L1", "trusted")


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("oracle:word_length", "detection"),
        ("majority", "classification"),
        ("tfidf:word", "classification"),
    ],
)
def test_the_task_of_a_registered_method_is_its_own(name, task):
    with start_worker(name) as worker:
        assert default_task(worker, DARK) == task


def test_the_task_of_ones_own_follows_from_its_parameters():
    with start_worker(lambda question: "truth") as worker:
        assert default_task(worker, DARK) == "classification"
    with start_worker(lambda question, response: 0.5) as worker:
        assert default_task(worker, DARK) == "detection"


def test_a_method_that_cannot_do_the_task_is_refused():
    with pytest.raises(assay.SpecError, match="token-overlap does detection, not classification"):
        assay.run("token-overlap", DARK, task="classification")


def test_a_benchmark_without_responses_cannot_be_judged_by_them():
    items = (
        Item(id="1", question="Q", cls="truth"),
        Item(id="2", question="R", cls="x"),
    )
    bare = assay.Benchmark(name="bare", digest="sha256:0", items=items)
    with pytest.raises(assay.SpecError, match="record 1 has no response"):
        assay.run("oracle:word_length", bare)


def test_learners_are_out_of_fold_and_their_second_corpus_is_asked_of_the_whole_first():
    class Count:
        sizes: list[int] = []  # noqa: RUF012 - shared on purpose

        def fit(self, examples):
            self.sizes.append(len(examples))
            return lambda question: "truth"

    both = DARK.with_second(assay.load_benchmark("folklore-two"))
    run = assay.run(Count(), both, task="classification")
    assert sorted(Count.sizes) == sorted([86, 86, 86, 87, 87, 108])
    assert run.folds == 5
    assert len(run.records) == 188
    assert sum(record.item.startswith("second/") for record in run.records) == 80


def test_a_failure_carries_the_outputs_made_before():
    calls = []

    def fails(question, response):
        calls.append(question)
        if len(calls) == 10:
            raise RuntimeError("tenth")
        return 1.0

    with pytest.raises(assay.errors.MethodRaised, match="RuntimeError: tenth") as caught:
        assay.run(fails, DARK)
    assert len(caught.value.run.records) == 10
    assert not caught.value.run.complete


def test_no_process_is_left_behind_and_no_descriptor():
    before = sorted(Path("/proc/self/fd").iterdir())
    for _ in range(3):
        assay.run("oracle:word_length", DARK)
    with pytest.raises(assay.errors.MethodNotLoaded):
        assay.run("no_such_module:f", DARK)
    assert sorted(Path("/proc/self/fd").iterdir()) == before


def test_an_abandoned_hang_is_ended_with_what_it_started(tmp_path):
    child = tmp_path / "child.py"
    child.write_text(
        "import pathlib, time\npathlib.Path(__file__).with_name('up').touch()\ntime.sleep(600)\n"
    )
    method = tmp_path / "method.py"
    method.write_text(
        "import pathlib, subprocess, sys, time\n"
        "child = pathlib.Path(__file__).with_name('child.py')\n"
        "subprocess.Popen([sys.executable, child])\n"
        "while not child.with_name('up').exists():\n"
        "    time.sleep(0.01)\n"
        "def detect(question, response):\n"
        "    time.sleep(600)\n"
    )
    with pytest.raises(assay.errors.MethodTimedOut):
        assay.run(f"{method}:detect", DARK, item_seconds=0.5)
    assert (tmp_path / "up").exists()
    assert eventually(lambda: not alive(str(child)))


def test_a_callable_has_no_deadline_and_no_environment_to_be_given():
    with pytest.raises(assay.SpecError, match="limits and an environment"):
        assay.run(lambda question, response: 1.0, DARK, item_seconds=1)


def test_an_interrupt_is_the_users_in_a_trusted_run():
    def interrupted(question, response):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.run(interrupted, DARK, keep_going=True)


def test_a_trusted_run_leaves_the_callers_randomness_alone():
    import random

    random.seed(1)
    state = random.getstate()
    assay.run(lambda question, response: 1.0, DARK)
    assert random.getstate() == state


def test_a_run_in_a_notebook_is_short_to_look_at():
    run = assay.run(lambda question, response: len(response), DARK)
    card = assay.score(run, DARK, assay.load_bars("v1"))
    assert len(repr(run)) < 1500
    assert len(repr(DARK)) < 500
    assert str(card).startswith(f"{card.verdict.upper()}: {card.meaning}\n")
