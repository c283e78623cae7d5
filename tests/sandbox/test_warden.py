"""What a command does to reach past its folder, and whether that is seen, or held back."""

import ctypes
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.scale import scale
from helpers.trial_systems import alive, eventually

import assay
from assay.errors import StorageError
from assay.sandbox import warden_client
from assay.sandbox.job import Job, View
from assay.sandbox.processes import HOME
from assay.sandbox.warden_client import WardenClient, can_observe

pytestmark = pytest.mark.skipif(not can_observe(), reason="only Linux tells which files are opened")
BOTH = pytest.mark.parametrize("private", [True, False], ids=["private", "observed"])


class Bench:
    """A folder outside, one of the run's own, and a warden to run commands between them."""

    def __init__(self, home: Path, warden: WardenClient) -> None:
        self.warden = warden
        self.outside, self.own = home / "outside", home / "own"
        self.cover = home / "cover"
        for folder in (self.outside, self.own, self.cover):
            folder.mkdir(parents=True)
        self.secret = self.outside / "secret.txt"
        self.secret.write_text("secret")
        (self.cover / "secret.txt").write_text("copy")

    def run(self, *words, private=True, covers=False, seconds=30.0, log_bytes=1 << 28, **more):
        was, self.warden.private = self.warden.private, self.warden.private and private
        try:
            return self.warden.run(
                Job(
                    command=words,
                    folder=self.own,
                    environment={"PATH": os.environ["PATH"], "HOME": str(self.own), **more},
                    output=self.own / "log.txt",
                    seconds=seconds,
                    log_bytes=log_bytes,
                    view=View(
                        writable=(self.own,),
                        covers=((self.cover, self.outside),) if covers else (),
                    ),
                )
            )
        finally:
            self.warden.private = was

    def python(self, body, *words, **named):
        """A program in Python: `secret` is the file outside, and `os` and `sys` are there."""
        head = f"import os, sys\nsecret = {str(self.secret)!r}\n"
        found = self.run("python", "-I", "-S", "-c", head + body, *words, **named)
        assert found.trouble is None, (found.trouble, self.log())
        return found

    def log(self):
        return (self.own / "log.txt").read_text(errors="replace")

    @property
    def intact(self):
        return self.secret.read_text() == "secret"


@pytest.fixture(scope="module")
def warden():
    scratch = Path(tempfile.mkdtemp())
    with WardenClient(scratch) as found:
        yield found
    assert not scratch.exists()


@pytest.fixture
def bench(tmp_path, warden):
    return Bench(tmp_path, warden)


READS = {
    "plainly": "open(secret)",
    "by a link that is gone afterwards": (
        "os.symlink(secret, 'link'); open('link'); os.unlink('link')"
    ),
    "by a link to a folder on the way": (
        "os.symlink(os.path.dirname(secret), 'd'); open('d/secret.txt'); os.unlink('d')"
    ),
    "by a chain of links": (
        "os.symlink(secret, 'a'); os.symlink('a', 'b'); os.symlink('./b', 'c'); open('c')\n"
        "for one in 'abc': os.unlink(one)"
    ),
    "up through a link, not by its name": (
        "os.symlink(os.path.dirname(secret), 'd')\nopen('d/../outside/secret.txt'); os.unlink('d')"
    ),
    "after going elsewhere": "os.chdir(os.path.dirname(secret)); open('secret.txt')",
    "from a folder that it has open": (
        "at = os.open(os.path.dirname(secret), os.O_RDONLY); os.open('secret.txt', 0, dir_fd=at)"
    ),
    "from a folder that it has deleted": (
        "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\nopen('../../outside/secret.txt')"
    ),
    "by what it has open": ("at = os.open(secret, os.O_PATH); open(f'/proc/self/fd/{at}').read()"),
    "by the folder of its descriptors": (
        "at = os.open(secret, os.O_PATH); open(f'/dev/fd/{at}').read()"
    ),
    "by its own root": "open('/proc/self/root' + secret)",
    "by its own folder": "os.chdir(os.path.dirname(secret)); open('/proc/self/cwd/secret.txt')",
    "as one thread of it": (
        "os.chdir(os.path.dirname(secret)); open('/proc/thread-self/cwd/secret.txt')"
    ),
    "in a thread": (
        "import threading\n"
        "at = threading.Thread(target=lambda: open(secret)); at.start(); at.join()"
    ),
    "as a link of its own": (
        "import contextlib\nwith contextlib.suppress(OSError): os.link(secret, 'hard')\n"
    ),
    "in exchange for a file of its own": (
        "import ctypes\nopen('mine', 'w').close()\n"
        "ctypes.CDLL(None).renameat2(-100, b'mine', -100, secret.encode(), 2)\n"
    ),
    "into its memory": (
        "import mmap\nfile = open(secret, 'rb')\n"
        "assert mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:] == b'secret'"
    ),
    "in a child": "pid = os.fork()\nif not pid: open(secret); os._exit(0)\nos.waitpid(pid, 0)",
    "in a program that it starts": (
        "os.waitpid(os.posix_spawn('/bin/cat', ['cat', secret], {}), 0)"
    ),
    "in a child that shares its memory": (
        "import subprocess; subprocess.run(['/bin/cat', secret], close_fds=False)"
    ),
    "in a grandchild that nobody waits for": (
        "ours, theirs = os.pipe()\n"
        "if not os.fork():\n"
        "    os.setsid()\n"
        "    if not os.fork():\n"
        "        open(secret); os.write(theirs, b'!')\n"
        "    os._exit(0)\n"
        "os.read(ours, 1)"
    ),
    "by a link to a descriptor that its warden does not have": (
        "os.dup2(os.open(os.path.dirname(secret), os.O_PATH), 200)\n"
        "os.symlink('/dev/fd/200', 'd'); open('d/secret.txt'); os.unlink('d')"
    ),
    "as a thread with descriptors of its own": (
        "import ctypes, threading\n"
        "os.mkdir('mine'); open('mine/secret.txt', 'w').close()\n"
        "at, mine = (os.open(one, os.O_PATH) for one in (os.path.dirname(secret), 'mine'))\n"
        "def work():\n"
        "    assert ctypes.CDLL(None).unshare(0x400) == 0\n"
        "    os.dup2(mine, at)\n"
        "    assert open(f'/proc/self/fd/{at}/secret.txt').read() == 'secret'\n"
        "    print('read', flush=True)\n"
        "thread = threading.Thread(target=work); thread.start(); thread.join()"
    ),
}


