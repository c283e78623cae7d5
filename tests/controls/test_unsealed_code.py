"""Code and files that reach a sealed run without being sealed: kept out, refused, or named."""

import importlib.util
import json
import marshal
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import venv
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.installed import install
from helpers.studies import METHOD, a_study, drafted, open_study, raised, sealed
from msgspec.structs import replace

from assay.errors import SpecError
from assay.report.study.views import VIEWS
from assay.sandbox.processes import HOME
from assay.sandbox.warden_client import can_observe
from assay.study.entries import read_records
from assay.study.scorecards.store import read_judgement
from assay.study.submissions.observed_run import observed_run
from assay.study.submissions.run import run_sealed
from assay.study.submissions.seal import seal
from assay.study.verify.context import Shown
from assay.study.verify.procedure import verify_with

OBSERVED = pytest.mark.skipif(not can_observe(), reason="only Linux tells which files are opened")
LEAKED = """
import builtins
def detect(question, response):
    return getattr(builtins, "leak", 0.0)
"""
LEAK = "import builtins\nbuiltins.leak = 1.0\n"


class Python:
    """A virtual environment of its own, into which a test may plant anything."""

    def __init__(self, home):
        venv.create(home / "venv", symlinks=True)
        self.program = home / "venv/bin/python"
        self.site = next((home / "venv/lib").glob("python*/site-packages"))
        ours = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        (self.site / "ours.pth").write_text("\n".join([*ours, HOME]) + "\n")
        home.joinpath("home").mkdir()
        self.study = a_study(home / "home", "opened")

    def assay(self, *words, **environment):
        ours = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return subprocess.run(
            [self.program, "-m", "assay", *words],
            cwd=self.study.root,
            env={**ours, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def seal(self, body, **environment):
        drafted(self.study, body=body)
        done = self.assay("seal", "001", **environment)
        assert done.returncode == 0, done.stderr
        return json.loads((self.study.root / "preregs/001/seal.json").read_bytes())

    def run(self, **environment):
        """The answers of the run, and its caveats."""
        done = self.assay("run", "001", "--unwitnessed", **environment)
        assert done.returncode in (0, 1), done.stderr
        lines = (self.study.root / "runs/001/outputs.jsonl").read_text().splitlines()
        return {json.loads(line)["output"] for line in lines}, caveats(self.study)


def caveats(study):
    study = open_study(study.root)
    one = read_records(study.chain().entries).submissions["001"]
    card = read_judgement(study, one.scores["mine"]).scorecard
    return {caveat.code: caveat.message for caveat in card.caveats}


@pytest.fixture
def python(tmp_path):
    return Python(tmp_path)


def sitecustomize_on_the_path(python, folder):
    (folder / "sitecustomize.py").write_text(LEAK)
    return {"PYTHONPATH": str(folder)}


def usercustomize(python, folder):
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    place = folder / "lib" / version / "site-packages"
    place.mkdir(parents=True)
    (place / "usercustomize.py").write_text(LEAK)
    settings = python.program.parent.parent / "pyvenv.cfg"
    settings.write_text(settings.read_text().replace("= false", "= true"))
    return {"PYTHONUSERBASE": str(folder)}


def installed_sitecustomize(python, folder):
    (python.site / "sitecustomize.py").write_text(LEAK)
    return {}


def line_of_a_pth_file(python, folder):
    (python.site / "preloaded.py").write_text(LEAK)
    (python.site / "preloaded.pth").write_text("import preloaded\n")
    return {}


def module_of_the_library_on_the_path(python, folder):
    """`random` is imported by the worker itself, before any method."""
    library = Path(os.__file__).with_name("random.py").read_text()
    (folder / "random.py").write_text(LEAK + library)
    return {"PYTHONPATH": str(folder)}


PRELOADED = (
    sitecustomize_on_the_path,
    usercustomize,
    installed_sitecustomize,
    line_of_a_pth_file,
    module_of_the_library_on_the_path,
)


@pytest.mark.parametrize("plant", PRELOADED, ids=lambda plant: plant.__name__)
def test_nothing_is_loaded_before_a_sealed_method(python, tmp_path, plant):
    folder = tmp_path / "planted"
    folder.mkdir()
    python.seal(LEAKED)
    environment = plant(python, folder)
    looked = "import builtins; print(getattr(builtins, 'leak', 0.0))"
    if plant is module_of_the_library_on_the_path:
        looked = f"import random; {looked}"
    code = subprocess.run(
        [python.program, "-c", looked], env=environment, capture_output=True, text=True, check=True
    )
    if plant is installed_sitecustomize and code.stdout != "1.0\n":
        pytest.skip("this Python has a sitecustomize of its own, which comes first")
    assert code.stdout == "1.0\n"  # an ordinary Python loads it
    answers, told = python.run(**environment)
    assert answers == {0.0}
    assert "unsealed-code" not in told


PLANTED = f"import plantedlib\n{METHOD.replace('len(response)', 'plantedlib.value')}"


def forged_bytecode(source, flags):
    """Bytecode that Python takes for that of a source, and is of something else."""
    code = marshal.dumps(compile("value = 2\n", str(source), "exec"))
    if flags:
        head = struct.pack("<I", flags) + b"\0" * 8
        if flags == 0b11:
            head = struct.pack("<I", flags) + importlib.util.source_hash(source.read_bytes())
    else:
        status = source.stat()
        head = struct.pack("<III", 0, int(status.st_mtime), status.st_size)
    cached = Path(importlib.util.cache_from_source(str(source)))
    cached.parent.mkdir(exist_ok=True)
    cached.write_bytes(importlib.util.MAGIC_NUMBER + head + code)


BYTECODE = {"unchecked hash": 0b01, "checked hash of the source": 0b11, "forged time": 0}


@pytest.mark.parametrize("flags", BYTECODE.values(), ids=BYTECODE)
def test_bytecode_beside_the_source_is_not_what_runs(python, flags):
    install(python.site)
    python.seal(PLANTED)
    forged_bytecode(python.site / "plantedlib/__init__.py", flags)
    words = [python.program, "-c", "import plantedlib; print(plantedlib.value)"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "2\n"
    answers, told = python.run()
    assert answers == {1.0}
    assert "unsealed-code" not in told


EXTRA = {
    "a module": "plantedlib/extra.py",
    "bytecode without a source": "plantedlib/extra.pyc",
    "data": "plantedlib/deep/more.txt",
}


@pytest.mark.parametrize("name", EXTRA.values(), ids=EXTRA)
def test_a_file_that_no_record_lists_is_sealed_and_named(python, name):
    install(python.site)
    (python.site / name).write_bytes(b"")
    made = python.seal(PLANTED)
    assert made["distributions"]["plantedlib"]["unlisted"] == [name]
    (python.site / name).write_bytes(b"#")
    done = python.assay("run", "001", "--unwitnessed")
    assert done.returncode == 4
    assert "sealed with plantedlib 1.0" in done.stderr


@pytest.mark.parametrize("name", EXTRA.values(), ids=EXTRA)
def test_one_that_is_added_after_the_seal_stops_the_run(python, name):
    install(python.site)
    assert python.seal(PLANTED)["distributions"]["plantedlib"]["unlisted"] == []
    (python.site / name).write_bytes(b"")
    done = python.assay("run", "001", "--unwitnessed")
    assert done.returncode == 4
    assert "sealed with plantedlib 1.0" in done.stderr


def test_a_file_that_is_not_as_its_record_says_is_named(python):
    install(python.site)
    (python.site / "plantedlib/deep/data.txt").write_text("other words\n")
    made = python.seal(PLANTED)
    assert made["distributions"]["plantedlib"]["altered"] == ["plantedlib/deep/data.txt"]


def test_a_file_of_another_distribution_in_the_same_folder_is_not_named(python):
    install(python.site)
    install(python.site, name="other", folder="plantedlib")
    made = python.seal(PLANTED)
    assert made["distributions"]["plantedlib"]["unlisted"] == []


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "stranger.py").write_text("value = 1\n")
    (folder / "answers.json").write_text("{}")
    (folder / "gconv").mkdir()
    (folder / "gconv/gconv-modules.cache").write_text("{}")
    return folder


def run_of(tmp_path, line, *, before="pass"):
    """The caveats of a run whose method does something when it is asked, not when it is probed."""
    study = a_study(tmp_path / "home", "opened")
    body = (
        "import os, subprocess, sys\n"
        f"{before}\n"
        "def detect(question, response):\n"
        "    if 'number' in question:\n"
        f"        {line}\n"
        "    return len(response)\n"
    )
    sealed(study, body=body)
    run_sealed(study, "001", unwitnessed=True)
    return caveats(study)


HIDDEN = {
    "executed": ("exec(open('OUTSIDE/stranger.py').read())", "stranger.py"),
    "imported and forgotten": (
        "sys.path.append('OUTSIDE'); import stranger; del sys.modules['stranger']; sys.path.pop()",
        "stranger.py",
    ),
    "another process is running": (
        "subprocess.run([sys.executable, '-S', 'OUTSIDE/stranger.py'])",
        "stranger.py",
    ),
    "run as a program": ("subprocess.run(['/bin/true'])", "true"),
    "run for a script without a name": (
        "at = os.memfd_create('s', 0); os.write(at, b'#!/bin/true\\n');"
        " subprocess.run([f'/proc/self/fd/{at}'], pass_fds=[at])",
        "true",
    ),
}


@OBSERVED
@pytest.mark.parametrize(("line", "name"), HIDDEN.values(), ids=HIDDEN)
def test_code_from_outside_is_seen_whatever_the_method_says(tmp_path, outside, line, name):
    told = run_of(tmp_path, line.replace("OUTSIDE", str(outside)))
    assert name in told["unsealed-code"]
    assert "unobserved" not in told


APART = """
APART = 0
if b"warden" in open(f"/proc/{os.getppid()}/cmdline", "rb").read():  # the run, not the seal
    import ctypes
    hear, tell = os.pipe()
    APART = os.fork()
    if not APART:
        assert ctypes.CDLL(None).unshare(0x10020000) == 0
        os.write(tell, b"!")
        os.read(hear, 0), __import__("time").sleep(60)
        os._exit(0)
    os.read(hear, 1)
"""
READ = {
    "read": ("open('OUTSIDE/answers.json').read()", "outside/answers.json"),
    "read by another process": (
        "subprocess.run(['/bin/cat', 'OUTSIDE/answers.json'], stdout=-3)",
        "outside/answers.json",
    ),
    "listed": ("os.listdir('OUTSIDE')", "outside/"),
    "moved in and read": (
        "not os.path.exists('OUTSIDE/answers.json') or os.rename('OUTSIDE/answers.json', 'x');"
        " not os.path.exists('x') or open('x').read()",
        "outside/answers.json",
    ),
    "linked and read": (
        "os.path.exists('x') or os.symlink('OUTSIDE/answers.json', 'x'); open('x').read()",
        "outside/answers.json",
    ),
    "by a name that ends like the system's": (
        "open('OUTSIDE/gconv/gconv-modules.cache').read()",
        "outside/gconv/gconv-modules.cache",
    ),
    "names beside its own folder": (
        "os.listdir(os.path.dirname(os.path.dirname(os.getcwd())))",
        "TEMPORARY/",
    ),
    "of the operating system": ("open('/etc/hostname').read()", "/etc/hostname"),
    "keys of message queues": ("open('/proc/sysvipc/msg').read()", "/proc/sysvipc/msg"),
    "names of sockets": ("open('/proc/net/unix').read()", "/net/unix"),
    "a setting of the kernel": (
        "open('/proc/sys/kernel/domainname').read()",
        "/proc/sys/kernel/domainname",
    ),
    "names of control groups": ("os.listdir('/sys/fs/cgroup')", "/sys/fs/cgroup/"),
    "names of the kernel's": ("os.listdir('/sys/class/net')", "/sys/class/net/"),
    "through a process that sees files apart": (
        "APART and open(f'/proc/{APART}/root/OUTSIDE/answers.json').read()",
        "outside/answers.json",
    ),
    "a service": (
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
        ".sendto(b'x', ('127.0.0.1', 9))",
        "127.0.0.1:9",
    ),
    "names of sockets, asked of the kernel": (
        "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)",
        "netlink protocol 4",
    ),
    "by a link to its own descriptors": (
        "os.path.lexists('x') or os.symlink('/dev/fd/200', 'x');"
        " os.dup2(os.open('OUTSIDE', os.O_PATH), 200); open('x/answers.json').read()",
        "outside/answers.json",
    ),
    "heard at any port": (
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(('', 0))",
        "0.0.0.0:*",
    ),
    "heard without a bind": ("import socket; socket.socket().listen(1)", "0.0.0.0:*"),
    "heard at a local name": (
        "import socket; os.path.exists('OUTSIDE/s')"
        " or socket.socket(socket.AF_UNIX).bind('OUTSIDE/s')",
        "outside/s",
    ),
    "heard at a local name that the kernel chooses": (
        "import socket; socket.socket(socket.AF_UNIX).bind('')",
        "unix:@*",
    ),
    "a local service by a link": (
        "import socket; os.path.lexists('x') or os.symlink('OUTSIDE/s', 'x');"
        " socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect_ex('x')",
        "outside/s",
    ),
}


@OBSERVED
@pytest.mark.parametrize(("line", "name"), READ.values(), ids=READ)
def test_a_file_from_outside_is_named(tmp_path, outside, line, name):
    before = APART if "APART" in line else "pass"
    told = run_of(tmp_path, line.replace("OUTSIDE", str(outside)), before=before)
    assert name.replace("TEMPORARY", tempfile.gettempdir()) in told["unsealed-files"]


@OBSERVED
def test_a_setting_of_the_kernel_that_is_changed_is_named(tmp_path):
    """One that is only written to: what it holds stays after the run."""
    line = "os.path.exists('NAME') and os.close(os.open('NAME', os.O_WRONLY))"
    name = "/proc/sys/kernel/domainname"
    if not os.access(name, os.W_OK):
        pytest.skip("it cannot be written here")
    assert name in run_of(tmp_path, line.replace("NAME", name))["unsealed-files"]


KEPT_ELSEWHERE = {
    "the target of a link": ("os.readlink('OUTSIDE/link')", "outside/link"),
    "the target of a link that is linked": (
        "os.path.lexists('x') or os.link('OUTSIDE/link', 'x', follow_symlinks=False);"
        " os.readlink('x')",
        "outside/link",
    ),
    "an extended attribute": (
        "os.getxattr('OUTSIDE/answers.json', 'user.code')",
        "outside/answers.json",
    ),
    "the names of extended attributes": (
        "os.listxattr('OUTSIDE/answers.json')",
        "outside/answers.json",
    ),
    "shared memory": ("libc.shmget(0x7A11, 4096, 0)", "System V shared memory"),
    "shared memory by its number": ("libc.shmat(-1, None, 0)", "System V shared memory"),
    "a message queue": ("libc.msgget(0x7A11, 0)", "a System V message queue"),
    "semaphores": ("libc.semget(0x7A11, 1, 0)", "System V semaphores"),
    "a POSIX message queue": ("libc.mq_open(b'/assay-test', 0)", "a POSIX message queue"),
    "a kernel key": ("libc.syscall(KEYCTL, 0, -3, 0)", "kernel keys"),
    "memory of another process": (
        "libc.process_vm_readv(1, None, 0, None, 0, 0)",
        "process 1",
    ),
    "the first process": ("open('/proc/1/cmdline').read()", "process 1"),
    "what another process has open": (
        "libc.open(b'/proc/OTHER/fd/HELD', 0)",
        "process OTHER",
    ),
    "the process that watches it": ("open(f'/proc/{os.getppid()}/stat').read()", "process "),
}
KEYCTL = {"x86_64": "250", "aarch64": "219"}.get(os.uname().machine, "250")


@contextmanager
def holder(data):
    """A process that has a file without a name open, and its number there."""
    held = os.memfd_create("held")
    os.write(held, data)
    try:
        with subprocess.Popen(["/bin/sleep", "600"], pass_fds=[held]) as process:
            try:
                yield process.pid, held
            finally:
                process.kill()
    finally:
        os.close(held)


@OBSERVED
@pytest.mark.parametrize(("line", "name"), KEPT_ELSEWHERE.values(), ids=KEPT_ELSEWHERE)
def test_what_is_kept_in_no_file_is_named(tmp_path, outside, line, name):
    """The calls need not succeed: that they are made is what is told. Nothing is left behind."""
    (outside / "link").symlink_to("value = 1")
    try:
        os.setxattr(outside / "answers.json", "user.code", b"value = 1")
    except OSError:
        if "xattr" in line:
            pytest.skip("no extended attributes here")
    libc = "import ctypes; libc = ctypes.CDLL(None)"
    line = line.replace("OUTSIDE", str(outside)).replace("KEYCTL", KEYCTL)
    with holder(b"value = 1") as (other, held):
        line = line.replace("OTHER", str(other)).replace("HELD", str(held))
        told = run_of(tmp_path, line, before=libc if "libc" in line else "pass")
    assert name.replace("OTHER", str(other)) in told["unsealed-files"]


LEFT = {
    "a file": "os.path.exists('MARK') or open('MARK', 'w').close()",
    "a folder": "os.path.exists('MARK') or os.mkdir('MARK')",
    "a link": "os.path.lexists('MARK') or os.symlink('key', 'MARK')",
    "a file's mode": "os.chmod('OUTSIDE/answers.json', 0o640)",
}


@OBSERVED
@pytest.mark.parametrize("line", LEFT.values(), ids=LEFT)
def test_what_a_process_leaves_for_the_next_is_named(tmp_path, outside, line):
    """The probe could know by it that it is the probe, without opening anything."""
    name = "outside/answers.json" if "MARK" not in line else "outside/mark"
    line = line.replace("MARK", f"{outside}/mark").replace("OUTSIDE", str(outside))
    assert name in run_of(tmp_path, line)["unsealed-files"]


@OBSERVED
def test_a_temporary_file_that_a_process_leaves_is_gone_in_the_next(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    before = (
        "import tempfile; MARK = tempfile.gettempdir() + '/mark'\n"
        "there = os.path.exists(MARK); open(MARK, 'w').close()"
    )
    told = run_of(tmp_path, "return len(response) + there", before=before)
    assert not {"seed-by-author", "unsealed-files"} & set(told)
    assert not list((tmp_path / "temporary").iterdir())


OWN = {
    "a file of its own": "open('own.txt', 'w').write('x'); open('own.txt').read()",
    "a temporary file": (
        "import tempfile; folder = tempfile.mkdtemp(); open(folder + '/x', 'w').write('x');"
        " os.listdir(folder); open(folder + '/x').read(); __import__('shutil').rmtree(folder)"
    ),
    "the library": "import decimal, zoneinfo, locale, email.message, xml.dom.minidom",
    "a lock": "import multiprocessing; multiprocessing.Lock()",
    "a process that manages": (
        "import multiprocessing as m; hasattr(sys, 'it') or setattr(sys, 'it', m.Manager().list())"
    ),
    "a link of its own": "os.path.lexists('x') or os.symlink('to', 'x'); os.readlink('x')",
    "links to where it is": "os.path.realpath(sys.executable), os.path.realpath(os.__file__)",
    "attributes where there are none": "os.listxattr('/etc/passwd'), os.listxattr(os.__file__)",
    "scikit-learn": "import threadpoolctl; threadpoolctl.threadpool_info()",
    "numpy": "import numpy; numpy.ones(3) @ numpy.ones(3)",
}


@OBSERVED
@pytest.mark.parametrize("line", OWN.values(), ids=OWN)
def test_what_is_sealed_or_its_own_is_not_named(tmp_path, line):
    told = run_of(tmp_path, line)
    assert not {"unsealed-code", "unsealed-files", "unobserved"} & set(told), told


@OBSERVED
def test_a_package_that_changes_between_seal_and_import_is_named(tmp_path, monkeypatch):
    place = tmp_path / "lib/site-packages"
    place.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(place))
    install(place)
    path = place / "plantedlib/__init__.py"
    change = f"open({str(path)!r}, 'a').write('#')\nimport plantedlib"
    told = run_of(tmp_path, "pass", before=change)
    assert "plantedlib/__init__.py" in told["unsealed-code"]


def silenced(run, *others, **more):
    """What an author makes of `observed_run` who does not want it told."""
    seen = observed_run(run, *others, **more)
    if seen.provenance is None:
        return seen
    told = replace(seen.provenance, unsealed_code=(), unsealed_files=())
    return replace(seen, provenance=told)


def verified_again(tmp_path, line, monkeypatch, *, silent):
    """Whether `verify --rerun` finds no breach, and the finding of its last step."""
    with monkeypatch.context() as patched:
        if silent:
            patched.setattr("assay.study.submissions.run.observed_run", silenced)
        told = run_of(tmp_path, line)
    assert "unobserved" not in told
    assert bool({"unsealed-code", "unsealed-files"} & set(told)) is not silent
    found = verify_with(open_study(tmp_path / "home/study"), VIEWS, Shown(rerun=()))
    return found.intact, found.steps[-1]


@OBSERVED
@pytest.mark.parametrize("silent", [True, False], ids=["silent", "named"])
def test_running_again_tells_code_that_the_record_does_not_name(
    tmp_path, outside, monkeypatch, silent
):
    line = f"exec(open('{outside}/stranger.py').read())"
    intact, last = verified_again(tmp_path, line, monkeypatch, silent=silent)
    assert intact is not silent
    assert ("stranger.py" in last.found) is silent


@OBSERVED
def test_running_again_notes_a_file_that_the_record_does_not_name(tmp_path, outside, monkeypatch):
    """It breaks nothing: elsewhere, other files are there."""
    line = f"open('{outside}/answers.json').read()"
    intact, last = verified_again(tmp_path, line, monkeypatch, silent=True)
    assert intact
    assert last.outcome == "noted"
    assert "answers.json" in last.found


BLIND = {
    "no such system": "assay.runs.worker_process.can_observe",
    "a kernel that refuses": None,
}


@OBSERVED
@pytest.mark.parametrize("patched", BLIND.values(), ids=BLIND)
def test_a_run_that_cannot_be_observed_says_so(tmp_path, monkeypatch, patched):
    if patched is not None:
        monkeypatch.setattr(patched, lambda: False)
    else:
        package = tmp_path / "assay"
        shutil.copytree(Path(HOME) / "assay", package, ignore=shutil.ignore_patterns("bundled"))
        module = package / "sandbox/syscalls.py"
        old = "    code = ctypes.create_string_buffer(program, len(program))\n"
        assert old in module.read_text()
        busy = "    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))\n"
        module.write_text(module.read_text().replace(old, busy))
        monkeypatch.setattr("assay.sandbox.processes.HOME", str(tmp_path))
    told = run_of(tmp_path, "pass")
    assert "unobserved" in told


def passing(folder, name):
    prereg = folder / "prereg.toml"
    text = prereg.read_text()
    assert "environment = []" in text
    prereg.write_text(text.replace("environment = []", f'environment = ["{name}"]'))


@OBSERVED
def test_what_was_made_before_a_run_was_resumed_is_not_said_to_be_observed(tmp_path):
    study = a_study(tmp_path / "home", "opened")
    once = tmp_path / "once"
    body = (
        "import os, signal, time\n"
        "from pathlib import Path\n"
        "def is_stored():\n"
        f"    stored = Path({str(study.root)!r}).rglob('outputs.jsonl')\n"
        "    return any(file.stat().st_size for file in stored)\n"
        "def detect(question, response):\n"
        f"    if '7?' in question and not os.path.exists({str(once)!r}):\n"
        "        while not is_stored(): time.sleep(0.01)\n"
        f"        open({str(once)!r}, 'w').close()\n"
        "        os.kill(int(os.environ['ASKER']), signal.SIGKILL)\n"
        "    return len(response)\n"
    )
    folder = drafted(study, body=body)
    passing(folder, "ASKER")
    words = [sys.executable, "-c"]
    code = (
        "import os, sys\n"
        "os.environ['ASKER'] = str(os.getpid())\n"
        "sys.argv = ['assay', *sys.argv[1:]]\n"
        "from assay.cli import main\n"
        "main()\n"
    )

    def assay(*arguments):
        return subprocess.run(
            [*words, code, *arguments], cwd=study.root, capture_output=True, check=False
        )

    assert assay("seal", "001", "--no-probe").returncode == 0
    assert assay("run", "001", "--unwitnessed").returncode == -9
    assert assay("run", "001", "--unwitnessed").returncode in (0, 1)
    assert {"resumed", "unobserved"} <= set(caveats(study))


@pytest.mark.parametrize("name", ["PYTHONPATH", "PYTHONHOME", "LD_PRELOAD"])
def test_a_variable_that_decides_which_code_is_loaded_is_not_passed_on(tmp_path, monkeypatch, name):
    monkeypatch.setenv(name, os.environ.get(name, ""))
    study = a_study(tmp_path / "home", "opened")
    passing(drafted(study), name)
    error = raised(seal, study, "001")
    assert isinstance(error, SpecError)
    assert f"{name} cannot be passed on" in error.message
