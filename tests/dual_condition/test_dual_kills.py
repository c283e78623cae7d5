"""Whatever ends an evaluation, at whatever call: production is what it was, and it goes on."""

import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.call_kills import at_call, calls, moments
from helpers.dual_systems import (
    HONEST,
    OBSERVED,
    READ,
    ROUTES,
    SCORE,
    beginning_again,
    beside,
    evaluated,
    planted,
    production,
)
from helpers.scale import scale
from helpers.studies import in_child, raised
from helpers.trial_systems import alive, eventually

from assay.dual_condition import collect as dualling
from assay.dual_condition.result import RowState
from assay.errors import AssayError, ProtocolError, StorageError
from assay.sandbox.in_place import held, put_back, take_place

pytestmark = [
    pytest.mark.skipif(not OBSERVED, reason="only Linux tells which files are opened"),
    pytest.mark.usefixtures("temporary"),
]
STOPPED = 130
SHARED = "/dev/shm"  # noqa: S108 - nothing is there to be shared
START = """
import sys
from pathlib import Path
from assay.errors import AssayError
from assay.dual_condition.spec import load_dual_spec
from assay.dual_condition.collect import run_dual
home, route = Path(sys.argv[1]), sys.argv[2]
try:
    run_dual(load_dual_spec(home / "dual.toml"), home / "results", private=route != "in-place")
except AssayError as error:
    print(error.message, file=sys.stderr)
    sys.exit(error.exit_code)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture
def home(tmp_path):
    return tmp_path


def started(home, route, *before):
    """An evaluation in a process of its own."""
    return subprocess.Popen(
        [*before, sys.executable, "-c", START, str(home), route],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def warden_of(pid):
    """The process that watches over a run of an evaluation, once there is one.

    Of several the one that has something to watch over.
    """
    with suppress(OSError, IndexError):
        found = children_of(pid)
        return next((one for one in found if children_of(one)), found[0])
    return None


def children_of(pid):
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def goes_on(home, route):
    """The next evaluation, which waits while somebody puts production back."""
    found = []

    def tried():
        error = raised(lambda: found.append(evaluated(home, route)))
        if error is not None and "another process is" not in error.message:
            raise error
        return bool(found)

    assert eventually(tried)
    return found[0]


def check_whole(home, route, before, temporary):
    """After whatever cut it off: production is what it was, and the next one makes what is left."""
    if route != "in-place":
        assert production(home) == before
    found = goes_on(home, route)
    assert found.planned == 2
    assert found.result.row is not RowState.BLOCKED, found.result.preconditions
    assert production(home) == before
    assert not beside(home).exists()
    # A folder may be left that nothing was put into: there was no warden yet.
    assert eventually(lambda: not list(temporary.glob("*/*")))


def lives(folder, route, *, few, code=None):
    """A planted system for each call at which its evaluation is cut off.

    Its folder, that call, and whether it is certain to be reached: how many calls there are varies
    a little.
    """
    whole = made(folder / "whole", route)
    life = calls(lambda: evaluated(whole, route), code=code)
    for moment in moments(life, few):
        yield made(folder / str(moment), route), moment, moment < 0.9 * life


def made(home, route):
    home.mkdir()
    planted(home, route)
    return home


@pytest.mark.parametrize("route", ROUTES)
def test_killed_at_any_call_production_is_what_it_was(tmp_path, temporary, route):
    for home, moment, certain in lives(tmp_path, route, few=8 if route == "in-place" else 3):
        before = production(home)
        ended, reached = at_call(moment, lambda home=home: evaluated(home, route))
        assert ended == (-signal.SIGKILL if reached else 0), moment
        assert reached or not certain, moment
        check_whole(home, route, before, temporary)


@pytest.mark.parametrize("first", scale([190], range(100, 200, 10)))
@pytest.mark.parametrize("second", scale([9], range(0, 40, 2)))
def test_killed_again_while_it_is_put_back_production_comes_back(home, temporary, first, second):
    planted(home, "in-place")
    before = production(home)
    killed = at_call(first, lambda: evaluated(home, "in-place"))
    killed_again = at_call(second, lambda: goes_on(home, "in-place"))
    assert killed == killed_again == (-signal.SIGKILL, True)
    check_whole(home, "in-place", before, temporary)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["full", "harmed"])
@pytest.mark.parametrize("route", scale(["namespace", "in-place"], ROUTES))
def test_a_disk_that_refuses_any_call_keeps_production(tmp_path, temporary, route, code):
    ends = set()
    for home, moment, certain in lives(tmp_path, route, few=3, code=code):
        before = production(home)
        ended, reached = at_call(moment, lambda home=home: evaluated(home, route), code=code)
        assert reached or not certain, moment
        ends.add(ended)
        check_whole(home, route, before, temporary)
    assert StorageError.exit_code in ends
    assert ends <= {0, StorageError.exit_code}


@pytest.mark.parametrize("route", ["parameter", "in-place"])
@pytest.mark.parametrize("size", scale([1000], range(0, 4000, 100)))
def test_a_disk_that_is_full_in_the_middle_of_a_file_keeps_production(home, temporary, route, size):
    planted(home, route)
    before = production(home)

    def under_limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        evaluated(home, route)

    assert in_child(under_limit) in (0, StorageError.exit_code)
    if (home / "results").exists():
        beginning_again(home)  # a command that cannot write is no fault of the disk's
    check_whole(home, route, before, temporary)


WRITING = f"""{READ}
while [ ! -e HOME_OF_ALL/go ]; do echo more >> "$S/memory.jsonl"; rm -f "$S/x"; : > "$S/x"; done
rm -f "$S/x"
{SCORE}
"""
KILLED = ("the evaluation", "the warden", "both", "the command")


@pytest.mark.parametrize("who", KILLED)
@pytest.mark.parametrize("route", ["namespace", "in-place"])
def test_killed_while_the_command_writes_production_is_what_it_was(home, temporary, route, who):
    """It writes to where its state is as fast as it can, and may leave nothing running."""
    planted(home, route, WRITING.replace("HOME_OF_ALL", str(home)), system="jobs = 1")
    before = production(home)
    system = home / "system.sh"
    process = started(home, route)
    assert eventually(lambda: running(system))
    time.sleep(0.02)
    if who == "the evaluation":
        process.kill()
    elif who == "the warden":
        os.kill(warden_of(process.pid), signal.SIGKILL)
    elif who == "both":
        for one in children_of(process.pid):
            os.kill(one, signal.SIGKILL)
        process.kill()
    else:
        for one in running(system):
            with suppress(OSError):
                os.kill(one, signal.SIGKILL)
    assert process.wait(timeout=60) in (-signal.SIGKILL, StorageError.exit_code, 0)
    assert eventually(lambda: not running(system))
    if route != "in-place":
        assert production(home) == before
    (home / "go").touch()
    if who == "the command":  # that is a result, and says so
        beginning_again(home)
    if who == "both":
        shutil.rmtree(temporary)  # nobody was left to throw it away
        temporary.mkdir()
    check_whole(home, route, before, temporary)


def running(system):
    """The processes that run a system."""
    return alive(f"sh\0{system.name}\0{system.parent}/")


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("route", ["namespace", "in-place"])
def test_an_interrupt_leaves_nothing_running_and_production_as_it_was(
    home, temporary, route, times
):
    planted(home, route, WRITING.replace("HOME_OF_ALL", str(home)))
    before = production(home)
    process = started(home, route)
    assert eventually(lambda: running(home / "system.sh"))
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.001)
    assert process.wait(timeout=60) in (STOPPED, -signal.SIGINT)
    assert not running(home / "system.sh")
    assert production(home) == before
    assert not beside(home).exists()
    assert not list(temporary.iterdir())
    (home / "go").touch()
    check_whole(home, route, before, temporary)


def test_to_put_production_back_before_the_command_has_ended_would_be_caught(home, tmp_path):
    """A command that still runs writes to whatever stands in the place of its state."""
    planted(home, "in-place", WRITING)
    before = production(home)
    root, copy = home / "home" / "state", tmp_path / "copy"
    shutil.copytree(root, copy)
    with held(root):
        take_place(root, copy, before)
        words = ["sh", "-c", 'while :; do echo more >> "$0/memory.jsonl"; done', str(root)]
        command = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        try:
            put_back(root)
            assert eventually(lambda: production(home) != before)
        finally:
            command.kill()
            command.wait()


@pytest.mark.parametrize("route", scale(["namespace", "in-place"], ROUTES))
def test_killed_at_random_moments_production_is_never_changed(
    home, temporary, route, record_property
):
    """Now the evaluation, now its warden, now both."""
    kills = scale(2, 1000 if route == "namespace" else 200)
    chance = random.Random(f"{route} {kills}")  # noqa: S311 - moments, not secrets
    planted(home, route, HONEST)
    before = production(home)
    changed = finished = unfinished = 0
    longest = lasting(home, route)
    for number in range(10 * kills):
        if number >= kills and unfinished:  # not all of them came too late
            break
        process = started(home, route)
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.3 * longest, 1.1 * longest))
        finished += process.poll() is not None
        killed(process, ("the evaluation", "the warden", "both")[number % 3])
        unfinished += process.wait(timeout=60) != 0
        if route == "in-place":
            eventually(lambda: raised(evaluated, home, route) is None)
        changed += production(home) != before
        if process.returncode == 0 or route == "in-place":
            beginning_again(home)
        clear(temporary)
    record_property(f"kills on the route {route}", kills)
    record_property(f"of them when it was done already ({route})", finished)
    record_property(f"production changed ({route})", changed)
    assert changed == 0
    assert unfinished
    check_whole(home, route, before, temporary)


def lasting(home, route):
    """How long an evaluation takes here, about."""
    begun = time.monotonic()
    assert started(home, route).wait(timeout=60) == 0
    beginning_again(home)
    return time.monotonic() - begun


def killed(process, who):
    warden = warden_of(process.pid)
    if who != "the evaluation" and warden is not None:
        with suppress(OSError):
            os.kill(warden, signal.SIGKILL)
    if who != "the warden" or warden is None:
        process.kill()


def clear(temporary):
    """Take away what those leave who were killed together with their warden."""
    for one in temporary.iterdir():
        shutil.rmtree(one, ignore_errors=True)


CALLS = (
    *("rename", "renameat2", "unlink", "unlinkat", "mkdir", "rmdir", "write", "fsync", "ftruncate"),
    *("sendfile", "copy_file_range", "chmod", "fchmod", "utimensat", "flock", "openat"),
    *("mount", "mount_setattr", "unshare", "clone", "sendmsg", "ioctl"),
)
STRIDE = {"openat": 31, "ioctl": 31}  # some thousand calls each; odd: questions and answers
FAULTS = {"killed": "signal=KILL", "full": "error=ENOSPC", "harmed": "error=EIO"}


CAMPAIGN = [
    (route, whose, call, fault)
    for route in ("namespace", "in-place")
    for whose in ("the evaluation", "the warden")
    for call in CALLS
    for fault in FAULTS
]


def a_fault_at_every_system_call_keeps_production(
    home, temporary, route, whose, call, fault, record_property
):
    """The same below Python: each call that changes anything, by name and by number.

    Of those of which there are thousands, every 31st, from another one on in each campaign.
    """
    strace = shutil.which("strace")
    assert strace, "this takes strace: on Debian, apt install strace"
    planted(home, route)
    before = production(home)
    faults = changed = untold = 0
    number = 1 + CAMPAIGN.index((route, whose, call, fault)) % STRIDE.get(call, 1)
    while number < 2000:
        inject = f"inject={call}:{FAULTS[fault]}:when={number}"
        told = home / "told"
        words = [strace, "-qq", "-o", str(told), "-e", f"trace={call}", "-e", inject]
        ended = traced(home, route, words, whose)
        said = told.read_text(errors="replace") if told.exists() else ""
        told.unlink(missing_ok=True)
        reached = "INJECTED" in said or "killed by SIGKILL" in said
        if not reached and ended == 0:
            break
        untold += not reached  # strace may be ended with its warden before it writes that down
        assert untold <= 3, said
        faults += 1
        if route != "in-place":
            changed += production(home) != before
        goes_on_from(home, route)
        changed += production(home) != before
        assert not beside(home).exists()
        beginning_again(home)
        clear(temporary)
        number += STRIDE.get(call, 1)
    record_property(f"{route}, {whose}, {call}, {fault}", faults)
    record_property(f"production changed ({route}, {whose}, {call}, {fault})", changed)
    assert changed == 0


if scale(0, 1):  # hours of work for strace, which not every machine has
    test_a_fault_at_every_system_call_keeps_production = pytest.mark.parametrize(
        ("route", "whose", "call", "fault"), CAMPAIGN
    )(a_fault_at_every_system_call_keeps_production)


def goes_on_from(home, route):
    """The next evaluation is done; what a system could not do is a result, made again."""
    found = goes_on(home, route)
    if found.result.row is RowState.BLOCKED:
        beginning_again(home)
        found = goes_on(home, route)
    assert found.result.row is not RowState.BLOCKED, found.result.preconditions


TRACED = """
import assay.sandbox.warden_client as client
untraced = client.module_command
client.module_command = lambda *given: WORDS + untraced(*given)
"""


def traced(home, route, words, whose):
    if whose == "the evaluation":
        return started(home, route, *words).wait(timeout=120)
    head = TRACED.replace("WORDS", repr(words))
    process = subprocess.Popen(
        [sys.executable, "-c", head + START, str(home), route],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return process.wait(timeout=120)


def test_two_at_once_on_the_same_results_take_turns(home, temporary):
    """One of them makes the runs; the other is told, or finds them made."""
    planted(home, "namespace", seeds=(1, 2))
    before = production(home)
    both = [started(home, "namespace") for _ in range(2)]
    codes = sorted(process.wait(timeout=60) for process in both)
    assert codes[0] == 0
    assert codes[1] in (0, ProtocolError.exit_code)
    journal = next((home / "results" / "runs").glob("*/runs.jsonl"))
    assert len(journal.read_bytes().splitlines()) == 4
    assert production(home) == before


def test_a_journal_is_not_cut_while_another_writes_to_it(home, temporary, monkeypatch):
    """What looks like half a line may be one that is being written."""
    planted(home)
    found = evaluated(home)
    journal = home / "results" / "runs" / found.path.stem / "runs.jsonl"
    half = journal.read_bytes() + b'{"run": '
    journal.write_bytes(half)
    with dualling.alone(journal.parent):
        assert isinstance(raised(evaluated, home), ProtocolError)
        assert journal.read_bytes() == half
    evaluated(home)
    assert journal.read_bytes() == half.removesuffix(b'{"run": ')


ODD = {
    "a link": 'ln -s memory.jsonl "$S/link"',
    "a link to nothing": 'ln -s nowhere "$S/link"',
    "a pipe": 'mkfifo "$S/pipe"',
    "a name over two lines": 'touch "$S/a\nb"',
    "a file in the place of its folder": 'cp -r "$S" "$HOME/x"; rm -rf "$S"; : > "$S"',
    "nothing": 'rm -rf "$S"',
}


@pytest.mark.parametrize("route", scale(["in-place"], ["parameter", "in-place"]))
@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_a_run_that_leaves_a_state_that_is_none_is_blocked(home, temporary, route, body):
    planted(home, route, f"{READ}\n{SCORE}\n{body}\n")
    before = production(home)
    found = evaluated(home, route)
    assert found.result.row is RowState.BLOCKED
    assert (
        "its state after the run is unreadable"
        in found.result.preconditions["runs_completed"].evidence
    )
    assert production(home) == before
    assert not beside(home).exists()
    assert not list(temporary.iterdir())


HOSTILE = {
    "a name that is no text": "cat OUTSIDE/$(printf 'a\\377') >/dev/null",
    "a name over two lines": "cat 'OUTSIDE/a\nb' >/dev/null",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_name_that_cannot_be_shown_is_noted_all_the_same(home, temporary, body):
    outside = home / "outside"
    outside.mkdir()
    for name in (b"a\xff", b"a\nb"):
        Path(os.fsdecode(os.fsencode(outside) + b"/" + name)).write_text("x")
    planted(home, "parameter", f"{READ}\n{SCORE}\n{body.replace('OUTSIDE', str(outside))}\n")
    found = evaluated(home)
    said = found.result.preconditions["nothing_undeclared_read"]
    assert not said.holds
    assert f"{outside}/a\\" in said.evidence
    assert found.path.exists()


def test_a_state_in_place_that_cannot_be_put_beside_is_said_before_anything_runs(
    home, temporary, monkeypatch
):
    planted(home, "in-place")
    mkdir = Path.mkdir

    def refused(path, *given, **more):
        if path == beside(home):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        mkdir(path, *given, **more)

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(AssayError, match="Read-only"):
        evaluated(home, "in-place")
    assert not list(temporary.iterdir())


@pytest.mark.skipif(not Path(SHARED).is_dir(), reason="there is no shared memory")
@pytest.mark.parametrize("what", ["copies", "all of it"])
def test_an_evaluation_in_shared_memory_works_too(home, temporary, monkeypatch, what):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        monkeypatch.setattr(tempfile, "tempdir", name)
        place = home if what == "copies" else Path(name, "home")
        planted(place, "namespace")
        before = production(place)
        found = evaluated(place)
        assert found.result.row is not RowState.BLOCKED, found.result.preconditions
        assert production(place) == before
