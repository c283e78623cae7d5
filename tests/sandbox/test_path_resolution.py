"""What a link of `/proc` leads to: a name, or a file without one."""

import os
from pathlib import Path

import pytest

from assay.sandbox.observation.path_resolution import _is_unnamed
from assay.sandbox.warden_client import can_observe

pytestmark = pytest.mark.skipif(not can_observe(), reason="only Linux tells which files are opened")


@pytest.mark.parametrize("name", ["/memfd:folder", "/SYSV1", "/memfd:folder (deleted)"])
def test_a_folder_that_is_called_as_memory_is_has_a_name(tmp_path, name):
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        assert not _is_unnamed(f"/proc/self/fd/{handle}", name)
    finally:
        os.close(handle)


def test_memory_and_pipes_have_none():
    memory = os.memfd_create("x")
    ours, theirs = os.pipe()
    try:
        for handle in (memory, ours):
            way = f"/proc/self/fd/{handle}"
            assert _is_unnamed(way, str(Path(way).readlink()))
    finally:
        for handle in (memory, ours, theirs):
            os.close(handle)
