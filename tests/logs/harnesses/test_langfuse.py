import json

import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import is_log, read_log


def result(asked, exact, **item):
    evaluations = [] if exact is None else [{"name": "exact", "value": exact}]
    evaluations.append({"name": "tone", "value": "kind", "data_type": "CATEGORICAL"})
    return {
        "item": {"input": asked, "expected_output": "4", **item},
        "output": "it is 4",
        "evaluations": evaluations,
        "trace_id": "t",
    }


RESULTS = (result("a", 1.0), result("b", False), result("a", 0), result("c", None))


def write(folder, results=RESULTS, evaluations=(("mean_exact", 1 / 3), ("worst", 0.0)), **more):
    path = folder / "result.json"
    run = [{"name": name, "value": value, "comment": None} for name, value in evaluations]
    stored = {"name": "sums", "run_name": "one", "item_results": results, "run_evaluations": run}
    path.write_text(json.dumps(stored | more))
    return path


def test_repeats_and_unscored_items(tmp_path):
    [run] = read_log(write(tmp_path), texts=True)
    rows = [(it.instance, it.trial, it.scores.get("exact")) for it in run.samples]
    assert rows == [("a", "1", 1.0), ("b", "1", 0.0), ("a", "2", 0.0), ("c", "1", None)]
    assert run.metrics == ["exact"]
    first = run.samples[0]
    assert (first.question, first.response, first.target) == ("a", "it is 4", "4")
    assert (run.task, run.model) == ("sums", "one")


@pytest.mark.parametrize("name", ["mean_exact", "Average exact", "exact_avg", "exact/mean"])
def test_an_evaluation_of_the_run_that_is_named_after_a_metric_is_its_mean(tmp_path, name):
    [run] = read_log(write(tmp_path, evaluations=[(name, 1 / 3), ("worst", 0.0)]))
    assert [(mean.metric, mean.over) for mean in run.means] == [("exact", "rows")]
    assert run.notes[-1] == "not computed again: worst"


def test_a_dropped_result_is_caught_by_the_mean(tmp_path):
    with pytest.raises(IntegrityError, match=r"reports exact 0\.333333, but its 2 scored rows"):
        read_log(write(tmp_path, RESULTS[1:]))


def test_items_pair_by_the_id_of_the_dataset_then_of_their_metadata(tmp_path):
    both = [
        result("a", 1.0, id="d1", metadata={"id": 7}),
        result("b", 0, id="d2", metadata={"id": 8}),
    ]
    [run] = read_log(write(tmp_path, both, ()))
    assert [sample.instance for sample in run.samples] == ["d1", "d2"]
    kept = [result("a", 1.0, metadata={"id": 7}), result("b", 0, metadata={"id": 8})]
    [run] = read_log(write(tmp_path, kept, ()))
    assert [sample.instance for sample in run.samples] == ["7", "8"]


def test_an_id_that_names_two_inputs_is_no_key(tmp_path):
    same = [result("a", 1.0, metadata={"id": 7}), result("b", 0, metadata={"id": 7})]
    [run] = read_log(write(tmp_path, same, ()))
    assert [sample.instance for sample in run.samples] == ["a", "b"]


def test_the_sdk_for_javascript_spells_keys_in_its_own_way(tmp_path):
    path = tmp_path / "result.json"
    item = {"input": "a", "expectedOutput": "4"}
    row = {"item": item, "output": "4", "evaluations": [{"name": "exact", "value": 1}]}
    run = [{"name": "mean_exact", "value": 1.0}]
    path.write_text(json.dumps({"runName": "js", "itemResults": [row], "runEvaluations": run}))
    [found] = read_log(path, texts=True)
    assert (found.model, found.samples[0].target, found.means[0].value) == ("js", "4", 1.0)


def test_a_wrong_type_is_named_with_its_place(tmp_path):
    with pytest.raises(SpecError, match="result 0: expected `item` to be an object"):
        read_log(write(tmp_path, [{"item": 3, "evaluations": []}]))
    with pytest.raises(SpecError, match="expected `item_results` to be a list of objects"):
        read_log(write(tmp_path, {"a": 1}))
    twice = result("a", 1.0)
    twice["evaluations"] *= 2
    with pytest.raises(SpecError, match="result 0: two evaluations are named 'exact'"):
        read_log(write(tmp_path, [twice]))


def test_other_results_are_no_log(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"item_results": [], "name": "x"}')
    assert not is_log(path)


def test_a_mean_that_was_rounded_is_not_computed_again(tmp_path):
    (run,) = read_log(write(tmp_path, evaluations=(("mean_exact", 0.33), ("worst", 0.0))))
    assert run.means == ()
    assert run.notes[-1] == "not computed again: mean_exact (rounded), worst"
    with pytest.raises(IntegrityError, match=r"reports exact 0\.3,"):
        read_log(write(tmp_path, evaluations=(("mean_exact", 0.3),)))
