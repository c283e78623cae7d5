import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import assay
from assay.benchmark.programs import execute as executing
from assay.benchmark.programs.execute import Bounds, Executor, Program, ProgramOutcome, execute
from assay.errors import NotHere
from assay.sandbox.guardian import Guardian

RIGHT = "def f(x):\n    return x + 1\n"
WRONG = "def f(x):\n    return x\n"
TESTS = "assert f(1) == 2\nassert f(2) == 3\n"


@pytest.fixture(scope="module")
def executor():
    folder = Path(tempfile.mkdtemp(prefix="assay-tests-")).resolve()
    with Guardian(folder) as guardian:
        one = Executor(folder, guardian, Bounds(seconds=60.0, memory=256 << 20))
        try:
            one.probe()
        except NotHere as error:
            pytest.skip(error.message)
        yield one


@pytest.fixture
def outcome(executor):
    """How a solution does; afterwards nothing of it is left."""

    def run(solution, tests=TESTS, names=("f",), given=""):
        program = Program(solution=solution, tests=tests, names=names, given=given)
        found = executor.run(program)
        assert list(executor.folder.iterdir()) == []
        assert processes_with(f"HOME={executor.folder}/") == []
        return found

    return run


@pytest.fixture
def hasty(executor):
    """The same, and a solution that never ends is not waited for long."""
    before = executor.bounds
    executor.bounds = Bounds(seconds=1.0, memory=256 << 20)
    yield executor
    executor.bounds = before


def processes_with(mark: str, file: str = "environ") -> list[str]:
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            data = (one / file).read_bytes()
        except OSError:
            continue
        if mark.encode() in data:
            found.append(one.name)
    return found


def test_a_right_solution_passes_and_a_wrong_one_fails(outcome):
    assert outcome(RIGHT) is ProgramOutcome.PASSED
    assert outcome(WRONG) is ProgramOutcome.FAILED
    assert outcome("def f(x) return x") is ProgramOutcome.FAILED
    assert outcome("") is ProgramOutcome.FAILED


