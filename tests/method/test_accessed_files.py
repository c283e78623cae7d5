"""Kinds of files and sockets that a watched process reached."""

import os

import pytest

from assay.method.accessed_files import has_code_suffix, is_below, is_quiet_peer


@pytest.mark.parametrize(
    "peer",
    ["unix:/run/nscd/socket", "unix:/var/run/nscd/socket", "unix:/dev/log", "unix:/run/nscd/./a"],
)
def test_sockets_of_the_operating_system_are_quiet(peer):
    assert is_quiet_peer(peer)


@pytest.mark.parametrize(
    "peer",
    [
        "unix:/run/nscd/../../tmp/memory.socket",
        "unix:/dev/logbook",
        "unix:run/nscd/socket",
        "unix:@/run/nscd/socket",
        "unix:",
        "10.0.0.1:80",
        "/run/nscd/socket",
    ],
)
def test_no_other_peer_is_quiet_by_how_its_name_begins(peer):
    assert not is_quiet_peer(peer)


def test_nor_is_a_link_that_leads_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "log").symlink_to(tmp_path / "real")
    monkeypatch.setattr("assay.method.accessed_files._QUIET_PLACES", (str(tmp_path / "log"),))
    assert not is_quiet_peer(f"unix:{tmp_path}/log/socket")


def test_a_folder_is_below_itself_and_not_below_one_whose_name_it_begins_with():
    assert is_below("/a/b", "/a/b")
    assert is_below("/a/b/c", "/a/b")
    assert not is_below("/a/bc", "/a/b")


@pytest.mark.parametrize("name", ["a.py", "a.so", "a.cjs", "a.ts", "a.sh"])
def test_code_is_told_by_its_suffix(name):
    assert has_code_suffix(os.path.join("/folder.txt", name))  # noqa: PTH118 - as the kernel tells
    assert not has_code_suffix(f"/folder.py/{name}.txt")
