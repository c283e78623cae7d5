"""kill -9 at every system call and after every byte loses nothing that was acknowledged."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import ledger_kills
from helpers.ledgers import append, faults, joined, ledger_lines

from assay.ledger.chain import read_chain
from assay.ledger.file import LedgerFile

BEFORE = [(n, f"study-{n}") for n in range(3)]
TORN = b'{"n":3,"previous":"sha'


def lives(how: str, folder: Path, *, torn: bytes = b"") -> list[dict[str, Any]]:
    start = folder / "start"
    start.write_bytes(joined(ledger_lines(len(BEFORE))) + torn)
    done = subprocess.run(
        [sys.executable, ledger_kills.__file__, how, str(start), str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def faults_after(life: dict[str, Any]) -> list[str]:
    """What is wrong after a life, and after one append more."""
    path = Path(life["file"])
    acknowledged = [*BEFORE, *map(tuple, life["acknowledged"])]
    found = faults(path, acknowledged)
    if not found:
        entry = append(LedgerFile(path), "afterwards")
        found = faults(path, [*acknowledged, (entry.n, "afterwards")])
        if not path.read_bytes().endswith(b"\n"):
            found.append("what was torn is still there")
    return [f"{life['moment']}: {fault}" for fault in found]


@pytest.mark.parametrize("torn", [b"", TORN], ids=["clean", "torn"])
def test_a_kill_at_any_system_call_loses_nothing(torn, tmp_path):
    found = lives("calls", tmp_path, torn=torn)
    assert [fault for life in found for fault in faults_after(life)] == []
    # Every call was met, before and after, and the last life ended in peace.
    calls = {name for _, name in ledger_kills.CALLS} - ({"ftruncate"} if not torn else set())
    moments = {f"{when} {name}" for when in ("before", "after") for name in calls}
    assert {life["moment"] for life in found} == moments | {"never"}
    assert [life["killed"] for life in found] == [True] * (len(found) - 1) + [False]
    assert [len(life["acknowledged"]) for life in found[:: len(found) - 1]] == [0, 2]


def test_a_kill_after_any_byte_of_a_line_loses_nothing(tmp_path):
    found = lives("bytes", tmp_path, torn=TORN)
    assert [fault for life in found for fault in faults_after(life)] == []
    length = len(found) - 2  # one for no byte, one for all of them and no kill
    assert [life["moment"] for life in found[:-1]] == [
        f"after byte {count} of {length}" for count in range(length + 1)
    ]


def test_an_append_that_writes_the_file_anew_is_caught(tmp_path):
    found = [fault for life in lives("rewriting", tmp_path) for fault in faults_after(life)]
    assert "after ftruncate: study-0 was acknowledged as entry 0 and is not there" in found
    assert "after ftruncate: first was acknowledged as entry 3 and is not there" in found


def test_whatever_a_cut_leaves_of_the_last_line_is_no_entry(tmp_path):
    whole = joined(ledger_lines(3))
    start = len(joined(ledger_lines(2)))
    path = tmp_path / "ledger.jsonl"
    for end in range(start, len(whole)):
        chain = read_chain(whole[:end], where="x")
        assert (len(chain.entries), chain.torn, chain.size) == (2, end - start, start)
        path.write_bytes(whole[:end])
        assert append(LedgerFile(path), "afterwards").n == 2
        assert faults(path, [*BEFORE[:2], (2, "afterwards")]) == []
