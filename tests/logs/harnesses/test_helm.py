import json

import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import is_log, read_log


def stat(metric, value, split="test", **more):
    count = int(value is not None)
    made = {"name": {"name": metric, "split": split, **more}, "count": count, "sum": value or 0}
    return made | ({"mean": value} if count else {})


def entry(number, trial, *stats):
    return {"instance_id": f"id{number}", "train_trial_index": trial, "stats": list(stats)}


def request(number, trial, *, success=True, split="test", perturbation=None):
    instance = {
        "id": f"id{number}",
        "split": split,
        "input": {"text": f"What is {number}?"},
        "references": [
            {"output": {"text": "this"}, "tags": ["correct"]},
            {"output": {"text": "other"}, "tags": []},
        ],
    }
    if perturbation:
        instance["perturbation"] = perturbation
    result = {"success": success, "completions": [{"text": "that"}] if success else []}
    return {"instance": instance, "train_trial_index": trial, "result": result}


SCORES = {(1, 0): 1, (2, 0): 0, (3, 0): 0, (1, 1): 1, (2, 1): 1, (3, 1): 0}
"""By instance and trial; the last failed. Instance 4 is never scored."""


def run_spec(model="first"):
    return {
        "name": f"facts:subject=sums,model={model}",
        "scenario_spec": {"class_name": "facts.Facts"},
        "adapter_spec": {"method": "generation", "model": model, "model_deployment": model},
        "metric_specs": [{"class_name": "helm.metrics.Exact", "args": {}}],
    }


def entries(scores=SCORES):
    """Two entries for each instance and trial, one a metric class."""
    bookkeeping = [
        stat("num_prompt_tokens", 5),
        stat("num_output_tokens", 2),
        stat("batch_size", 1),
    ]
    for (number, trial), value in scores.items():
        yield entry(number, trial, *bookkeeping, stat("inference_runtime", 0.5))
        yield entry(number, trial, stat("exact_match", value), stat("none", None))


def requests():
    made = [request(number, trial, success=(number, trial) != (3, 1)) for number, trial in SCORES]
    return [*made, request(4, 0), request(4, 1)]


@pytest.fixture
def folder(tmp_path):
    def write(found=None, means=None, *, asked=None, spec=None, leave_out=()):
        files = {
            "per_instance_stats.json": list(entries()) if found is None else found,
            "stats.json": [stat("exact_match", 0.5), stat("ece_10_bin", 0.3)]
            if means is None
            else means,
            "scenario_state.json": {"request_states": requests() if asked is None else asked},
            "run_spec.json": spec or run_spec(),
        }
        for name, content in files.items():
            (tmp_path / name).unlink(missing_ok=True)
            if name not in leave_out:
                (tmp_path / name).write_text(json.dumps(content))
        return tmp_path

    return write


def test_the_mean_is_that_of_the_rows_and_counts_are_no_scores(folder):
    (run,) = read_log(folder())
    assert [(mean.metric, mean.value, mean.over) for mean in run.means] == [
        ("exact_match", 0.5, "rows")
    ]
    assert run.metrics == ["exact_match"]
    assert (run.task, run.model) == ("facts:subject=sums", "first")
    assert run.scorer.startswith("Exact @ ")
    assert run.samples[0].costs == {"tokens": 7, "seconds": 0.5}


def test_a_failed_request_keeps_the_score_that_the_mean_has(folder):
    (run,) = read_log(folder(), texts=True)
    assert len(run.samples) == 8
    assert [(s.instance, s.trial, s.scores["exact_match"]) for s in run.samples if s.failed] == [
        ("id3", "2", 0.0)
    ]
    assert run.failed == 1
    unscored = [s for s in run.samples if s.instance == "id4"]
    assert [(s.trial, s.scores) for s in unscored] == [("1", {}), ("2", {})]
    first = run.samples[0]
    assert (first.question, first.response, first.target) == ("What is 1?", "that", "this")


@pytest.mark.parametrize("lost", [(1, 0), (2, 0), (2, 1)])
def test_a_lost_row_is_caught(folder, lost):
    kept = {key: value for key, value in SCORES.items() if key != lost}
    with pytest.raises(IntegrityError, match=r"HELM reports exact_match 0\.5"):
        read_log(folder(list(entries(kept))))


