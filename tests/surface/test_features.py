from functools import partial

import pytest

import assay
from assay.benchmark.benchmark import Item
from assay.confounding import own_features as features
from assay.confounding.own_features import measure_feature
from assay.errors import (
    BadOutput,
    MethodCrashed,
    MethodExited,
    MethodNotLoaded,
    MethodRaised,
    MethodTimedOut,
    SpecError,
)

ITEMS = (
    Item(id="a", question="one two three", response="x", label=True),
    Item(id="b", question="q", response="y y", label=False),
    Item(id="c", question="one", response=None, label=False),
)
BENCHMARK = assay.Benchmark(name="mine", digest="sha256:0", items=ITEMS)
BODY = """
import functools, os, sys

def of_response(response): return len(response)
def of_question(question): return len(question)
def of_both(question, response): return len(question) - len(response)
def other_way_round(response, question): return len(question) - len(response)
def of_text(text): return len(text)
def with_default(answer, weight=2): return weight * len(answer)
def two_unnamed(a, b): return len(a)
def prints(response):
    print("\\x1b[31m", file=sys.stderr)
    return 1
def mapping(response): return {"score": 2.5}
def truth(response): return bool(response)

def plus(function):
    @functools.wraps(function)
    def wrapped(*given, **named):
        return function(*given, **named) + 1
    return wrapped

@plus
def wrapped(text): return len(text)

def raises(response): raise ValueError("no way")
def nan(response): return float("nan")
def infinite(response): return 1e999
def text(response): return "3"
def nothing(response): return None
def a_list(response): return [1]
def exits(response): raise SystemExit(0)
def crashes(response): os._exit(7)
def hangs(response):
    while True:
        pass
def nothing_asked(): return 1
def too_much(question, response, label): return 1
NUMBER = 3

class Learner:
    def fit(self, examples): return len
"""


@pytest.fixture
def measure(tmp_path):
    (tmp_path / "own.py").write_text(BODY)
    return lambda name: measure_feature(f"{tmp_path}/own.py:{name}", BENCHMARK)


@pytest.mark.parametrize(
    ("name", "on", "values"),
    [
        ("of_response", "response", [1, 3, 0]),
        ("of_question", "question", [13, 1, 3]),
        ("of_both", "both", [12, -2, 3]),
        ("other_way_round", "both", [12, -2, 3]),
        ("of_text", "response", [1, 3, 0]),
        ("with_default", "response", [2, 6, 0]),
        ("two_unnamed", "both", [13, 1, 3]),
        ("wrapped", "response", [2, 4, 1]),
        ("prints", "response", [1, 1, 1]),
        ("mapping", "response", [2.5, 2.5, 2.5]),
        ("truth", "response", [1, 1, 0]),
    ],
)
def test_a_feature_is_of_what_its_arguments_say(measure, name, on, values):
    found = measure(name)
    assert (found.name, found.on, found.values.tolist()) == (name, on, values)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("raises", MethodRaised, "record a: ValueError: no way"),
        ("nan", BadOutput, "record a: got nan as score"),
        ("infinite", BadOutput, "got inf as score"),
        ("text", BadOutput, "got '3' as score"),
        ("nothing", BadOutput, "expected a finite number"),
        ("a_list", BadOutput, "expected a finite number"),
        ("exits", MethodExited, "SystemExit(0)"),
        ("crashes", MethodCrashed, "ended with code 7"),
        ("nothing_asked", MethodNotLoaded, "it takes ()"),
        ("too_much", MethodNotLoaded, "it takes (question, response, label)"),
        ("nowhere", MethodNotLoaded, "has no attribute 'nowhere'"),
        ("NUMBER", MethodNotLoaded, "expected a function to call"),
        ("Learner", SpecError, "is a learner, expected a plain function"),
    ],
)
def test_a_feature_that_is_none_is_refused_with_its_record(measure, name, kind, words):
    with pytest.raises(kind) as caught:
        measure(name)
    assert words in caught.value.message


def test_a_feature_that_hangs_is_ended(measure, monkeypatch):
    impatient = partial(features.start_worker, limits=assay.Limits(item_seconds=0.3))
    monkeypatch.setattr(features, "start_worker", impatient)
    with pytest.raises(MethodTimedOut) as caught:
        measure("hangs")
    assert "record a: still answering after 0.3 s" in caught.value.message


def test_a_registered_method_may_serve_as_a_feature():
    found = measure_feature("oracle:word_length", BENCHMARK)
    assert (found.name, found.values.tolist()) == ("oracle:word_length", [1.0, 2.0, 0.0])


@pytest.mark.parametrize("reference", ["nothere.py:f", "own.py", "", ":", "nosuchname"])
def test_a_reference_to_nothing_is_bad_usage(reference):
    with pytest.raises(SpecError):
        measure_feature(reference, BENCHMARK)
