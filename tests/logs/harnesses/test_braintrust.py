import json

import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import is_log, read_log
from assay.logs.log_trials import trials_of


def row(number, exact=None, *, error=None, metadata=None, scores=None):
    found = {} if error else {"exact": exact, "short": 0.5}
    return {
        "input": f"What is {number}?",
        "output": None if error else "that",
        "expected": "this",
        "scores": found if scores is None else scores,
        "metadata": metadata,
        "error": error,
    }


ROWS = (row(1, 1.0), row(1, 0.0), row(2, 1.0), row(2, error="closed"), row(3), row(3, 1.0))


def log(rows, means=None, *, camel=False):
    scores = {
        n: {"name": n, "score": v} for n, v in (means or {"exact": 0.75, "short": 0.5}).items()
    }
    project, name = (
        ("projectName", "experimentName") if camel else ("project_name", "experiment_name")
    )
    return {"summary": {project: "facts", name: "first", "scores": scores}, "results": list(rows)}


def spans(at, made, *, judge=False):
    """The spans of a row: its root, the task, a language model, and a span for each score."""
    name = f"root-{at}"
    common = {"root_span_id": name, "experiment_id": "e", "project_id": "p"}
    kept = {key: made[key] for key in ("input", "output", "expected", "error") if made[key]}
    yield {
        **common,
        "span_id": name,
        "span_parents": None,
        "span_attributes": {"type": "eval"},
        **kept,
    }
    inner = [
        ("task", "task", name, {"metrics": {"start": 1.0, "end": 1.5}}),
        ("llm", "llm", f"task-{at}", {"metrics": {"tokens": 9}, "metadata": {"model": "first"}}),
    ]
    inner += [(f"score-{n}", "score", name, {"scores": {n: v}}) for n, v in made["scores"].items()]
    if judge and made["scores"]:
        used = {"metrics": {"tokens": 99}, "metadata": {"model": "judge"}}
        inner.append(("judge", "llm", f"score-exact-{at}", used))
    for own, kind, parent, values in inner:
        place = {
            "span_id": f"{own}-{at}",
            "span_parents": [parent],
            "span_attributes": {"type": kind},
        }
        yield {**common, **place, **values}


@pytest.fixture
def written(tmp_path):
    def write(content, name="results.json"):
        if not isinstance(content, dict):
            content = "".join(json.dumps(line) + "\n" for line in content)
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
        return tmp_path / name

    return write


def test_means_are_over_rows_with_a_score(written):
    (run,) = read_log(written(log(ROWS)))
    assert {mean.metric: (mean.value, mean.over) for mean in run.means} == {
        "exact": (0.75, "rows"),
        "short": (0.5, "rows"),
    }
    assert (run.task, run.model, run.failed, len(run.samples)) == ("facts", "first", 1, 6)


def test_the_same_input_is_another_trial_and_a_null_is_no_zero(written):
    (run,) = read_log(written(log(ROWS)), texts=True)
    assert [sample.trial for sample in run.samples] == ["1", "2"] * 3
    assert len({sample.instance for sample in run.samples}) == 3
    failed, unscored = run.samples[3:5]
    assert (failed.failed, failed.scores) == (True, {})
    assert (unscored.failed, unscored.scores) == (False, {"exact": None, "short": 0.5})
    assert (unscored.question, unscored.response, unscored.target) == ("What is 3?", "that", "this")


@pytest.mark.parametrize("lost", [0, 1])
def test_a_lost_row_is_caught(written, lost):
    with pytest.raises(IntegrityError, match="Braintrust reports exact"):
        read_log(written(log([r for at, r in enumerate(ROWS) if at != lost])))


def test_a_scorer_that_broke_lacks_its_value_and_a_zero_that_was_asked_for_stays(written):
    broke = row(1, metadata={"scorer_errors": {"exact": "closed"}}, scores={"short": 0.5})
    zero = row(2, error="closed", scores={"exact": 0, "short": 0.5})
    (run,) = read_log(written(log([broke, zero, row(3, 0)], {"exact": 0, "short": 0.5})))
    assert [sample.failed for sample in run.samples] == [False, True, False]
    assert run.samples[1].scores == {"exact": 0, "short": 0.5}
    first, second, _ = trials_of(run)
    assert (first.crashed, first.dimensions) == (False, {"exact": None, "short": 0.5})
    assert second.crashed


def test_spans_give_the_same_samples_as_results(written):
    (run,) = read_log(written(log(ROWS)))
    lines = [span for at, made in enumerate(ROWS) for span in spans(at, made, judge=True)]
    (found,) = read_log(written(lines, "rows.jsonl"))
    assert [(s.instance, s.trial, s.scores, s.failed) for s in found.samples] == [
        (s.instance, s.trial, s.scores, s.failed) for s in run.samples
    ]
    assert found.samples[0].costs == {"seconds": 0.5, "tokens": 9}
    assert (found.model, found.task, found.means) == ("first", "p", ())


def test_javascript_spells_its_keys_otherwise(written):
    (run,) = read_log(written(log(ROWS, camel=True)))
    assert (run.task, run.model) == ("facts", "first")


def test_a_row_without_its_root_is_refused(written):
    lines = list(spans(0, ROWS[0]))[1:]
    with pytest.raises(SpecError, match="row root-0: 0 spans have no parent, expected 1"):
        read_log(written(lines, "rows.jsonl"))


def test_a_wrong_type_is_named_with_its_place(written):
    with pytest.raises(SpecError, match=r"results\[0\]\.scores"):
        read_log(written(log([row(1, "high")])))


def test_without_scores_in_the_summary_it_did_not_finish(written):
    content = log(ROWS)
    content["summary"]["scores"] = {}
    (run,) = read_log(written(content))
    assert (run.finished, run.means) == (False, ())


def test_other_files_are_not_taken_for_it(written):
    for content in ({"summary": {}, "results": []}, {"summary": "x", "results": 1}, {"summary": 1}):
        assert not is_log(written(content))


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [40, 700, 900])
def test_an_input_that_is_nested_too_deep_is_a_typed_error(written, depth):
    path = written(log([row(0, 1.0) | {"input": nested(depth)}], {"exact": 1.0, "short": 0.5}))
    if depth == 40:
        assert len(read_log(path)[0].samples) == 1
    else:
        with pytest.raises(SpecError, match="nested too deep"):
            read_log(path)


def test_spans_below_a_scorer_are_its_own_however_deep(written):
    made = list(spans(0, row(0, 1.0)))
    scorer = next(it["span_id"] for it in made if it["span_attributes"]["type"] == "score")
    common = {"root_span_id": made[0]["root_span_id"], "span_attributes": {"type": "llm"}}
    parent = scorer
    for depth in range(3_000):
        made.append({**common, "span_id": f"deep-{depth}", "span_parents": [parent],
                     "metrics": {"tokens": 5}, "metadata": {"model": "judge"}})  # fmt: skip
        parent = f"deep-{depth}"
    (run,) = read_log(written(reversed(made), "spans.jsonl"))
    assert (run.model, run.samples[0].costs["tokens"]) == ("first", 9.0)
