"""Many processes append at once, and nothing is lost, doubled or mixed up."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from helpers import ledger_writer
from helpers.ledgers import TIME, faults, new_ledger
from helpers.scale import scale

from assay.ledger.file import LedgerFile, read_ledger


def acknowledged_by(writers: int, appends: int, path: Path) -> Iterator[tuple[int, str]]:
    """Start writers, let them loose together, and give what each was told."""
    command = [sys.executable, ledger_writer.__file__, str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen(
            [*command, f"writer{number}", str(appends)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for number in range(writers)
    ]
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=600)[0] for process in started]
    assert [process.returncode for process in started] == [0] * writers
    for line in "".join(said).splitlines():
        n, subject = line.split()
        yield int(n), subject


def test_no_entry_of_many_writers_is_lost_or_doubled(tmp_path):
    writers, appends = scale(8, 16), scale(40, 1000)
    path = new_ledger(tmp_path / "ledger.jsonl")
    acknowledged = list(acknowledged_by(writers, appends, path))
    assert faults(path, acknowledged) == []
    everything = {f"writer{w}-{turn}" for w in range(writers) for turn in range(appends)}
    assert {subject for _, subject in acknowledged} == everything
    entries = read_ledger(path).entries
    assert [entry.n for entry in entries] == list(range(writers * appends))
    assert {entry.subject for entry in entries} == everything
    assert path.read_bytes().endswith(b"\n")


def test_writers_without_the_lock_are_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", lambda handle, how: None)
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    one, other = LedgerFile(path), LedgerFile(path)
    acknowledged = []
    with one, other:  # both have read the same end
        for ledger, subject in ((one, "first"), (other, "second")):
            entry = ledger.append(time=TIME, kind="seal", subject=subject)
            acknowledged.append((entry.n, entry.subject))
    assert faults(path, acknowledged) == ["first was acknowledged as entry 2 and is not there"]


def test_a_longer_line_under_a_shorter_one_is_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", lambda handle, how: None)
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    one, other = LedgerFile(path), LedgerFile(path)
    with one, other:
        one.append(time=TIME, kind="seal", subject="a longer subject")
        other.append(time=TIME, kind="seal", subject="short")
    assert "line 4" in faults(path, [])[0]


def test_an_entry_that_stands_twice_is_caught(tmp_path):
    path = new_ledger(tmp_path / "ledger.jsonl")
    ledger = LedgerFile(path)
    with ledger:
        for _ in range(2):
            ledger.append(time=TIME, kind="seal", subject="same")
    assert faults(path, [(0, "same")]) == ["same stands there twice"]


def test_the_lock_is_held_within_with_and_given_back_after(tmp_path):
    path = new_ledger(tmp_path / "ledger.jsonl")
    ledger = LedgerFile(path)
    assert is_free(path)
    with ledger:
        assert not is_free(path)
        ledger.append(time=TIME, kind="seal", subject="x")
        assert not is_free(path)
    assert is_free(path)


def is_free(path: Path) -> bool:
    handle = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