def test_a_command_that_stops_the_warden_is_ended_in_time(bench, monkeypatch):
    monkeypatch.setattr(warden_client, "_WAKE_SECONDS", 0.2)
    body = "import os, signal, time; os.kill(os.getppid(), signal.SIGSTOP); time.sleep(600)"
    ended = bench.run("python", "-I", "-S", "-c", body, seconds=1.0)
    assert ended.trouble == "still running after 1 s"


@BOTH
@pytest.mark.parametrize("body", READS.values(), ids=READS)
def test_a_file_that_is_read_is_seen_by_its_own_name(bench, body, private):
    found = bench.python(body, private=private)
    assert str(bench.secret) in found.read
    assert not found.full


WRITES = {
    "plainly": "open(secret, 'w')",
    "at its end": "open(secret, 'a')",
    "a link that is gone afterwards": (
        "os.symlink(secret, 'link')\ntry: open('link', 'w')\nfinally: os.unlink('link')"
    ),
    "what it opened to read": (
        "at = os.open(secret, os.O_RDONLY); open(f'/proc/self/fd/{at}', 'w')"
    ),
    "what it opened to read, by a link": (
        "at = os.open(secret, os.O_RDONLY)\n"
        "os.symlink(f'/proc/self/fd/{at}', 'link')\n"
        "try: open('link', 'w')\nfinally: os.unlink('link')"
    ),
    "what it opened for nothing": ("at = os.open(secret, os.O_PATH); open(f'/dev/fd/{at}', 'w')"),
    "to shorten it": "os.truncate(secret, 0)",
    "to take it away": "os.unlink(secret)",
    "to rename it": "os.rename(secret, 'mine')",
    "to put another in its place": "open('mine', 'w').close(); os.rename('mine', secret)",
    "its rights": "os.chmod(secret, 0o777)",
    "its rights, by what it has open": "os.fchmod(os.open(secret, os.O_RDONLY), 0o777)",
    "its times": "os.utime(secret, (1, 1))",
    "its times, by what it has open": "os.utime(os.open(secret, os.O_RDONLY), (1, 1))",
    "its owner": "os.chown(secret, 0, 0)",
    "its attributes": "os.setxattr(secret, 'user.mark', b'x')",
}


@BOTH
@pytest.mark.parametrize("body", WRITES.values(), ids=WRITES)
def test_a_file_that_is_written_is_seen_and_held_back_where_views_are_private(bench, body, private):
    before = bench.secret.stat()
    tried = "\n".join(f"    {line}" for line in body.split("\n"))
    found = bench.python(f"try:\n{tried}\nexcept OSError: print('held')", private=private)
    assert str(bench.secret) in found.written
    assert not found.full
    if private and bench.warden.private:
        assert bench.log() == "held\n"
        assert bench.intact
        after = bench.secret.stat()
        assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


NEW = {
    "a file": "open(new, 'w')",
    "a file, by a link that leads to nothing yet": "os.symlink(new, 'l'); open('l', 'w')",
    "a folder": "os.mkdir(new)",
    "a link": "os.symlink('x', new)",
    "a pipe": "os.mkfifo(new)",
    "a socket": "import socket; socket.socket(socket.AF_UNIX).bind(new)",
}


@BOTH
@pytest.mark.parametrize("body", NEW.values(), ids=NEW)
def test_what_is_made_outside_is_seen_and_held_back_where_views_are_private(bench, body, private):
    head = "new = os.path.dirname(secret) + '/new'\n"
    found = bench.python(f"{head}try:\n    {body}\nexcept OSError: pass", private=private)
    new = bench.outside / "new"
    assert str(new) in found.written
    if private and bench.warden.private:
        assert not os.path.lexists(new)


def test_a_copy_that_shows_at_another_path_is_seen_at_that_path(bench):
    if not bench.warden.private:
        pytest.skip("no private view can be had here")
    body = "print(open(secret).read()); open(secret, 'w').write('new')"
    found = bench.python(body, covers=True)
    assert str(bench.secret) in found.read
    assert str(bench.secret) in found.written
    assert bench.log() == "copy\n"
    assert (bench.cover / "secret.txt").read_text() == "new"
    assert bench.intact


def test_what_lies_under_a_copy_cannot_be_reached_by_way_of_another_process(bench):
    """Another process sees production where the run sees a copy; its root leads there."""
    if not bench.warden.private:
        pytest.skip("no private view can be had here")
    way = f"/proc/{os.getpid()}/root{bench.secret}"
    body = "try: open(sys.argv[1], 'r+').write('bad')\nexcept OSError: print('held')"
    found = bench.python(body, way, covers=True)
    assert bench.log() == "held\n"
    assert bench.intact
    assert str(bench.secret) not in found.written
    assert way in found.written


