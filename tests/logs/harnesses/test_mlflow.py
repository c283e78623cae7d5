import json

import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import is_log, read_log

RUN = "r1"
SCORER = "mlflow.assessment.scorerDigest"


def assessment(name, value, *, run=RUN, **more):
    made = {
        "assessment_name": name,
        "source": {"source_type": "CODE", "source_id": name},
        "feedback": {"value": value},
        "metadata": {"mlflow.assessment.sourceRunId": run, SCORER: "sha256:1"},
        "valid": True,
    }
    return made | more


def trace(question, exact, *, second=0, state="OK", more=(), run=RUN):
    inputs = json.dumps({"question": question})
    feedback = {"value": None, "error": {"error_code": "SCORER_ERROR"}} if exact is None else None
    scored = assessment("exact", exact, **({"feedback": feedback} if feedback else {}))
    expected = {"assessment_name": "expected_response", "expectation": {"value": "4"}}
    info = {
        "trace_id": f"tr-{question}-{second}",
        "state": state,
        "request_time": f"2026-01-01T00:00:{second:02}Z",
        "trace_metadata": {
            "mlflow.sourceRun": run,
            "mlflow.trace_schema.version": "3",
            "mlflow.traceInputs": inputs[:10],
            "mlflow.traceOutputs": json.dumps("it is 4"),
            "mlflow.trace.tokenUsage": json.dumps({"total_tokens": 12}),
        },
        "assessments": [scored, expected, *more],
        "execution_duration_ms": 250,
    }
    span = {"parent_span_id": None, "attributes": {"mlflow.spanInputs": inputs}}
    return {"info": info, "data": {"spans": [span]}}


TRACES = (
    trace("b", 0.0, second=3),
    trace("a", True, second=2),
    trace("a", "no", second=1),
    trace("c", None, second=4),
    trace("d", 1.0, second=5, state="ERROR"),
)


def write(folder, traces=TRACES, metrics=None, params=None):
    path = folder / "one-traces.jsonl"
    path.write_text("".join(json.dumps(it) + "\n" for it in traces))
    stored = {"run_name": "one", "run_id": RUN, "params": params or {}}
    stored["metrics"] = metrics or {"exact/mean": 0.5, "exact/p90": 1.0}
    (folder / "one-run.json").write_text(json.dumps(stored, indent=1))
    other = {"run_name": "two", "run_id": "r2", "metrics": {"exact/mean": 0.9}, "params": {}}
    (folder / "a-run.json").write_text(json.dumps(other))
    return path


def test_repeats_are_trials_in_the_order_of_time(tmp_path):
    [run] = read_log(write(tmp_path), texts=True)
    rows = [(sample.instance, sample.trial, sample.scores["exact"]) for sample in run.samples]
    names = [f'{{"question":"{name}"}}' for name in "aabcd"]
    assert rows == list(zip(names, "12111", (0.0, 1.0, 0.0, None, 1.0), strict=True))
    first = run.samples[0]
    assert (first.question, first.response, first.target) == ("a", "it is 4", "4")
    assert first.costs == {"tokens": 12.0, "seconds": 0.25}


def test_a_failed_trace_keeps_the_score_that_the_mean_counts(tmp_path):
    [run] = read_log(write(tmp_path))
    assert [sample.failed for sample in run.samples] == [False] * 4 + [True]
    [mean] = run.means
    assert (mean.metric, mean.value, mean.over) == ("exact", 0.5, "rows")
    assert run.notes == ("not computed again: exact/p90",)


def test_traces_that_were_not_stored_are_caught_by_the_mean(tmp_path):
    with pytest.raises(IntegrityError, match=r"reports exact 0\.5, but its 3 scored rows"):
        read_log(write(tmp_path, TRACES[1:]))


def test_what_people_noted_later_is_no_score(tmp_path):
    human = {"source_type": "HUMAN", "source_id": "ann"}
    later = (
        assessment("exact", 1.0, run="r9"),
        assessment("exact", 1.0, valid=False),
        {"assessment_name": "liked", "source": human, "feedback": {"value": 1.0}},
    )
    traces = [trace("a", 0.0, more=later)]
    [run] = read_log(write(tmp_path, traces, {"exact/mean": 0.0}))
    assert run.samples[0].scores == {"exact": 0.0}


