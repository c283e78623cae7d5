import json

import pytest
from helpers.corpora import HUMANEVAL, MBPP, lines

from assay.benchmark.corpora.corpus_files import read_sources
from assay.benchmark.corpora.format import Wishes
from assay.benchmark.corpora.programming_tasks import known_outcomes, labelled, match
from assay.benchmark.corpora.table import read_items, read_tasks
from assay.benchmark.programs.execute import ProgramOutcome
from assay.errors import SpecError


def tasks(name, path):
    return read_tasks(name, read_sources([path]), Wishes())


def attempts(name, path, samples):
    return match(tasks(name, path), read_sources([samples])[0].records)


def test_a_completion_follows_its_prompt_and_a_solution_stands_alone(tmp_path):
    path = lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    rows = [
        {"task_id": "HumanEval/1", "completion": "    return x + 1\n"},
        {"task_id": "HumanEval/1", "solution": "def plus_1(x):\n    return x + 1\n"},
        {"task_id": "HumanEval/0", "completion": ""},
    ]
    found = attempts("humaneval", path, lines(tmp_path / "samples.jsonl", rows))
    assert [f"{one.task.id}#{one.number}" for one in found] == [
        "HumanEval/1#1",
        "HumanEval/1#2",
        "HumanEval/0#1",
    ]
    assert found[0].program.solution == HUMANEVAL[1]["prompt"] + "    return x + 1\n"
    assert found[1].program.solution == rows[1]["solution"]
    assert found[0].program.tests.endswith("check(plus_1)\n")
    assert found[0].program.names == ("plus_1",)


def test_a_sample_is_wrong_unless_it_passed(tmp_path):
    path = lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    rows = [{"task_id": "HumanEval/1", "completion": "    pass\n"}] * 6
    found = attempts("humaneval", path, lines(tmp_path / "samples.jsonl", rows))
    gathered = labelled(tasks("humaneval", path), found, list(ProgramOutcome))
    assert [(one.cls, one.label) for one in gathered.items] == [
        ("passed", False),
        ("failed", True),
        ("timed-out", True),
        ("out-of-memory", True),
        ("crashed", True),
    ]
    assert {one.group for one in gathered.items} == {"HumanEval/1"}
    assert gathered.items[0].question == HUMANEVAL[1]["prompt"]
    assert gathered.left_out == {
        "task without a sample": 2,
        "sample whose tests cannot be put to it": 1,
    }


def test_results_that_somebody_has_are_taken_over(tmp_path):
    path = lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    rows = [
        {"task_id": "HumanEval/1", "completion": "a", "result": "passed", "passed": True},
        {"task_id": "HumanEval/1", "completion": "b", "result": "failed: oh", "passed": False},
        {"task_id": "HumanEval/2", "completion": "c", "result": "timed out", "passed": False},
    ]
    found = attempts("humaneval", path, lines(tmp_path / "samples.jsonl_results.jsonl", rows))
    assert known_outcomes(found) == [
        ProgramOutcome.PASSED,
        ProgramOutcome.FAILED,
        ProgramOutcome.TIMED_OUT,
    ]
    rows[1].pop("passed")
    with pytest.raises(SpecError, match=r"mixed.jsonl, line 2: no field 'passed', but other"):
        attempts("humaneval", path, lines(tmp_path / "mixed.jsonl", rows))
    rows[1]["passed"] = "yes"
    with pytest.raises(
        SpecError, match="line 2, field 'passed': expected true or false, got 'yes'"
    ):
        attempts("humaneval", path, lines(tmp_path / "odd.jsonl", rows))


def test_without_results_nothing_is_guessed(tmp_path):
    path = lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    rows = [{"task_id": "HumanEval/1", "completion": "a"}]
    found = attempts("humaneval", path, lines(tmp_path / "samples.jsonl", rows))
    with pytest.raises(SpecError, match="untrusted programs") as refused:
        known_outcomes(found)
    assert "`execute=True`" in refused.value.hint


SANITIZED = {
    "source_file": "a.ipynb",
    "task_id": 9,
    "prompt": "Write a function that gives the root.",
    "code": "import math\ndef root(x):\n    return math.sqrt(x)",
    "test_imports": ["import math"],
    "test_list": ["assert math.isclose(root(4), 2)"],
}


def test_both_versions_of_mbpp_are_read(tmp_path):
    whole = tasks("mbpp", lines(tmp_path / "mbpp.jsonl", MBPP))
    assert list(whole) == ["MBPP/7", "MBPP/8"]
    assert whole["MBPP/7"].question == f"{MBPP[0]['text']}\n\nassert value(root) == 3"
    assert whole["MBPP/7"].tests == "root = Node(3)\nassert value(root) == 3\n"
    assert whole["MBPP/7"].names == ("Node", "value")
    assert whole["MBPP/8"].names == ("sum",)
    (tmp_path / "sanitized-mbpp.json").write_text(json.dumps([SANITIZED]))
    clean = tasks("mbpp", tmp_path / "sanitized-mbpp.json")["MBPP/9"]
    assert clean.question.startswith(SANITIZED["prompt"])
    assert clean.tests == "import math\nassert math.isclose(root(4), 2)\n"