FORGED = {
    "leaving at once": "import os\nos._exit(0)",
    "leaving politely": "import sys\nsys.exit(0)",
    "leaving from within the tests": "def f(x):\n    raise SystemExit(0)",
    "leaving from within the tests at once": "import os\ndef f(x):\n    os._exit(0)",
    "printing": (
        "import os, sys\nprint('passed')\nprint('passed', file=sys.stderr, flush=True)\nos._exit(0)"
    ),
    "telling everybody": (
        "import os\n"
        "for number in range(3, 256):\n"
        "    try:\n"
        "        os.write(number, b'passed\\n' + b'0' * 32 + b' passed\\n')\n"
        "    except OSError:\n"
        "        pass\n" + RIGHT
    ),
    "flooding": (
        "import os\n"
        "for number in range(3, 256):\n"
        "    try:\n"
        "        os.write(number, b'passed ' * 1000)\n"
        "    except OSError:\n"
        "        pass\n"
    ),
    "swallowing the tests": WRONG + "'''",
    "ending the tests by a comment": WRONG + "if True:\n    pass\n#",
    "a copy that passes": "import os\nif os.fork():\n    os.wait()\n    raise ValueError\n" + RIGHT,
    "leaving when asked to end": "import atexit, os\natexit.register(os._exit, 0)\n" + WRONG,
    "other ways out": "import os\nos._exit = os.write = os.getpid = print\n" + WRONG,
    "another exec": (
        "import builtins, __main__\n"
        "builtins.exec = __main__.exec = __main__.run = lambda *_: None\n" + WRONG
    ),
    "other tools of the checker": (
        "import builtins, __main__\n"
        "builtins.vars = __main__.vars = lambda _: {'f': lambda x: x + 1}\n"
        "builtins.BaseException = __main__.BaseException = KeyError\n" + WRONG
    ),
    "no assertion error": (
        "import builtins\nbuiltins.AssertionError = int\nAssertionError = int\n" + WRONG
    ),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_pass_cannot_be_forged_by(outcome, how):
    assert outcome(FORGED[how]) in (ProgramOutcome.FAILED, ProgramOutcome.CRASHED)


def test_tests_keep_their_builtins_whatever_a_solution_does_to_them(outcome):
    tests = "assert all([f(1) == 2])\nassert sorted([f(1), 0]) == [0, 2]\n"
    assert outcome(RIGHT, tests) is ProgramOutcome.PASSED
    for trick in (
        "import builtins\nbuiltins.all = lambda _: True\nbuiltins.sorted = lambda _: [0, 2]\n",
        "all = lambda _: True\nsorted = lambda _: [0, 2]\n",
        "__builtins__['all'] = lambda _: True\n__builtins__['sorted'] = lambda _: [0, 2]\n",
    ):
        assert outcome(trick + WRONG, tests) is ProgramOutcome.FAILED, trick


def test_a_task_may_ask_for_a_function_with_the_name_of_a_builtin(outcome):
    solution = "def sum(a, b):\n    return a + b + 1\n"
    assert outcome(solution, "assert sum(1, 2) == 4", names=("sum",)) is ProgramOutcome.PASSED
    solution += "def f(x):\n    return 3\n"
    assert outcome(solution, "assert f(0) == sum([1, 2])") is ProgramOutcome.PASSED


def test_a_check_that_the_solution_defines_is_not_the_one_that_counts(outcome):
    tests = "def check(candidate):\n    assert candidate(1) == 2\ncheck(f)\n"
    assert outcome(WRONG + "def check(candidate):\n    pass\n", tests) is ProgramOutcome.FAILED
    assert outcome(RIGHT, tests) is ProgramOutcome.PASSED


SPOKEN = {
    "every plain type": (
        "def f(x):\n    return x\n",
        "import math, decimal, fractions, collections\n"
        "for value in (None, True, -1, 2**200, 1.5, math.inf, 'a\\ud800', b'b', bytearray(b'c'),\n"
        "              3j, [1, [2]], (1, (2,)), {1, 2}, frozenset('ab'), {1: {'a': (2,)}},\n"
        "              decimal.Decimal('1.10'), fractions.Fraction(1, 3), range(3),\n"
        "              collections.deque([1, 2])):\n"
        "    assert f(value) == value and type(f(value)) is type(value), value\n"
        "assert math.isnan(f(math.nan)) and math.copysign(1, f(-0.0)) == -1\n",
    ),
    "subclasses of plain types": (
        "from collections import Counter, namedtuple\n"
        "def f(x):\n    return Counter(x), namedtuple('P', 'x y')(1, 2)\n",
        "assert f('aab') == ({'a': 2, 'b': 1}, (1, 2))",
    ),
    "what is made step by step": (
        "def f(x):\n    yield from range(x)\n",
        "assert list(f(3)) == [0, 1, 2]",
    ),
    "a function": ("def f(x):\n    return lambda y: x + y\n", "assert f(1)(2) == 3"),
    "what is true without being plain": (
        "import re\ndef f(x):\n    return re.match('a', x)\n",
        "assert f('ab')\nassert not f('b')\n",
    ),
    "modules that the tests import": (
        "def f(x):\n    return x / 3\n",
        "import math\nfrom math import isclose\n"
        "assert math.isclose(f(1), 1 / 3) and isclose(f(2), 2 / 3)",
    ),
    "a function that it has from elsewhere": ("from math import gcd as f", "assert f(4, 6) == 2"),
    "what it raises": (
        "def f(x):\n    raise ValueError('no ' + x)\n",
        "try:\n    f('way')\nexcept ValueError as error:\n    assert str(error) == 'no way'\n"
        "else:\n    assert False\n",
    ),
    "all names of a module": (RIGHT, "from math import *\nassert floor(f(1.5)) == 2"),
    "names that the tests define in every way": (
        RIGHT,
        "import os.path as p, sys\n"
        "def g(a, *b, c=1, **d):\n    global h\n    h = [e for e in b]\n    return a\n"
        "class K:\n    m: int = 1\n    def n(self):\n        return self.m\n"
        "for i in range(2):\n    with open(p.devnull) as j:\n        pass\n"
        "match [1, {'k': 2, 'l': 3}]:\n"
        "    case [q, {'k': r, **s}]:\n        assert (q, r) == (1, 2)\n"
        "if (t := g(1, 2)) and K().n():\n    u, *v = 1, 2, 3\n"
        "try:\n    raise KeyError\nexcept KeyError as w:\n    repr(w)\n"
        "assert f(t) == 2 and (i, h, s, u, v) == (1, [2], {'l': 3}, 1, [2, 3]) and j and sys\n",
    ),
    "named arguments": ("def f(x, *, by=1):\n    return x + by\n", "assert f(1, by=4) == 5"),
}


@pytest.mark.parametrize("what", SPOKEN)
def test_values_cross_as_they_are(outcome, what):
    assert outcome(*SPOKEN[what]) is ProgramOutcome.PASSED


NODE = (
    "class Node:\n"
    "    def __init__(self, data):\n"
    "        self.data, self.left, self.right = data, None, None\n"
    "def height(node):\n"
    "    return 0 if node is None else 1 + max(height(node.left), height(node.right))\n"
)


def test_the_setup_of_a_task_may_build_on_a_class_of_the_solution(outcome):
    tests = (
        "root = Node(1)\nroot.left = Node(2)\nroot.left.left = Node(3)\n"
        "assert height(root) == 3\nassert root.left.data == 2\n"
    )
    assert outcome(NODE, tests, names=("Node", "height")) is ProgramOutcome.PASSED
    wrong = NODE.replace("1 + max", "2 + max")
    assert outcome(wrong, tests, names=("Node", "height")) is ProgramOutcome.FAILED


def test_what_does_not_cross_gives_no_verdict(outcome):
    for argument in ("lambda y: y", "object()", "print"):
        tests = f"try:\n    f({argument})\nexcept BaseException:\n    pass\n"
        assert outcome("def f(x):\n    return 1\n", tests) is ProgramOutcome.UNVERIFIABLE
    endless = "x = []\nx.append(x)\nassert f(x)\n"
    assert outcome(RIGHT, endless) is ProgramOutcome.UNVERIFIABLE


def test_a_solution_that_answers_without_measure_fails(outcome):
    big = "def f(x):\n    return 'x' * (32 << 20)\n"
    assert outcome(big) is ProgramOutcome.FAILED
    deep = "def f(x):\n    x = []\n    x.append(x)\n    return x\n"
    assert outcome(deep) is ProgramOutcome.FAILED
    flood = (
        "import os, socket\n"
        "def f(x):\n"
        "    for number in range(3, 16):\n"
        "        try:\n"
        "            while True:\n"
        "                os.write(number, b'[' * (1 << 20))\n"
        "        except OSError:\n"
        "            pass\n"
    )
    assert outcome(flood) is ProgramOutcome.CRASHED


def test_tests_have_the_task_s_own_helpers(outcome):
    """HumanEval/32 asks its own `poly` about the answer."""
    given = "def poly(xs, x):\n    return sum(c * x ** i for i, c in enumerate(xs))\n"
    tests = (
        "def check(candidate):\n"
        "    assert abs(poly([-2, 1], candidate([-2, 1]))) < 1e-4\n"
        "check(zero)\n"
    )
    right = given + "def zero(xs):\n    return -xs[0] / xs[1]\n"
    forged = "def poly(xs, x):\n    return 0\ndef zero(xs):\n    return 7.0\n"
    for solution, expected in ((right, ProgramOutcome.PASSED), (forged, ProgramOutcome.FAILED)):
        assert outcome(solution, tests, names=("zero",), given=given) is expected


UNEXPLAINED = {
    "a name that the task does not explain": ("assert f(1) == twice(1)", ""),
    "a name that the solution explains": ("assert math.floor(f(1.5)) == 2", ""),
    "code of the task that fails": ("assert f(1) == 2", "import no_such_module"),
    "tests that do not ask the solution": ("assert 1 + 1 == 2", ""),
}


@pytest.mark.parametrize("what", UNEXPLAINED)
def test_no_verdict_comes_of(outcome, what):
    tests, given = UNEXPLAINED[what]
    solution = "import math\n" + RIGHT + "def twice(x):\n    return 2 * x\n"
    assert outcome(solution, tests, given=given) is ProgramOutcome.UNVERIFIABLE


def test_nothing_of_the_tests_is_in_the_solution_s_process(outcome):
    look = (
        "import gc, os, stat\n"
        "def told(word):\n"
        "    whole = [one for one in gc.get_objects() if isinstance(one, (dict, list, tuple))]\n"
        "    return any(word[::-1] in repr(one) for one in whole)\n"
        "def pipes():\n"
        "    numbers = map(int, os.listdir('/proc/self/fd'))\n"
        "    held = [n for n in numbers if os.path.exists(f'/proc/self/fd/{n}')]\n"
        "    return sum(stat.S_ISFIFO(os.fstat(n).st_mode) for n in held)\n"
    )
    for words in ("assert told('4arbez') is False  # zebra4", "assert pipes() == 0"):
        assert outcome(look, words, names=("told", "pipes")) is ProgramOutcome.PASSED
    planted = "kept = ['zebra4']\n" + look
    assert outcome(planted, "assert told('4arbez')", names=("told",)) is ProgramOutcome.PASSED


def test_a_solution_that_never_ends_is_ended(hasty, outcome):
    assert outcome("while True:\n    pass\n") is ProgramOutcome.TIMED_OUT
    assert (
        outcome("import signal, time\nsignal.pthread_sigmask(0, range(1, 64))\ntime.sleep(600)\n")
        is ProgramOutcome.TIMED_OUT
    )


def test_memory_runs_out_for_the_solution_and_for_nobody_else(outcome):
    assert outcome("hog = bytearray(1 << 30)\n") is ProgramOutcome.OUT_OF_MEMORY
    assert outcome("def f(x):\n    return [0] * (1 << 28)\n") is ProgramOutcome.OUT_OF_MEMORY
    assert outcome("small = bytearray(1 << 20)\n" + RIGHT) is ProgramOutcome.PASSED


def test_a_crash_is_told_from_a_failure(outcome):
    assert outcome("import ctypes\nctypes.string_at(0)\n") is ProgramOutcome.CRASHED
    assert outcome("import os\nos.kill(os.getpid(), 9)\n") is ProgramOutcome.CRASHED


def test_output_without_end_goes_nowhere(outcome):
    loud = "for _ in range(200):\n    print('x' * (1 << 20))\n"
    assert outcome(loud + RIGHT) is ProgramOutcome.PASSED


def test_files_have_a_largest_size(outcome):
    write = (
        "with open('big', 'wb') as file:\n"
        "    for _ in range({}):\n"
        "        file.write(bytes(1 << 20))\n"
    )
    assert outcome(write.format(4) + RIGHT) is ProgramOutcome.PASSED
    assert outcome(write.format(64) + RIGHT) is ProgramOutcome.FAILED


def test_nobody_hears_a_solution_that_calls_out(outcome):
    knock = "import socket\nsocket.create_connection(('127.0.0.1', {}), 5.0).close()\n" + RIGHT
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        door.setblocking(False)
        port = door.getsockname()[1]
        assert outcome(knock.format(port)) is ProgramOutcome.FAILED
        with pytest.raises(BlockingIOError):
            door.accept()
        exec(knock.format(port), {})  # noqa: S102 - from here it is heard
        door.accept()[0].close()


def test_a_socket_by_name_is_another_network_s_too(outcome):
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(f"\0assay-{os.getpid()}")
        door.listen()
        call = (
            "import socket\n"
            "with socket.socket(socket.AF_UNIX) as one:\n"
            f"    one.connect('\\0assay-{os.getpid()}')\n" + RIGHT
        )
        assert outcome(call) is ProgramOutcome.FAILED
        exec(call, {})  # noqa: S102 - from here it is heard


def test_what_a_solution_leaves_running_is_ended(outcome):
    mark = f"left-behind-{os.getpid()}"
    daemon = (
        "import subprocess, sys\n"
        f"words = [sys.executable, '-c', 'import time; time.sleep(600)', '{mark}']\n"
        "left = subprocess.Popen(words, start_new_session=True, env={})\n" + RIGHT
    )
    tests = TESTS + "assert left.poll() is None\n"
    assert outcome(daemon, tests, names=("f", "left")) is ProgramOutcome.PASSED
    assert processes_with(mark, "cmdline") == []


def test_a_fork_bomb_is_small_and_leaves_nothing(outcome):
    bomb = (
        "import os, time\n"
        "count = 0\n"
        "try:\n"
        "    while count < 500:\n"
        "        if os.fork() == 0:\n"
        "            os.setsid()\n"
        "            time.sleep(600)\n"
        "        count += 1\n"
        "except OSError:\n"
        "    pass\n"
    )
    assert outcome(bomb, "assert 0 < count < 64", names=("count",)) is ProgramOutcome.PASSED
    assert outcome("import os\nwhile True:\n    os.fork()\n") in (
        ProgramOutcome.FAILED,
        ProgramOutcome.CRASHED,
    )


SIGNALS = {
    "its parent": "os.kill(os.getppid(), 9)",
    "its group": "signal.signal(15, signal.SIG_IGN); os.killpg(0, 15)",
    "everybody": "os.kill(-1, 9)",
    "the asker": f"os.kill({os.getpid()}, 9)",
}


@pytest.mark.parametrize("whom", SIGNALS)
def test_a_solution_can_signal_nobody_but_itself(outcome, whom):
    attack = f"import os, signal\ntry:\n    {SIGNALS[whom]}\nexcept OSError:\n    pass\n"
    assert outcome(attack + RIGHT) is ProgramOutcome.PASSED
    assert outcome(attack + WRONG) is ProgramOutcome.FAILED


def test_a_solution_may_delete_its_own_folders(outcome):
    delete = (
        "import os, shutil\n"
        "for path in (os.getcwd(), os.environ['HOME'], os.environ['TMPDIR']):\n"
        "    shutil.rmtree(path)\n"
    )
    assert outcome(delete + RIGHT) is ProgramOutcome.PASSED
    locked = (
        "import os\nos.makedirs('x/y/z')\nos.chmod('x/y', 0)\nos.chmod('x', 0)\nos.chmod('.', 0)\n"
    )
    assert outcome(locked + RIGHT) is ProgramOutcome.PASSED


def test_a_solution_finds_empty_folders_and_nothing_of_our_environment(
    outcome, tmp_path, monkeypatch
):
    monkeypatch.setenv("ASSAY_TEST_SECRET", "do-not-tell")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "ours").write_text("ours")
    look = (
        "import os, tempfile\n"
        "folders = [os.getcwd(), os.environ['HOME'], tempfile.gettempdir()]\n"
        "found = [os.listdir(one) for one in folders]\n"
        "secret = os.environ.get('ASSAY_TEST_SECRET')\n"
    )
    clean = "assert found == [[], [], []] and len(set(folders)) == 3\nassert secret is None\n"
    assert outcome(look, clean, names=("found", "folders", "secret")) is ProgramOutcome.PASSED
    scope = {}
    exec(look, scope)  # noqa: S102 - here there is something to be found
    assert (scope["found"][1], scope["secret"]) == (["ours"], "do-not-tell")


