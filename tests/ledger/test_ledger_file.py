"""A ledger that is open while others write, replace, cut or edit its file."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.ledgers import TIME, append, faults, joined, ledger_lines, new_ledger

import assay.ledger.file as ledger_file
from assay.bounds import MAX_LINE_BYTES
from assay.errors import BrokenChain, SpecError, StorageError
from assay.ledger.file import LedgerFile, read_ledger


@pytest.fixture
def path(tmp_path):
    return new_ledger(tmp_path / "ledger.jsonl", 2)


def subjects(ledger: LedgerFile) -> list[str]:
    with ledger:
        return [entry.subject for entry in ledger.entries]


def test_an_append_gives_the_entry_as_it_stands_in_the_file(path):
    ledger = LedgerFile(path)
    with ledger:
        entry = ledger.append(
            time=TIME, kind="run", subject="x", files={"a": "sha256:0"}, said={"b": "c"}
        )
        assert ledger.entries[-1] == entry
    assert read_ledger(path).entries[-1] == entry
    assert (entry.n, entry.files, entry.said) == (2, {"a": "sha256:0"}, {"b": "c"})


def test_several_appends_under_one_lock(path):
    ledger = LedgerFile(path)
    with ledger:
        for number in range(5):
            ledger.append(time=TIME, kind="seal", subject=f"new-{number}")
    assert faults(path, [(n + 2, f"new-{n}") for n in range(5)]) == []


def test_the_appends_of_others_are_seen(path):
    mine, other = LedgerFile(path), LedgerFile(path)
    assert append(mine, "a").n == 2
    assert append(other, "b").n == 3
    assert append(mine, "c").n == 4
    script = (
        "import sys; from pathlib import Path; from assay.ledger.file import LedgerFile\n"
        "with LedgerFile(Path(sys.argv[1])) as ledger:\n"
        "    ledger.append(time='t', kind='k', subject='from elsewhere')\n"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        timeout=60,
    )
    wanted = ["study-0", "study-1", "a", "b", "c", "from elsewhere"]
    assert subjects(mine) == subjects(other) == wanted


def test_what_others_broke_is_refused_and_the_lock_given_back(path):
    ledger = LedgerFile(path)
    append(ledger, "a")
    good = path.read_bytes()
    path.write_bytes(good + b"{}\n")
    for _ in range(2):
        with pytest.raises(BrokenChain, match="line 4"), ledger:
            pass
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    path.write_bytes(good)
    assert append(ledger, "b").n == 3


@pytest.mark.parametrize("opened", [False, True])
def test_an_append_outside_with_raises(opened, path):
    before = path.read_bytes()
    ledger = LedgerFile(path)
    if opened:
        subjects(ledger)  # which leaves the file open, and not locked
    with pytest.raises(RuntimeError, match="not locked"):
        ledger.append(time=TIME, kind="seal", subject="x")
    with ledger:
        ledger.close()
        with pytest.raises(RuntimeError, match="not locked"):
            ledger.append(time=TIME, kind="seal", subject="x")
    with ledger:
        with ledger:
            pass
        with pytest.raises(RuntimeError, match="not locked"):  # the inner one gave it back
            ledger.append(time=TIME, kind="seal", subject="x")
    assert path.read_bytes() == before


# A fork has its parent's descriptors, and a lock belongs to the descriptor: without care, a child
# would be let in where its parent is.
FORK = """
import json, os, sys
from pathlib import Path
from assay import lock
from assay.errors import StorageError
from assay.ledger.file import LedgerFile

lock.LONGEST_WAIT = 0  # say so instead of waiting
path = Path(sys.argv[1])
ledger = LedgerFile(path)

def in_a_child(do):
    ours, theirs = os.pipe()
    if not os.fork():
        try:
            said = do() or "done"
        except Exception as error:
            said = type(error).__name__
        os.write(theirs, said.encode())
        os._exit(0)
    os.close(theirs)
    os.wait()
    return os.fdopen(ours).read()

def append():
    ledger.append(time="t", kind="k", subject="s")

def enter_and_append():
    with ledger:
        append()

found = {}
with ledger:
    found["append under the parent's lock"] = in_a_child(append)
    found["enter while the parent is in"] = in_a_child(enter_and_append)
    found["leave for the parent"] = in_a_child(lambda: ledger.__exit__())
    found["another, after that"] = in_a_child(lambda: LedgerFile(path).__enter__() and None)
    append()
