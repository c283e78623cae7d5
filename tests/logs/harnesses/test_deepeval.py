import json

import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import is_log, read_log
from assay.logs.log_trials import trials_of


def data(name, score=None, error=None, **more):
    made = {"name": name, "threshold": 0.5, "success": bool(score), "strictMode": False, **more}
    return made | ({} if score is None else {"score": score}) | ({"error": error} if error else {})


def case(name, exact=None, *, error=None, short=0.25):
    return {
        "name": name,
        "input": f"What is {name}?",
        "actualOutput": "that",
        "expectedOutput": "this",
        "success": bool(exact),
        "metricsData": [data("Exact", exact, error), data("Short", short)],
        "runDuration": 0.5,
        "completionTime": 0.125,
    }


CASES = (case("a", 1.0), case("b", 0.0), case("c", error="closed"), case("d"), case("e", 1.0))


def listed(cases):
    found = {}
    for metric in (m for c in cases for m in c["metricsData"]):
        entry = found.setdefault(
            metric["name"], {"scores": [], "passes": 0, "fails": 0, "errors": 0}
        )
        if "score" in metric:
            entry["scores"].append(metric["score"])
        counted = "errors" if "score" not in metric else "passes" if metric["success"] else "fails"
        entry[counted] += 1
    return [{"metric": name, **entry} for name, entry in found.items()]


def log(cases, scores=None, **more):
    return {
        "testCases": list(cases),
        "conversationalTestCases": [],
        "metricsScores": listed(cases) if scores is None else scores,
        "identifier": "monday",
        "hyperparameters": {"model": "first", "temperature": 0.5},
        "testPassed": 2,
        **more,
    }


@pytest.fixture
def written(tmp_path):
    def write(content):
        (tmp_path / "test_run_1.json").write_text(json.dumps(content))
        return tmp_path / "test_run_1.json"

    return write


def test_means_are_over_cases_with_a_score(written):
    (run,) = read_log(written(log(CASES)))
    assert {mean.metric: mean.value for mean in run.means} == {"Exact": 2 / 3, "Short": 0.25}
    assert (run.model, run.settings) == ("first", {"temperature": "0.5"})
    assert (len(run.samples), run.planned, run.failed) == (5, 5, 0)
    assert run.scorer.startswith("Exact, Short @ ")


def test_a_metric_that_broke_lacks_its_value_and_the_others_stand(written):
    (run,) = read_log(written(log(CASES)), texts=True)
    broke, unscored = run.samples[2:4]
    assert (broke.failed, broke.scores) == (False, {"Exact": None, "Short": 0.25})
    found = trials_of(run)[2]
    assert (found.crashed, found.dimensions["Short"]) == (False, 0.25)
    assert (unscored.failed, unscored.scores) == (False, {"Exact": None, "Short": 0.25})
    assert (broke.question, broke.response, broke.target) == ("What is c?", "that", "this")
    assert broke.costs == {"seconds": 0.125}


def test_a_case_that_no_metric_scored_failed_where_one_of_them_broke(written):
    broke = {**case("x"), "metricsData": [data("Exact", error="closed"), data("Short")]}
    unscored = {**case("y"), "metricsData": [data("Exact"), data("Short")]}
    (run,) = read_log(written(log([case("a", 1.0), broke, unscored])))
    assert [sample.failed for sample in run.samples] == [False, True, False]


@pytest.mark.parametrize("lost", [0, 1])
def test_a_lost_case_is_caught(written, lost):
    kept = [c for at, c in enumerate(CASES) if at != lost]
    with pytest.raises(IntegrityError, match="deepeval reports Exact"):
        read_log(written(log(kept, listed(CASES))))


def test_a_lost_failure_is_counted(written):
    kept = [c for c in CASES if c["name"] != "c"]
    (run,) = read_log(written(log(kept, [s for s in listed(CASES) if s["metric"] == "Exact"])))
    assert run.failed == 1


def test_cases_named_alike_are_trials_and_names_by_position_are_none(written):
    (run,) = read_log(written(log([case("a", 1.0), case("a", 0.0)])))
    assert [(s.instance, s.trial) for s in run.samples] == [("a", "1"), ("a", "2")]
    by_position = [{**case("a", 1.0), "name": f"test_case_{at}"} for at in (0, 1)]
    (run,) = read_log(written(log(by_position)))
    assert len({s.instance for s in run.samples}) == 1
    assert run.samples[0].instance.startswith("What is a? @ ")


def test_old_versions_call_it_metadata(written):
    old = {
        "name": "a",
        "input": "x",
        "metricsMetadata": [{"metric": "Exact", "score": 1, "success": True}],
    }
    (run,) = read_log(written(log([old], [{"metric": "Exact", "scores": [1]}])))
    assert run.samples[0].scores == {"Exact": 1.0}
    assert run.means[0].value == 1


def test_metrics_that_spans_have_too_are_not_computed_again(written):
    spans = {"agent": {"main": {"Exact": {"scores": [0.0]}}}}
    scores = [{"metric": "Exact", "scores": [1.0, 0.0], "passes": 1, "fails": 1}]
    (run,) = read_log(written(log([case("a", 1.0)], scores, traceMetricsScores=spans)))
    assert run.means == ()
    assert run.notes == ("not computed again: Exact (also of spans)",)


def test_conversations_are_cases_too(written):
    talk = {
        "name": "conversational_test_case_0",
        "scenario": "asks for a refund",
        "turns": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}],
        "metricsData": [data("Exact", 1.0)],
    }
    content = {**log([], listed([talk])), "conversationalTestCases": [talk]}
    (run,) = read_log(written(content), texts=True)
    assert run.samples[0].instance.startswith("asks for a refund @ ")
    assert run.samples[0].response == "hello"


def test_a_run_without_scores_of_metrics_did_not_finish(written):
    (run,) = read_log(written(log(CASES, [])))
    assert (run.finished, run.means) == (False, ())


def test_two_metrics_of_one_name_are_refused(written):
    twice = {**case("a", 1.0), "metricsData": [data("Exact", 1.0), data("Exact", 0.0)]}
    with pytest.raises(SpecError, match="test case 0: two metrics are named 'Exact'"):
        read_log(written(log([twice])))


def test_a_wrong_type_is_named_with_its_place(written):
    wrong = {**case("a"), "metricsData": [data("Exact", "high")]}
    with pytest.raises(SpecError, match=r"Expected `float \| null`.*testCases\[0\]"):
        read_log(written(log([wrong], [])))


def test_other_files_are_not_taken_for_it(written):
    assert not is_log(written({"testCases": []}))


def test_a_score_that_is_no_number_is_none(written):
    cases = (case("a", 1.0), case("b", 0.0), case("c", float("nan")))
    (run,) = read_log(written(log(cases)))
    assert [sample.scores["Exact"] for sample in run.samples] == [1.0, 0.0, None]
    assert {mean.metric: mean.value for mean in run.means}["Exact"] == 0.5
