"""Completions that try to pass without being right, or to read what is not theirs."""

import shutil
import tempfile
from pathlib import Path

import pytest
from helpers.corpora import lines

from assay.benchmark.corpora.corpus_files import read_sources
from assay.benchmark.corpora.format import Wishes
from assay.benchmark.corpora.programming_tasks import match
from assay.benchmark.corpora.table import read_tasks
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
    "an object that claims to be one of the standard library's": (
        "class Claimed:\n"
        "    __module__, __name__ = 'unittest.mock', 'call'\n"
        "math = Claimed()\n"
        "def f(x):\n    return x + 1 if isinstance(x, int) else 0\n"
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


PUT = {
    "asserts": {"tests": TESTS},
    "check": {"tests": CHECK + TESTS},
    "asserts with the task's imports": {
        "tests": TESTS.removeprefix("import math\n"),
        "given": "import math",
    },
}


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("how", FORGED)
def test_a_pass_is_not_forged_by(executor, how, put):
    found = executor.run(Program(solution=FORGED[how], names=("f",), **PUT[put]))
    assert found in (ProgramOutcome.FAILED, ProgramOutcome.CRASHED), how


@pytest.mark.parametrize("put", PUT)
def test_the_same_tests_pass_a_right_completion(executor, put):
    found = executor.run(Program(solution=RIGHT, names=("f",), **PUT[put]))
    assert found is ProgramOutcome.PASSED


ITERATED = {
    "zip": "for got, want in zip(map(f, [1, 2]), [2, 3]):\n    assert got == want",
    "all": "assert all(map(lambda case: f(case[0]) == case[1], [(1, 2), (2, 3)]))",
    "for": "class Cases:\n    def __iter__(self):\n        return self\n"
    "    def __next__(self):\n        return f(1)\nfor got in Cases():\n    assert got == 3",
}


@pytest.mark.parametrize("tests", ITERATED.values(), ids=ITERATED)
@pytest.mark.parametrize("name", ["StopIteration", "StopAsyncIteration"])
def test_a_completion_does_not_end_the_iteration_of_its_tests(executor, tests, name):
    stops = f"def f(x):\n    raise {name}\n"
    found = executor.run(Program(solution=stops, tests=tests, names=("f",)))
    assert found is ProgramOutcome.FAILED


LARGE = """
import gc
for known in gc.get_objects():
    if isinstance(known, dict) and "encode" in known and "Served" in known:
        def answer(value, refer, depth=0):
            if callable(value):
                return refer(value)
            node = 1
            for _ in range(DEPTH):
                node = [node]
            return node
        known["encode"] = answer
def f(x):
    return 0
"""
TOO_LARGE = {
    "300 deep": (LARGE.replace("DEPTH", "300"), "assert f(f(1)) == 1"),
    "100 deep, in a list of the tests'": (LARGE.replace("DEPTH", "100"), "assert f([f(1)]) == 1"),
    "long, in a list of the tests'": (
        "def f(x):\n    return 'x' * 9_000_000\n",
        "assert f([f(1), f(2)]) == 1",
    ),
    "made long by the tests": ("def f(x):\n    return 20_000_000\n", "assert f('x' * f(1)) == 1"),
}


@pytest.mark.parametrize(("solution", "tests"), TOO_LARGE.values(), ids=TOO_LARGE)
def test_a_completion_cannot_choose_to_be_left_out_by_a_large_answer(executor, solution, tests):
    found = executor.run(Program(solution=solution, tests=tests, names=("f",)))
    assert found is ProgramOutcome.CRASHED


def test_an_argument_that_is_too_large_by_itself_gives_no_verdict(executor):
    found = executor.run(Program(solution=RIGHT, tests="f('x' * 20_000_000)", names=("f",)))
    assert found is ProgramOutcome.UNVERIFIABLE


def test_a_name_of_the_tests_is_never_python_s_by_the_completion_s_word(executor):
    evals = "Counter = eval\ndef f(x):\n    return '__import__(\"os\")._exit(0)'\n"
    tests = "assert Counter(f('abca')) == Counter('abca')"
    found = executor.run(Program(solution=evals, tests=tests, names=("f",)))
    assert found is ProgramOutcome.UNVERIFIABLE
    imports = "from collections import Counter"
    found = executor.run(Program(solution=evals, tests=tests, names=("f",), given=imports))
    assert found is ProgramOutcome.FAILED


MBPP = {
    "task_id": 1,
    "text": "Volume of a cylinder.",
    "code": "import math\ndef volume(r, h):\n    return math.pi * r * r * h",
    "test_list": ["assert math.isclose(volume(10, 5), 1570.75, rel_tol=0.001)"],
}
CLAIMED = "class Claimed:\n    __module__, __name__ = {!r}, {!r}\n{} = Claimed()\n"
ZERO = "def volume(r, h):\n    return 0\n"
WITHOUT_IMPORTS = {
    "a mock in the place of a module": (
        {},
        CLAIMED.format("unittest.mock", "call", "math") + ZERO,
    ),
    "a mock in the place of a function": (
        {
            "code": MBPP["code"].replace("import math", "from math import *\nimport math"),
            "test_list": ["assert isclose(volume(10, 5), 1570.75, rel_tol=0.001)"],
        },
        CLAIMED.format("unittest.mock", "call", "isclose") + ZERO,
    ),
    "another function of the library": (
        {
            "code": MBPP["code"].replace("import math", "import math\nfrom math import isclose"),
            "test_list": ["assert isclose(volume(10, 5), 1570.75, rel_tol=0.001)"],
        },
        "def isclose(*_, **__):\n    return True\n"
        "isclose.__module__, isclose.__name__ = 'unittest.mock', 'MagicMock'\n" + ZERO,
    ),
    "a module of its own, where the task's code cannot be read": (
        {"code": "def volume(r, h) return"},
        "class Module:\n    def isclose(self, *_, **__):\n        return True\n"
        "math = Module()\n" + ZERO,
    ),
    "a constant of its own": (
        {"code": "MOST = 0\n" + MBPP["code"], "test_list": ["assert volume(10, 5) > MOST"]},
        "MOST = -1\n" + ZERO,
    ),
}


def put_by_mbpp(executor, folder, task, solution):
    """The outcome of a sample whose task is read from a file."""
    tasks = read_tasks("mbpp", read_sources([lines(folder / "mbpp.jsonl", [task])]), Wishes())
    samples = lines(folder / "samples.jsonl", [{"task_id": 1, "solution": solution}])
    (attempt,) = match(tasks, read_sources([samples])[0].records)
    return executor.run(attempt.program)


@pytest.mark.parametrize("how", WITHOUT_IMPORTS)
def test_what_the_tests_import_is_never_the_completion_s_to_name(executor, tmp_path, how):
    """The tests use an import of the task's own solution, and have none themselves."""
    change, forged = WITHOUT_IMPORTS[how]
    found = put_by_mbpp(executor, tmp_path, {**MBPP, **change}, forged)
    assert found in (ProgramOutcome.FAILED, ProgramOutcome.UNVERIFIABLE)


def test_tests_that_use_an_import_of_the_task_s_solution_judge(executor, tmp_path):
    right = "def volume(r, h):\n    return 3.14159265 * r * r * h\n"
    assert put_by_mbpp(executor, tmp_path, MBPP, right) is ProgramOutcome.PASSED
    assert put_by_mbpp(executor, tmp_path, MBPP, ZERO) is ProgramOutcome.FAILED


def test_tests_that_never_ask_the_completion_give_no_verdict(executor, tmp_path):
    """The task's solution is an import, so that its tests would only test the library."""
    task = {**MBPP, "code": "from math import gcd", "test_list": ["assert gcd(4, 6) == 2"]}
    found = put_by_mbpp(executor, tmp_path, task, "def gcd(a, b):\n    return 0\n")
    assert found is ProgramOutcome.UNVERIFIABLE


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
