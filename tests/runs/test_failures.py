"""Whatever a method does, the user gets a typed error, a clear message and every output made."""

import json
import re
from pathlib import Path

import pytest

import assay

FIFTY = "count = 0\ndef detect(question, response):\n    global count\n    count += 1\n"


def bad_at_fifty(statement: str) -> str:
    return f"{FIFTY}    if count == 50:\n        {statement}\n    return 0.5\n"


FAILURES = {
    "an exception": ("raise ValueError('boom')", assay.errors.MethodRaised, "ValueError: boom"),
    "SystemExit(0)": ("raise SystemExit(0)", assay.errors.MethodExited, "SystemExit(0)"),
    "sys.exit with a text": ("import sys; sys.exit('bye')", assay.errors.MethodExited, "bye"),
    "KeyboardInterrupt": (
        "raise KeyboardInterrupt",
        assay.errors.MethodRaised,
        "KeyboardInterrupt",
    ),
    "a hang": (
        "import time; time.sleep(60)",
        assay.errors.MethodTimedOut,
        "still answering after 1 s",
    ),
    "os._exit": ("import os; os._exit(0)", assay.errors.MethodCrashed, "ended with code 0"),
    "a segfault": ("import ctypes; ctypes.string_at(0)", assay.errors.MethodCrashed, "SIGSEGV"),
    "SIGKILL": ("import os; os.kill(os.getpid(), 9)", assay.errors.MethodCrashed, "SIGKILL"),
    "last words": (
        "import os; os.write(2, b'no more memory'); os._exit(3)",
        assay.errors.MethodCrashed,
        "no more memory",
    ),
    "a real-time signal": (
        "import os; os.kill(os.getpid(), 40)",
        assay.errors.MethodCrashed,
        "signal 40",
    ),
    "half a surrogate pair": ("raise ValueError(chr(0xD800))", assay.errors.MethodRaised, "ud800"),
    "an exception whose text raises": (
        "raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})()",
        assay.errors.MethodRaised,
        "no message",
    ),
    "NaN": ("return float('nan')", assay.errors.BadOutput, "got nan as score"),
    "infinity": ("return float('-inf')", assay.errors.BadOutput, "got -inf as score"),
    "a huge whole number": ("return 10 ** 400", assay.errors.BadOutput, "expected a finite number"),
    "a string": ("return 'high'", assay.errors.BadOutput, "got 'high' as score"),
    "None": ("return None", assay.errors.BadOutput, "NoneType"),
    "a list": ("return [0.5]", assay.errors.BadOutput, "got list"),
    "an object": ("return object()", assay.errors.BadOutput, "got object"),
    "a mapping without score": ("return {'class': 'truth'}", assay.errors.BadOutput, "key 'score'"),
    "a mapping with more": (
        "return {'score': 1, 'why': 'x'}",
        assay.errors.BadOutput,
        "only 'score'",
    ),
    "a flood": ("return {'score': 'x' * 3_000_000}", assay.errors.BadOutput, "longer than"),
    "recursion": ("(lambda f: f(f))(lambda f: f(f))", assay.errors.MethodRaised, "RecursionError"),
    "its own BaseException": (
        "raise type('Mine', (BaseException,), {})('odd')",
        assay.errors.MethodRaised,
        "Mine: odd",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_at_item_fifty_is_typed_and_loses_nothing(name, assay_cmd, method_file, tmp_path):
    statement, kind, words = FAILURES[name]
    done = assay_cmd(
        "try", method_file(bad_at_fifty(statement)), "--save", "kept", "--item-seconds", "1"
    )
    assert done.code == 5
    assert f"{kind.__name__}: method.py:detect, item darkcore-" in done.err
    assert words in done.err
    assert "The 49 outputs that were made are kept in kept" in done.err
    lines = [
        json.loads(line) for line in (tmp_path / "kept/outputs.jsonl").read_text().splitlines()
    ]
    assert [line["output"] for line in lines] == [0.5] * 49 + [None]
    assert lines[-1]["error"]["kind"] == kind.kind
    head = json.loads((tmp_path / "kept/run.json").read_text())
    assert head["complete"] is False


def test_without_save_the_outputs_are_kept_aside_and_their_place_is_named(assay_cmd, method_file):
    done = assay_cmd("try", method_file(bad_at_fifty("raise ValueError('boom')")))
    folder = re.search(r"kept in (\S+)\.", done.err)[1]
    assert len((Path(folder) / "outputs.jsonl").read_text().splitlines()) == 50


def test_with_keep_going_the_rest_is_asked_and_no_verdict_is_given(assay_cmd, method_file):
    for statement in ("raise ValueError('boom')", "import os; os._exit(1)"):
        body = (
            f"def detect(question, response):\n    if 'w' in question[3:6]:\n        {statement}\n"
        )
        done = assay_cmd(
            "try", method_file(body + "    return len(response)"), "--keep-going", "--json"
        )
        assert done.code == 1
        assert done.json["verdict"] == "unresolved"
        assert 0 < done.json["unscored"] < 20
        assert done.json["items"] == 108
        assert "unscored" in [caveat["code"] for caveat in done.json["caveats"]]


def test_a_run_with_failures_is_judged_again_as_it_was(assay_cmd, method_file):
    body = (
        "def detect(question, response):\n"
        "    assert 'w' not in question[3:6]\n    return len(response)\n"
    )
    at_once = assay_cmd("try", method_file(body), "--keep-going", "--save", "kept", "--json")
    assert assay_cmd("score", "kept", "--json").out == at_once.out
    assert at_once.json["unscored"] > 0


def test_a_method_that_cannot_be_started_again_ends_the_run_with_its_outputs(
    assay_cmd, method_file, tmp_path
):
    body = (
        "import os, pathlib\ncount = 0\n"
        "def detect(question, response):\n    global count\n    count += 1\n"
        "    if count == 5:\n        pathlib.Path(__file__).unlink()\n        os._exit(1)\n"
        "    return 0.5\n"
    )
    done = assay_cmd("try", method_file(body), "--keep-going", "--save", "kept")
    assert done.code == 5
    assert "MethodNotLoaded" in done.err
    assert len((tmp_path / "kept/outputs.jsonl").read_text().splitlines()) == 5


def test_a_copy_that_ends_itself_is_a_crash_and_no_hang(assay_cmd, method_file):
    body = (
        "import os\nclass Learner:\n    def fit(self, examples):\n"
        "        return lambda question, response: os._exit(0)\n"
    )
    done = assay_cmd("try", method_file(body, "Learner"), "--task", "detection")
    assert done.code == 5
    assert "ended with code 0" in done.err


def test_a_key_that_the_environment_has_is_offered(assay_cmd, method_file):
    body = "import os\ndef detect(q, r): return len(os.environ['COLOUR'])"
    done = assay_cmd("try", method_file(body), COLOUR="x")
    assert "pass the variable: --env COLOUR" in done.err


def test_keep_going_gives_up_when_every_item_ends_the_process(assay_cmd, method_file):
    done = assay_cmd(
        "try", method_file("def detect(q, r):\n    import os; os._exit(1)"), "--keep-going"
    )
    assert done.code == 5
    assert "10 items in a row ended its process" in done.err


LOADING = {
    "a syntax error": ("def detect(:", "SyntaxError"),
    "an import error": ("import nonexistent_package", "ModuleNotFoundError"),
    "an exception on import": ("1 / 0", "ZeroDivisionError"),
    "SystemExit on import": ("raise SystemExit(0)", "SystemExit(0)"),
    "a crash on import": ("import os; os._exit(7)", "ended with code 7"),
    "a hang on import": ("import time; time.sleep(60)", "still loading after 2 s"),
    "a missing attribute": (
        "def other(q, r): return 1",
        "no attribute 'detect'; its functions are other",
    ),
    "not a function": ("detect = 3", "got int, expected a function"),
    "no parameters": ("def detect(): return 1", "expected (question) or (question, response)"),
    "three parameters": ("def detect(a, b, c): return 1", "expected (question)"),
}


@pytest.mark.parametrize("name", LOADING)
def test_a_method_that_cannot_be_loaded_says_why(name, assay_cmd, method_file):
    body, words = LOADING[name]
    done = assay_cmd("try", method_file(body), "--load-seconds", "2")
    assert done.code == 5
    assert done.err.startswith("MethodNotLoaded: method.py:detect: ")
    assert words in done.err


def test_a_method_in_a_package_of_the_present_folder(assay_cmd, tmp_path):
    (tmp_path / "mypackage").mkdir()
    (tmp_path / "mypackage/__init__.py").touch()
    (tmp_path / "mypackage/helper.py").write_text("def size(text): return len(text)\n")
    (tmp_path / "mypackage/judge.py").write_text(
        "from mypackage.helper import size\ndef detect(question, response): return size(response)\n"
    )
    done = assay_cmd("try", "mypackage.judge:detect", "--json")
    assert done.json["items"] == 108
    assert done.json["digests"]["method"].startswith("sha256:")


def test_a_module_that_is_not_there_cannot_be_loaded(assay_cmd):
    done = assay_cmd("try", "no_such_package.module:detect")
    assert done.code == 5
    assert "No module named 'no_such_package'" in done.err


@pytest.mark.parametrize("reference", ["missing.py:detect", "method.py", "nothing", "a:b-c"])
def test_a_reference_that_names_nothing_is_bad_usage(reference, assay_cmd, method_file):
    method_file("def detect(q, r): return 1")
    done = assay_cmd("try", reference)
    assert done.code == 2
    assert done.err.startswith("SpecError: ")


def test_a_wrong_class_is_bad_output(assay_cmd, method_file):
    done = assay_cmd("try", method_file("def detect(question): return 'myth'"))
    assert done.code == 5
    assert "got 'myth' as class, expected one of factual-error, folklore, " in done.err


def test_prints_of_a_method_corrupt_nothing_and_are_reported(assay_cmd, method_file):
    body = (
        "import os, sys\nprint('{\"answer\": 1}')\n"
        "def detect(question, response):\n"
        "    print('x' * 100_000)\n    os.write(1, b'raw')\n    sys.stderr.write('warn')\n"
        "    return len(response)\n"
    )
    done = assay_cmd("try", method_file(body), "--json")
    assert done.json["unscored"] == 0
    (said,) = (c["message"] for c in done.json["caveats"] if c["code"] == "method-printed")
    assert int(said.split()[-2].replace(",", "")) > 108 * 100_000
    assert "x" * 100 in done.err
    assert len(done.err) < 200_000
    assert "the rest of the method's output is not shown" in done.err


def test_a_method_that_closes_its_streams_and_reads_stdin_still_answers(assay_cmd, method_file):
    body = (
        "import sys\nassert sys.stdin.read() == ''\nsys.stdout.close()\n"
        "def detect(question, response):\n    return len(response)\n"
    )
    assert assay_cmd("try", method_file(body), "--json").json["items"] == 108


def test_numbers_of_numpy_and_torch_are_numbers(assay_cmd, method_file):
    body = "import numpy\ndef detect(q, r): return {'score': numpy.float32(len(r))}"
    assert assay_cmd("try", method_file(body), "--json").json["unscored"] == 0
    tensor = (
        "class Tensor:\n    def size(self): return ()\n    def item(self): return 0.5\n"
        "def detect(q, r): return Tensor()\n"
    )
    assert assay_cmd("try", method_file(tensor), "--json").json["unscored"] == 0
    body = "import numpy\ndef detect(q, r): return numpy.ones(3)"
    assert "got ndarray" in assay_cmd("try", method_file(body)).err


def test_a_mapping_may_carry_a_class_that_nobody_asked_for(assay_cmd, method_file, tmp_path):
    rows = [json.dumps({"question": f"q{i}", "response": "a", "label": i % 2}) for i in range(40)]
    (tmp_path / "mine.jsonl").write_text("\n".join(rows))
    reference = method_file("def detect(q, r): return {'score': len(q), 'class': 'folklore'}")
    done = assay_cmd("try", reference, "--benchmark", "mine.jsonl", "--json")
    assert done.json["unscored"] == 0


def test_a_method_of_one_parameter_may_score_too(assay_cmd, method_file):
    body = "def detect(question): return len(question)"
    done = assay_cmd("try", method_file(body), "--task", "detection", "--json")
    assert done.json["task"] == "detection"


def test_a_learner_that_fails_to_fit_says_so(assay_cmd, method_file):
    body = "class Learner:\n    def fit(self, examples):\n        raise ValueError('cannot fit')\n"
    done = assay_cmd("try", method_file(body, "Learner"), "--task", "detection")
    assert done.code == 5
    assert "cannot fit" in done.err


def test_the_callers_environment_does_not_reach_the_method(assay_cmd, method_file):
    body = "import os\nassert 'API_KEY' not in os.environ\ndef detect(q, r): return 1.0"
    assert assay_cmd("try", method_file(body), API_KEY="secret").code == 1
    body = "import os\nassert os.environ['API_KEY']\ndef detect(q, r): return 1.0"
    done = assay_cmd("try", method_file(body), "--env", "API_KEY", "--json", API_KEY="secret")
    assert "environment-passed" in [caveat["code"] for caveat in done.json["caveats"]]
    assert "secret" not in done.out
    assert assay_cmd("try", method_file(body), "--env", "ABSENT").code == 2
