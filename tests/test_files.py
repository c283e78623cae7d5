import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.large_files import endless

import assay
from assay.digests import digest, pretty_json
from assay.errors import IntegrityError, SpecError
from assay.files import check_no_links, read_as, read_bounded, read_inside
from assay.journal import cut_torn, read_lines

HOME = Path(assay.__file__).parents[1]


@pytest.mark.parametrize("module", ["files", "folders", "lock", "sandbox.in_place"])
def test_what_the_warden_imports_needs_no_installed_package(module):
    """It runs without them, and puts production back and removes what a run left."""
    boot = f"import sys; sys.path.append(sys.argv[1]); import assay.{module}"
    subprocess.run([sys.executable, "-I", "-S", "-c", boot, str(HOME)], check=True)


def test_an_installed_package_would_be_missed():
    command = [sys.executable, "-I", "-S", "-c", "import msgspec"]
    assert subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode != 0


def test_stored_json_is_indented_by_two_and_ends_in_a_newline():
    stored = pretty_json({"b": [1, 2.5], "a": {"é": None}, "empty": []})
    assert stored.decode() == (
        '{\n  "b": [\n    1,\n    2.5\n  ],\n  "a": {\n    "é": null\n  },\n  "empty": []\n}\n'
    )


def test_a_file_over_its_bound_is_refused_and_one_at_it_is_read(tmp_path):
    (tmp_path / "file").write_bytes(b"123")
    assert read_bounded(tmp_path / "file", 3) == b"123"
    with pytest.raises(SpecError, match="more than 2 bytes"):
        read_bounded(tmp_path / "file", 2)
    with pytest.raises(SpecError, match="a folder, not a file"):
        read_bounded(tmp_path, 2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SpecError, match="not a regular file"):
        read_bounded(tmp_path / "pipe", 2)


def test_a_file_without_end_is_refused_before_it_is_read(tmp_path):
    file = endless(tmp_path / "file")
    for read in (read_lines, cut_torn, lambda path: read_bounded(path, 1 << 40)):
        with pytest.raises(SpecError, match="more than"):
            read(file)
    for read in (read_inside, lambda root, name: read_as(root, name, digest(b""))):
        with pytest.raises(IntegrityError, match="more than"):
            read(tmp_path, "file")


def test_a_link_anywhere_on_a_path_is_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").touch()
    (tmp_path / "link").symlink_to("real")
    check_no_links(tmp_path, "real/file")
    with pytest.raises(SpecError, match="link is a symbolic link"):
        check_no_links(tmp_path, "link/file")
