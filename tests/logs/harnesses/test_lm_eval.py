import json

import msgspec
import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import read_log

TIME = "2026-01-01T00-00-00.000000"


def line(number, filter_name="none", **scores):
    return {
        "doc_id": number,
        "doc": {"question": f"What is {number}?"},
        "target": "x",
        "arguments": {"gen_args_0": {"arg_0": f"Q: What is {number}?\nA:", "arg_1": {}}},
        "resps": [["y"]],
        "filtered_resps": ["y"],
        "filter": filter_name,
        "metrics": list(scores),
        "doc_hash": f"{number:064x}",
        "prompt_hash": f"p{number}",
        "target_hash": "t" * 64,
        **scores,
    }


def results(task="facts", *, aggregation="mean", higher=True, **means):
    metrics = sorted({name.split(",")[0] for name in means})
    return {
        "results": {task: {"alias": task, **means, **{f"{m}_stderr,none": 0.1 for m in metrics}}},
        "configs": {
            task: {"metric_list": [{"metric": m, "aggregation": aggregation} for m in metrics]}
        },
        "versions": {task: 1.0},
        "n-shot": {task: 0},
        "higher_is_better": {task: dict.fromkeys(metrics, higher)},
        "n-samples": {task: {"original": 3, "effective": 3}},
        "config": {"model": "hf", "model_args": {"pretrained": "org/m", "dtype": "half"}},
        "lm_eval_version": "0.4.13",
        "model_name": "org/m",
    }


@pytest.fixture
def written(tmp_path):
    def write(lines, found=None, task="facts"):
        path = tmp_path / f"samples_{task}_{TIME}.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        if found is not None:
            (tmp_path / f"results_{TIME}.json").write_text(json.dumps(found))
        return path

    return write


def test_a_task_is_a_run_and_its_mean_comes_out(written):
    path = written([line(n, acc=float(n > 0)) for n in range(3)], results(**{"acc,none": 2 / 3}))
    (run,) = read_log(path, texts=True)
    assert (run.task, run.model, run.version, run.planned) == ("facts", "org/m", "0.4.13", 3)
    assert run.metrics == ["acc"]
    assert [(mean.metric, mean.over) for mean in run.means] == [("acc", "rows")]
    assert run.samples[1].question == "Q: What is 1?\nA:" and run.samples[1].response == "y"


def test_filters_are_metrics_of_one_document(written):
    lines = [line(n, name, acc=float(name == "both")) for n in range(3) for name in ("one", "both")]
    (run,) = read_log(written(lines, results(**{"acc,one": 0.0, "acc,both": 1.0})))
    assert len(run.samples) == 3
    assert run.metrics == ["acc,one", "acc,both"]
    assert len(run.means) == 2


def test_a_metric_that_a_line_lacks_is_unscored(written):
    lines = [line(0, acc=1.0), line(1, acc=0.0), line(2)]
    (run,) = read_log(written(lines, results(**{"acc,none": 0.5})))
    assert [one.scores.get("acc") for one in run.samples] == [1.0, 0.0, None]


def test_a_file_of_results_stands_for_its_samples_and_so_does_the_folder(written):
    path = written([line(0, acc=1.0)], results(**{"acc,none": 1.0}))
    for place in (path, path.parent / f"results_{TIME}.json", path.parent):
        (run,) = read_log(place)
        assert run.task == "facts" and len(run.samples) == 1


def test_results_without_samples_say_what_is_missing(tmp_path):
    path = tmp_path / f"results_{TIME}.json"
    path.write_text(json.dumps(results(**{"acc,none": 1.0})))
    with pytest.raises(SpecError, match="results without samples"):
        read_log(path)


def test_a_dropped_line_is_refused(written):
    lines = [line(n, acc=float(n > 0)) for n in range(3)]
    with pytest.raises(IntegrityError, match=r"its 2 scored rows give 0\.5"):
        read_log(written(lines[:2], results(**{"acc,none": 2 / 3})))


@pytest.mark.parametrize("aggregation", ["matthews_corrcoef", "perplexity", "median"])
def test_other_aggregations_are_not_computed_again(written, aggregation):
    lines = [line(n, acc=float(n > 0), mcc=[0, 1]) for n in range(3)]
    found = results(**{"acc,none": 0.9}, aggregation=aggregation)
    (run,) = read_log(written(lines, found))
    assert run.means == () and run.metrics == ["acc"]
    assert run.notes == ("not computed again: acc,none",)


def test_less_is_better_where_the_harness_says_so(written):
    path = written([line(0, loss=0.5)], results(**{"loss,none": 0.5}, higher=False))
    assert read_log(path)[0].lower == {"loss"}