IMPORTED = {
    "import math": "import math",
    "import math as m, os": "",
    "import os.path, math": "import math",
    "from math import *": "from math import *",
    "from os import *\nimport math": "import math",
    "from decimal import Decimal as math": "from decimal import Decimal as math",
    "try:\n    import math\nexcept ImportError:\n    pass": "",
    "def (": "",
}


@pytest.mark.parametrize("imports", IMPORTED)
def test_the_tests_have_the_imports_of_the_published_solution_that_they_use(tmp_path, imports):
    task = {**SANITIZED, "code": f"{imports}\ndef root(x):\n    return x ** .5"}
    task.pop("test_imports")
    (tmp_path / "mbpp.json").write_text(json.dumps([task]))
    assert tasks("mbpp", tmp_path / "mbpp.json")["MBPP/9"].given == IMPORTED[imports]


def test_a_published_solution_may_be_a_lambda(tmp_path):
    (tmp_path / "mbpp.json").write_text(json.dumps([{**SANITIZED, "code": "root = lambda x: x"}]))
    assert tasks("mbpp", tmp_path / "mbpp.json")["MBPP/9"].names == ("root",)


@pytest.mark.parametrize("name", [7, "7", "MBPP/7", "Mbpp/7"])
def test_a_task_of_mbpp_goes_by_several_names(tmp_path, name):
    path = lines(tmp_path / "mbpp.jsonl", MBPP)
    samples = lines(tmp_path / "samples.jsonl", [{"task_id": name, "completion": "x = 1"}])
    (found,) = attempts("mbpp", path, samples)
    assert found.task.id == "MBPP/7"
    assert found.program.solution == "x = 1"


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ({"task_id": "HumanEval/99", "completion": ""}, "field 'task_id': no task 'HumanEval/99'"),
        ({"task_id": "HumanEval/1"}, "not a sample: expected 'task_id' and 'completion'"),
        ({"task_id": "HumanEval/1", "completion": 1}, "field 'completion': expected text, got 1"),
    ],
)
def test_a_sample_that_is_none_is_named(tmp_path, sample, words):
    path = lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    with pytest.raises(SpecError) as refused:
        attempts("humaneval", path, lines(tmp_path / "samples.jsonl", [sample]))
    assert "samples.jsonl, line 1" in refused.value.message
    assert words in refused.value.message


@pytest.mark.parametrize(
    ("name", "row", "change", "words"),
    [
        (
            "humaneval",
            HUMANEVAL[0],
            {"test": "def check(:", "task_id": "HumanEval/1"},
            "field 'test': the tests are not Python",
        ),
        (
            "humaneval",
            HUMANEVAL[0],
            {"entry_point": "a b", "task_id": "HumanEval/1"},
            "expected the name of a function",
        ),
        ("humaneval", HUMANEVAL[0], {}, "field 'task_id': 'HumanEval/0' occurs twice"),
        (
            "humaneval",
            HUMANEVAL[0],
            {"prompt": " ", "task_id": "HumanEval/1"},
            "expected the beginning of a function",
        ),
        ("mbpp", MBPP[0], {"test_list": ["assert ("], "task_id": 1}, "the tests are not Python"),
        ("mbpp", MBPP[0], {"test_list": [], "task_id": 1}, "no tests"),
        ("mbpp", MBPP[0], {}, "field 'task_id': 'MBPP/7' occurs twice"),
    ],
)
def test_a_task_that_is_none_is_named(tmp_path, name, row, change, words):
    with pytest.raises(SpecError) as refused:
        tasks(name, lines(tmp_path / "tasks.jsonl", [row, {**row, **change}]))
    assert "tasks.jsonl, line 2" in refused.value.message
    assert words in refused.value.message


def test_tasks_without_samples_are_no_benchmark(tmp_path):
    path = lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    with pytest.raises(SpecError, match="has tasks but no answers") as refused:
        read_items("humaneval", read_sources([path]), Wishes())
    assert "`samples=FILE`" in refused.value.hint
    with pytest.raises(SpecError) as refused:
        read_items(
            "humaneval",
            read_sources([lines(tmp_path / "s.jsonl", [{"task_id": 1, "completion": ""}])]),
            Wishes(),
        )
    assert refused.value.hint == "This looks like a file of samples: `samples=FILE`."