REFUSED = {
    "an interface of queues": "call(425, 8, room)",
    "a file by its handle": "call(304, -100, room, 0)",
    "what another process has open": "call(438, 1, 0, 0)",
    "a folder for the root": "call(437, -100, b'/', room, 24)",
    "unmounting": "libc.umount2(os.path.dirname(secret).encode(), 2)",
    "mounting": "libc.mount(b'tmpfs', os.path.dirname(secret).encode(), b'tmpfs', 0, None)",
    "making the view writable": "call(442, -100, b'/', 0x8000, bytes(32), 32)",
    "another root": "libc.chroot(b'/')",
    "the view of another process": "libc.setns(os.open('/proc/1/ns/mnt', 0), 0)",
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are of x86-64")
@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_nobody_could_follow_is_refused(bench, body):
    head = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\ncall = libc.syscall\n"
    room = "room = ctypes.create_string_buffer(256)\n"
    tried = f"try: done = {body}\nexcept PermissionError: done = -1\nassert done == -1"
    bench.python(head + room + tried, covers=True)
    assert bench.intact


INT_80 = bytes.fromhex("b8 14000000 cd80 c3")
"""mov eax, 20 (getpid, of a 32-bit process); int 0x80; ret"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the machine code is of x86-64")
def test_a_call_as_of_another_machine_is_refused(bench):
    body = (
        "import ctypes, mmap\nroom = mmap.mmap(-1, 4096, prot=7)\n"
        f"room.write({INT_80!r})\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(room))\n"
        "assert ctypes.CFUNCTYPE(ctypes.c_int)(at)() == -38"
    )
    bench.python(body)


BAD_CALLS = {
    "a path nowhere in memory": "call(257, -100, 16, 0)",
    "a path beyond all memory": "call(257, -100, 0xffff_ffff_ffff_f000, 0)",
    "no path": "call(257, -100, 0, 0)",
    "a folder that is not open": "call(257, 777, b'x', 0)",
    "a folder that is a pipe": "call(257, os.pipe()[0], b'x', 0)",
    "a part of a path that is too long": "call(257, -100, b'x' * 300, 0o101)",
    "a path that is too long": "call(257, -100, b'/x' * 3000, 0o101)",
    "a folder with too long a name": "call(83, b'x' * 300)",
    "an address that is too short": "call(42, pair, b'\\x02\\x00\\x00', 3)",
    "an address of nothing": "call(42, pair, b'', 0)",
    "an address of no kind": "call(42, pair, b'\\xff\\xff' * 60, 120)",
    "a name for a socket that is too short": "call(49, pair, b'\\x01', 1)",
    "a loop of links": "os.symlink('l', 'l'); call(257, -100, b'l', 0)",
    "a program that is nowhere": "call(59, 16, 0, 0)",
    "times without a file": "call(280, -100, 0, 0, 0)",
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are of x86-64")
@pytest.mark.parametrize("body", BAD_CALLS.values(), ids=BAD_CALLS)
def test_a_call_that_makes_no_sense_ends_nobody_and_hides_nothing(bench, body):
    head = (
        "import ctypes, socket\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def call(*given): return libc.syscall(*map(as_it_is, given))\n"
        "def as_it_is(one): return ctypes.c_long(one) if isinstance(one, int) else one\n"
        "pair = socket.socket(socket.AF_INET, socket.SOCK_DGRAM).fileno()\n"
    )
    split = body.rpartition("; ")
    bench.python(f"{head}{split[0]}\nassert {split[2]} == -1\nopen(secret)")
    found = bench.python("open(secret)")
    assert not found.full
    assert str(bench.secret) in found.read


def test_a_process_that_lets_nobody_look_into_it_is_not_passed_over(tmp_path, warden):
    """A root may look all the same."""
    body = "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); open(secret)"
    found = Bench(tmp_path, warden).python(body)
    assert found.full or str(tmp_path / "outside" / "secret.txt") in found.read


def test_names_of_any_bytes_are_seen(bench):
    strange = os.fsencode(bench.outside) + b"/a\nb\xff\xfe\x01"
    Path(os.fsdecode(strange)).write_text("x")
    found = bench.python(
        "here = os.path.dirname(os.fsencode(secret))\n"
        "open(here + b'/a\\nb\\xff\\xfe\\x01'); open(here + b'/\\xff', 'w')",
        private=False,
    )
    assert os.fsdecode(strange) in found.read
    assert os.fsdecode(os.fsencode(bench.outside) + b"/\xff") in found.written
    assert not found.full


def test_names_as_long_as_they_can_be_are_seen(bench):
    """With what a warden has to put before it, such a name is too long."""
    deep = bench.outside
    while len(str(deep)) + 201 < 3900:
        deep = deep / ("d" * 200)
    deep.mkdir(parents=True)
    last = deep / ("f" * min(255, 4095 - len(str(deep)) - 1))
    last = last if len(str(last)) > 4080 else deep / ("e" * 150) / ("f" * 100)
    last.parent.mkdir(exist_ok=True)
    last.write_text("x")
    found = bench.python("open(sys.argv[1]); os.chdir(os.path.dirname(sys.argv[1]))", str(last))
    assert str(last) in found.read
    body = "os.chdir(sys.argv[1]); open(sys.argv[2]); open('./' * 1900 + sys.argv[2])"
    found = bench.python(body, str(last.parent), last.name)
    assert str(last) in found.read


def test_a_name_that_is_longer_than_any_is_taken_neither_for_missing_nor_for_another(bench):
    """From where a process is, it can be opened; from its root it cannot."""
    deep = bench.outside
    while len(str(deep)) + 201 < 4090:
        deep = deep / ("d" * 200)
    deep.mkdir(parents=True)
    name = "n" * 250
    handle = os.open(deep, os.O_RDONLY)
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.setxattr(f"/proc/self/fd/{handle}", "user.mark", b"x")
    os.close(handle)
    made = "os.chdir(sys.argv[1])\ntry: os.mkdir(sys.argv[2])\nexcept FileExistsError: pass\n"
    for line in (f"{made}open(sys.argv[2])", "os.chdir(sys.argv[1]); os.listxattr(sys.argv[2])"):
        found = bench.python(line, str(deep), name)
        assert found.full
        assert not [path for path in found.made if path.endswith(name)]
    around = (
        "for _ in range(30):\n"
        "    if len(os.getcwd()) > 3700: break\n"
        "    os.mkdir('d' * 200); os.chdir('d' * 200)\n"
        "os.mkdir('x'); os.mkdir('x/y'); os.symlink(os.path.dirname(secret), 'l')\n"
        "open('l/../outside' + '/.' * 300 + '/secret.txt')"
    )
    assert str(bench.secret) in bench.python(around).read


def test_what_is_there_is_not_made(bench):
    """A link that leads nowhere is there, and so is the root."""
    link = bench.outside / "link"
    link.symlink_to("nowhere")
    body = (
        "for name in (*sys.argv[1:], sys.argv[1] + '/', '/', '/.'):\n"
        "    try: os.mkdir(name)\n    except OSError: pass"
    )
    assert bench.python(body, str(link)).made == ()


def test_a_link_that_is_linked_is_read(bench):
    """Its target is what it holds."""
    link = bench.outside / "link"
    link.symlink_to("what is to be told")
    body = "try: os.link(sys.argv[1], 'own', follow_symlinks=False)\nexcept OSError: pass"
    assert str(link) in bench.python(body, str(link)).read


def test_attributes_behind_a_slash_and_of_a_link_itself_are_seen(bench):
    link = bench.own / "link"
    link.symlink_to(bench.outside)
    os.setxattr(bench.outside, "user.mark", b"x")
    body = "os.getxattr('link/', 'user.mark', follow_symlinks=False)"
    assert str(bench.outside) in bench.python(body).metadata
    other = bench.outside / "link"
    other.symlink_to("nowhere")
    try:
        os.setxattr(other, "security.mark", b"x", follow_symlinks=False)
    except OSError:
        pytest.skip("a link can have no attribute here")
    body = "os.getxattr(sys.argv[1], 'security.mark', follow_symlinks=False)"
    assert str(other) in bench.python(body, str(other)).metadata


def test_a_folder_that_is_deleted_has_no_name(bench):
    """Another may be there under what the kernel calls it."""
    body = (
        "gone = os.path.dirname(secret) + '/gone'\n"
        "os.makedirs('x/y'); open('x/secret.txt', 'w').close()\n"
        "os.symlink(os.path.abspath('x/y'), gone + ' (deleted)')\n"
        "os.mkdir(gone); os.chdir(gone); os.rmdir(gone)\n"
        "assert open('../secret.txt').read() == 'secret'"
    )
    assert str(bench.secret) in bench.python(body, private=False).read


def test_thousands_of_files_are_all_seen(bench):
    count = scale(1000, 20_000)
    body = f"for n in range({count}): open(f'f{{n}}', 'w').close(); open(f'f{{n}}').close()"
    found = bench.python(body)
    assert {str(bench.own / f"f{n}") for n in range(count)} <= set(found.read)
    assert not found.full


def test_a_device_is_no_file(bench):
    body = "open('/dev/null', 'r+b', 0); open('/dev/ptmx', 'r+b', 0); open('/dev/urandom', 'rb')"
    found = bench.python(body)
    assert not [path for path in (*found.read, *found.written) if path.startswith("/dev/")]


def test_what_has_no_name_is_no_file(bench):
    body = (
        "at = os.memfd_create('x'); open(f'/proc/self/fd/{at}', 'w')\n"
        "ours, theirs = os.pipe(); open(f'/dev/fd/{theirs}', 'w')"
    )
    found = bench.python(body)
    assert set(found.written) == set()
    assert not found.full


def test_a_pipe_with_a_name_is_a_file_that_is_read(bench):
    fifo = bench.outside / "fifo"
    os.mkfifo(fifo)
    found = bench.python("os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)", str(fifo))
    assert str(fifo) in found.read


def test_a_program_that_is_run_is_seen(bench):
    tool = bench.outside / "tool"
    shutil.copy(shutil.which("true"), tool)
    (bench.outside / "script").write_text("#!/bin/sh\n:\n")
    (bench.outside / "script").chmod(0o755)
    body = (
        "import subprocess\nfor one in sys.argv[1:]: subprocess.run([one], check=True)\n"
        "at = os.open(sys.argv[1], os.O_PATH)\n"
        "if not os.fork(): os.execve(at, ['t'], {})\n"
        "os.wait()"
    )
    found = bench.python(body, str(tool), str(bench.outside / "script"))
    assert {str(tool), str(bench.outside / "script")} <= set(found.run)


def test_what_runs_a_script_is_seen_as_well(bench):
    shutil.copy("/bin/sh", bench.outside / "shell")
    (bench.outside / "script").write_text(f"#!{bench.outside}/shell -e\n:\n")
    (bench.outside / "script").chmod(0o755)
    found = bench.python("os.execv(sys.argv[1], ['x'])", str(bench.outside / "script"))
    assert {str(bench.outside / "shell"), str(bench.outside / "script")} <= set(found.run)


ELF = """
import struct
def elf(loader, wide):
    if wide:
        size, form = 64 + 2 * 56, "<IIQQQQQQ"
        head = struct.pack("<16sHHIQQQIHHHHHH", b"\\x7fELF\\2\\1\\1", 2, 62, 1, 0x400000, 64, 0, 0,
                           64, 56, 2, 0, 0, 0)
        parts = (3, 4, size, 0x400000 + size, 0), (1, 5, 0, 0x400000, 0)
        named = struct.pack(form, *parts[0], len(loader), len(loader), 1)
        loads = struct.pack(form, *parts[1], size + len(loader), size + len(loader), 4096)
    else:
        size, form = 52 + 2 * 32, "<IIIIIIII"
        head = struct.pack("<16sHHIIIIIHHHHHH", b"\\x7fELF\\1\\1\\1", 2, 3, 1, 0x400000, 52, 0, 0,
                           52, 32, 2, 0, 0, 0)
        named = struct.pack(form, 3, size, 0x400000 + size, 0, len(loader), len(loader), 4, 1)
        loads = struct.pack(form, 1, 0, 0x400000, 0, size, size, 5, 4096)
    return head + named + loads + loader
"""
BEHIND = {
    "a script without a name": (
        "at = os.memfd_create('s', 0); os.write(at, b'#!' + tool)\nrun(f'/proc/self/fd/{at}')"
    ),
    "a script without a name, by its descriptor": (
        "at = os.memfd_create('s', 0); os.write(at, b'#!' + tool)\nrun(at)"
    ),
    "a script whose name is gone": (
        "own('x', b'#!' + tool); at = os.open('x', 0); os.set_inheritable(at, True)\n"
        "os.unlink('x'); run(f'/dev/fd/{at}')"
    ),
    "a script of a script of a script": (
        "for n in range(4): own(f's{n}', f'#!s{n + 1}'.encode())\n"
        "own('s4', b'#!' + tool); run('s0')"
    ),
    "a script with an argument": "own('x', b'#! \\t' + tool + b'\\t-e'); run('x')",
    "a program with a loader": "own('x', elf(tool + bytes(1), True)); run('x')",
    "a program of another width with a loader": ("own('x', elf(tool + bytes(1), False)); run('x')"),
    "a program without a name, with a loader": (
        "at = os.memfd_create('s', 0); os.write(at, elf(tool + bytes(1), True)); run(at)"
    ),
}
RUNNING = """
def own(name, data):
    with open(name, "wb") as file: file.write(data + b"\\n")
    os.chmod(name, 0o755)
def run(program):
    if not os.fork(): os.execve(program, ["x"], {})
    os.wait()
"""


@BOTH
@pytest.mark.parametrize("body", BEHIND.values(), ids=BEHIND)
def test_what_the_kernel_runs_for_a_program_is_seen(bench, body, private):
    """It opens that itself. A name ends at a space or a tab, at no other letter."""
    tool = bench.outside / "to\x0bol"
    shutil.copy(shutil.which("true"), tool)
    head = f"tool = os.fsencode({str(tool)!r})\n"
    found = bench.python(head + ELF + RUNNING + body, private=private)
    assert str(tool) in found.run
    assert not found.full


@pytest.mark.parametrize("kind", ["a stream", "datagrams"])
def test_whom_it_speaks_to_is_seen(bench, tmp_path, kind):
    name = str(bench.own / "s")
    stream = kind == "a stream"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM if stream else socket.SOCK_DGRAM) as ear:
        ear.bind(name)
        if stream:
            ear.listen()
        how = "SOCK_STREAM); s.connect(at)" if stream else "SOCK_DGRAM); s.sendto(b'?', at)"
        body = f"import socket\nat = {name!r}\ns = socket.socket(socket.AF_UNIX, socket.{how}"
        found = bench.python(body)
    assert f"unix:{name}" in found.connected


DATAGRAMS = {
    "sendto": "s.sendto(b'?', at)",
    "sendmsg": "s.sendmsg([b'?'], [], 0, at)",
    "sendmsg, flags and all": "s.sendmsg([b'?'], [], socket.MSG_DONTWAIT, at)",
    "sendmmsg": """
import ctypes, struct
name = ctypes.create_string_buffer(struct.pack("=H", 2) + struct.pack(">H", at[1])
                                   + socket.inet_aton(at[0]) + bytes(8), 16)
data = ctypes.create_string_buffer(b"?", 1)
part = struct.pack("QQ", ctypes.addressof(data), 1)
parts = ctypes.create_string_buffer(part, len(part))
nobody = struct.pack("QIxxxxQQQQixxxx", 0, 0, ctypes.addressof(parts), 1, 0, 0, 0) + bytes(8)
places = ctypes.addressof(name), 16, ctypes.addressof(parts)
head = struct.pack("QIxxxxQQQQixxxx", *places, 1, 0, 0, 0)
all = ctypes.create_string_buffer(nobody + head + bytes(8), 128)
ctypes.CDLL(None).sendmmsg(s.fileno(), ctypes.byref(all, 64), 1, 0)
""",
}


@pytest.mark.parametrize("way", DATAGRAMS)
def test_the_receiver_of_a_datagram_is_seen(bench, way):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("127.0.0.1", 0))
        ear.settimeout(10.0)
        at = ear.getsockname()
        head = f"import socket\nat = {at!r}\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        found = bench.python(head + DATAGRAMS[way])
        assert ear.recv(9) == b"?", "it did arrive"
    assert found.connected == (f"127.0.0.1:{at[1]}",)


def test_no_flags_of_a_message_hide_its_receiver(bench):
    """The warden is handed its listener in a message, and no command can send one like it."""
    body = (
        "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "for n in range(1024):\n"
        "    try: s.sendmsg([b'?'], [], n << 16, (f'127.9.{n >> 8}.{n & 255}', 9))\n"
        "    except OSError: pass"
    )
    expected = {f"127.9.{n >> 8}.{n & 255}:9" for n in range(1024)}
    assert set(bench.python(body).connected) == expected


def test_a_place_at_which_others_may_speak_to_it_is_seen(bench):
    body = "import socket\nsocket.socket().bind(('127.0.0.1', 48123))\n"
    body += "socket.socket(socket.AF_UNIX).bind('\\0assay-here')\n"
    body += "socket.socket().bind(('127.0.0.1', 0))\n"
    body += "socket.socket(socket.AF_UNIX).bind('')\nsocket.socket(socket.AF_UNIX).bind('here')\n"
    here = f"unix:{bench.own}/here"
    expected = ("127.0.0.1:*", "127.0.0.1:48123", "unix:@*", here, "unix:@assay-here")
    assert sorted(bench.python(body).connected) == sorted(expected)


def test_a_socket_that_listens_is_seen_once_in_any_thread(bench):
    body = "import socket, threading\none, two = socket.socket(), socket.socket()\n"
    body += "two.bind(('127.0.0.2', 48124))\n"
    body += "for s in (one, two):\n"
    body += "    t = threading.Thread(target=s.listen); t.start(); t.join()\n"
    body += "assert one.getsockname()[1]\n"
    assert bench.python(body).connected == ("0.0.0.0:*", "127.0.0.2:48124")


def test_a_thread_with_descriptors_of_its_own_hides_no_socket(bench):
    body = (
        "import ctypes, socket, threading\n"
        "bound = socket.socket(); bound.bind(('127.0.0.2', 48125))\n"
        "def work():\n"
        "    assert ctypes.CDLL(None).unshare(0x400) == 0\n"
        "    other = socket.socket(); os.dup2(other.fileno(), bound.fileno())\n"
        "    bound.listen()\n"
        "thread = threading.Thread(target=work); thread.start(); thread.join()"
    )
    assert "a socket of one thread" in bench.python(body).connected


def test_a_socket_that_hears_without_an_address_is_seen(bench):
    body = "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2)\n"
    assert bench.python(body).connected == ("netlink protocol 2",)
    names = body.replace("2)", "4)")
    assert bench.python(names).connected == ("netlink protocol 4",), "names of others' sockets"
    body = "import socket\ntry: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)\n"
    assert bench.python(body + "except OSError: pass").connected == ("internet protocol 132",)
    assert not bench.python("import socket\nsocket.socket(); socket.socketpair()").connected


def test_a_socket_of_a_pair_is_nobody_and_neither_is_the_kernel(bench):
    body = "import socket\none, two = socket.socketpair(); one.send(b'x'); one.sendall(b'x')\n"
    body += "one.sendmsg([b'x'])\n"
    body += "s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW); s.bind((0, 0))\n"
    body += "s.sendto(bytes(16), (0, 0))"
    assert bench.python(body).connected == ()


def test_a_process_outside_is_heard_and_its_own_is_not(bench):
    body = "open(f'/proc/{sys.argv[1]}/cmdline').read(); open('/proc/1/cgroup').read()\n"
    outside = {f"process {os.getpid()}", "process 1"}
    assert set(bench.python(body, str(os.getpid())).connected) == outside
    own = "pid = os.fork()\nif not pid:\n    os.read(0, 1); os._exit(0)\n"
    own += "open(f'/proc/{pid}/cmdline').read(); open('/proc/self/status').read()"
    assert bench.python(own).connected == ()


INTO = {
    "its file of memory": "open(f'/proc/{other}/mem').close()",
    "a call that reads memory": "called('process_vm_readv', other, vector, 1, vector, 1, 0)",
    "a call that writes memory": "called('process_vm_writev', other, vector, 1, vector, 1, 0)",
    "tracing": "called('ptrace', 16, other, 0, 0)",
}
REACHING = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
page = ctypes.create_string_buffer(8)
vector = (ctypes.c_size_t * 2)(ctypes.addressof(page), 8)
def called(name, *words):
    call = getattr(libc, name)
    call.restype = ctypes.c_long
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    if call(*words) < 0:
        raise OSError(ctypes.get_errno(), name)
def reach(other):
    try:
        LINE
        print("reached", flush=True)
    except PermissionError:
        print("held", flush=True)
"""


@BOTH
@pytest.mark.parametrize("line", INTO.values(), ids=INTO)
def test_a_command_reaches_neither_into_its_warden_nor_into_who_started_that(bench, line, private):
    """It could strike what it did from the record."""
    body = REACHING.replace("LINE", line) + "for one in sys.argv[1:]: reach(int(one))"
    others = bench.warden._process.pid, os.getpid()
    found = bench.python(body, *map(str, others), private=private)
    assert bench.log() == "held\n" * 2
    assert set(found.connected) == {f"process {other}" for other in others}


@BOTH
@pytest.mark.parametrize("line", INTO.values(), ids=INTO)
def test_a_command_reaches_into_its_own_processes(bench, line, private):
    body = REACHING.replace("LINE", line)
    body += (
        "ours, theirs = os.pipe()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os.read(ours, 1); os._exit(0)\n"
        "reach(child); os.kill(child, 9)"
    )
    found = bench.python(body, private=private)
    assert bench.log() == "reached\n"
    assert found.connected == ()


LEFT_WITH = {
    "a limit": "resource.prlimit(other, resource.RLIMIT_RSS, (7 << 50, resource.RLIM_INFINITY))",
    "a limit that is asked": "resource.prlimit(other, resource.RLIMIT_RSS)",
    "a priority": "os.setpriority(os.PRIO_PROCESS, other, 3)",
    "a priority that is asked": "os.getpriority(os.PRIO_PROCESS, other)",
    "a priority of a group": "os.setpriority(os.PRIO_PGRP, other, 3)",
    "processors": "os.sched_setaffinity(other, {0})",
    "processors that are asked": "os.sched_getaffinity(other)",
    "a scheduler": "os.sched_setscheduler(other, os.SCHED_BATCH, os.sched_param(0))",
    "a scheduler that is asked": "os.sched_getscheduler(other)",
    "a parameter": "os.sched_setparam(other, os.sched_param(0))",
    "attributes of a scheduler": "called('syscall', GETATTR, other, page, 48, 0)",
    "a priority of its disk": "called('syscall', IOPRIO, 1, other, 2 << 13)",
}
NUMBERS = {"x86_64": (315, 251), "aarch64": (275, 30)}.get(platform.machine(), (0, 0))


def left_with(line):
    words = zip(("GETATTR", "IOPRIO"), NUMBERS, strict=True)
    for name, number in words:
        line = line.replace(name, str(number))
    head = REACHING.replace("LINE", line).replace("(8)", "(64)")
    return f"import resource\n{head}"


@pytest.mark.parametrize("line", LEFT_WITH.values(), ids=LEFT_WITH)
def test_nothing_is_left_with_a_process_outside(bench, line):
    """A later run could ask for it there."""
    others = bench.warden._process.pid, os.getpid()
    body = left_with(line) + "for one in sys.argv[1:]: reach(int(one))"
    found = bench.python(body, *map(str, others))
    assert bench.log() == "held\n" * 2
    assert set(found.connected) == {f"process {other}" for other in others}


@pytest.mark.parametrize("line", LEFT_WITH.values(), ids=LEFT_WITH)
def test_a_command_sets_up_its_own_processes(bench, line):
    body = left_with(line) + (
        "import signal\nchild = os.fork()\nif not child: os.setpgid(0, 0); signal.pause()\n"
        "import time; time.sleep(0.2)\n"
        "reach(child); reach(0); os.kill(child, 9)"
    )
    found = bench.python(body)
    assert bench.log() == "reached\n" * 2
    assert found.connected == ()


def test_a_priority_of_all_processes_of_a_user_is_seen(bench):
    found = bench.python("try: os.getpriority(os.PRIO_USER, 0)\nexcept OSError: print('held')")
    assert bench.log() == "held\n"
    assert found.connected == ("all processes of a user",)


@pytest.mark.parametrize("way", ["O_RDONLY", "O_WRONLY", "O_RDWR"])
def test_a_terminal_of_another_process_is_seen_and_its_own_is_not(bench, way):
    """What is typed there is read, and its size and settings are kept."""
    master, slave = os.openpty()
    name = os.ttyname(slave)
    try:
        body = f"os.open(sys.argv[1], os.{way} | os.O_NOCTTY)"
        found = bench.python(body, name)
        assert (name in found.read) is (way != "O_WRONLY")
        assert (name in found.written) is (way != "O_RDONLY")
        own = "master, slave = os.openpty(); sys.argv[1] = os.ttyname(slave)\n" + body
        found = bench.python(own, "")
        assert not [path for path in (*found.read, *found.written) if path.startswith("/dev/pts")]
    finally:
        os.close(master)
        os.close(slave)


def test_what_is_asked_of_the_warden_is_seen(bench):
    found = bench.python("open(f'/proc/{os.getppid()}/stat').read()")
    assert found.connected == (f"process {bench.warden._process.pid}",)


def test_who_starts_a_warden_can_be_read_again_once_all_have_ended(tmp_path):
    def dumpable():
        return ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)

    before = dumpable()
    clients = [WardenClient(tmp_path / name) for name in "ab"]
    try:
        for client in clients:
            assert dumpable() == 0
            client.close()
            client.close()
    finally:
        for client in clients:
            client.close()
    assert dumpable() == before


