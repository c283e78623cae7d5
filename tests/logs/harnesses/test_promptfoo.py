import json

import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import is_log, read_log

EXACT = {"type": "javascript", "value": "file://exact.js", "metric": "exact"}
SHORT = {"type": "javascript", "value": "file://short.js", "metric": "short", "weight": 0.5}


def row(number, exact=None, *, short=0.5, weight=0.5, model="first", at=0, error=None):
    """A row of the test of a number; without a score it broke."""
    broke = exact is None
    named = {} if broke else {"exact": exact, "short": short}
    score = 0 if broke else (exact + weight * short) / (1 + weight)
    return {
        "success": bool(exact),
        "score": score,
        "namedScores": named,
        "failureReason": 2 if broke else int(not exact),
        "error": error or ("closed" if broke else None if exact else "it does not match"),
        "gradingResult": None if broke else {"namedScoreWeights": {"exact": 1, "short": weight}},
        "provider": {"id": f"file://{model}.js", "label": model},
        "prompt": {"raw": f"Say {number}", "label": "Say {{number}}"},
        "promptId": "5a" * 32,
        "promptIdx": at,
        "latencyMs": 250,
        "response": {"output": str(number), "tokenUsage": {"total": 7}},
        "testCase": {"vars": {"number": number, "target": "x"}, "assert": [EXACT, SHORT]},
    }


ROWS = (row(1, 1), row(1, 0), row(2, 1, short=1), row(2), row(3, 0), row(3, 1))


def column(rows, model="first"):
    """What promptfoo adds up over the rows of a provider."""
    scored = [r for r in rows if r["namedScores"]]
    weights = [r["gradingResult"]["namedScoreWeights"] for r in scored]
    return {
        "label": "Say {{number}}",
        "provider": model,
        "metrics": {
            "score": sum(r["score"] for r in rows),
            "testPassCount": sum(r["success"] for r in rows),
            "testFailCount": sum(r["failureReason"] == 1 for r in rows),
            "testErrorCount": sum(r["failureReason"] == 2 for r in rows),
            "namedScores": {
                name: sum(
                    r["namedScores"][name] * w[name] for r, w in zip(scored, weights, strict=True)
                )
                for name in ("exact", "short")
            },
            "namedScoreWeights": {
                name: sum(w[name] for w in weights) for name in ("exact", "short")
            },
        },
    }


def log(rows, columns, **more):
    provider = {"id": "file://first.js", "label": "first"}
    return {
        "evalId": "eval-1",
        "results": {"version": 3, "prompts": columns, "results": list(rows), **more},
        "config": {"providers": [{**provider, "config": {"temperature": 0.5, "run": "first"}}]},
        "metadata": {"promptfooVersion": "0.121.20"},
    }


@pytest.fixture
def written(tmp_path):
    def write(content, name="results.json"):
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
        return tmp_path / name

    return write


def test_sums_are_means_over_rows_that_did_not_break(written):
    (run,) = read_log(written(log(ROWS, [column(ROWS)])))
    means = {mean.metric: mean.value for mean in run.means}
    assert means["pass"] == 3 / 5
    assert means["score"] == pytest.approx((3 + 0.5 * 3) / 1.5 / 5)
    assert means["exact"] == 3 / 5
    assert means["short"] == pytest.approx((4 * 0.5 + 1) / 5)
    assert {mean.over for mean in run.means} == {"rows"}
    assert (run.version, run.model, run.task) == ("0.121.20", "first", "number, target")
    assert (len(run.samples), run.planned, run.failed, run.finished) == (6, 6, 1, True)


def test_repeats_are_trials_of_a_test_and_a_broken_row_has_no_score(written):
    (run,) = read_log(written(log(ROWS, [column(ROWS)])), texts=True)
    assert [sample.trial for sample in run.samples] == ["1", "2"] * 3
    assert len({sample.instance for sample in run.samples}) == 3
    broke = run.samples[3]
    assert broke.failed
    assert broke.scores == {}
    wrong = run.samples[1]
    assert not wrong.failed
    assert wrong.scores["pass"] == 0
    assert (wrong.question, wrong.response, wrong.target) == ("Say 1", "1", "x")
    assert wrong.costs == {"tokens": 7, "seconds": 0.25}


def test_lines_give_the_same_samples_and_no_means(written):
    (run,) = read_log(written(log(ROWS, [column(ROWS)])))
    (lines,) = read_log(written("\n".join(map(json.dumps, ROWS)), "results.jsonl"))
    assert lines.samples == run.samples
    assert lines.means == ()
    assert (lines.task, lines.scorer, lines.model) == (run.task, run.scorer, run.model)
    assert lines.notes == ("rows alone: no mean to compute again",)


