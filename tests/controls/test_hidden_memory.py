"""A memory under a name that sounds like Python's, or the system's: seen all the same."""

import os
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from helpers.dual_systems import OBSERVED, READ, SCORE, evaluated, planted
from helpers.installed import install

from assay.dual_condition.result import RowState
from assay.dual_condition.system.file_access import RunPaths, Sorter
from assay.sandbox.environment import job_environment
from assay.sandbox.job import Job, Outcome
from assay.sandbox.warden_client import WardenClient

ELF = b"\x7fELF" + bytes(60)


class Prefix:
    """A Python somewhere, by whose program a system is run."""

    def __init__(self, home):
        self.home = home
        self.site = home / "prefix/lib/python3.11/site-packages"
        (home / "prefix/bin").mkdir(parents=True)
        for name in ("system", "run/state", "production"):
            (home / name).mkdir(parents=True)
        self.site.mkdir(parents=True)
        self.program = home / "prefix/bin/python"
        self.program.write_bytes(ELF)

    def write(self, name, data=b"memory"):
        path = self.home / "prefix" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path)

    def reached(self, *read, reads=()):
        sorter = Sorter(self.home / "system", [str(self.program)], reads)
        place = RunPaths(
            root=self.home / "run",
            state=self.home / "run/state",
            aliases=(),
            production=self.home / "production",
            private=True,
        )
        return sorter.sort(Outcome(code=0, trouble=None, read=read), place)


@pytest.fixture
def prefix(tmp_path):
    return Prefix(tmp_path)


HIDDEN = {
    "settings of an environment": "pyvenv.cfg",
    "settings elsewhere": "lib/deep/pyvenv.cfg",
    "a program": "bin/memory",
    "a program of a package": "lib/python3.11/site-packages/some/bin/memory",
    "a library": "lib/libmemory.so.1",
    "a library of a package": "lib/python3.11/site-packages/some/x.so.memory",
}


@pytest.mark.parametrize("name", HIDDEN.values(), ids=HIDDEN)
def test_a_name_hides_no_memory(prefix, name):
    path = prefix.write(name)
    assert prefix.reached(path).undeclared == {path}


def test_a_library_that_nobody_lists_is_named(prefix):
    path = prefix.write("lib/libmine.so.1", ELF)
    assert prefix.reached(path).given == {path}


def test_what_a_distribution_lists_is_open_until_it_is_another(prefix):
    install(prefix.site)
    path = prefix.site / "plantedlib/deep/data.txt"
    assert prefix.reached(str(path)).undeclared == set()
    path.write_text("memory\n")
    assert prefix.reached(str(path)).undeclared == {str(path)}


def test_a_file_in_the_library_that_is_no_module_is_seen(monkeypatch, tmp_path, prefix):
    library = tmp_path / "library"
    library.mkdir()
    monkeypatch.setattr("assay.method.installed_files._LIBRARY", str(library))
    found = {}
    for name in ("json.py", "memory.py", "memory.json", "json/answers.txt"):
        (library / name).parent.mkdir(exist_ok=True)
        (library / name).write_text("memory")
        found[name] = prefix.reached(str(library / name)).undeclared != set()
    assert found == {
        "json.py": False,
        "memory.py": True,
        "memory.json": True,
        "json/answers.txt": True,
    }


def test_names_in_a_folder_that_no_distribution_lists_are_seen(prefix):
    install(prefix.site)
    (prefix.site / "answers/the answer is 42").mkdir(parents=True)
    listed = [f"{path}/" for path in (prefix.site / "plantedlib", prefix.site / "plantedlib/deep")]
    assert prefix.reached(*listed, f"{prefix.site}/").undeclared == set()
    hidden = f"{prefix.site / 'answers'}/"
    assert prefix.reached(hidden).undeclared == {hidden}


def test_names_in_a_folder_that_is_called_like_one_of_packages_are_seen(prefix):
    for name in ("else/site-packages", "prefix/lib/else/site-packages", "else/dist-packages/more"):
        hidden = prefix.home / name
        (hidden / "the answer is 42").mkdir(parents=True)
        assert prefix.reached(f"{hidden}/").undeclared == {f"{hidden}/"}


KERNEL_MEMORY = {
    "keys": "/proc/keys",
    "names of sockets": f"/proc/{2**22 + 1}/net/unix",
    "a setting": "/proc/sys/kernel/domainname",
    "keys of message queues": "/proc/sysvipc/msg",
    "a name of a network's": "/sys/class/net/lo/ifalias",
    "a file of a process that sees others": f"/proc/{2**22 + 1}/root/answers",
    "a control group elsewhere": "/sys/fs/cgroup/answers/memory.max",
    "names of control groups": "/sys/fs/cgroup/",
    "a terminal that is gone": "/dev/pts/1048575",
    "names of the kernel's": "/sys/class/net/",
}


