import gzip
import json
import re
from pathlib import Path

import pytest
from helpers.corpora import HALUEVAL_QA, HUMANEVAL, MBPP, lines

from assay.benchmark.corpora.table import FORMATS
from assay.benchmark.programs.execute import Program, execute

KEYS = {
    "format",
    "out",
    "digest",
    "items",
    "positives",
    "negatives",
    "groups",
    "left_out",
    "labels",
    "outcomes",
    "run",
    "files",
}
SAMPLES = [
    {"task_id": "HumanEval/1", "completion": "    return x + 1\n"},
    {"task_id": "HumanEval/1", "completion": "    return x\n"},
    {"task_id": "HumanEval/2", "completion": "    import os\n    os._exit(0)\n"},
]


@pytest.fixture(scope="module")
def _apart():
    """Samples are run only where they can be set apart."""
    from assay.errors import NotHere

    try:
        execute([Program(solution="", tests="", names=())])
    except NotHere as error:
        pytest.skip(error.message)


def test_every_format_is_in_the_help(assay_cmd):
    shown = assay_cmd("benchmark", "import", "--help").out
    for name, one in FORMATS.items():
        assert f"    {name:<24}{one.about}\n" in shown


def test_a_corpus_becomes_a_benchmark_that_needs_no_flags(assay_cmd, tmp_path):
    lines(tmp_path / "qa_data.json", HALUEVAL_QA)
    done = assay_cmd("benchmark", "import", "halueval-qa", "qa_data.json", "--out", "qa.jsonl")
    assert done.code == 0, done.err
    assert done.err == ""
    for words in (
        "items     80 in 40 groups\n",
        "label 1   40\nlabel 0   40\n",
        "left out  nothing\n",
        "Written to qa.jsonl. Audit its surface:\n  assay confounds qa.jsonl\n",
    ):
        assert words in done.out
    first = json.loads((tmp_path / "qa.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert list(first) == ["id", "question", "response", "label", "class", "group"]
    audit = assay_cmd("confounds", "qa.jsonl", "--no-joint", "--json")
    assert (audit.json["n"], audit.json["positives"]) == (80, 40)
    assert all(one["code"] != "label-leak" for one in audit.json["lint"])
    assert max(one["auc"] for one in audit.json["features"]) == 1.0
    tried = assay_cmd("try", "oracle:word_length", "--benchmark", "qa.jsonl", "--json")
    assert tried.code in (0, 1), tried.err


def test_json_has_the_documented_keys_and_the_same_bytes_come_out_again(assay_cmd, tmp_path):
    rows = [*HALUEVAL_QA, HALUEVAL_QA[0]]
    lines(tmp_path / "qa_data.json", rows)
    words = ("benchmark", "import", "halueval-qa", "qa_data.json", "--json", "--out")
    done, again = (assay_cmd(*words, name) for name in ("a.jsonl", "b.ndjson"))
    assert set(done.json) == KEYS
    assert done.json["left_out"] == {"the same question and response again": 2}
    assert (done.json["items"], done.json["groups"], done.json["labels"]) == (80, 40, "given")
    assert done.json["outcomes"] is done.json["run"] is None
    assert set(done.json["files"][0]) == {"name", "digest", "records"}
    assert done.json["files"][0]["records"] == 41
    assert done.json["digest"] == again.json["digest"]
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.ndjson").read_bytes()


def test_nothing_is_overwritten_and_nothing_is_left_after_an_error(assay_cmd, tmp_path):
    lines(tmp_path / "qa_data.json", HALUEVAL_QA)
    (tmp_path / "out.jsonl").write_text("mine")
    done = assay_cmd("benchmark", "import", "halueval-qa", "qa_data.json", "--out", "out.jsonl")
    assert (done.code, (tmp_path / "out.jsonl").read_text()) == (2, "mine")
    assert "already exists" in done.err
    for words, said in (
        (
            ["halueval-qa", "qa_data.json", "--out", "new.csv"],
            "expected a name that ends in .jsonl",
        ),
        (
            ["halueval-dialogue", "qa_data.json", "--out", "new.jsonl"],
            "This looks like halueval-qa.",
        ),
        (["halueval-qa", "none.json", "--out", "new.jsonl"], "none.json: No such file"),
        (["halueval-qa", ".", "--out", "new.jsonl"], "a folder, not a file"),
        (["halueval", "qa_data.json", "--out", "new.jsonl"], "is not one of 'fover'"),
        (["halueval-qa", "qa_data.json", "--best", "--out", "new.jsonl"], "--best: truthfulqa."),
        (["halueval-qa", "qa_data.json", "--execute", "--out", "new.jsonl"], "Name the samples"),
        (
            ["halueval-qa", "qa_data.json", "--samples", "qa_data.json", "--out", "new.jsonl"],
            "halueval-qa has its own labels and takes no samples",
        ),
    ):
        done = assay_cmd("benchmark", "import", *words)
        assert done.code == 2, words
        assert said in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "qa_data.json"]


def test_samples_are_not_run_unless_asked(assay_cmd, tmp_path):
    lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    proof = tmp_path / "ran"
    lines(
        tmp_path / "samples.jsonl",
        [{"task_id": "HumanEval/1", "completion": f"    open({str(proof)!r}, 'w')\n"}],
    )
    words = ("humaneval", "HumanEval.jsonl", "--samples", "samples.jsonl", "--out", "out.jsonl")
    done = assay_cmd("benchmark", "import", *words)
    assert done.code == 2
    assert "untrusted programs" in done.err
    assert "Add --execute" in done.err
    assert not proof.exists()
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.usefixtures("_apart")
def test_samples_are_labelled_by_their_tests(assay_cmd, tmp_path):
    plain = lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    (tmp_path / "HumanEval.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    lines(tmp_path / "samples.jsonl", SAMPLES)
    words = ("humaneval", "HumanEval.jsonl.gz", "--samples", "samples.jsonl", "--execute")
    limits = ("--seconds", "20", "--memory", "256", "--jobs", "2")
    done = assay_cmd("benchmark", "import", *words, *limits, "--out", "out.jsonl", "--json")
    assert done.code == 0, done.err
    assert done.err == ""
    assert done.json["labels"] == "executed"
    assert done.json["outcomes"] == {
        "passed": 1,
        "failed": 1,
        "timed-out": 0,
        "out-of-memory": 0,
        "crashed": 1,
    }
    assert set(done.json["run"]) == {"isolation", "seconds", "memory", "python"}
    assert (done.json["run"]["isolation"], done.json["run"]["memory"]) == ("L1", 256 << 20)
    assert done.json["left_out"] == {"task without a sample": 1}
    assert [one["name"] for one in done.json["files"]] == ["HumanEval.jsonl.gz", "samples.jsonl"]
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(row["id"], row["label"], row["class"]) for row in rows] == [
        ("HumanEval/1#1", 0, "passed"),
        ("HumanEval/1#2", 1, "failed"),
        ("HumanEval/2#1", 1, "crashed"),
    ]


@pytest.mark.usefixtures("_apart")
def test_the_reference_solutions_of_mbpp_pass(assay_cmd, tmp_path):
    lines(tmp_path / "mbpp.jsonl", MBPP)
    samples = [{"task_id": row["task_id"], "completion": row["code"]} for row in MBPP]
    lines(tmp_path / "samples.jsonl", [*samples, {"task_id": 8, "completion": "sum = max"}])
    words = ("mbpp", "mbpp.jsonl", "--samples", "samples.jsonl", "--execute", "--out", "out.jsonl")
    done = assay_cmd("benchmark", "import", *words)
    assert done.code == 0, done.err
    assert "outcomes  passed 2, failed 1\n" in done.out
    assert "labels    from running the samples against their tests\n" in done.out
    assert "without a network (L1)\n" in done.out


@pytest.mark.usefixtures("_apart")
def test_what_the_guide_shows_is_what_its_commands_print(assay_cmd, tmp_path):
    guide = (Path(__file__).parents[2] / "docs/how-to/import-a-corpus.md").read_text("utf-8")
    for name, body in re.findall(r"\$ cat > (\S+) <<'END'\n(.*?\n)END\n", guide, re.DOTALL):
        (tmp_path / name).write_text(body, encoding="utf-8")
    commands = re.findall(r"^\$ assay (benchmark import .*)$", guide, re.MULTILINE)
    shown = re.findall(r"```text\n(.*?)```", guide, re.DOTALL)
    assert (len(commands), len(shown)) == (3, 2)
    for words, expected in zip(commands, shown, strict=False):
        assert expected in assay_cmd(*words.split()).out
    assert assay_cmd(*commands[2].split()).code == 0
    rows = [(tmp_path / name).read_bytes() for name in ("humaneval.jsonl", "read.jsonl")]
    assert rows[0] == rows[1]


def test_an_id_that_a_benchmark_cannot_have_is_refused(assay_cmd, tmp_path):
    row = {"ID": "second/1", "user_query": "q", "chatgpt_response": "r", "hallucination": "no"}
    lines(tmp_path / "general.json", [row])
    done = assay_cmd("benchmark", "import", "halueval-general", "general.json", "--out", "o.jsonl")
    assert done.code == 2
    assert "must not begin with 'second/'" in done.err
    assert not (tmp_path / "o.jsonl").exists()


def test_results_that_somebody_has_are_read_and_said_to_be(assay_cmd, tmp_path):
    lines(tmp_path / "HumanEval.jsonl", HUMANEVAL)
    rows = [{**row, "result": "passed", "passed": True} for row in SAMPLES]
    lines(tmp_path / "samples.jsonl_results.jsonl", rows)
    words = ("humaneval", "HumanEval.jsonl", "--samples", "samples.jsonl_results.jsonl")
    done = assay_cmd("benchmark", "import", *words, "--out", "out.jsonl")
    assert done.code == 0, done.err
    assert "labels    from the samples' own `passed` fields; nothing was run\n" in done.out
    assert "Every label is 0: nothing can be measured on it.\n" in done.out
