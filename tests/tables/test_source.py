"""Standard input: read once, bounded, and called by its name."""

import io
import sys

import pytest

from assay.errors import SpecError
from assay.tables import source
from assay.tables.source import read_table


@pytest.fixture
def pipe(monkeypatch):
    def give(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


def test_standard_input_is_read_by_its_content(pipe):
    pipe(b"a;b\n1;2\n")
    assert list(read_table("-").rows()) == [("standard input, line 2", {"a": "1", "b": "2"})]


def test_it_can_be_read_again_and_not_for_two_things(pipe):
    pipe(b'{"a": 1}')
    first = read_table("-")
    assert read_table("-", again=True).digest == first.digest
    with pytest.raises(SpecError, match="standard input is named twice"):
        read_table("-")
    pipe(b'{"a": 2}')
    assert read_table("-").digest != first.digest


def test_it_is_bounded(pipe, monkeypatch):
    monkeypatch.setattr(source, "MAX_FILE_BYTES", 10)
    pipe(b"x" * 11)
    with pytest.raises(SpecError, match="standard input: more than 10 bytes"):
        read_table("-")


def test_a_closed_one_and_a_terminal_are_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SpecError, match="standard input is closed"):
        read_table("-")
    terminal = io.TextIOWrapper(io.BytesIO(b""))
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdin", terminal)
    with pytest.raises(SpecError, match="is a terminal"):
        read_table("-")


def test_it_has_no_splits(pipe):
    pipe(b'{"a": 1}')
    with pytest.raises(SpecError, match="has no splits"):
        read_table("-", split="train")