def test_other_assertions_make_another_test(written):
    other = row(1, 1)
    other["testCase"] = {**other["testCase"], "assert": [EXACT]}
    (run,) = read_log(written(log([row(1, 1), other], [column([row(1, 1), other])])))
    assert len({sample.instance for sample in run.samples}) == 2


def test_each_provider_is_a_run(written):
    second = [row(number, 1, model="second", at=1) for number in (1, 2)]
    path = written(log([*ROWS, *second], [column(ROWS), column(second, "second")]))
    first, other = read_log(path)
    assert (first.model, other.model) == ("first", "second")
    assert (len(first.samples), len(other.samples)) == (6, 2)
    assert first.settings == {"prompt": "5a" * 6, "temperature": "0.5"}
    assert {s.instance for s in other.samples} < {s.instance for s in first.samples}
    assert "second" in other.place


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_lost_row_is_caught(written, lost):
    kept = [r for at, r in enumerate(ROWS) if at != lost]
    with pytest.raises(IntegrityError, match="promptfoo reports"):
        read_log(written(log(kept, [column(ROWS)])))


def test_a_lost_failure_is_counted(written):
    (run,) = read_log(written(log([r for r in ROWS if r["namedScores"]], [column(ROWS)])))
    assert run.failed == 1


def test_sums_of_rows_that_weigh_differently_are_computed_again(written):
    rows = [row(1, 1, weight=1, short=0.25), row(2, 0, weight=2)]
    (run,) = read_log(written(log(rows, [column(rows)])))
    assert {mean.metric for mean in run.means} == {"pass", "score", "exact"}
    assert any("weights differ" in note for note in run.notes)
    wrong = column(rows)
    wrong["metrics"]["namedScores"]["short"] += 0.1
    with pytest.raises(IntegrityError, match="a sum of short"):
        read_log(written(log(rows, [wrong])))


def test_a_derived_metric_is_named_and_not_computed(written):
    derived = column(ROWS)
    derived["metrics"]["namedScores"]["f1"] = 0.5
    (run,) = read_log(written(log(ROWS, [derived])))
    assert run.notes == ("not computed again: f1",)


def old(number, exact):
    made = row(number, exact, weight=0)
    for name in ("promptIdx", "promptId", "failureReason", "testCase"):
        del made[name]
    made["vars"] = {"number": number}
    if made["gradingResult"]:
        made["gradingResult"] = {"componentResults": [{"assertion": EXACT}]}
        made["namedScores"] = {"exact": exact}
    return made


def test_old_versions_have_a_table_and_no_weights(written):
    rows = [old(1, 1), old(2, 0), old(3, None)]
    sums = {
        "score": 1,
        "testPassCount": 1,
        "testFailCount": 1,
        "namedScores": {"exact": 1},
        "namedScoresCount": {"exact": 2},
    }
    head = {"prompts": [{"label": "Say {{number}}", "provider": "first", "metrics": sums}]}
    content = log(rows, None, version=2, table={"head": head})
    (run,) = read_log(written(content))
    assert {mean.metric: mean.value for mean in run.means} == {
        "pass": 0.5,
        "score": 0.5,
        "exact": 0.5,
    }
    assert [sample.failed for sample in run.samples] == [False, False, True]


def test_without_sums_it_did_not_finish_and_an_unknown_version_is_noted(written):
    (run,) = read_log(written(log(ROWS, [], version=9)))
    assert not run.finished
    assert run.means == ()
    assert any("version 9" in note for note in run.notes)


def test_the_csv_is_refused_and_another_is_not_taken_for_it(written, tmp_path):
    header = "number,[first] Say {{number}},Status,Score,Named Scores,Grader Reason,Comment\n"
    table = written(f"{header}1,1,PASS,1.00,{{}},fine,\n", "results.csv")
    with pytest.raises(SpecError, match="rounded") as refused:
        read_log(table)
    assert refused.value.hint == "Export the evaluation as .json or .jsonl."
    written(log(ROWS, [column(ROWS)]))
    with pytest.raises(SpecError, match="rounded") as refused:
        read_log(table)
    assert refused.value.hint == "Name results.json, which lies beside it."
    assert len(read_log(tmp_path)) == 1
    assert read_log(written("Status,Score\nPASS,1\n", "other.csv")) == []


def test_a_wrong_type_is_named_with_its_place(written):
    wrong = {**row(1, 1), "success": "yes"}
    with pytest.raises(SpecError, match=r"results\.json: Expected `bool`.*results\[1\]\.success"):
        read_log(written(log([row(1, 1), wrong], [])))


def test_other_files_are_not_taken_for_it(written):
    assert not is_log(written({"results": {}, "config": {}}))
    assert not is_log(written("", "empty.json"))
