"""The class of a reference, without loading it."""

import pytest

from assay.method.classes import METHOD_CLASSES, method_class
from assay.method.registry import REGISTERED


@pytest.mark.parametrize(
    ("reference", "known"),
    [
        ("token-overlap", "lexical"),
        ("oracle:word_length", "surface"),
        ("oracle:word_length:inverse", "surface"),
        ("constant", "uninformed"),
        ("critique:local", "critique"),
        ("critique:https://host/v1#model", "critique"),
        ("mine.py:detect", None),
        ("package.module:detect", None),
        ("token-overlap.py:detect", None),
        ("", None),
    ],
)
def test_a_reference_knows_its_class_and_code_of_ones_own_does_not(reference, known):
    assert method_class(reference) == known


def test_every_bundled_method_has_a_class_of_the_list():
    assert {method_class(name) for name in REGISTERED} <= set(METHOD_CLASSES)
    assert len(set(METHOD_CLASSES)) == len(METHOD_CLASSES)
