"""What folders hold, what they may not hold, and how nothing of them is left."""

import os
import shutil
import socket
from pathlib import Path

import pytest

from assay.digests import digest
from assay.errors import AssayError, SpecError
from assay.folders import (
    artifact_digest,
    artifact_files,
    copy_system,
    manifest,
    members,
    regular_members,
    remove,
    state_digest,
    tree_digest,
    walk,
)


def folder(path, **files):
    path.mkdir(parents=True)
    for name, text in files.items():
        (path / name).write_text(text)
    return path


def test_a_file_has_the_digest_of_its_bytes(tmp_path):
    (tmp_path / "skill.md").write_bytes(b"x")
    assert artifact_digest(tmp_path / "skill.md") == digest(b"x")


def test_a_folder_changes_its_digest_with_any_name_or_byte(tmp_path):
    made = [
        folder(tmp_path / "1", a="x", b="y"),
        folder(tmp_path / "2", a="x", b="z"),
        folder(tmp_path / "3", a="x", c="y"),
        folder(tmp_path / "4", a="x"),
    ]
    assert len({artifact_digest(one) for one in made}) == len(made)
    assert artifact_digest(folder(tmp_path / "5", b="y", a="x")) == artifact_digest(made[0])


def test_no_file_has_the_digest_of_a_folder(tmp_path):
    """Even one that spells out what the folder's digest is of."""
    whole = artifact_digest(folder(tmp_path / "skill", a="x"))
    for listing in (f"{digest(b'x')}  a\n", f"{digest(b'x')}  a\0"):
        (tmp_path / "forged").write_text(listing)
        assert artifact_digest(tmp_path / "forged") != whole


def test_one_name_with_a_line_break_does_not_stand_for_two_files(tmp_path):
    two = folder(tmp_path / "two", a="x", b="y")
    one = folder(tmp_path / "one", **{f"a\n{digest(b'y')}  b": "x"})
    assert artifact_digest(one) != artifact_digest(two)


