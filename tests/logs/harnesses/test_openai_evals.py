import json

import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import is_log, read_log


def event(number, kind, **values):
    return {
        "run_id": "r",
        "event_id": 0,
        "sample_id": f"facts.test.{number}",
        "type": kind,
        "data": values,
    }


def answered(number, correct, short=0.5):
    sampled = {"prompt": [{"role": "user", "content": f"What is {number}?"}], "sampled": "that"}
    return [
        event(number, "sampling", **sampled, model="first", usage={"total_tokens": 9}),
        event(number, "match", correct=correct, expected="this", picked="that"),
        event(number, "metrics", short=short, choice="A"),
    ]


def spec(model="first"):
    arguments = {"samples_jsonl": "/home/someone/data/facts.jsonl", "num_few_shot": 2}
    return {
        "spec": {
            "completion_fns": [model],
            "eval_name": "facts.test.v1",
            "run_config": {
                "eval_spec": {"cls": "basic.match:Match", "args": arguments, "registry_path": "x"},
                "seed": 7,
                "max_samples": None,
                "command": f"oaieval {model}",
            },
            "run_id": "r",
            "created_at": "today",
        }
    }


EVENTS = (
    *answered(1, True),
    *answered(2, False, 0.25),
    event(3, "error", type="ConnectionError", message="closed"),
    event(4, "sampling", prompt="What is 4?", sampled="that"),
    *answered(5, True),
)
REPORT = {"accuracy": 2 / 3, "boostrap_std": 0.1, "short": 1.25 / 3}


@pytest.fixture
def written(tmp_path):
    def write(*events, report=REPORT, first=None):
        lines = [first or spec()]
        lines += [{"final_report": report, "run_id": "r"}] if report is not None else []
        (tmp_path / "log.jsonl").write_text(
            "".join(json.dumps(x) + "\n" for x in (*lines, *events))
        )
        return tmp_path / "log.jsonl"

    return write


def test_accuracy_is_the_mean_of_matches_and_a_metric_its_own(written):
    (run,) = read_log(written(*EVENTS))
    assert {mean.metric: mean.value for mean in run.means} == {"match": 2 / 3, "short": 1.25 / 3}
    assert run.notes == ("not computed again: boostrap_std",)
    assert (run.task, run.model, run.finished) == ("facts.test.v1", "first", True)
    assert run.settings == {"data": "facts.jsonl", "args.num_few_shot": "2", "seed": "7"}
    assert run.scorer.startswith("basic.match:Match @ ")


def test_an_error_is_a_failure_and_a_sample_without_a_match_is_unscored(written):
    (run,) = read_log(written(*EVENTS), texts=True)
    by_name = {sample.instance: sample for sample in run.samples}
    assert len(by_name) == 5
    assert by_name["facts.test.3"].failed
    assert by_name["facts.test.3"].scores == {}
    assert not by_name["facts.test.4"].failed
    assert by_name["facts.test.4"].scores == {}
    first = by_name["facts.test.1"]
    assert (first.question, first.response, first.target) == ("What is 1?", "that", "this")
    assert first.costs == {"tokens": 9}


def test_a_sample_scored_several_times_has_several_trials(written):
    twice = [*answered(1, True), *answered(1, False)]
    (run,) = read_log(written(*twice, report={"accuracy": 0.5}))
    assert [(s.trial, s.scores["match"]) for s in run.samples] == [("1", 1.0), ("2", 0.0)]


@pytest.mark.parametrize("lost", [1, 4])
def test_a_lost_match_is_caught(written, lost):
    with pytest.raises(IntegrityError, match="OpenAI evals reports match"):
        read_log(written(*(e for at, e in enumerate(EVENTS) if at != lost)))


def test_without_a_report_it_did_not_finish(written):
    (run,) = read_log(written(*EVENTS, report=None))
    assert (run.finished, run.means, len(run.samples)) == (False, (), 5)


def test_runs_of_two_models_have_the_same_settings(written):
    (first,) = read_log(written(*EVENTS))
    (second,) = read_log(written(*EVENTS, first=spec("second")))
    assert (first.settings, first.scorer) == (second.settings, second.scorer)
    assert (first.model, second.model) == ("first", "second")


def test_old_versions_name_a_model(written):
    old = spec()
    del old["spec"]["completion_fns"]
    old["spec"]["model_names"] = {"completions": ["davinci"]}
    (run,) = read_log(written(*EVENTS, first=old))
    assert run.model == "davinci"


def test_a_match_that_is_no_truth_is_named_with_its_place(written):
    with pytest.raises(SpecError, match="line 3: `correct` is 'yes'"):
        read_log(written(event(1, "match", correct="yes")))


def test_other_lines_are_not_taken_for_it(tmp_path):
    for content in ('{"spec": 1}\n', '{"spec": {"eval_name": "x"}}\n{}\n', '{"spec"'):
        (tmp_path / "other.jsonl").write_text(content)
        assert not is_log(tmp_path / "other.jsonl")


def test_the_accuracy_has_the_standard_error_of_the_report(written):
    (run,) = read_log(written(*EVENTS))
    assert [mean.errors for mean in run.means] == [{"boostrap_std": 0.1}, {}]
