"""What a run reached, sorted: what it may, what it was given, and what nobody declared."""

import os
import sysconfig
from pathlib import Path

import pytest
from helpers.dual_systems import OBSERVED, READ, SCORE, evaluated, planted, production

from assay.dual_condition.result import RowState
from assay.dual_condition.system.file_access import RunPaths, Sorter
from assay.sandbox.job import Outcome


def outcome(**parts):
    empty = {"read": (), "written": (), "run": (), "connected": ()}
    return Outcome(code=0, trouble=None, full=False, **{**empty, **parts})


@pytest.fixture
def there(tmp_path):
    """A system's folder, a run's own, production, and something else."""
    for name in ("system", "run/state", "production", "else", "given"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("system/run.py", "system/data", "production/memory", "else/file", "given/model"):
        (tmp_path / name).write_text("x")
    return tmp_path


def sorted_(there, *, covered=False, private=True, **parts):
    production = there / "production"
    sorter = Sorter(there / "system", ["python", "run.py"], [there / "given"])
    place = RunPaths(
        root=there / "run",
        state=there / "run" / "state",
        aliases=(production,) if covered else (),
        production=None if covered else production,
        private=private,
    )
    return sorter.sort(outcome(**parts), place)


def test_a_read_is_sorted_by_where_it_leads(there):
    (there / "run" / "link").symlink_to(there / "else" / "file")
    names = ("system/run.py", "system/data", "production/memory", "given/model", "run/link")
    found = sorted_(there, read=tuple(str(there / name) for name in names))
    assert found.code == {str(there / "system" / "run.py")}
    assert found.given == {str(there / "given" / "model")}
    assert found.production == {str(there / "production" / "memory")}
    assert found.undeclared == {str(there / "system" / "data"), str(there / "else" / "file")}


def test_names_in_a_folder_are_read_like_a_file(there):
    (there / "system" / "package").mkdir()
    (there / "system" / "package" / "one.py").write_text("")
    (there / "system" / "answers").mkdir()
    (there / "run" / "link").symlink_to(there / "else")
    names = ("system", "system/package", "system/answers", "production", "given", "run", "else")
    listed = (*(f"{there / name}/" for name in names), f"{there}/run/state/", "/usr/lib/")
    found = sorted_(there, read=listed)
    assert found.undeclared == {f"{there / 'system' / 'answers'}/", f"{there / 'else'}/"}
    assert found.production == {f"{there / 'production'}/"}
    assert found.state == {"."}


def test_sockets_of_its_own_and_of_the_operating_system_are_no_peers(there):
    own = f"unix:{there}/run/tmp/listener"
    others = (f"unix:{there}/else/s", "unix:@name", "unix:s", "127.0.0.1:1", "process 7")
    quiet = ("unix:/run/systemd/userdb/io.systemd.DynamicUser", "unix:/var/run/nscd/socket")
    assert sorted_(there, connected=(own, *quiet, *others)).peers == set(others)


def test_the_path_of_production_is_the_state_where_a_copy_shows_there(there):
    found = sorted_(there, covered=True, read=(str(there / "production" / "memory"),))
    assert found.state == {"memory"}
    assert found.production == set()


def test_production_by_way_of_another_process_is_not_the_state(there):
    way = f"/proc/{os.getpid()}/root{there}/production/memory"
    found = sorted_(there, covered=True, read=(way,), written=(way,))
    assert found.state == found.changed == set()
    assert found.undeclared == {str(there / "production" / "memory")}
    assert found.outside == {str(there / "production" / "memory")}


def test_a_pipe_that_others_fill_is_not_declared(there):
    os.mkfifo(there / "else" / "pipe")
    os.mkfifo(there / "run" / "pipe")
    found = sorted_(there, read=(str(there / "else" / "pipe"), str(there / "run" / "pipe")))
    assert found.undeclared == {str(there / "else" / "pipe")}


def test_a_program_that_is_run_is_a_file_that_is_read(there):
    found = sorted_(there, run=(str(there / "else" / "file"), "/bin/sh"))
    assert found.undeclared == {str(there / "else" / "file")}


def test_shared_memory_is_the_runs_own_only_where_its_view_is(there):
    name = "/dev/shm/assay-reached"  # noqa: S108 - nothing is made there
    assert sorted_(there, written=(name,)).outside == set()
    assert sorted_(there, written=(name,), private=False).outside == {name}


def test_what_is_installed_is_open_to_every_run(there):
    standard = Path(sysconfig.get_paths()["stdlib"], "json", "__init__.py")
    found = sorted_(there, read=(str(standard), "/etc/hostname"))
    assert (found.undeclared, found.given, found.code) == (set(), set(), set())


OUTSIDE = {
    "read by a link that is gone afterwards": (
        'ln -s ELSE/file "$HOME/l"; cat "$HOME/l" >/dev/null; rm "$HOME/l"',
        "nothing_undeclared_read",
    ),
    "written by what was opened to read": (
        "exec 7< ELSE/file; echo bad 2>/dev/null > /proc/self/fd/7",
        "no_writes_outside",
    ),
    "read from a pipe": ("cat <> ELSE/pipe & sleep 0.1", "no_writes_outside"),
    "run": ("ELSE/tool", "nothing_undeclared_read"),
    "given other rights": ("chmod 777 ELSE/file 2>/dev/null", "no_writes_outside"),
}


@pytest.mark.skipif(not OBSERVED, reason="only Linux tells which files are opened")
@pytest.mark.parametrize(("body", "named"), OUTSIDE.values(), ids=OUTSIDE)
def test_a_file_outside_blocks_the_row(tmp_path, body, named):
    other = tmp_path / "else"
    other.mkdir()
    (other / "file").write_text("x")
    (other / "tool").write_text("#!/bin/sh\n:\n")
    (other / "tool").chmod(0o755)
    os.mkfifo(other / "pipe")
    planted(tmp_path, "namespace", f"{READ}\n{SCORE}\n{body.replace('ELSE', str(other))}\ntrue\n")
    before = production(tmp_path)
    found = evaluated(tmp_path)
    assert found.result.row is RowState.BLOCKED
    assert not found.result.preconditions[named].holds
    assert str(other) in found.result.preconditions[named].evidence
    assert production(tmp_path) == before
    assert (other / "file").read_text() == "x"


REACHES = {
    "written": 'echo bad >> "PRODUCTION/memory.jsonl"',
    "read": 'cat "PRODUCTION/memory.jsonl" >/dev/null',
    "by a link in its copy": (
        'ln -s PRODUCTION/memory.jsonl "$S/l"; cat "$S/l" >/dev/null; rm "$S/l"'
    ),
    "as a link of its own": 'ln PRODUCTION/memory.jsonl "$HOME/h"',
}


@pytest.mark.skipif(not OBSERVED, reason="only Linux tells which files are opened")
@pytest.mark.parametrize("private", [True, False], ids=["private", "observed"])
@pytest.mark.parametrize("body", REACHES.values(), ids=REACHES)
def test_who_reaches_for_production_past_its_copy_is_seen_or_meets_the_copy(
    tmp_path, body, private
):
    """Where views are private, what shows at production's path is the run's own copy."""
    root = tmp_path / "home" / "state"
    body = body.replace("PRODUCTION", str(root))
    planted(tmp_path, "parameter", f"{READ}\n{SCORE}\n{body} 2>/dev/null\ntrue\n")
    before = production(tmp_path)
    found = evaluated(tmp_path, "parameter" if private else "in-place")
    said = found.result.preconditions["isolation"]
    if private and found.record["state"]["private"]:
        assert production(tmp_path) == before
    else:
        assert found.result.row is RowState.BLOCKED
        assert not said.holds
        assert str(root) in said.evidence