PLANTED = {
    "a link to a file": lambda path: (path / "planted").symlink_to("a"),
    "a link to a folder": lambda path: (path / "planted").symlink_to("/etc"),
    "a broken link": lambda path: (path / "planted").symlink_to("nowhere"),
    "a pipe": lambda path: os.mkfifo(path / "planted"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_only_regular_files_and_folders_make_an_artifact(tmp_path, kind):
    path = folder(tmp_path / "skill", a="x")
    PLANTED[kind](path)
    with pytest.raises(SpecError, match="planted"):
        artifact_files(path)


def test_a_link_an_empty_folder_and_nothing_are_no_artifacts(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    os.mkfifo(tmp_path / "pipe")
    for name in ("empty", "link", "pipe", "nothing"):
        with pytest.raises(SpecError):
            artifact_digest(tmp_path / name)


def test_names_that_are_no_text_are_names(tmp_path):
    path = folder(tmp_path / "skill", a="x")
    before = artifact_digest(path)
    (path / os.fsdecode(b"\xff\n")).write_text("y")
    assert artifact_digest(path) != before


def test_a_system_is_digested_without_the_artifact_and_whatever_leads_to_it(tmp_path):
    system = folder(tmp_path / "agent", main="x")
    (tmp_path / "skill.md").write_text("s")
    before = tree_digest(system, tmp_path / "skill.md")
    (system / "near.md").symlink_to(tmp_path / "skill.md")
    (system / "__pycache__").mkdir()
    (system / "__pycache__" / "x.pyc").write_text("c")
    assert tree_digest(system, tmp_path / "skill.md") == before
    (system / "far.md").symlink_to(tmp_path / "other.md")
    changed = tree_digest(system, tmp_path / "skill.md")
    assert changed != before
    (system / "far.md").unlink()
    (system / "far.md").symlink_to(tmp_path / "another.md")
    assert tree_digest(system, tmp_path / "skill.md") not in (before, changed)


def test_a_system_that_holds_a_pipe_or_is_none_is_refused(tmp_path):
    system = folder(tmp_path / "agent", main="x")
    os.mkfifo(system / "pipe")
    for path in (system, tmp_path / "nothing", system / "main"):
        with pytest.raises(AssayError):
            tree_digest(path, tmp_path / "skill.md")


def test_a_folder_that_cannot_be_read_is_not_taken_for_an_empty_one(tmp_path, monkeypatch):
    path = folder(tmp_path / "skill", a="x")
    folder(path / "inner", b="y")
    scan = os.scandir

    def shut(place):
        if str(place).endswith("inner"):
            raise PermissionError(13, "Permission denied", str(place))
        return scan(place)

    monkeypatch.setattr(os, "scandir", shut)
    for action in (artifact_digest, lambda one: tree_digest(one, tmp_path / "other")):
        with pytest.raises(AssayError, match="denied"):
            action(path)


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
    monkeypatch.setattr("assay.folders.MOST_STATE_FILES", 2)
    laid(tmp_path, {"a": "", "b": "", "c": ""})
    with pytest.raises(SpecError, match="more than 2 files"):
        manifest(tmp_path)


def test_stored_digests_of_folders_still_hold(tmp_path):
    """The bytes that are digested are a stored format."""
    root = laid(tmp_path / "system", {"b/c": "2", "a": "1", "b.md": "3", "b/.git/x": "4"})
    (root / "link").symlink_to("a")
    assert tree_digest(root, tmp_path / "skill") == (
        "sha256:463f17276c4f7d587b9cd91c32d8f0298a7c7e69ca5b6a106ec59613099954fc"
    )
    (root / "link").unlink()
    assert artifact_digest(root) == (
        "sha256:6cb7583aa95695f809bde16970159757d399c9750ee2e96814bc83cf9ba3c150"
    )
    (root / "empty").mkdir()
    assert state_digest(root) == (
        "sha256:622e2858cc56f33e4aa966ef5acecdc4aa6e1ca1a534da819858e366758c4dd8"
    )


def kinds(root, **policy):
    return {member.name: member.kind for member in members(root, **policy)}


def test_members_are_named_by_kind_and_links_are_not_followed(tmp_path):
    root = laid(tmp_path / "root", {"b/c": "2", "a": "1"})
    os.mkfifo(root / "pipe")
    (root / "there").symlink_to("b")
    assert list(kinds(root).items()) == [
        ("a", "file"),
        ("b", "folder"),
        ("pipe", "special"),
        ("there", "link"),
        ("b/c", "file"),
    ]


def test_what_is_skipped_is_not_entered(tmp_path):
    root = laid(tmp_path / "root", {"b/c": "2", "a": "1", "d/b": "3"})
    assert kinds(root, skipped=lambda path: path.name == "b") == {"a": "file", "d": "folder"}


def test_a_caller_keeps_out_of_a_folder_and_follows_links_only_on_request(tmp_path):
    root = laid(tmp_path / "root", {"a/x": "", "b/y": ""})
    (root / "link").symlink_to("a")

    def places(**policy):
        entered = []
        for place, folders, _ in walk(root, **policy):
            entered.append(place.name)
            if "b" in folders:
                folders.remove("b")
        return entered

    assert places() == ["root", "a"]
    assert places(follow_links=True) == ["root", "a", "link"]


@pytest.mark.parametrize(
    ("bounds", "message"),
    [({"most_files": 1}, "more than 1 files"), ({"most_files": 9, "most_bytes": 2}, "2 bytes")],
)
def test_more_files_or_bytes_than_allowed_are_refused(tmp_path, bounds, message):
    laid(tmp_path, {"a": "1", "b/c": "22"})
    assert len(list(regular_members(tmp_path, most_files=2, most_bytes=3))) == 3
    with pytest.raises(SpecError, match=message):
        list(regular_members(tmp_path, **bounds))


def test_a_copy_of_a_system_has_its_digest(tmp_path):
    root = laid(tmp_path / "system", {"a": "1", "b/c": "2", ".git/x": "3", "skill/s": "4"})
    (root / "link").symlink_to("a")
    copy_system(root, tmp_path / "copy", without=root / "skill")
    assert sorted(kinds(tmp_path / "copy")) == ["a", "b", "b/c", "link"]
    assert tree_digest(tmp_path / "copy", root / "skill") == tree_digest(root, root / "skill")


def test_removing_a_link_leaves_what_it_leads_to(tmp_path):
    root = laid(tmp_path / "root", {"a": "1"})
    (tmp_path / "link").symlink_to("root")
    (root / "out").symlink_to(tmp_path)
    remove(tmp_path / "link")
    assert not (tmp_path / "link").is_symlink()
    assert (root / "a").exists()
    remove(root)
    assert list(tmp_path.iterdir()) == []


def test_removing_nothing_is_allowed_and_a_file_and_a_pipe_go(tmp_path):
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "pipe", "nothing"):
        remove(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_whose_permissions_were_taken_away_is_removed(tmp_path, monkeypatch):
    """Permissions count for nothing where root runs this, so the planted refusal checks them."""
    root = laid(tmp_path / "root", {"locked/inner/a": "1"})
    for path in (root / "locked" / "inner", root / "locked", root):
        path.chmod(0)
    delete = shutil.rmtree

    def refusing(path):
        if any(not place.stat().st_mode & 0o200 for place in (path, *path.rglob("*"))):
            raise PermissionError(13, "Permission denied", str(path))
        delete(path)

    monkeypatch.setattr(shutil, "rmtree", refusing)
    remove(root)
    assert not root.exists()
