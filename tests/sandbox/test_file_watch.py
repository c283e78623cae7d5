import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import StorageError
from assay.sandbox.file_watch import Watch, can_watch

pytestmark = pytest.mark.skipif(not can_watch(), reason="only Linux tells which files are opened")


def files(folder, *names):
    for name in names:
        (folder / name).write_text("x")
    return [folder / name for name in names]


def handles():
    return {one.name for one in Path("/proc/self/fd").iterdir()}


def test_only_what_is_opened_is_seen(tmp_path):
    one, other = files(tmp_path, "one", "other")
    with Watch([one, other]) as watch:
        assert watch.opened() == set()
        other.stat()
        list(tmp_path.iterdir())
        assert watch.opened() == set()
        one.read_text()
        assert watch.opened() == {one}
        other.open().close()
        assert watch.opened() == {one, other}


WAYS = {
    "another process": lambda path: subprocess.run(["cat", path], check=True, capture_output=True),
    "a link": lambda path: (path.parent / "link").read_text(),
    "a hard link": lambda path: (path.parent / "hard").read_text(),
    "a longer way round": lambda path: Path(f"{path.parent}/../{path.parent.name}/one").read_text(),
    "its new name": lambda path: path.rename(path.parent / "new").read_text(),
    "a copy of it": lambda path: subprocess.run(["cp", path, f"{path}.copy"], check=True),
    "a map of it": lambda path: subprocess.run(
        [
            sys.executable,
            "-c",
            f"import mmap; f = open({str(path)!r}); mmap.mmap(f.fileno(), 0, prot=1)",
        ],
        check=True,
    ),
    "writing to it": lambda path: path.write_text("y"),
}


@pytest.mark.parametrize("way", WAYS)
def test_whoever_opens_it_by_whatever_way_is_seen(tmp_path, way):
    (one,) = files(tmp_path, "one")
    (tmp_path / "link").symlink_to(one)
    (tmp_path / "hard").hardlink_to(one)
    with Watch([one]) as watch:
        WAYS[way](one)
        assert watch.opened() == {one}


def test_what_was_opened_before_is_not_seen(tmp_path):
    (one,) = files(tmp_path, "one")
    one.read_text()
    with Watch([one]) as watch:
        assert watch.opened() == set()


def test_more_opens_than_are_kept_count_as_all(tmp_path):
    """The queue holds some thousands; whatever is dropped from it might have been any."""
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 50_000:
        pytest.skip("the queue is too long here")
    one, other, quiet = files(tmp_path, "one", "other", "quiet")
    with Watch([one, other, quiet]) as watch:
        for _ in range(most):
            for path in (one, other):  # in turn: events of a kind in a row are kept as one
                os.close(os.open(path, os.O_RDONLY))
        assert watch.opened() == {one, other, quiet}


def test_what_is_not_there_cannot_be_watched_and_leaves_no_handle(tmp_path):
    before = handles()
    with pytest.raises(StorageError, match="cannot be watched"):
        Watch([tmp_path / "nothing"])
    assert handles() == before


def test_a_watch_is_not_inherited_and_is_closed(tmp_path):
    (one,) = files(tmp_path, "one")
    before = handles()
    with Watch([one]) as watch:
        assert not os.get_inheritable(watch._handle)
    assert handles() == before