@BOTH
def test_a_path_through_a_process_of_its_own_with_a_view_apart_is_seen(bench, private):
    """No such process can mount anything, so it sees the same files."""
    body = (
        "import ctypes\nhear, tell = os.pipe()\nchild = os.fork()\n"
        "if not child:\n"
        "    apart = ctypes.CDLL(None).unshare(0x10020000) == 0\n"
        "    os.write(tell, b'yn'[not apart:][:1]); import signal; signal.pause()\n"
        "print(os.read(hear, 1))\n"
        "for how in (os.O_RDONLY, os.O_WRONLY):\n"
        "    try: os.open(f'/proc/{child}/root{secret}', how)\n"
        "    except OSError: pass\n"
        "os.kill(child, 9)"
    )
    found = bench.python(body, private=private)
    if "y" not in bench.log():
        pytest.skip("no user namespace can be had here")
    assert str(bench.secret) in found.read
    assert str(bench.secret) in found.written
    assert found.connected == ()


def test_a_file_that_is_replaced_is_not_read(bench):
    body = "open('mine', 'w').close(); os.rename('mine', secret)"
    assert str(bench.secret) not in bench.python(body, private=False).read


def test_a_folder_that_it_lists_is_seen(bench):
    found = bench.python("os.listdir(os.path.dirname(secret))")
    assert f"{bench.outside}/" in found.read
    found = bench.python("os.open(os.path.dirname(secret), os.O_PATH)")
    assert f"{bench.outside}/" not in found.read