def test_the_run_may_have_the_form_of_mlflow_itself(tmp_path):
    path = write(tmp_path)
    stored = json.loads((tmp_path / "one-run.json").read_text())
    data = {"metrics": stored["metrics"], "params": {"model": "m", "temperature": "0"}}
    inner = {"info": {"run_id": RUN, "run_name": "one"}, "data": data}
    (tmp_path / "one-run.json").write_text(json.dumps(inner))
    [run] = read_log(path)
    assert run.means[0].value == 0.5
    assert (run.model, run.settings) == ("m", {"temperature": "0"})
    assert not is_log(tmp_path / "one-run.json")


def test_a_file_may_hold_the_traces_of_two_runs(tmp_path):
    path = write(
        tmp_path, [*TRACES, trace("a", 0.9, run="r2", more=[assessment("n", 1, run="r2")])]
    )
    first, second = read_log(path)
    assert (first.model, second.model) == ("one", "two")
    assert second.samples[0].scores == {"n": 1.0}


def test_traces_without_their_run_have_no_mean(tmp_path):
    path = write(tmp_path)
    (tmp_path / "one-run.json").unlink()
    [run] = read_log(path)
    assert run.means == ()
    assert "no run beside" in run.notes[0]


def test_a_wrong_type_is_named_with_its_line(tmp_path):
    broken = trace("a", 1.0)
    broken["info"]["assessments"] = [{"assessment_name": 3}]
    with pytest.raises(SpecError, match=r"line 6: Expected `str`, got `int`.*assessment_name"):
        read_log(write(tmp_path, [*TRACES, broken]))


def table(folder, rows, columns):
    path = folder / "eval_results_table.json"
    path.write_text(json.dumps({"columns": columns, "data": rows}))
    return path


def test_a_table_has_scores_and_no_means(tmp_path):
    columns = ["id", "inputs", "ground_truth", "outputs", "exact/v1/score", "latency"]
    rows = [["x", "1 + 1?", "2", "2", 1, 0.5], ["y", "1 + 2?", "3", "4", None, 0.25]]
    [run] = read_log(table(tmp_path, rows, columns), texts=True)
    assert [sample.instance for sample in run.samples] == ["x", "y"]
    assert [sample.scores for sample in run.samples] == [{"exact/v1": 1.0}, {"exact/v1": None}]
    assert run.samples[0].costs == {"seconds": 0.5}
    assert run.samples[1].question == "1 + 2?"
    assert run.means == ()


def test_rows_of_a_table_without_ids_pair_by_their_input(tmp_path):
    rows = [["p", "1 + 1?", 1], ["q", "1 + 1?", 0]]
    [run] = read_log(table(tmp_path, rows, ["outputs", "inputs", "exact/score"]))
    named = [(sample.instance, sample.trial) for sample in run.samples]
    assert named == [("1 + 1?", "1"), ("1 + 1?", "2")]


def test_a_row_that_is_too_short_is_named(tmp_path):
    with pytest.raises(SpecError, match="row 0: 1 cell, expected 2"):
        read_log(table(tmp_path, [["x"]], ["inputs", "exact/score"]))


@pytest.mark.parametrize(
    "text",
    [
        '{"columns": ["a", "b"], "data": [[1, 2]]}',
        '{"columns": 3, "data": []}',
        '{"info": {"title": "an API"}, "data": {}}',
        '{"info": 3, "data": 4}\n{"info": 3, "data": 4}',
    ],
)
def test_other_tables_and_lines_are_no_log(tmp_path, text):
    path = tmp_path / "file.json"
    path.write_text(text)
    assert not is_log(path)


def test_the_name_of_a_run_may_be_a_number(tmp_path):
    path = write(tmp_path)
    stored = json.loads((tmp_path / "one-run.json").read_text())
    (tmp_path / "one-run.json").write_text(json.dumps(stored | {"run_name": 7}))
    (run,) = read_log(path)
    assert run.model == "7"


@pytest.mark.parametrize("version", [{"a": 1}, [2], 7])
def test_a_schema_of_any_form_is_said_to_be_unknown(tmp_path, version):
    traces = [{**it, "info": {**it["info"], "trace_metadata": {
        **it["info"]["trace_metadata"], "mlflow.trace_schema.version": version}}}
        for it in TRACES]  # fmt: skip
    (run,) = read_log(write(tmp_path, traces))
    assert f"trace schema {version} is unknown" in run.notes