def test_trials_that_differ_in_size_have_a_mean_that_is_none_of_rows(folder):
    kept = {key: value for key, value in SCORES.items() if key != (3, 1)}
    mean_of_trials = (1 / 3 + 1) / 2
    (run,) = read_log(folder(list(entries(kept)), [stat("exact_match", mean_of_trials)]))
    assert run.means == ()
    assert any("differ in size" in note for note in run.notes)


def test_splits_and_perturbations_are_runs_of_their_own(folder):
    typos = {"name": "typos", "computed_on": "perturbed"}
    found = [
        entry(1, 0, stat("exact_match", 1)),
        entry(1, 0, stat("exact_match", 0, perturbation=typos)),
        entry(2, 0, stat("exact_match", 0.25, "valid")),
        entry(2, 0, stat("estimated_number_of_tokens", 9, None)),
    ]
    means = [
        stat("exact_match", 1),
        stat("exact_match", 0, perturbation=typos),
        stat("exact_match", 0, perturbation={"name": "robustness", "computed_on": "worst"}),
        stat("exact_match", 0.25, "valid"),
    ]
    asked = [
        request(1, 0),
        request(1, 0, success=False, perturbation=typos),
        request(2, 0, split="valid"),
    ]
    runs = read_log(folder(found, means, asked=asked))
    assert [run.task.removeprefix("facts:subject=sums") for run in runs] == [
        "",
        ", typos",
        ", valid",
    ]
    assert [run.means[0].value for run in runs] == [1, 0, 0.25]
    assert [run.failed for run in runs] == [0, 1, 0]


def test_runs_of_two_models_have_the_same_settings(folder):
    (first,) = read_log(folder())
    (second,) = read_log(folder(spec=run_spec("second")))
    assert (first.task, first.settings, first.scorer) == (
        second.task,
        second.settings,
        second.scorer,
    )
    assert second.model == "second"


def test_a_file_beside_the_stats_stands_for_them(folder):
    for name in ("stats.json", "run_spec.json", "scenario_state.json"):
        (run,) = read_log(folder() / name)
        assert run.harness == "HELM"


def test_what_is_missing_beside_the_stats_is_noted(folder):
    (run,) = read_log(folder(leave_out=("stats.json", "scenario_state.json", "run_spec.json")))
    assert (run.finished, run.means, run.failed) == (False, (), 0)
    assert len(run.notes) == 2


def test_stats_without_a_score_are_refused(folder):
    with pytest.raises(SpecError, match="none of the stats is a score"):
        read_log(folder([entry(1, 0, stat("num_bytes", 1))]))


def test_a_wrong_type_is_named_with_its_place(folder):
    with pytest.raises(SpecError, match=r"Expected `int`.*\[0\]\.train_trial_index"):
        read_log(folder([entry(1, "first", stat("exact_match", 1))]))


def test_other_files_are_not_taken_for_it(tmp_path):
    for content in ('{"instance_id": "a", "stats": []}', '[{"instance_id": "a"}]', "[", "[[]]"):
        (tmp_path / "stats.json").write_text(content)
        assert not is_log(tmp_path / "stats.json")


def test_a_mean_that_is_no_number_is_none(folder):
    means = [stat("exact_match", 0.5), stat("none", 0.3) | {"mean": float("nan")}]
    (run,) = read_log(folder(means=means))
    assert [mean.metric for mean in run.means] == ["exact_match"]


def test_a_count_that_cannot_be_computed_with_is_refused(folder):
    found = list(entries())
    found[1]["stats"][0]["count"] = 10**309
    with pytest.raises(SpecError, match="count"):
        read_log(folder(found))


@pytest.mark.parametrize("tags", [1, None, "correct", {}])
def test_tags_of_another_form_are_none(folder, tags):
    asked = requests()
    asked[0]["instance"]["references"] = [{"output": {"text": "x"}, "tags": tags}]
    (run,) = read_log(folder(asked=asked), texts=True)
    assert run.samples[0].target is None