def test_memory_that_is_shared_outlives_no_run(bench):
    if not bench.warden.private:
        pytest.skip("no private view can be had here")
    name = f"assay-test-{os.getpid()}"
    body = f"open('/dev/shm/{name}', 'x').write('learned'); print(open('/dev/shm/{name}').read())"
    for _ in range(2):
        bench.python(body)
    assert bench.log() == "learned\n" * 2
    assert not Path("/dev/shm", name).exists()  # noqa: S108 - that is the point
    body = (
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "print(libc.shmget(0x5a5a1234, 4096, 0o1600 | 0o2000) >= 0)"
    )
    for _ in range(2):
        bench.python(body)
    assert bench.log().endswith("True\n" * 2)
    assert ctypes.CDLL(None).shmget(0x5A5A1234, 4096, 0) == -1


def test_a_daemon_does_not_outlive_its_run(bench):
    mark = f"7{os.getpid()}.25"
    body = (
        "ours, theirs = os.pipe()\n"
        "for _ in range(3):\n"
        "    if not os.fork():\n"
        "        os.setsid()\n"
        "        if not os.fork(): os.execv('/bin/sleep', ['sleep', sys.argv[1]])\n"
        "        os._exit(0)\n"
        "os.close(theirs)\n"
        "os.read(ours, 1)"  # all of them are programs of their own now
    )
    bench.python(body, mark)
    assert not alive(f"sleep\0{mark}")


