"""What was acknowledged is on the disk, and not only on its way there.

A killed process leaves its writes to the kernel, so that no kill shows a missing sync. Here a model
of the disk keeps what was synced apart from what was only written, and is looked at after each call
as if the power had failed then.
"""

import os
from pathlib import Path

import pytest
from helpers.ledgers import append, joined, ledger_lines, new_ledger

import assay.ledger.file as ledger_file
from assay.errors import AssayError
from assay.ledger.chain import read_chain
from assay.ledger.file import LedgerFile, create_ledger


class PowerCut:
    """Looks at all that a power cut could leave, after each call that changes the file."""

    def __init__(self, path: Path, monkeypatch) -> None:
        self.path = path
        self.synced = path.read_bytes()
        self.pending: list[bytes] = []  # the contents since, none of which is safe
        self.acknowledged: list[tuple[int, str]] = []
        self.cuts = 0
        self.faults: list[str] = []
        self.sync = ledger_file._SYNC
        for name in ("pwrite", "ftruncate"):
            monkeypatch.setattr(os, name, self._watched(getattr(os, name)))
        monkeypatch.setattr(ledger_file, "_SYNC", lambda handle: self.settle(handle))

    def _watched(self, call):
        def watched(*arguments):
            result = call(*arguments)
            self.pending.append(self.path.read_bytes())
            self.look()
            return result

        return watched

    def settle(self, handle: int) -> None:
        self.sync(handle)
        self.synced, self.pending = self.path.read_bytes(), []
        self.look()

    def append(self, ledger: LedgerFile, subject: str) -> None:
        entry = append(ledger, subject)
        self.acknowledged.append((entry.n, subject))
        self.look()

    def look(self) -> None:
        left = {self.synced}
        for content in self.pending:  # a write reaches the disk whole, in part, or not at all
            start = min(len(self.synced), len(content))
            left |= {content[:end] for end in range(start, len(content) + 1)}
        for content in left:
            self.cuts += 1
            try:
                entries = read_chain(content, where="the disk").entries
            except AssayError as error:
                self.faults.append(error.message)
                continue
            subjects = [entry.subject for entry in entries]
            self.faults += [
                f"{subject} is not on the disk"
                for n, subject in self.acknowledged
                if subjects[n : n + 1] != [subject]
            ]


@pytest.mark.parametrize("torn", [b"", b'{"n":2,"prev'], ids=["clean", "torn"])
def test_a_power_cut_at_any_moment_leaves_every_acknowledged_entry(torn, tmp_path, monkeypatch):
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    path.write_bytes(path.read_bytes() + torn)
    cut = PowerCut(path, monkeypatch)
    for number in range(5):
        cut.append(LedgerFile(path), f"entry-{number}")
    assert cut.faults == []
    assert cut.cuts > 5 * 150  # each append was cut at each of its bytes


def test_an_append_that_does_not_sync_is_caught(tmp_path, monkeypatch):
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    cut = PowerCut(path, monkeypatch)
    monkeypatch.setattr(ledger_file, "_SYNC", lambda handle: None)
    cut.append(LedgerFile(path), "entry")
    assert "entry is not on the disk" in cut.faults


def test_an_append_that_writes_the_file_anew_is_caught_by_a_power_cut(tmp_path, monkeypatch):
    def rewrite(self, handle, line):
        os.ftruncate(handle, 0)
        os.pwrite(handle, joined([*self._chain.lines, line]), 0)
        ledger_file._SYNC(handle)
        self._chain.push(line)

    monkeypatch.setattr(LedgerFile, "_write", rewrite)
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    cut = PowerCut(path, monkeypatch)
    cut.append(LedgerFile(path), "first")
    cut.append(LedgerFile(path), "second")
    assert "first is not on the disk" in cut.faults


def synced_by(create, path: Path, monkeypatch) -> set[int]:
    """The files and folders that making a ledger syncs, by their numbers."""
    found = set()
    sync = os.fsync

    def watched(handle):
        found.add(os.fstat(handle).st_ino)
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", watched)
        create(path)
    return found


def test_a_new_ledger_is_on_the_disk_together_with_its_name(tmp_path, monkeypatch):
    path = tmp_path / "ledger.jsonl"
    wanted = synced_by(create_ledger, path, monkeypatch)
    assert wanted == {path.stat().st_ino, tmp_path.stat().st_ino}
    assert path.read_bytes() == b""
    assert synced_by(Path.touch, tmp_path / "planted", monkeypatch) == set()


def test_a_ledger_is_not_made_over_another(tmp_path):
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    with pytest.raises(AssayError, match="File exists"):
        create_ledger(path)
    assert path.read_bytes() == joined(ledger_lines(2))
