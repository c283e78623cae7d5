import os

import pytest

from assay.artifact import artifact_digest, artifact_files, tree_digest
from assay.digests import digest
from assay.errors import AssayError, SpecError


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
