"""A line counts once its newline is there, and no write is lost or joined to a torn one."""

import errno
import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.journal import append, cut_torn, read_lines, whole_lines, write_all

LINES = [b'{"n":0}', b'{"n":1}', b'{"n":2}']
WHOLE = b"".join(line + b"\n" for line in LINES)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.jsonl"


@given(st.binary())
def test_whole_lines_end_in_a_newline_and_nothing_whole_follows(data):
    whole = whole_lines(data)
    assert data.startswith(whole)
    assert not whole or whole.endswith(b"\n")
    assert b"\n" not in data[len(whole) :]


@pytest.mark.parametrize("cut", range(len(WHOLE) + 1))
def test_after_a_write_torn_at_any_byte_the_next_line_stands_alone(path, cut):
    path.write_bytes(WHOLE[:cut])
    expected = LINES[: WHOLE[:cut].count(b"\n")]
    assert read_lines(path).split(b"\n")[:-1] == expected
    assert path.read_bytes() == WHOLE[:cut]
    assert cut_torn(path).split(b"\n")[:-1] == expected
    append(path, b"new")
    assert path.read_bytes().split(b"\n") == [*expected, b"new", b""]


def test_a_journal_that_is_not_there_has_no_lines_and_is_not_made(path):
    assert read_lines(path) == cut_torn(path) == b""
    assert not path.exists()


@pytest.mark.parametrize("call", ["fsync", "write"])
def test_a_failed_append_leaves_nothing_that_the_next_is_joined_to(path, monkeypatch, call):
    append(path, LINES[0])

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def half(file, data):
        file.write(data[: len(data) // 2])
        full()

    with monkeypatch.context() as patch:
        if call == "fsync":
            patch.setattr(os, "fsync", full)
        else:
            patch.setattr("assay.journal.write_all", half)
        with pytest.raises(OSError, match="No space"):
            append(path, LINES[1])
    append(path, LINES[2])
    assert path.read_bytes() == LINES[0] + b"\n" + LINES[2] + b"\n"


def test_a_line_and_the_name_of_a_new_journal_are_synced(path, monkeypatch):
    synced = []
    sync = os.fsync

    def noted(handle):
        synced.append(os.fstat(handle).st_ino)
        sync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    append(path, LINES[0])
    assert synced == [path.stat().st_ino, path.parent.stat().st_ino]
    append(path, LINES[1])
    assert synced[2:] == [path.stat().st_ino]


def test_bytes_that_are_taken_in_parts_are_all_written():
    class Slow(io.BytesIO):
        def write(self, data):
            return super().write(bytes(data[:3]))

    file = Slow()
    write_all(file, WHOLE)
    assert file.getvalue() == WHOLE