@pytest.mark.parametrize("path", KERNEL_MEMORY.values(), ids=KERNEL_MEMORY)
def test_what_the_kernel_keeps_for_all_is_seen(prefix, path):
    found = prefix.reached(path)
    assert {one.rstrip("/") for one in found.undeclared} == {os.path.realpath(path)}


KERNEL_FACTS = (
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/kernel/osrelease", "/proc/"),
    *("/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/"),
    *("/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup/cpu.max"),
    *(f"/proc/{2**22 + 1}/{name}" for name in ("maps", "fd/", "task/5/stat", "cgroup", "status")),
)


def test_what_programs_ask_of_the_kernel_is_open(prefix):
    assert prefix.reached(*KERNEL_FACTS).undeclared == set()


def test_a_setting_of_the_kernel_that_is_changed_is_seen(prefix):
    written = ("/proc/sys/kernel/domainname", f"/proc/{2**22 + 1}/coredump_filter")
    sorter = Sorter(prefix.home / "system", [str(prefix.program)], ())
    run = prefix.home / "run"
    place = RunPaths(root=run, state=run / "state", aliases=(), production=None, private=True)
    found = sorter.sort(Outcome(code=0, trouble=None, written=written), place)
    assert found.outside == {written[0]}


def test_real_settings_of_this_environment_are_python_s_own_until_they_say_more(tmp_path, prefix):
    settings = prefix.write("pyvenv.cfg", b"home = /usr/bin\nversion = 3.11.0\n")
    program = str(prefix.program)
    code = (
        "import sys, json; sys.executable, sys.prefix = sys.argv[1:3];"
        "from assay.method.installed_files import is_interpreter_file as own;"
        "from pathlib import Path; path = Path(sys.argv[3]); first = own(str(path));"
        "path.write_text(path.read_text() + sys.argv[4]); print(first, own(str(path)))"
    )

    def asked(more):
        words = [sys.executable, "-c", code, program, str(tmp_path / "prefix"), settings, more]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()

    assert asked("executable = /usr/bin/python3\n") == ["True", "True"]
    assert asked("# 17, 4, 39\n") == ["True", "False"]


@pytest.mark.skipif(not OBSERVED, reason="only Linux tells which files are opened")
def test_this_python_needs_nothing_that_is_not_its_own(tmp_path, prefix):
    """No false alarm: what starting Python and importing packages opens is accounted for."""
    sorter = Sorter(prefix.home / "system", [sys.executable], ())
    body = "import json, decimal, numpy, msgspec, ssl, sqlite3"
    own = prefix.home / "run"
    with WardenClient(tmp_path / "scratch") as warden:
        found = warden.run(
            Job(
                command=[sys.executable, "-c", body],
                folder=own,
                environment=job_environment(()),
                output=own / "log.txt",
                seconds=60.0,
            )
        )
    assert found.trouble is None
    place = RunPaths(root=own, state=own / "state", aliases=(), production=None, private=False)
    assert sorter.sort(found, place).undeclared == set()


def device(path, number):
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, number)
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        pytest.skip(f"no device can be made here: {error.strerror}")


@pytest.mark.skipif(not OBSERVED, reason="only Linux tells which files are opened")
def test_a_device_is_known_by_its_number_and_not_by_its_kind(tmp_path):
    device(tmp_path / "quiet", os.makedev(1, 5))  # zero, under another name
    device(tmp_path / "memory", os.makedev(1, 11))  # what the kernel logs: it keeps what is written
    own = tmp_path / "own"
    own.mkdir()
    body = (
        "import os, sys\nfor name in sys.argv[1:]:\n    os.open(name, os.O_RDWR | os.O_NONBLOCK)\n"
    )
    with WardenClient(tmp_path / "scratch") as warden:
        found = warden.run(
            Job(
                command=["python", "-c", body, str(tmp_path / "quiet"), str(tmp_path / "memory")],
                folder=own,
                environment={"PATH": os.environ["PATH"]},
                output=own / "log.txt",
                seconds=60.0,
            )
        )
    assert found.trouble is None
    for paths in (found.read, found.written):
        assert str(tmp_path / "memory") in paths
        assert str(tmp_path / "quiet") not in paths


@pytest.mark.skipif(not OBSERVED, reason="only Linux tells which files are opened")
@pytest.mark.parametrize("name", ["pyvenv.cfg", "lib/x.so.1", "bin/tool"])
def test_a_memory_under_such_a_name_blocks_the_row(tmp_path, name):
    path = tmp_path / "else" / name
    path.parent.mkdir(parents=True)
    path.write_text("memory")
    planted(tmp_path, "namespace", f"{READ}\n{SCORE}\ncat {path} >/dev/null\ntrue\n")
    found = evaluated(tmp_path)
    assert found.result.row is RowState.BLOCKED
    assert str(path) in found.result.preconditions["nothing_undeclared_read"].evidence


def test_the_library_of_this_python_is_open(prefix):
    library = Path(sysconfig.get_paths()["stdlib"])
    names = ("json/decoder.py", "os.py", "encodings/utf_8.py")
    assert prefix.reached(*(str(library / name) for name in names)).undeclared == set()