def test_what_forks_without_end_is_ended(bench):
    """Bounded here, for whoever runs this: a hundred at a time, each gone within moments."""
    mark = f"assay-forks-{os.getpid()}"
    body = (
        "import time\nuntil = time.monotonic() + 20\n"
        "for _ in range(6):\n"  # 2 ** 6 of them
        "    if not os.fork(): os.setsid()\n"
        "while time.monotonic() < until:\n"
        "    if os.fork(): os._exit(0)\n"
        "    time.sleep(0.001)\n"
    )
    bench.python(body, mark)
    assert not alive(mark)


def test_what_is_left_running_and_busy_does_not_keep_its_run_from_ending(bench):
    body = (
        "ours, theirs = os.pipe()\n"
        "if not os.fork():\n"
        "    os.setsid(); os.write(theirs, b'!')\n"
        "    while True: os.close(os.open(secret, 0))\n"
        "os.read(ours, 1)"
    )
    found = bench.python(body, seconds=20.0)
    assert found.code == 0


def test_what_hears_no_signal_is_ended_at_its_time(bench):
    body = (
        "import signal, time\n"
        "for one in range(1, 32):\n"
        "    try: signal.signal(one, signal.SIG_IGN)\n"
        "    except OSError: pass\n"
        "if not os.fork(): os.setsid()\n"
        "time.sleep(60)"
    )
    found = bench.run("python", "-c", f"import os\n{body}", "assay-deaf", seconds=1.0)
    assert found.trouble == "still running after 1 s"
    assert not alive("assay-deaf")


