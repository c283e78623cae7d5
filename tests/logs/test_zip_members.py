import json
import struct
import zipfile

import pytest
from helpers.inspect_logs import archive, members, samples, write_eval

from assay.bounds import MAX_UNPACKED_BYTES
from assay.errors import SpecError
from assay.logs import format_table, zip_members
from assay.logs.format_table import read_log
from assay.logs.harnesses import inspect_ai
from assay.logs.zip_members import ZipMembers

CONTENT = members(samples(["C", "I"]))


def written(tmp_path, data):
    (tmp_path / "a.eval").write_bytes(data)
    return tmp_path / "a.eval"


@pytest.mark.parametrize("packing", ["zstandard", "deflate", "stored"])
def test_every_member_comes_back(tmp_path, packing):
    found = ZipMembers(written(tmp_path, archive(CONTENT, packing)))
    assert {name: found.read(name) for name in found.names} == CONTENT


@pytest.mark.parametrize("packing", ["zstandard", "deflate"])
def test_a_bomb_is_unpacked_no_further_than_it_declares(tmp_path, packing):
    bomb = dict.fromkeys(["header.json"], b" " * (64 << 20))
    data = bytearray(archive(bomb, packing))
    assert len(data) < 1 << 20
    found = ZipMembers(written(tmp_path, bytes(data)))
    assert len(found.read("header.json")) == 64 << 20
    start = data.index(b"PK\x01\x02")
    data[start + 24 : start + 28] = struct.pack("<L", 1000)  # it says that it is small
    with pytest.raises(SpecError, match="does not match its entry in the archive"):
        ZipMembers(written(tmp_path, bytes(data))).read("header.json")
    data[start + 24 : start + 28] = struct.pack("<L", MAX_UNPACKED_BYTES + 1)
    with pytest.raises(SpecError, match="are too many to read"):
        ZipMembers(written(tmp_path, bytes(data))).read("header.json")


def test_a_member_whose_checksum_does_not_hold_is_refused(tmp_path):
    data = archive(CONTENT, "stored").replace(b"What is q0?", b"What is q9?")
    found = ZipMembers(written(tmp_path, data))
    with pytest.raises(SpecError, match="does not match its entry in the archive"):
        found.read("summaries.json")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_archive_is_refused_and_its_name_said(tmp_path, share):
    data = archive(CONTENT)
    with pytest.raises(SpecError, match=r"a\.eval: not a complete zip archive") as error:
        read_log(written(tmp_path, data[: int(share * len(data))]))
    assert "cut off" in error.value.hint


def test_names_that_leave_the_folder_are_names_and_no_paths(tmp_path):
    content = {"../../evil.json": b"{}", "/etc/evil": b"{}", **CONTENT}
    write = written(tmp_path, archive(content, "deflate"))
    assert len(read_log(write, texts=True)[0].samples) == 2
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.eval"]


def test_two_members_of_one_name_are_refused(tmp_path):
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("header.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            packed.writestr("header.json", "[]")
    with pytest.raises(SpecError, match="two members have the same name"):
        read_log(path)


def test_an_encrypted_member_and_an_unknown_method_are_refused(tmp_path):
    data = bytearray(archive(CONTENT))
    for at in (index for index in range(len(data)) if data.startswith(b"PK\x01\x02", index)):
        data[at + 10 : at + 12] = struct.pack("<H", 14)
    with pytest.raises(SpecError, match="compression method 14"):
        read_log(written(tmp_path, bytes(data)))
    for at in (index for index in range(len(data)) if data.startswith(b"PK\x01\x02", index)):
        data[at + 8] |= 1
    with pytest.raises(SpecError, match="encrypted"):
        read_log(written(tmp_path, bytes(data)))


def test_a_member_that_is_not_where_the_archive_says_is_refused(tmp_path):
    data = bytearray(archive(CONTENT))
    for at in (index for index in range(len(data)) if data.startswith(b"PK\x01\x02", index)):
        data[at + 42 : at + 46] = struct.pack("<L", 7)
    with pytest.raises(SpecError, match="is not at the place that the archive"):
        read_log(written(tmp_path, bytes(data)))


@pytest.mark.parametrize("depth", [2_000, 200_000])
def test_deep_nesting_is_a_typed_error(tmp_path, depth):
    content = {**CONTENT, "header.json": b"[" * depth + b"]" * depth}
    with pytest.raises(SpecError):
        read_log(written(tmp_path, archive(content, "deflate")))


def test_a_file_that_is_no_archive_behind_the_mark_of_one(tmp_path):
    with pytest.raises(SpecError, match="not a complete zip archive"):
        read_log(written(tmp_path, b"PK\x03\x04" + b"junk" * 100))


def test_ids_that_stand_twice_are_refused_when_compared(tmp_path):
    from assay.comparison.collect import Request, compare_paths
    from assay.errors import IncomparableRuns

    made = samples(["C", "I"])
    write_eval(tmp_path / "a.eval", made + made)
    write_eval(tmp_path / "b.eval", made)
    with pytest.raises(IncomparableRuns, match="the same run twice"):
        compare_paths([tmp_path / "a.eval"], [tmp_path / "b.eval"], Request(plan=None, policies={}))


def test_a_log_that_changes_while_it_is_read_is_noticed(tmp_path, monkeypatch):
    from assay.errors import StorageError
    from assay.logs.log_file import LogFile

    path = write_eval(tmp_path / "a.eval", samples(["C"]))
    file = LogFile(path)
    path.write_bytes(path.read_bytes() + json.dumps({}).encode())
    with pytest.raises(StorageError, match="changed while it was read"):
        file.digest  # noqa: B018 - it is computed when asked for


def test_all_members_together_are_bounded(tmp_path, monkeypatch):
    size = sum(map(len, CONTENT.values()))
    for most in (size, size - 1):
        monkeypatch.setattr(zip_members, "_MOST_UNPACKED", most)
        found = ZipMembers(written(tmp_path, archive(CONTENT)))
        if most == size:
            assert {name: found.read(name) for name in found.names} == CONTENT
        else:
            with pytest.raises(SpecError, match="bytes unpacked"):
                [found.read(name) for name in found.names]


def test_the_members_of_a_journal_are_counted_together(tmp_path, monkeypatch):
    made = samples(["C", "I"] * 6)
    path = write_eval(tmp_path / "a.eval", made, finished=False)
    assert len(read_log(path)[0].samples) == 12
    for module in (inspect_ai, format_table):
        monkeypatch.setattr(module, "MAX_SAMPLES", 11)
    with pytest.raises(SpecError, match="more than 11 samples"):
        read_log(path)
