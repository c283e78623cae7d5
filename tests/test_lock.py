"""One holder at a time, of the file that has the name."""

import fcntl
import os

import pytest
from helpers.studies import in_child

from assay.errors import ProtocolError, StorageError
from assay.lock import acquire, alone, locked

BUSY = ProtocolError("taken")


def test_a_second_holder_is_refused_until_the_first_is_done(tmp_path):
    path = tmp_path / "lock"
    with (
        locked(path, busy=BUSY),
        pytest.raises(ProtocolError, match="taken"),
        locked(path, busy=BUSY),
    ):
        pass
    with locked(path, busy=BUSY):
        pass


def test_readers_share_and_a_writer_is_refused(tmp_path):
    path = tmp_path / "file"
    path.touch()
    reading = {"busy": BUSY, "create": False, "shared": True}
    with locked(path, **reading), locked(path, **reading):
        assert acquire(path) is None


def test_a_folder_is_filled_by_one_at_a_time(tmp_path):
    with (
        alone(tmp_path),
        pytest.raises(ProtocolError, match="another process is making runs"),
        alone(tmp_path),
    ):
        pass


def test_the_lock_is_free_once_its_process_has_ended(tmp_path):
    in_child(lambda: acquire(tmp_path / "lock") and os._exit(0))
    assert acquire(tmp_path / "lock") is not None


def test_another_holder_of_the_descriptor_keeps_the_lock(tmp_path):
    with locked(tmp_path / "lock", busy=BUSY) as handle:
        inherited = os.dup(handle)
    assert acquire(tmp_path / "lock") is None
    os.close(inherited)
    assert acquire(tmp_path / "lock") is not None


@pytest.fixture
def replaced(tmp_path, monkeypatch):
    """A lock file that another takes the place of between opening and locking."""
    path, other = tmp_path / "lock", tmp_path / "other"
    path.touch()
    other.write_text("of another")
    flock = fcntl.flock

    def late(handle, operation):
        if other.exists():
            other.replace(path)
        flock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    return path


def test_a_file_that_lost_its_name_does_not_lock(replaced):
    assert acquire(replaced) is None


def test_waiting_locks_the_file_that_has_the_name_now(replaced):
    handle = acquire(replaced, wait=True)
    assert os.read(handle, 20) == b"of another"


@pytest.mark.parametrize("create", [True, False])
def test_a_link_is_refused(tmp_path, create):
    (tmp_path / "target").touch()
    (tmp_path / "lock").symlink_to("target")
    with pytest.raises(StorageError), locked(tmp_path / "lock", busy=BUSY, create=create):
        pass


def test_a_file_that_must_be_there_is_not_made(tmp_path):
    with pytest.raises(StorageError), locked(tmp_path / "file", busy=BUSY, create=False):
        pass
    assert not (tmp_path / "file").exists()
