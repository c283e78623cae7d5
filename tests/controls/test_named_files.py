"""Files that a user names are read within bounds: a long one, a pipe or a device is refused."""

import os

import pytest
from helpers.command import command
from helpers.studies import a_study

from assay.comparison.store import read_comparison
from assay.comparison.trials.spec import load_trial_spec
from assay.dual_condition.spec import load_dual_spec
from assay.errors import SpecError
from assay.gauntlet.load import load_bars
from assay.study.ratify.frozen import STORE, UNFINISHED, frozen_folder

SIZE = 3 << 30
"""More than any reader takes, without a block on the disk."""


@pytest.fixture
def long(tmp_path):
    path = tmp_path / "long.toml"
    with path.open("wb") as file:
        file.truncate(SIZE)
    return path


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize("read", [load_bars, load_dual_spec, load_trial_spec, read_comparison])
def test_a_spec_or_a_comparison_that_is_too_long_is_not_read(long, read):
    with pytest.raises(SpecError, match="more than"):
        read(long)


WORDS = {
    "key show": ("key", "show", "FILE"),
    "checkpoint --key": ("ledger", "checkpoint", "--key", "FILE", "--study", "study"),
    "ledger check": ("ledger", "check", "FILE", "--checkpoint", "FILE"),
    "verify --checkpoint": ("verify", "study", "--checkpoint", "FILE"),
    "bars show": ("bars", "show", "FILE"),
}


@pytest.mark.parametrize("words", WORDS)
def test_a_file_that_a_command_is_given_is_read_within_bounds(tmp_path, long, words):
    a_study(tmp_path, "opened")
    done = command(tmp_path, *(str(long) if word == "FILE" else word for word in WORDS[words]))
    assert done.returncode == 2
    assert "more than" in done.stderr


@pytest.mark.parametrize("words", [words for words in WORDS if words != "bars show"])
def test_a_pipe_that_a_command_is_given_is_not_waited_for(tmp_path, pipe, words):
    a_study(tmp_path, "opened")
    writer = os.open(pipe, os.O_RDWR)  # a reader of it would wait, and not for a writer
    os.write(writer, b"x")
    try:
        words = [str(pipe) if word == "FILE" else word for word in WORDS[words]]
        done = command(tmp_path, *words)
    finally:
        os.close(writer)
    assert done.returncode == 2
    assert "not a regular file" in done.stderr


def test_the_mark_of_an_unfinished_step_is_read_within_bounds(tmp_path):
    with frozen_folder(tmp_path):
        pass
    with (tmp_path / STORE / UNFINISHED).open("wb") as file:
        file.truncate(SIZE)
    with pytest.raises(SpecError, match="more than"), frozen_folder(tmp_path):
        pass
