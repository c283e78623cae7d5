"""What a folder of state holds, and what it may not hold."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import SpecError
from assay.file_entry import FileEntry, manifest_digest
from assay.manifest import manifest, state_digest


def laid(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_state_is_known_by_its_names_and_bytes(tmp_path):
    one = laid(tmp_path / "one", {"a": "1", "b/c": "2"})
    same = laid(tmp_path / "same", {"b/c": "2", "a": "1"})
    assert state_digest(one) == state_digest(same)
    assert [entry.path for entry in manifest(one)] == ["a", "b/c"]


OTHERS = {
    "other bytes": lambda folder: (folder / "a").write_text("x"),
    "another name": lambda folder: (folder / "a").rename(folder / "x"),
    "one file more": lambda folder: (folder / "b" / "x").touch(),
    "one file less": lambda folder: (folder / "a").unlink(),
    "an empty folder": lambda folder: (folder / "x").mkdir(),
    "a folder that is empty now": lambda folder: (folder / "b" / "c").unlink(),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_a_state_that_differs_has_another_digest(tmp_path, change):
    folder = laid(tmp_path / "state", {"a": "1", "b/c": "2"})
    before = state_digest(folder)
    change(folder)
    assert state_digest(folder) != before


NEITHER = {
    "a link": lambda folder: (folder / "x").symlink_to("a"),
    "a link to a folder": lambda folder: (folder / "x").symlink_to("b"),
    "a link to nothing": lambda folder: (folder / "x").symlink_to("nowhere"),
    "a pipe": lambda folder: os.mkfifo(folder / "x"),
    "a socket": lambda folder: bound(folder / "x"),
}


def bound(path: Path):
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket cannot be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("make", NEITHER.values(), ids=NEITHER)
def test_what_is_neither_a_file_nor_a_folder_is_refused_and_named(tmp_path, make):
    folder = laid(tmp_path / "state", {"a": "1", "b/c": "2"})
    make(folder)
    with pytest.raises(SpecError, match="x: neither a regular file nor a folder"):
        manifest(folder)


@pytest.mark.parametrize("name", [b"a\nb", b"\xff", b"\x1b[1m", b"a\rb"])
def test_a_name_that_cannot_be_shown_is_refused(tmp_path, name):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    with pytest.raises(SpecError, match="not printable"):
        manifest(tmp_path)


def test_a_folder_that_is_not_there_is_no_empty_state(tmp_path):
    with pytest.raises(FileNotFoundError):
        manifest(tmp_path / "nowhere")


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.manifest.MOST_FILES", 2)
    laid(tmp_path, {"a": "", "b": "", "c": ""})
    with pytest.raises(SpecError, match="more than 2 files"):
        manifest(tmp_path)


ENTRIES = st.lists(
    st.builds(
        FileEntry,
        path=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
        size=st.just(0),
        digest=st.sampled_from(["sha256:0", "sha256:1"]),
    ),
    max_size=4,
)


@given(ENTRIES, ENTRIES)
def test_two_manifests_have_one_digest_only_if_they_are_the_same(one, other):
    same = manifest_digest(tuple(one)) == manifest_digest(tuple(other))
    assert same == (one == other)