found["enter after the parent"] = in_a_child(enter_and_append)
enter_and_append()
found["entries"] = len(ledger.entries)
print(json.dumps(found))
"""


def test_a_fork_does_not_share_the_lock(path):
    done = subprocess.run(
        [sys.executable, "-c", FORK, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout) == {
        "append under the parent's lock": "RuntimeError",
        "enter while the parent is in": "StorageError",
        "leave for the parent": "done",
        "another, after that": "StorageError",
        "enter after the parent": "done",
        "entries": 5,
    }
    assert len(read_ledger(path).entries) == 5


def replaced_while(how: str, path, monkeypatch) -> LedgerFile:
    """A ledger whose file another one takes the place of, before or while it waits for the lock."""
    ledger = LedgerFile(path)
    subjects(ledger)
    other = path.with_name("other.jsonl")
    other.write_bytes(joined(ledger_lines(3, about="other")))
    if how == "while open":
        other.replace(path)
        return ledger
    lock = fcntl.flock

    def slow(handle, operation):
        if other.exists():
            other.replace(path)
        lock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", slow)
    return ledger


WHILE = ("while open", "while waiting for the lock")


@pytest.mark.parametrize("how", WHILE)
def test_an_append_goes_to_the_file_that_bears_the_name(how, path, monkeypatch):
    ledger = replaced_while(how, path, monkeypatch)
    entry = append(ledger, "new")
    assert faults(path, [(0, "other-0"), (2, "other-2"), (entry.n, "new")]) == []
    assert subjects(ledger) == ["other-0", "other-1", "other-2", "new"]


@pytest.mark.parametrize("how", WHILE)
def test_an_append_to_the_file_that_lost_the_name_is_caught(how, path, monkeypatch):
    ledger = replaced_while(how, path, monkeypatch)
    with monkeypatch.context() as patch:  # nobody looks who bears the name
        patch.setattr(os, "lstat", lambda name: os.fstat(ledger._handle))
        entry = append(ledger, "new")
    assert faults(path, [(0, "other-0"), (2, "other-2"), (entry.n, "new")]) != []


def test_a_file_that_is_gone_is_a_typed_error(path):
    ledger = LedgerFile(path)
    append(ledger, "a")
    path.unlink()
    with pytest.raises(StorageError, match="No such file"), ledger:
        pass
    new_ledger(path, 1)
    assert append(ledger, "b").n == 1


def test_a_file_with_the_number_of_one_that_is_gone_is_read_anew(path):
    ledger = LedgerFile(path)
    assert subjects(ledger) == ["study-0", "study-1"]
    ledger.close()
    size = path.stat().st_size
    path.write_bytes(joined(ledger_lines(2, about="other")))  # the same number for sure
    assert path.stat().st_size == size
    assert subjects(ledger) == ["other-0", "other-1"]


@pytest.mark.parametrize("opened", [False, True])
def test_a_link_instead_of_the_file_is_refused(opened, path):
    ledger = LedgerFile(path)
    if opened:
        subjects(ledger)
    target = path.rename(path.with_name("target.jsonl"))
    path.symlink_to(target)
    before = target.read_bytes()
    with pytest.raises(StorageError, match="symbolic link"), ledger:
        pass
    with pytest.raises(SpecError, match="not a regular file"):
        read_ledger(path)
    assert target.read_bytes() == before


def test_a_folder_or_nothing_instead_of_the_file_is_refused(tmp_path):
    for name in ("nothing", "folder"):
        path = tmp_path / name
        if name == "folder":
            path.mkdir()
        with pytest.raises(StorageError, match=name), LedgerFile(path):
            pass
        with pytest.raises(SpecError, match="not a regular file"):
            read_ledger(path)


@pytest.mark.parametrize("kept", [0, 1])
def test_a_file_that_shrank_is_read_anew(kept, path):
    ledger = LedgerFile(path)
    append(ledger, "a")
    path.write_bytes(joined(ledger_lines(kept)))
    entry = append(ledger, "b")
    assert entry.n == kept
    assert faults(path, [(n, f"study-{n}") for n in range(kept)] + [(kept, "b")]) == []


def test_a_file_cut_within_a_line_is_read_anew(path):
    ledger = LedgerFile(path)
    append(ledger, "a")
    os.truncate(path, path.stat().st_size - 1)
    assert append(ledger, "b").n == 2
    assert faults(path, [(0, "study-0"), (1, "study-1"), (2, "b")]) == []


def test_a_torn_tail_that_others_took_away_is_forgotten(path):
    good = path.read_bytes()
    path.write_bytes(good + b'{"n":2')
    ledger = LedgerFile(path)
    assert subjects(ledger) == ["study-0", "study-1"]
    append(LedgerFile(path), "other's")
    assert append(ledger, "mine").n == 3
    assert faults(path, [(2, "other's"), (3, "mine")]) == []


def test_a_torn_tail_that_others_end_is_an_entry(path):
    whole = joined(ledger_lines(3))
    path.write_bytes(whole[:-40])
    ledger = LedgerFile(path)
    assert len(subjects(ledger)) == 2
    path.write_bytes(whole)
    assert append(ledger, "new").n == 3
    assert faults(path, [(2, "study-2"), (3, "new")]) == []


@pytest.mark.parametrize("line", [0, 1])
def test_an_edit_of_equal_length_is_found_by_the_next_full_read_and_not_before(line, path):
    # An open ledger reads only what is new, so that an append takes the same time in a long one.
    # What it appends carries the digest of the line as it was: the edit cannot hide behind it.
    ledger = LedgerFile(path)
    append(ledger, "a")
    path.write_bytes(path.read_bytes().replace(b"study-%d" % line, b"STUDY-%d" % line))
    assert append(ledger, "b").n == 3
    assert f"study-{line}" in subjects(ledger)
    with pytest.raises(BrokenChain, match=f"line {line + 2}: it names"):
        read_ledger(path)
    with pytest.raises(BrokenChain, match=f"line {line + 2}"), LedgerFile(path):
        pass


def test_an_edit_of_the_last_line_is_given_away_by_the_next_append(path):
    ledger = LedgerFile(path)
    append(ledger, "a")
    path.write_bytes(path.read_bytes().replace(b'"a"', b'"b"'))
    assert read_ledger(path).entries[-1].subject == "b"  # nothing stands behind it yet
    append(ledger, "c")
    with pytest.raises(BrokenChain, match="line 4: it names"):
        read_ledger(path)


DEEP: dict[str, object] = {}
DEEP["a"] = DEEP
UNWRITABLE = {
    "half a surrogate pair": {"subject": "\ud800"},
    "a file's name that is not UTF-8": {"files": {os.fsdecode(b"\xff"): "sha256:0"}},
    "a number": {"said": {"seed": 3}},
    "nothing": {"time": None},
    "a list": {"files": ["a"]},
    "an object": {"said": {"a": object()}},
    "bottomless": {"said": DEEP},
    "too long": {"said": {"a": "x" * (1 << 20)}},
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_could_not_be_read_again_is_not_written(name, path):
    before = path.read_bytes()
    ledger = LedgerFile(path)
    with ledger:
        with pytest.raises(SpecError, match="a ledger entry"):
            ledger.append(**{"time": TIME, "kind": "seal", "subject": "s", **UNWRITABLE[name]})
        assert path.read_bytes() == before
        assert ledger.append(time=TIME, kind="seal", subject="s").n == 2  # and the lock is kept


def test_no_more_entries_are_written_than_can_be_read(path, monkeypatch):
    monkeypatch.setattr(ledger_file, "MAX_ENTRIES", 3)
    monkeypatch.setattr("assay.ledger.chain.MAX_ENTRIES", 3)
    ledger = LedgerFile(path)
    assert append(ledger, "the last").n == 2
    with pytest.raises(SpecError, match="the ledger is full: at most 3"):
        append(ledger, "one more")
    assert len(read_ledger(path).entries) == 3


def test_a_reader_takes_no_lock_and_reads_past_what_is_torn(path):
    ledger = LedgerFile(path)
    with ledger:
        assert len(read_ledger(path).entries) == 2
        ledger.append(time=TIME, kind="seal", subject="a")
        assert len(read_ledger(path).entries) == 3
    with path.open("ab") as file:
        file.write(b'{"n":3')
    chain = read_ledger(path)
    assert (len(chain.entries), chain.torn) == (3, 6)
    assert path.read_bytes().endswith(b'{"n":3')  # reading repairs nothing


def test_no_descriptor_is_left_behind(path):
    def open_now() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    before = open_now()
    for _ in range(20):
        ledger = LedgerFile(path)
        append(ledger, "a")
        ledger.close()
        read_ledger(path)
    path.write_bytes(b"broken\n")
    for _ in range(20):
        with pytest.raises(BrokenChain), LedgerFile(path):
            pass
    assert open_now() == before


def unread(monkeypatch):
    """Nothing of such a file may be held in memory."""
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail("it was read"))
    monkeypatch.setattr(ledger_file, "_read", lambda *_: pytest.fail("it was read"))


@pytest.mark.parametrize("size", [MAX_LINE_BYTES + 2, 1 << 30, 1 << 40])
def test_a_tail_that_no_append_can_have_left_is_a_breach_and_not_read(path, monkeypatch, size):
    good = path.stat().st_size
    os.truncate(path, good + size)
    unread(monkeypatch)
    with pytest.raises(BrokenChain, match="bytes"):
        read_ledger(path)
    with pytest.raises(BrokenChain, match="bytes"), LedgerFile(path):
        pass
    os.truncate(path, good)
    monkeypatch.undo()
    assert append(LedgerFile(path), "after").n == 2


def test_a_tail_as_long_as_a_line_is_one_that_was_cut_off(path):
    good = path.stat().st_size
    os.truncate(path, good + MAX_LINE_BYTES)
    assert read_ledger(path).torn == MAX_LINE_BYTES
    assert append(LedgerFile(path), "after").n == 2
    assert read_ledger(path).torn == 0


def test_a_ledger_never_grows_past_what_is_read(path, monkeypatch):
    monkeypatch.setattr(ledger_file, "MAX_FILE_BYTES", path.stat().st_size + 10)
    with pytest.raises(SpecError, match="the ledger is full"):
        append(LedgerFile(path), "one too many")
    assert read_ledger(path).torn == 0
