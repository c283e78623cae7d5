"""`confounds`, `score` and `power` on logs of a harness."""

import json

import pytest
from helpers.inspect_logs import sample, samples, write_eval

WORDS = {"C": 1, "I": 0}


@pytest.fixture
def graded(tmp_path):
    """A log with a metric that labels the answers, and a grade that agrees with it mostly."""
    made = []
    for at in range(40):
        value = "C" if at % 2 else "I"
        grade = 0.9 if at % 2 else 0.1 + (at % 10) / 10
        one = sample(f"q{at}", output={"completion": f"answer {at * 7 % 11}", "choices": []})
        scores = {"match": {"value": value}, "grade": {"value": grade}}
        made.append({**one, "scores": scores})
    return write_eval(tmp_path / "graded.eval", made, status="error")


def test_confounds_audits_the_answers_of_a_log(assay_cmd, graded):
    done = assay_cmd("confounds", "graded.eval", "--scores", "graded.eval", "--score", "grade")
    assert "graded.eval: 40 records, 20 positive\n" in done.out
    beginning = done.out.partition("feature")[0]
    assert "match of inspect_ai" in beginning and "positive is 1" in " ".join(beginning.split())
    assert "m/one, grade" in done.out
    found = assay_cmd("confounds", "graded.eval", "--json", "--no-joint").json
    assert "log-labels" in [caveat["code"] for caveat in found["caveats"]]


def test_score_judges_the_scores_of_a_log_on_its_own_answers(assay_cmd, graded, tmp_path):
    done = assay_cmd("score", "graded.eval", "--label", "match", "--score", "grade", "--json")
    assert done.json["isolation"] == "elsewhere" and done.json["items"] == 40
    assert done.json["bars"][0]["value"] > 0.8
    codes = [caveat["code"] for caveat in done.json["caveats"]]
    assert {"read-from-log", "log-labels"} <= set(codes) and "trusted-code" not in codes
    assert [path.name for path in tmp_path.iterdir()] == ["graded.eval"]


def test_score_judges_the_scores_of_a_log_on_a_benchmark(assay_cmd, graded, tmp_path):
    rows = [{"id": f"q{at}", "question": f"q{at}?", "label": at % 2} for at in range(40)]
    (tmp_path / "records.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = ("score", "graded.eval", "--benchmark", "records.jsonl")
    assert assay_cmd(*asked, "--score", "grade", "--json").json["unscored"] == 0
    done = assay_cmd(*asked)
    assert done.code == 2 and "2 metrics, expected one: match, grade" in done.err
    assert "--score match" in done.err


def test_score_says_what_is_missing_or_too_much(assay_cmd, graded):
    done = assay_cmd("score", "graded.eval")
    assert done.code == 2 and "--score METRIC --label METRIC" in done.err
    done = assay_cmd("score", "graded.eval", "--score", "match", "--label", "match")
    assert done.code == 2 and "cannot also be the judged score" in done.err
    done = assay_cmd("score", "graded.eval", "--score", "grade", "--second", "darkcore")
    assert done.code == 2 and "second corpus" in done.err
    done = assay_cmd(
        "score", "graded.eval", "--score", "grade", "--label", "match", "--benchmark", "darkcore"
    )
    assert done.code == 2 and "leave out --label" in done.err
    done = assay_cmd("score", "nowhere", "--score", "grade")
    assert done.code == 2 and "a run has its own scores" in done.err


def test_a_pilot_may_be_a_log_and_of_one_task(assay_cmd, tmp_path):
    for task in ("facts", "sums"):
        for side, values in (("before", "CI" * 10), ("after", "CC" * 9 + "CI")):
            (tmp_path / side).mkdir(exist_ok=True)
            write_eval(tmp_path / side / f"{task}.eval", samples(values), task=task)
    pilot = ("power", "--pilot", "before", "--pilot", "after")
    done = assay_cmd(*pilot)
    assert done.code == 2 and "the pilot has 2 tasks: facts, sums" in done.err
    found = assay_cmd(*pilot, "--task", "sums", "--json").json
    assert found["dimensions"][0]["units"] == 20
    assert found["dimensions"][0]["effect"] == pytest.approx(0.45)
    done = assay_cmd("power", "--pilot", "before/sums.eval", "--effect", "0.2", "--json")
    assert done.json["dimensions"][0]["baseline"] == 0.5