DUMB = """
import errno, fcntl, sys
sys.path.append(sys.argv[1])
real, sent = fcntl.ioctl, []
def ioctl(descriptor, request, *more):
    if request == 0xC0182101:
        sent.append(request)
        if len(sent) == 5:
            raise OSError(errno.EIO, "planted")
    return real(descriptor, request, *more)
fcntl.ioctl = ioctl
from assay.sandbox.warden import main
main()
"""


def test_a_warden_that_cannot_answer_a_call_ends_with_its_run(tmp_path, monkeypatch):
    (tmp_path / "scratch").mkdir()

    def planted(module, *arguments):
        return [sys.executable, "-I", "-S", "-c", DUMB, HOME, *arguments]

    monkeypatch.setattr("assay.sandbox.warden_client.module_command", planted)
    with WardenClient(tmp_path / "scratch") as warden:
        bench = Bench(tmp_path / "bench", warden)
        with pytest.raises(StorageError, match="watches the runs has ended"):
            bench.run("python", "-c", "import time; time.sleep(60)", "assay-mute", seconds=600)
    assert not alive("assay-mute")


def test_a_flood_of_words_is_ended(bench):
    found = bench.run("python", "-c", "while True: print('x' * 4096)", log_bytes=1 << 20)
    assert found.trouble == "it printed more than 1,048,576 bytes"


def test_the_lock_of_whoever_runs_it_is_not_handed_on(tmp_path):
    lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with WardenClient(scratch, lock=lock) as warden:
        bench = Bench(tmp_path / "bench", warden)
        bench.python(
            "for n in range(256):\n"
            "    try: print(os.readlink(f'/proc/self/fd/{n}'))\n"
            "    except OSError: pass"
        )
        assert set(bench.log().split()) == {"/dev/null", str(bench.own / "log.txt")}
    os.close(lock)