def test_a_solution_cannot_look_into_our_processes(outcome):
    mark = f"TOLD=to-{os.getpid()}"
    look = (
        "import glob\n"
        "told = []\n"
        "for name in glob.glob('/proc/[0-9]*/environ'):\n"
        "    try:\n"
        f"        told.append({mark!r}.encode() in open(name, 'rb').read())\n"
        "    except OSError:\n"
        "        pass\n"
    )
    with subprocess.Popen(["sleep", "600"], env=dict([mark.split("=")])) as ours:
        try:
            found = outcome(look, "assert told and not any(told)\n", names=("told",))
            seen = processes_with(mark)
        finally:
            ours.kill()
    assert found is ProgramOutcome.PASSED
    assert seen == [str(ours.pid)]


@pytest.mark.skipif(not executing._has_unused_uids(), reason="an ordinary user's files are his own")
def test_what_root_runs_cannot_write_where_root_can(outcome, tmp_path):
    ours = tmp_path / "ours"
    ours.write_text("ours")
    assert outcome(f"open({str(ours)!r}, 'w')\n" + RIGHT) is ProgramOutcome.FAILED
    assert outcome("import os\nos.setuid(0)\n" + RIGHT) is ProgramOutcome.FAILED
    assert ours.read_text() == "ours"


