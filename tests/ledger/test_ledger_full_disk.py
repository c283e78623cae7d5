"""A disk that refuses, at any call: a typed error, nothing lost, and a retry that works."""

import errno
import os

import pytest
from helpers.ledgers import append, faults, joined, ledger_lines, new_ledger

import assay.ledger.file as ledger_file
from assay.errors import BrokenChain, StorageError
from assay.ledger.file import LedgerFile

REAL = {"pwrite": os.pwrite, "ftruncate": os.ftruncate, "_SYNC": ledger_file._SYNC}
HOMES = {"pwrite": os, "ftruncate": os, "_SYNC": ledger_file}


class Disk:
    """A disk that refuses some calls: `pwrite` after some bytes, the others at once."""

    def __init__(self, monkeypatch, code: int, *calls: str, after: int = 0) -> None:
        self.refused: list[str] = []
        self.after = after
        for name in calls:
            monkeypatch.setattr(HOMES[name], name, self._refuse(name, code))

    def _refuse(self, name, code):
        def call(handle, *arguments):
            if name == "pwrite" and self.after and name not in self.refused:
                data, offset = arguments
                self.refused.append(name)  # it takes some bytes, and refuses the rest
                return REAL[name](handle, data[: self.after], offset)
            self.refused.append(name)
            raise OSError(code, os.strerror(code))

        return call


CASES = {
    "pwrite": (("pwrite",), 0),
    "pwrite after a byte": (("pwrite",), 1),
    "pwrite after most": (("pwrite",), 150),
    "fdatasync": (("_SYNC",), 0),
    "ftruncate": (("ftruncate",), 0),
    "pwrite, and the cleaning up": (("pwrite", "ftruncate"), 20),
    "fdatasync, and the cleaning up": (("_SYNC", "ftruncate"), 0),
}


def faults_of_a_refused_append(path, monkeypatch, code, calls, after):
    """Append, be refused, append again: with the same object, and with another."""
    ledger = LedgerFile(path)
    acknowledged = [(0, "study-0"), (1, "study-1"), (append(ledger, "before").n, "before")]
    if calls == ("ftruncate",):
        with path.open("ab") as file:
            file.write(b'{"n":')  # there is something to take away
    with monkeypatch.context() as patch:
        disk = Disk(patch, code, *calls, after=after)
        with pytest.raises(StorageError) as caught:
            append(ledger, "refused")
    assert caught.value.exit_code == 2
    assert caught.value.message == f"{path}: {os.strerror(code)}"
    assert set(disk.refused) == set(calls)
    found = faults(path, acknowledged)
    for retry in (ledger, LedgerFile(path), ledger):
        entry = append(retry, f"retry-{len(acknowledged)}")
        acknowledged.append((entry.n, entry.subject))
    return found + faults(path, acknowledged)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["ENOSPC", "EIO"])
@pytest.mark.parametrize("case", CASES)
def test_a_refused_append_is_typed_and_a_retry_works(case, code, tmp_path, monkeypatch):
    calls, after = CASES[case]
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    assert faults_of_a_refused_append(path, monkeypatch, code, calls, after) == []


def test_a_refused_entry_is_gone_unless_the_disk_refuses_that_too(tmp_path, monkeypatch):
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    for call in ("pwrite", "_SYNC"):
        with monkeypatch.context() as patch:
            Disk(patch, errno.EIO, call, after=30)
            with pytest.raises(StorageError):
                append(LedgerFile(path), "refused")
        assert path.read_bytes() == joined(ledger_lines(2))


def test_an_append_that_goes_behind_what_was_torn_is_caught(tmp_path, monkeypatch):
    def careless(self, handle, line):
        data = line + b"\n"
        while data:
            data = data[os.pwrite(handle, data, os.fstat(handle).st_size) :]
        ledger_file._SYNC(handle)
        self._chain.push(line)

    monkeypatch.setattr(LedgerFile, "_write", careless)
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    with pytest.raises(BrokenChain, match="line 4"):  # so bad that nobody can append any more
        faults_of_a_refused_append(path, monkeypatch, errno.ENOSPC, ("pwrite",), 20)
    assert "line 4" in faults(path, [])[0]


def test_a_disk_that_takes_a_byte_at_a_time_gets_the_whole_line(tmp_path, monkeypatch):
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", lambda handle, data, at: REAL["pwrite"](handle, data[:1], at))
        entry = append(LedgerFile(path), "slow")
    assert faults(path, [(0, "study-0"), (1, "study-1"), (entry.n, "slow")]) == []
    assert path.read_bytes().endswith(b"\n")


class Interrupt(BaseException):
    """As KeyboardInterrupt, which would stop the suite where it is not caught."""


@pytest.mark.parametrize("call", ["pwrite", "_SYNC", "push"])
def test_an_interrupted_append_leaves_no_trace(call, tmp_path, monkeypatch):
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    ledger = LedgerFile(path)

    def interrupt(*arguments):
        raise Interrupt

    with monkeypatch.context() as patch:
        patch.setattr(HOMES.get(call, ledger_file.Chain), call, interrupt)
        with ledger:
            with pytest.raises(Interrupt):
                ledger.append(time="t", kind="k", subject="interrupted")
            with pytest.raises(RuntimeError, match="not locked"):
                ledger.append(time="t", kind="k", subject="x")
    assert path.read_bytes() == joined(ledger_lines(2))
    assert append(ledger, "afterwards").n == 2


@pytest.mark.parametrize("call", ["open", "fstat", "lstat", "pread"])
def test_a_ledger_that_cannot_be_opened_or_read_is_a_typed_error(call, tmp_path, monkeypatch):
    path = new_ledger(tmp_path / "ledger.jsonl", 2)
    ledger = LedgerFile(path)

    def refuse(*arguments):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(StorageError, match="Input/output error"), ledger:
            pass
    assert append(ledger, "afterwards").n == 2
