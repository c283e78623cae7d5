import pytest

from assay.method.classes import METHOD_CLASSES, method_class
from assay.method.model_based.table import MODEL_METHODS
from assay.method.registry import REGISTERED, listed


def test_every_bundled_method_has_a_class_and_every_class_a_method():
    found = {method.method_class for method in listed().values()}
    assert found == set(METHOD_CLASSES)
    assert all(method_class(name) in METHOD_CLASSES for name in REGISTERED)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("constant", "uninformed"),
        ("hash-random", "uninformed"),
        ("majority", "uninformed"),
        ("question-length", "surface"),
        ("oracle:word_length:inverse", "surface"),
        ("surface-model", "surface"),
        ("tfidf:char", "lexical"),
        ("token-overlap", "lexical"),
        ("critique:local", "critique"),
        ("likelihood-difference:local,local:a.gguf", "likelihood"),
        ("similarity-residual:encoder", "embedding"),
        ("entailment:https://example.org/v1#m", "entailment"),
        ("injection-folklore:local", "perturbation"),
        ("disagreement:local,https://example.org/v1#m", "consensus"),
    ],
)
def test_the_class_of_a_reference(reference, expected):
    assert method_class(reference) == expected


@pytest.mark.parametrize(
    "reference",
    ["mine.py:detect", "package.module:detect", "similarity:detect", "likelihood", "", "a:local"],
)
def test_code_of_the_users_own_has_none(reference):
    assert method_class(reference) is None


def test_the_listed_forms_are_classed_by_their_names():
    assert {method.form for method in MODEL_METHODS.values()} <= set(listed())
