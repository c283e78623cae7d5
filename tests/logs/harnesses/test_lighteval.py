import json
import math
import struct

import polars
import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import format_of, is_log, read_log
from assay.logs.log_file import LogFile

TIME = "2026-01-02T03-04-05.678"
TASK = "sums|0"
SCORES = {"one": (1.0, 0.5), "two": (0.0, 0.25), "three": (math.nan, 1.0)}


def document(number, question):
    return {
        "doc": {"query": question, "choices": ["2", "3"], "gold_index": 1, "id": str(number),
                "task_name": TASK},
        "metric": {"exact": SCORES[question][0], "brevity": SCORES[question][1]},
        "model_response": {"text": ["3", "2"], "input_tokens": [1, 2], "output_tokens": [[7], [8]]},
    }  # fmt: skip


def write(root, *, questions=tuple(SCORES), results=True, aggregation="nanmean", model="m/one"):
    folder = root / "details" / model / TIME
    folder.mkdir(parents=True)
    path = folder / f"details_{TASK}_{TIME}.parquet"
    rows = [document(number, question) for number, question in enumerate(questions)]
    polars.DataFrame(rows, strict=False).write_parquet(path)
    if results:
        metric = {
            "metric_name": ["exact", "brevity"],
            "higher_is_better": {"exact": True, "brevity": False},
            "corpus_level_fn": {"exact": aggregation, "brevity": "mean"},
            "sample_level_fn": "<function f at 0x7f00aa>",
        }
        config = {
            "prompt_function": "p",
            "metrics": [metric],
            "effective_num_docs": 3,
            "version": 2,
        }
        stored = {
            "config_general": {"lighteval_sha": "?", "model_name": model, "model_config": {}},
            "results": {TASK: {"exact": 0.5, "exact_stderr": math.nan, "brevity": 1.75 / 3}},
            "config_tasks": {TASK: config},
            "summary_tasks": {TASK: {"hashes": {"hash_full_prompts": "abc"}}},
        }
        beside = root / "results" / model
        beside.mkdir(parents=True)
        (beside / f"results_{TIME}.json").write_text(json.dumps(stored))
    return path


def test_a_nan_is_unscored_and_the_means_come_out(tmp_path):
    [run] = read_log(write(tmp_path), texts=True)
    assert run.task == TASK
    assert run.model == "m/one"
    assert [sample.scores["exact"] for sample in run.samples] == [1.0, 0.0, None]
    assert {mean.metric: mean.value for mean in run.means} == {"exact": 0.5, "brevity": 1.75 / 3}
    assert run.lower == {"brevity"}
    assert run.planned == 3
    assert run.samples[0].costs == {"tokens": 4.0}
    assert (run.samples[0].question, run.samples[0].target) == ("one", "3")
    assert run.samples[0].response == "3"


def test_a_dropped_row_is_caught_by_the_mean(tmp_path):
    with pytest.raises(IntegrityError, match=r"reports exact 0\.5, but its 1 scored rows give 1"):
        read_log(write(tmp_path, questions=("one", "three")))


def test_results_stand_for_the_details(tmp_path):
    write(tmp_path)
    [run] = read_log(next(tmp_path.rglob("results_*.json")))
    assert len(run.samples) == 3
    assert [run.task for run in read_log(tmp_path)] == [TASK]


def test_results_without_details_say_what_is_missing(tmp_path):
    path = write(tmp_path)
    path.unlink()
    with pytest.raises(SpecError, match="results without details"):
        read_log(next(tmp_path.rglob("results_*.json")))


def test_details_without_results_have_no_mean(tmp_path):
    [run] = read_log(write(tmp_path, results=False))
    assert run.means == ()
    assert run.model == "m/one"
    assert "no results" in run.notes[0]


def test_a_metric_of_the_whole_corpus_is_not_computed_again(tmp_path):
    [run] = read_log(write(tmp_path, aggregation="matthews_corrcoef"))
    assert [mean.metric for mean in run.means] == ["brevity"]
    assert run.notes == ("not computed again: exact",)


def test_two_models_differ_in_nothing_but_the_model(tmp_path):
    [first] = read_log(write(tmp_path / "a"))
    [second] = read_log(write(tmp_path / "b", model="m/two"))
    assert first.settings == second.settings
    assert first.scorer == second.scorer
    assert [it.instance for it in first.samples] == [it.instance for it in second.samples]


def test_one_question_twice_is_two_instances(tmp_path):
    path = write(tmp_path, questions=("one", "one", "two"), results=False)
    names = [sample.instance for sample in read_log(path)[0].samples]
    assert len(set(names)) == 3
    assert names[1] == f"{names[0]}#2"


def test_versions_before_0_10_have_columns_of_their_own(tmp_path):
    rows = [
        {"example": name, "full_prompt": name, "predictions": ["x"], "metrics": {"em": float(name)}}
        for name in ("0", "1")
    ]
    path = tmp_path / f"details_old_{TIME}.parquet"
    polars.DataFrame(rows).write_parquet(path)
    [run] = read_log(path, texts=True)
    assert run.task == "old"
    assert [sample.scores for sample in run.samples] == [{"em": 0.0}, {"em": 1.0}]
    assert run.samples[0].response == "x"


def test_other_parquet_is_no_log(tmp_path):
    path = tmp_path / "table.parquet"
    polars.DataFrame({"doc": ["a"], "metric": [1.0]}).write_parquet(path)
    assert not is_log(path)
    path.write_bytes(b"PAR1" + struct.pack("<L", 2**31) + b"PAR1")
    assert format_of(LogFile(path)) is None


def test_a_row_without_its_metrics_is_named(tmp_path):
    path = tmp_path / "details_x_1.parquet"
    rows = [{"doc": "a", "metric": 1.0, "model_response": "b"}]
    polars.DataFrame(rows).write_parquet(path)
    with pytest.raises(SpecError, match="row 1: expected a document and its metrics"):
        read_log(path)


def test_a_mean_has_its_standard_error(tmp_path):
    path = write(tmp_path)
    [stored] = (tmp_path / "results").rglob("*.json")
    stored.write_text(stored.read_text().replace('"exact_stderr": NaN', '"exact_stderr": 0.25'))
    [run] = read_log(path)
    assert {mean.metric: mean.errors for mean in run.means} == {
        "exact": {"exact_stderr": 0.25},
        "brevity": {},
    }