def test_old_lines_without_filter_metrics_and_hashes(written):
    new = ("filter", "metrics", "doc_hash", "prompt_hash", "target_hash")
    lines = [
        {name: value for name, value in line(n, acc=1).items() if name not in new} for n in range(3)
    ]
    (run,) = read_log(written(lines))
    assert [one.instance for one in run.samples] == ["doc 0", "doc 1", "doc 2"]
    assert run.metrics == ["acc"] and run.means == ()
    assert "no results beside" in run.notes[0]


def test_documents_pair_by_content_and_copies_of_one_are_told_apart(written):
    lines = [line(0, acc=1.0), {**line(0, acc=0.0), "doc_id": 7}, line(1, acc=1.0)]
    (run,) = read_log(written(lines))
    names = [one.instance for one in run.samples]
    assert len(set(names)) == 3 and names[1] == f"{names[0]}#2"


def test_a_second_line_of_a_document_under_one_filter_is_refused_with_both_lines(written):
    lines = [line(0, "first", acc=1.0), line(0, "second", acc=0.5), line(0, "first", acc=0.0)]
    with pytest.raises(SpecError, match=r"line 3: .*filter 'first'.* on line 1"):
        read_log(written(lines))


def test_the_name_of_a_task_may_hold_underscores(written):
    path = written([line(0, acc=1.0)], results("a_b_c", **{"acc,none": 1.0}), task="a_b_c")
    assert read_log(path)[0].task == "a_b_c"


def test_settings_hold_nothing_of_the_model(written):
    one = read_log(written([line(0, acc=1.0)], results(**{"acc,none": 1.0})))[0]
    other = results(**{"acc,none": 1.0})
    other["model_name"] = other["config"]["model_args"]["pretrained"] = "org/other"
    two = read_log(written([line(0, acc=1.0)], other))[0]
    assert one.settings == two.settings and one.model != two.model
    other["config"]["model_args"]["dtype"] = "float"
    assert read_log(written([line(0, acc=1.0)], other))[0].settings != one.settings


@pytest.mark.parametrize("wrong", [b"[1]\n", b"{\n", b'"x"\n', b"{}\n"])
def test_a_line_of_another_form_is_a_typed_error_or_an_unscored_document(written, wrong):
    path = written([line(0, acc=1.0)])
    path.write_bytes(path.read_bytes() + wrong)
    try:
        (run,) = read_log(path)
    except SpecError as error:
        assert "line 2" in str(error)
    else:
        assert wrong == b"{}\n" and run.samples[1].scores.get("acc") is None


ODD_LINES = {
    "no value": {**line(1), "metrics": ["acc"]},
    "null": line(1, acc=None),
    "not a number": line(1, acc=float("nan")),
    "a whole number": line(1, acc=1),
    "too large": line(1, acc=10**400),
    "a text": line(1, acc="1.0"),
    "a list": line(1, acc=[0.5]),
    "true": line(1, acc=True),
    "other metrics": line(1, acc=0.0, f1=0.5),
    "no metrics": line(1),
    "metrics of another type": {**line(1, acc=0.0), "metrics": "acc"},
    "a field that is no metric": {**line(1, acc=0.0), "extra": 0.25},
    "no filter": {name: value for name, value in line(1, acc=0.0).items() if name != "filter"},
    "no hashes": {**line(1, acc=0.0), "doc_hash": None, "prompt_hash": None},
}


@pytest.mark.parametrize("odd", ODD_LINES)
@pytest.mark.parametrize("at", [0, 1])
def test_the_scores_do_not_depend_on_whether_texts_are_read(written, odd, at):
    lines = [line(0, acc=1.0), line(2, acc=0.0)]
    lines.insert(at, ODD_LINES[odd])
    path = written(lines)
    with_texts, without = read_log(path, texts=True)[0], read_log(path)[0]
    assert [one.question for one in without.samples] == [None] * 3
    assert None not in [one.question for one in with_texts.samples]
    for name in ("instance", "scores"):
        values = [[getattr(one, name) for one in run.samples] for run in (with_texts, without)]
        assert values[0] == values[1]
    assert with_texts.settings == without.settings


@pytest.mark.parametrize("metrics", [["acc", "acc"], ["doc_id"], ["metrics", "acc"], [1], []])
def test_metrics_with_the_names_of_other_fields(written, metrics):
    path = written([{**line(n, acc=1.0), "metrics": metrics} for n in range(2)])
    (run,) = read_log(path)
    assert run.samples == tuple(
        msgspec.structs.replace(one, question=None, response=None, target=None)
        for one in read_log(path, texts=True)[0].samples
    )


def test_a_mean_has_its_standard_error_under_the_name_that_the_harness_shows(written):
    lines = [line(n, acc=float(n > 0), exact_match=1.0) for n in range(3)]
    found = results(**{"acc,none": 2 / 3, "exact_match,none": 1.0})
    found["results"]["facts"]["exact_match_stderr,none"] = "N/A"
    (run,) = read_log(written(lines, found))
    assert {mean.metric: mean.errors for mean in run.means} == {
        "acc": {"acc_stderr,none": 0.1},
        "exact_match": {},
    }