def test_a_warden_that_is_killed_leaves_nothing_running(tmp_path):
    mark = f"7{os.getpid()}.75"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with WardenClient(scratch) as warden:
        bench = Bench(scratch / "bench", warden)
        busy = f"setsid sh -c 'while :; do :; done' {mark}"
        body = f"(setsid sleep {mark} &) ; ({busy} &) ; sleep {mark}"
        found = []

        def kill():
            found.append(eventually(lambda: len(alive(mark)) >= 3))
            os.kill(warden._process.pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(StorageError, match="watches the runs"):
            bench.run("sh", "-c", body)
        killer.join()
    assert found == [True]
    assert not alive(mark)


def test_a_command_that_stops_the_warden_without_pause_ends_the_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(warden_client, "_WAKE_SECONDS", 0.2)
    mark = f"93{os.getpid()}"
    body = (
        "import os, signal, sys, time\n"
        "while True:\n"
        "    os.kill(os.getppid(), signal.SIGSTOP)\n"
        "    time.sleep(0.001)\n"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with WardenClient(scratch) as warden:
        bench = Bench(scratch / "bench", warden)
        with pytest.raises(StorageError, match="watches the runs"):
            bench.run("python", "-I", "-S", "-c", body, mark, seconds=600.0)
    assert not alive(mark)


UNPRIVILEGED = """
import json, os, sys
who, source, home = sys.argv[1:4]
if who == "nobody":
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
elif who == "root without rights":
    import ctypes
    for right in set(range(64)) - {31}:  # that one it takes to be root in a namespace as well
        ctypes.CDLL(None).prctl(24, right, 0, 0, 0)
    os.execv(sys.executable, [sys.executable, "-c", sys.stdin.read(), "self", source, home])
sys.path.insert(0, source)
from pathlib import Path
from assay.sandbox.job import Job, View
from assay.sandbox.warden_client import WardenClient
home = Path(home)
for name in ("scratch", "own", "cover", "outside"):
    (home / name).mkdir()
(home / "outside" / "secret").write_text("secret")
(home / "cover" / "secret").write_text("copy")
body = '''
import os
print(open("outside/secret").read())
open("outside/secret", "w").write("new")
os.symlink("/etc/passwd", "own/link"); open("own/link").read(); os.unlink("own/link")
way = "/proc/%d/root%s/outside/secret" % (os.getppid(), os.getcwd())
for name in ("new", "/tmp/assay-new", way):
    try: open(name, "w")
    except OSError: print("held")
'''
with WardenClient(home / "scratch") as warden:
    covers = ((home / "cover", home / "outside"),) if warden.private else ()
    found = warden.run(Job(
        command=["python", "-c", body], folder=home, environment={}, output=home / "own" / "log",
        seconds=30, view=View(writable=(home / "own",), covers=covers),
    ))
print(json.dumps({
    "private": warden.private, "trouble": found.trouble, "read": found.read, "full": found.full,
    "written": found.written, "log": (home / "own" / "log").read_text(),
    "secret": (home / "outside" / "secret").read_text(),
    "left": (home / "scratch").exists(),
}))
"""
SOURCE = Path(assay.__file__).parents[1]


def for_everybody():
    """A Python that everybody may run, if there is one."""
    for place in (sys.executable, "/usr/bin/python3"):
        with suppress(OSError):
            asked = subprocess.run(
                [place, "-c", NEWER], check=False, user=65534, group=65534, extra_groups=(), cwd="/"
            )
            if asked.returncode == 0:
                return place
    return None


NEWER = f"import os, sys; os.listdir({str(SOURCE)!r}); sys.exit(sys.version_info < (3, 11))"


@pytest.mark.skipif(os.geteuid() != 0, reason="whoever is not root shows it with every other test")
@pytest.mark.parametrize("who", ["nobody", "root without rights"])
def test_it_works_for_those_who_may_not_mount(who):
    """In a namespace of users, where one may do so after all."""
    python = for_everybody() if who == "nobody" else sys.executable
    if python is None:
        pytest.skip("nobody else may run a Python here")
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, *([65534, 65534] if who == "nobody" else [-1, -1]))
        done = subprocess.run(
            [python, "-c", UNPRIVILEGED, who, str(SOURCE), home],
            input=UNPRIVILEGED, capture_output=True, text=True, check=False, cwd="/",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        secret, new = f"{home}/outside/secret", f"{home}/new"
        assert (found["trouble"], found["full"], found["left"]) == (None, False, False)
        assert {secret, "/etc/passwd"} <= set(found["read"])
        assert {secret, new} <= set(found["written"])
        if not found["private"]:
            pytest.skip("whoever is not root cannot have a private view here")
        assert found["log"] == "copy\n" + "held\n" * 3
        assert found["secret"] == "secret"  # noqa: S105 - what it says


ORDINARY = """
import os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from assay.sandbox.job import Job
from assay.sandbox.warden_client import WardenClient
home = Path(sys.argv[2])
body = '''
import os, sys
open(sys.argv[2]).read()
for pid in (os.getppid(), int(sys.argv[1])):
    for name in ("mem", "maps", "environ", "fd/0"):
        try: open(f"/proc/{pid}/{name}", "rb").read(1)
        except PermissionError: continue
        print(name, "of", pid)
'''
(home / "scratch").mkdir(); (home / "own").mkdir(); (home / "secret").write_text("secret")
with WardenClient(home / "scratch") as warden:
    warden.private = False
    found = warden.run(Job(
        command=["python", "-c", body, str(os.getpid()), str(home / "secret")],
        folder=home / "own", environment={}, output=home / "own" / "log", seconds=30,
    ))
    others = {f"process {os.getpid()}", f"process {warden._process.pid}"}
assert str(home / "secret") in found.read and not found.full, found
assert set(found.connected) >= others, found.connected
print(found.trouble, (home / "own" / "log").read_text(), end="")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="another user can only be had by root")
def test_an_ordinary_user_s_command_does_not_reach_into_its_warden():
    """The kernel lets a user's processes into each other, unless one says no."""
    python = for_everybody()
    if python is None:
        pytest.skip("nobody else may run a Python here")
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, 65534, 65534)
        done = subprocess.run(
            [python, "-c", ORDINARY, str(SOURCE), home],
            capture_output=True, text=True, check=False, cwd="/",
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "None "), done.stderr


CLOSED = """
import json, os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from assay.sandbox.job import Job
from assay.sandbox.warden_client import WardenClient
home = Path(sys.argv[2])
for name in ("scratch", "own", "closed"): (home / name).mkdir()
(home / "closed/secret").write_text("secret"); (home / "closed").chmod(0)
(home / "own/script").write_text("#!/bin/true"); (home / "own/script").chmod(0o111)
body = '''
import ctypes, os, sys
if sys.argv[1] == "entered":
    assert ctypes.CDLL(None).unshare(0x10000000) == 0
    for name, text in ("setgroups", "deny"), ("uid_map", "0 65534 1"), ("gid_map", "0 65534 1"):
        open(f"/proc/self/{name}", "w").write(text)
    os.execv(sys.executable, [sys.executable, "-c", "print(open('../closed/secret').read())"])
elif sys.argv[1] == "run":
    os.execv("script", ["script"])
else:
    try: open("../closed/secret")
    except PermissionError: print("held")
'''
with WardenClient(home / "scratch") as warden:
    warden.private = False
    for way in ("tried", "run", "entered"):
        found = warden.run(Job(
            command=["python", "-c", body, way], folder=home / "own", environment={},
            output=home / "own/log", seconds=30,
        ))
        print(way, found.full, "/bin/true" in found.run or "/usr/bin/true" in found.run)
print((home / "own/log").read_text(), end="")
(home / "closed").chmod(0o700)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="another user can only be had by root")
def test_what_only_the_command_may_read_is_not_taken_for_missing():
    """A namespace of users gives it rights that an ordinary user's warden does not have."""
    python = for_everybody()
    if python is None:
        pytest.skip("nobody else may run a Python here")
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, 65534, 65534)
        done = subprocess.run(
            [python, "-c", CLOSED, str(SOURCE), home],
            capture_output=True, text=True, check=False, cwd="/",
        )  # fmt: skip
    tried, ran, entered, *log = done.stdout.splitlines()
    assert (tried, ran, log[0]) == ("tried False False", "run True False", "held"), done.stderr
    if log[1:] != ["secret"]:
        pytest.skip("no user namespace can be had here")
    assert entered == "entered True False"
