"""A fault of a key is said in plain words, with its place and what was expected."""

from typing import Literal

import msgspec
import pytest

from assay.messages.key_faults import fault_words


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    better: Literal["higher", "lower"] | None = None
    range: tuple[float, float] | None = None
    need: int = 0


class Form(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    inner: Inner | None = None
    several: list[Inner] = []
    gated: bool = False


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"path": "a", "pth": 1}, "unknown key `pth`"),
        ({}, "the key `path` is missing"),
        ({"path": 1}, "path: expected text, got a whole number"),
        ({"path": "a", "gated": 1}, "gated: expected true or false, got a whole number"),
        ({"path": "a", "inner": {"better": "up"}},
         "inner.better: got 'up', expected higher or lower"),
        ({"path": "a", "several": [{"better": "D"}]},
         "several[0].better: got 'D', expected higher or lower"),
        ({"path": "a", "inner": {"range": 3}},
         "inner.range: expected a list or nothing, got a whole number"),
        ({"path": "a", "inner": {"range": [1]}}, "inner.range: expected a list of length 2"),
        ({"path": "a", "inner": {"other": 1}}, "inner: unknown key `other`"),
    ],
    ids=str,
)  # fmt: skip
def test_a_fault_is_said_in_words(given, said):
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert(given, Form)
    assert fault_words(error.value, Form).startswith(said)


def test_no_word_of_the_library_that_checks_is_left():
    for given in ({}, {"path": 1}, {"path": "a", "x": 1}, {"path": "a", "inner": {"better": 3}}):
        with pytest.raises(msgspec.ValidationError) as error:
            msgspec.convert(given, Form)
        said = fault_words(error.value, Form)
        assert not {"Object", "field", "`str`", "`array`", "$"} & set(said.split()), said