def test_outcomes_come_in_the_order_of_programs_however_many_run_at_a_time(executor):
    slow = "import time\ntime.sleep(0.2)\n"
    programs = [
        Program(solution=one, tests=TESTS, names=("f",))
        for one in (slow + RIGHT, WRONG, RIGHT, slow + WRONG)
    ]
    done = []
    found = execute(programs, jobs=3, on_done=lambda: done.append(1))
    assert found == [
        ProgramOutcome.PASSED,
        ProgramOutcome.FAILED,
        ProgramOutcome.PASSED,
        ProgramOutcome.FAILED,
    ]
    assert len(done) == 4


def test_being_stopped_ends_what_runs(executor, monkeypatch):
    class Stopped(BaseException):
        pass

    def stop():
        raise Stopped

    mark = f"stopped-{os.getpid()}"
    sleep = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', '{mark}'])\n"
    )
    programs = [
        Program(solution=RIGHT, tests=TESTS, names=("f",)),
        *[Program(solution=sleep, tests="f", names=("f",))] * 3,
    ]
    with pytest.raises(Stopped):
        execute(programs, bounds=Bounds(seconds=600.0), jobs=2, on_done=stop)
    assert processes_with(mark, "cmdline") == []


def test_killing_the_asker_ends_what_it_ran(executor):
    mark = f"orphan-{os.getpid()}"
    sleep = (
        "import subprocess, sys\n"
        f"words = [sys.executable, '-c', 'import time; time.sleep(600)', '{mark}']\n"
        "subprocess.run(words, start_new_session=True)\n"
    )
    asker = (
        "from assay.benchmark.programs.execute import Bounds, Program, execute\n"
        f"program = Program(solution={sleep!r}, tests='f', names=('f',))\n"
        "execute([program], bounds=Bounds(seconds=600.0))\n"
    )

    def wait_until(condition):
        for _ in range(3000):
            if condition(processes_with(f"\0{mark}\0", "cmdline")):
                return
            time.sleep(0.01)
        raise AssertionError(mark)

    with subprocess.Popen([sys.executable, "-c", asker]) as process:
        wait_until(bool)
        process.kill()
    wait_until(lambda found: not found)


