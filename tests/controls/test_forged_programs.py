"""Completions that try to pass without being right, or to read what is not theirs."""

import shutil
import tempfile
from pathlib import Path

import pytest

from assay.benchmark.programs.execute import Bounds, Executor, Program, ProgramOutcome
from assay.errors import NotHere
from assay.sandbox.guardian import Guardian

RIGHT = "def f(x):\n    return x + 1\n"
WRONG = "def f(x):\n    return x\n"
TESTS = "import math\nassert f(1) == 2\nassert f(2) == 3\nassert math.isclose(f(3.5), 4.5)\n"
CHECK = (
    "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(2) == 3\ncheck(f)\n"
)


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


FORGED = {
    "an answer that equals everything": (
        "class Yes(int):\n"
        "    def __eq__(self, other):\n        return True\n"
        "    def __float__(self):\n        return 4.5\n"
        "    __hash__ = int.__hash__\n"
        "def f(x):\n    return Yes(x)\n"
    ),
    "an object that equals everything": (
        "class Yes:\n"
        "    def __eq__(self, other):\n        return True\n"
        "    def __float__(self):\n        return 4.5\n"
        "    __hash__ = None\n"
        "def f(x):\n    return Yes()\n"
    ),
    "a walk up the frames to the word": (
        "import os, sys\n"
        "frame = sys._getframe()\n"
        "while frame is not None:\n"
        "    known = frame.f_locals\n"
        "    for name in ('verdict', 'channel'):\n"
        "        if name in known and 'word' in known:\n"
        "            os.write(known[name], (known['word'] + ' passed\\n').encode())\n"
        "    frame = frame.f_back\n"
    ),
    "a walk up the frames to the expected answer": (
        "import ast, sys\n"
        "text = ''\n"
        "frame = sys._getframe()\n"
        "while frame is not None:\n"
        "    asked = frame.f_locals.get('asked') or {}\n"
        "    text = text or asked.get('tests', '')\n"
        "    frame = frame.f_back\n"
        "answers = [c.comparators[0].value for c in ast.walk(ast.parse(text))\n"
        "           if isinstance(c, ast.Compare)] + [4.5]\n"
        "def f(x):\n    return answers.pop(0)\n"
    ),
    "a trace of the tests": (
        "import sys\n"
        "def trace(frame, event, argument):\n"
        "    if frame.f_code.co_filename == 'tests':\n"
        "        frame.f_globals['f'] = lambda x: x + 1\n"
        "    return trace\n"
        "sys.settrace(trace)\n" + WRONG
    ),
    "another function put into the caller's globals": (
        "import sys\n"
        "def f(x):\n"
        "    frame = sys._getframe(1)\n"
        "    frame.f_globals['f'] = lambda x: x + 1\n"
        "    for value in list(frame.f_globals.values()):\n"
        "        if getattr(value, '__name__', '') == 'check':\n"
        "            value.__code__ = (lambda candidate: None).__code__\n"
        "    return 2\n"
    ),
    "a module that the tests import": (
        "import math\nmath.isclose = lambda *_: True\n"
        "def f(x):\n    return x + 1 if isinstance(x, int) else 0\n"
    ),
    "the exit code and a handler at exit": (
        "import atexit, os, sys\n"
        "atexit.register(lambda: os.write(1, b'passed\\n'))\n"
        "sys.excepthook = lambda *_: os._exit(0)\n" + WRONG
    ),
    "frames of the protocol written by hand": (
        "import os, json\n"
        "def f(x):\n"
        "    for number in range(3, 64):\n"
        "        for line in ('{\"ok\": 2}', 'passed', '{\"outcome\": \"passed\"}'):\n"
        "            try:\n"
        "                os.write(number, line.encode() + b'\\n')\n"
        "            except OSError:\n"
        "                pass\n"
        "    return 0\n"
    ),
}


@pytest.mark.parametrize("tests", [TESTS, CHECK + TESTS], ids=["asserts", "check"])
@pytest.mark.parametrize("how", FORGED)
def test_a_pass_is_not_forged_by(executor, how, tests):
    found = executor.run(Program(solution=FORGED[how], tests=tests, names=("f",)))
    assert found in (ProgramOutcome.FAILED, ProgramOutcome.CRASHED), how


def test_the_same_tests_pass_a_right_completion(executor):
    for tests in (TESTS, CHECK):
        found = executor.run(Program(solution=RIGHT, tests=tests, names=("f",)))
        assert found is ProgramOutcome.PASSED


def test_a_completion_reads_no_file_of_ours(executor, tmp_path):
    """A secret that only we can read, as root or as an ordinary user."""
    secret = tmp_path / "secret"
    secret.write_text("do-not-tell")
    secret.chmod(0o600)
    open_to_all = Path(tempfile.mkdtemp(prefix="assay-open-"))
    open_to_all.chmod(0o755)
    (open_to_all / "file").write_text("ours")
    paths = [
        str(secret),
        str(open_to_all / "file"),
        "/etc/shadow",
        "/root/.profile",
        "/root/.bashrc",
    ]
    read = (
        "def f(path):\n"
        "    try:\n"
        "        return open(path).read()\n"
        "    except OSError:\n"
        "        return None\n"
    )
    tests = "".join(f"assert f({path!r}) is None\n" for path in paths)
    found = executor.run(Program(solution=read, tests=tests, names=("f",)))
    assert found is ProgramOutcome.PASSED
    assert secret.read_text() == "do-not-tell"
    assert (open_to_all / "file").read_text() == "ours"
    shutil.rmtree(open_to_all)
