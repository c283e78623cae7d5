"""Production gives its place to a copy for a while, and gets it back, whatever happens."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from helpers.call_kills import at_call, calls, moments
from helpers.scale import scale

from assay.errors import AssayError, IntegrityError, ProtocolError, StorageError, storage
from assay.folders import state_digest
from assay.sandbox.in_place import beside, held, put_back, take_place
from assay.sandbox.syscalls import exchange

AT = "assay.sandbox.in_place."


class OldLibrary:
    """A C library that cannot swap two names in one step."""


@pytest.fixture(params=["in one step", "one after the other"])
def library(request, monkeypatch):
    """Names change places in one step, or where that cannot be, one after the other."""
    if request.param == "one after the other":
        monkeypatch.setattr("assay.sandbox.syscalls._LIBRARY", OldLibrary())
    return request.param


def planted(home):
    """Production, a copy to take its place, and the digest of each."""
    root, copy = home / "state", home / "copy"
    for folder, text in ((root, "production"), (copy, "copy")):
        (folder / "inner").mkdir(parents=True)
        (folder / "memory").write_text(text)
        (folder / "inner" / "file").write_text(text)
    return root, copy, state_digest(root), state_digest(copy)


def taken(home):
    """Production, whose place a copy has taken; its digest."""
    root, copy, before, _ = planted(home)
    beside(root).mkdir()
    take_place(root, copy, before)
    return root, before


def test_a_copy_takes_the_place_of_production_and_gives_it_back(tmp_path, library):
    root, copy, before, other = planted(tmp_path)
    inode = root.stat().st_ino
    with held(root):
        for _ in range(2):
            take_place(root, copy, before)
            assert state_digest(root) == other
            (root / "memory").write_text("changed by the run")
            put_back(root)
            assert state_digest(root) == before
            assert root.stat().st_ino == inode
    assert not beside(root).exists()


def ruined(root):
    """What a system may make of its folder while it runs."""
    shutil.rmtree(root)


def remade(root):
    shutil.rmtree(root)
    root.mkdir()
    (root / "new").write_text("x")


def filed(root):
    shutil.rmtree(root)
    root.write_text("a file")


def linked(root):
    shutil.rmtree(root)
    root.symlink_to("/")


def locked(root):
    (root / "inner").chmod(0)
    root.chmod(0)


def moved(root):
    root.rename(root.with_name("moved"))


@pytest.mark.parametrize("harm", [ruined, remade, filed, linked, locked, moved])
def test_whatever_the_system_makes_of_its_folder_production_comes_back(tmp_path, library, harm):
    root, copy, before, _ = planted(tmp_path)
    with held(root):
        take_place(root, copy, before)
        harm(root)
        put_back(root)
        assert state_digest(root) == before
    assert not beside(root).exists()
    assert Path("/").is_dir()


def test_production_comes_back_once_and_stays(tmp_path, library):
    root, before = taken(tmp_path)
    for _ in range(3):
        put_back(root)
        assert state_digest(root) == before


def test_a_production_that_was_changed_meanwhile_is_left_where_it_is(tmp_path, library):
    root, before = taken(tmp_path)
    aside = next(path for path in beside(root).iterdir() if path.is_dir())
    assert state_digest(aside) == before
    (aside / "memory").write_text("changed by somebody")
    there = state_digest(root)
    for _ in range(2):
        with pytest.raises(IntegrityError, match="differs from") as found:
            put_back(root)
        assert str(aside) in found.value.message
        assert str(root) in found.value.message
        assert (state_digest(root), (aside / "memory").read_text()) == (
            there,
            "changed by somebody",
        )
    (aside / "memory").write_text("production")
    put_back(root)
    assert state_digest(root) == before


def test_a_journal_of_another_folder_is_refused(tmp_path):
    root, _ = taken(tmp_path / "one")
    other, *_ = planted(tmp_path / "two")
    shutil.copytree(beside(root), beside(other))
    with pytest.raises(IntegrityError, match="missing, and not in"):
        put_back(other)
    assert (other / "memory").read_text() == "production"
    assert (beside(other) / "state" / "memory").read_text() == "production"


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"{}", b'{"inode": "x", "digest": 1}', b'{"inode": null}', b"\xff"]
)
def test_a_journal_that_cannot_be_read_is_refused(tmp_path, data):
    root, before = taken(tmp_path)
    journal = beside(root) / "journal.json"
    was = journal.read_bytes()
    journal.write_bytes(data)
    with pytest.raises(IntegrityError, match="cannot be read"):
        put_back(root)
    assert state_digest(beside(root) / "state") == before
    journal.write_bytes(was)
    put_back(root)
    assert state_digest(root) == before


def test_a_journal_holds_after_the_disk_was_given_another_number(tmp_path):
    """Only what a disk itself knows is in it."""
    root, _ = taken(tmp_path)
    assert set(json.loads((beside(root) / "journal.json").read_bytes())) == {"inode", "digest"}


def test_a_state_that_nobody_marked_as_a_copy_is_not_thrown_away(tmp_path):
    root, before = taken(tmp_path)
    (beside(root) / "journal.json").unlink()
    with pytest.raises(IntegrityError, match="exists without a journal"):
        put_back(root)
    assert state_digest(beside(root) / "state") == before


def test_two_cannot_be_at_work_on_one_state(tmp_path):
    root, *_ = planted(tmp_path)
    with held(root):
        with pytest.raises(ProtocolError, match="another process is using"), held(root):
            pass
        assert beside(root).exists()
    with held(root):
        pass


def test_whoever_waits_for_a_lock_that_is_thrown_away_has_not_got_it(tmp_path, monkeypatch):
    """The first is done between the other's opening and locking."""
    root, *_ = planted(tmp_path)
    lock = fcntl.flock
    first = held(root)
    first.__enter__()

    def late(handle, how):
        monkeypatch.setattr(fcntl, "flock", lock)
        first.__exit__(None, None, None)
        lock(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(ProtocolError, match="another process is using"), held(root):
        pass
    assert not beside(root).exists()
    with held(root):
        pass


def test_whoever_comes_while_the_folder_is_thrown_away_does_no_harm(tmp_path, monkeypatch):
    root, *_ = planted(tmp_path)
    unlink = Path.unlink

    def meanwhile(path, missing_ok=False):
        unlink(path, missing_ok=missing_ok)
        if path.name == "lock":
            path.write_text("of another")

    with held(root):
        monkeypatch.setattr(Path, "unlink", meanwhile)
    assert (beside(root) / "lock").read_text() == "of another"


HOLDING = """
import sys, time
from pathlib import Path
from assay.errors import ProtocolError
from assay.sandbox.in_place import held, take_place, put_back
from assay.folders import state_digest
root, copy = map(Path, sys.argv[1:3])
count = 0
for _ in range(int(sys.argv[3])):
    try:
        with held(root):
            before = state_digest(root)
            assert (root / "memory").read_text() == "production"
            take_place(root, copy, before)
            (root / "memory").write_text(sys.argv[1])
            put_back(root)
            count += 1
    except ProtocolError:
        time.sleep(0.001)
print(count)
"""


def test_many_at_once_take_turns(tmp_path):
    root, copy, before, _ = planted(tmp_path)
    words = [sys.executable, "-c", HOLDING, str(root), str(copy), str(scale(8, 500))]
    many = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    done = [one.communicate(timeout=300) for one in many]
    assert [error for _, error in done] == [""] * 4
    assert sum(int(said) for said, _ in done) > 0
    with held(root):
        assert state_digest(root) == before
    assert not beside(root).exists()


def put_back_by_two(root, copy, before):
    """Whether production survives a warden that puts it back at any moment of an evaluation."""
    with held(root):
        warden = os.fork()
        if warden == 0:
            while True:
                with suppress(Exception):
                    put_back(root)
        try:
            for _ in range(scale(60, 2000)):
                take_place(root, copy, before)
                put_back(root)
                if state_digest(root) != before:
                    return False
        except (AssayError, OSError):  # what the other took away
            return False
        finally:
            os.kill(warden, signal.SIGKILL)
            os.waitpid(warden, 0)
    return state_digest(root) == before


def test_an_evaluation_and_its_warden_may_put_back_at_once(tmp_path, library):
    root, copy, before, _ = planted(tmp_path)
    assert put_back_by_two(root, copy, before)
    assert not beside(root).exists()


def test_two_that_move_at_once_would_be_caught(tmp_path, library, monkeypatch):
    monkeypatch.setattr(f"{AT}_moving", lambda place: nullcontext())
    root, copy, before, _ = planted(tmp_path)
    with suppress(AssayError):
        assert not put_back_by_two(root, copy, before)


def test_a_folder_that_cannot_be_written_to_is_said_at_once(tmp_path, monkeypatch):
    root, *_ = planted(tmp_path)

    def refused(*given, **more):
        raise OSError(30, "Read-only file system", str(beside(root)))

    monkeypatch.setattr(os, "mkdir", refused)
    with pytest.raises(StorageError, match="Read-only"), held(root):
        pass
    monkeypatch.undo()
    assert not beside(root).exists()


def there_and_back(root, copy, before):
    with held(root):
        take_place(root, copy, before)
        with storage(root):  # the run's own write may be the one that is refused
            (root / "memory").write_text("by the run")
        put_back(root)


def lives(folder, *, few, code=None):
    """Something planted for each call at which its way there and back is cut off, and that call."""
    for name in ("whole", "again"):  # the first also loads what is loaded once
        whole = planted(folder / name)
        life = calls(lambda given=whole[:3]: there_and_back(*given), code=code)
    for moment in moments(life, few):
        yield moment, *planted(folder / str(moment))[:3]


def test_killed_at_any_call_production_comes_back(tmp_path, library):
    twice = 0
    for moment, root, copy, before in lives(tmp_path, few=16):
        killed = at_call(moment, lambda given=(root, copy, before): there_and_back(*given))
        assert killed == (-signal.SIGKILL, True), moment
        # and once more while it is being put back
        _, reached = at_call(moment % 17, lambda root=root: held(root).__enter__())
        twice += reached
        there_and_back(root, copy, before)
        assert state_digest(root) == before, moment
        assert not beside(root).exists(), moment
    assert twice > 3


@pytest.mark.parametrize("code", [28, 5], ids=["full", "harmed"])
def test_a_disk_that_refuses_any_call_keeps_production(tmp_path, library, code):
    ends = set()
    for moment, root, copy, before in lives(tmp_path, few=7, code=code):
        refused = lambda given=(root, copy, before): there_and_back(*given)  # noqa: E731
        ended, reached = at_call(moment, refused, code=code)
        assert reached, moment
        ends.add(ended)
        there_and_back(root, copy, before)
        assert state_digest(root) == before, moment
    assert StorageError.exit_code in ends
    assert ends <= {0, StorageError.exit_code}


class ThrownAway(BaseException):
    """Production itself is gone: there is nothing left to go on with."""


class PowerCuts:
    """A disk that keeps what was synced, and may lose any of the rest when the power fails.

    Looks at the folder of production and the one beside it after each call that changes or syncs
    something. What changed is one change, kept or lost as a whole. Then every disk that a power cut
    could leave is laid out anew, production itself among it, and put back.
    """

    def __init__(self, root, monkeypatch):
        self.root, self.place = root, beside(root)
        self.production, self.before = root.stat().st_ino, state_digest(root)
        self.durable = self._names()
        self.synced = {}
        self.changes = []
        self.cuts, self.faults = 0, []
        self.busy = False
        for name in ("rename", "replace", "unlink", "mkdir", "rmdir"):
            monkeypatch.setattr(os, name, self._watched(getattr(os, name)))
        monkeypatch.setattr(os, "fsync", self._fsync(os.fsync))
        swap = self._watched(exchange)
        monkeypatch.setattr("assay.sandbox.in_place.exchange", swap)
        monkeypatch.setattr(shutil, "copytree", self._watched(shutil.copytree))

    def _names(self):
        """What each name of the two folders stands for, by its number."""
        found = {}
        for folder in (self.root.parent, self.place):
            if folder.is_dir():
                inner = [path for path in folder.iterdir() if path.name != "clone"]
                found |= {(folder.name, path.name): path.lstat().st_ino for path in inner}
        return found

    def _expected(self):
        names = dict(self.durable)
        for change in self.changes:
            names.update(change)
        return names

    def _notice(self):
        """Whatever has changed since is a change of its own."""
        now, was = self._names(), self._expected()
        change = {
            key: now.get(key) for key in now.keys() | was.keys() if now.get(key) != was.get(key)
        }
        if change:
            self.changes.append(change)

    def _watched(self, call):
        def watched(*given, **more):
            if self.busy:
                return call(*given, **more)
            self._notice()
            self.busy = True
            try:
                return call(*given, **more)
            finally:
                self.busy = False
                self._notice()
                self.look()

        return watched

    def _fsync(self, call):
        def fsync(handle):
            call(handle)
            if self.busy:
                return
            self._notice()
            path = Path(f"/proc/self/fd/{handle}").readlink()
            if path.is_dir():
                for change in [
                    one for one in self.changes if any(at == path.name for at, _ in one)
                ]:
                    self.durable.update(change)
                    self.changes.remove(change)
            else:
                self.synced[path.stat().st_ino] = path.read_bytes()
            self.look()

        return fsync

    def look(self):
        """Every disk that could be left now; one that is wrong is enough."""
        if self.faults:
            return
        self.busy = True
        try:
            for kept in range(1 << len(self.changes)):
                names = dict(self.durable)
                for number, change in enumerate(self.changes):
                    if kept >> number & 1:
                        names.update(change)
                self._try({key: inode for key, inode in names.items() if inode is not None})
        finally:
            self.busy = False

    def _try(self, names):
        self.cuts += 1
        parent = self.root.parent.name
        if (parent, self.place.name) not in names:
            names = {key: inode for key, inode in names.items() if key[0] == parent}
        places = [key for key, inode in names.items() if inode == self.production]
        if len(places) != 1:
            self.faults.append(f"production is at {places}")
            return
        clone = self.root.parent / "clone"
        now = next(path for path in self._all() if path.lstat().st_ino == self.production)
        target = self._lay(clone, names)
        now.rename(target)
        try:
            put_back(clone / self.root.name)
            home = clone / self.root.name
            if home.stat().st_ino != self.production or state_digest(home) != self.before:
                self.faults.append("production did not come back")
        except Exception as error:
            self.faults.append(f"{type(error).__name__}: {error}")
        left = [clone / self.root.name, *(clone / self.place.name).glob("*")]
        found = [path for path in left if path.exists() and path.stat().st_ino == self.production]
        if not found:
            raise ThrownAway
        found[0].rename(now)
        shutil.rmtree(clone)

    def _all(self):
        return [*self.root.parent.iterdir(), *(self.place.iterdir() if self.place.is_dir() else ())]

    def _lay(self, clone, names):
        """Lay a disk out, but for production; where that has to go."""
        clone.mkdir()
        files = {path.lstat().st_ino: path for path in self._all()}
        target = None
        for (folder, name), inode in sorted(
            names.items(), key=lambda one: one[0][0] != self.root.parent.name
        ):
            at = clone / (name if folder == self.root.parent.name else f"{folder}/{name}")
            if inode == self.production:
                target = at
            elif name == self.place.name:
                at.mkdir()
            elif inode in self.synced:
                at.write_bytes(self.synced[inode])
            elif inode in files and files[inode].is_dir():
                at.mkdir()
                (at / "memory").write_text("copy")
            else:
                at.write_bytes(b"")
        return target


def cut(tmp_path, monkeypatch):
    """What power cuts at any moment leave, while production gives its place and gets it back."""
    home = tmp_path / "disk"
    root, copy, before, _ = planted(home)
    shutil.move(copy, tmp_path / "copy")
    with monkeypatch.context() as patch:
        cuts = PowerCuts(root, patch)
        try:
            for _ in range(2):
                beside(root).mkdir(exist_ok=True)
                take_place(root, tmp_path / "copy", before)
                (root / "memory").write_text("by the run")
                put_back(root)
        except ThrownAway:
            cuts.faults.append("production was thrown away")
    return cuts


def test_a_power_cut_at_any_moment_leaves_what_production_can_be_put_back_from(
    tmp_path, library, monkeypatch
):
    cuts = cut(tmp_path, monkeypatch)
    assert cuts.faults == []
    assert cuts.cuts > 60


def no_sync(*folders):
    return None


def no_file_sync(path, data):
    aside = path.with_name(f".{path.name}")
    aside.write_bytes(data)
    aside.replace(path)
    for folder in (path.parent, path.parent.parent):
        handle = os.open(folder, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)


def test_names_that_are_not_synced_would_be_caught(tmp_path, library, monkeypatch):
    monkeypatch.setattr(f"{AT}_sync", no_sync)
    assert cut(tmp_path, monkeypatch).faults


def test_a_journal_that_is_not_synced_would_be_caught(tmp_path, library, monkeypatch):
    monkeypatch.setattr(f"{AT}_write", no_file_sync)
    assert cut(tmp_path, monkeypatch).faults


def test_a_journal_that_goes_before_the_names_are_safe_would_be_caught(
    tmp_path, library, monkeypatch
):
    from assay.sandbox import in_place

    sync = in_place._sync

    def only_beside(*folders):
        """The order of the names is left to chance, that of the journal is not."""
        sync(*(one for one in folders if one.name.startswith(".")))

    return_, swap = in_place._return, in_place._swap

    def hasty(call):
        def changed(*given):
            with monkeypatch.context() as patch:
                patch.setattr(f"{AT}_sync", no_sync)
                call(*given)

        return changed

    monkeypatch.setattr(f"{AT}_return", hasty(return_))
    monkeypatch.setattr(f"{AT}_swap", hasty(swap))
    monkeypatch.setattr(f"{AT}_sync", only_beside)
    assert cut(tmp_path, monkeypatch).faults


def test_names_that_change_before_there_is_a_journal_would_be_caught(
    tmp_path, library, monkeypatch
):
    from assay.sandbox import in_place

    write = in_place._write

    def late(path, data):
        if path.name == "journal.json":
            root = path.parent.parent / "state"
            in_place._swap(root, path.parent)
            in_place._swap(root, path.parent)
        write(path, data)

    monkeypatch.setattr(f"{AT}_write", late)
    assert cut(tmp_path, monkeypatch).faults