def planted(tmp_path, monkeypatch, *changes):
    """A copy of the package whose sandbox has something wrong in it."""
    package = tmp_path / "assay"
    left_out = shutil.ignore_patterns("bundled", "__pycache__")
    shutil.copytree(Path(assay.__file__).parent, package, ignore=left_out)
    for name, old, new in changes:
        module = package / "sandbox" / name
        text = module.read_text(encoding="utf-8")
        assert old in text
        module.write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setattr("assay.sandbox.processes.HOME", str(tmp_path))


NOT_APART = ("confine.py", "_APART = NEW_NETWORK | NEW_PROCESSES | NEW_IPC", "_APART = 0")
REFUSED = "    raise PermissionError(1, 'Operation not permitted')"
PLANTED = {
    "it still has this network": [NOT_APART],
    "did not behave as expected": [
        NOT_APART,
        ("launcher.py", 'f"{network}"', 'f"{network + 1}"'),
    ],
    "Operation not permitted": [("syscalls.py", "    _check(_LIBRARY.unshare(flags))", REFUSED)],
}


@pytest.mark.parametrize("why", PLANTED)
def test_nothing_runs_where_the_network_cannot_be_cut_off(executor, why, tmp_path, monkeypatch):
    planted(tmp_path, monkeypatch, *PLANTED[why])
    proof = Path(tempfile.gettempdir()) / f"assay-ran-{os.getpid()}"
    with pytest.raises(NotHere) as refused:
        execute([Program(solution=f"open({str(proof)!r}, 'w')\n", tests="f", names=("f",))])
    assert why in refused.value.message
    assert "nothing was run" in refused.value.message
    assert not proof.exists()


def test_nothing_runs_where_there_are_no_namespaces(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(NotHere, match="Linux has them"):
        execute([Program(solution=RIGHT, tests=TESTS, names=("f",))])
