"""A method is tried on made-up input before it is sealed; a learner is fitted first."""

import pytest
from helpers.studies import a_study, drafted, kinds, raised, remember_installed

from assay.benchmark.benchmark import Benchmark, Item
from assay.errors import MethodRaised
from assay.method.registry import REGISTERED
from assay.study.submissions.probe import made_up_examples
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.submissions.spec import Prereg

LEARNER = """
class Learner:
    def fit(self, examples):
        {fit}
        return lambda question, response: {answer}
"""
SOUND = {"fit": "sum(example['target'] for example in examples)", "answer": "len(response)"}
BROKEN = {
    "fit": ({**SOUND, "fit": "[example.response for example in examples]"},
            ["as it was fitted to 36 made-up examples", "example['response']"]),
    "answer": ({**SOUND, "answer": "len(respnse)"}, ["on the test question", "respnse"]),
}  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    remember_installed(monkeypatch)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_learner_that_fails_is_not_sealed_and_keeps_its_only_run(tmp_path, kind):
    parts, told = BROKEN[kind]
    study = a_study(tmp_path, "opened")
    drafted(study, body=LEARNER.format(**parts), function="Learner")
    error = raised(seal, study, "001")
    assert isinstance(error, MethodRaised)
    assert all(word in error.message for word in told)
    assert "`probe=False`" in error.hint
    assert kinds(study) == ["study"]
    seal(study, "001", probe=False)
    assert kinds(study) == ["study", "seal"]


def test_a_learner_that_works_is_sealed_and_runs(tmp_path):
    study = a_study(tmp_path, "opened")
    drafted(study, body=LEARNER.format(**SOUND), function="Learner")
    seal(study, "001")
    assert run_sealed(study, "001", unwitnessed=True).scorecard is not None


def benchmark(*, response, classes=()):
    items = tuple(
        Item(id=str(n), question=f"q{n}", response=response, label=bool(n % 2),
             cls=classes[n % len(classes)] if classes else None)
        for n in range(8)
    )  # fmt: skip
    return Benchmark(name="small", digest="sha256:0", items=items)


def prereg(task):
    return Prereg(task=task, method="method.py:Learner")


def test_made_up_examples_have_the_targets_and_the_gaps_of_the_benchmark():
    mute = made_up_examples(prereg("classification"), benchmark(response=None, classes=("a", "b")))
    assert {example["target"] for example in mute} == {"a", "b"}
    assert {example["response"] for example in mute} == {None}
    full = made_up_examples(prereg("detection"), benchmark(response="Yes."))
    assert {example["target"] for example in full} == {0, 1}
    assert all(example["response"] for example in full)
    questions = {example["question"] for example in full}
    assert not questions & {item.question for item in benchmark(response="Yes.").items}


@pytest.mark.parametrize("name", ["majority", "tfidf:word", "tfidf:char", "surface-model"])
def test_every_bundled_learner_can_be_fitted_to_them(name):
    learner = REGISTERED[name]
    for task in learner.tasks:
        data = benchmark(response="Yes.", classes=("truth", "folklore"))
        made = learner.method if hasattr(learner.method, "fit") else None
        made = made() if isinstance(made, type) else made
        assert callable(made.fit(made_up_examples(prereg(task), data)))
