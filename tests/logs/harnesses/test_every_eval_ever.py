import json

import pytest

from assay.errors import IntegrityError, SpecError
from assay.logs.format_table import is_log, read_log
from assay.logs.harnesses.every_eval_ever.files import written_files
from assay.logs.log import LogRun, ReportedMean, Sample

ID = "sums/m/1"


def line(sample, result, score, *, epoch=None, error=None, **more):
    made = {
        "schema_version": "0.3.0",
        "evaluation_id": ID,
        "model_id": "m",
        "evaluation_name": "sums",
        "evaluation_result_id": result,
        "sample_id": sample,
        "interaction_type": "single_turn",
        "input": {"raw": f"{sample}?", "reference": ["4"]},
        "output": {"raw": ["it is 4"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == 1},
        "token_usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        "performance": {"latency_ms": 500.0},
        "error": error,
        "metadata": {} if epoch is None else {"epoch": epoch},
    }
    return made | more


LINES = (
    line("a", "exact", 1.0, epoch="1"),
    line("a", "exact", 0.0, epoch="2"),
    line("b", "exact", 1.0, epoch="1"),
    line("b", None, 1.0, epoch="2", error="down"),
    line("c", None, 0.0, epoch="1"),
)


def result(name, score, **config):
    return {
        "evaluation_result_id": name,
        "evaluation_name": "sums",
        "source_data": {"dataset_name": "sums", "source_type": "other"},
        "metric_config": {"metric_name": name, "lower_is_better": False, **config},
        "score_details": {"score": score},
    }


RESULTS = (result("exact", 0.75), result("lost", 0.5))


def write(folder, lines=LINES, results=RESULTS, **more):
    path = folder / "0000_samples.jsonl"
    path.write_text("".join(json.dumps(it) + "\n" for it in lines))
    stored = {
        "schema_version": "0.3.0",
        "evaluation_id": ID,
        "model_info": {"name": "m", "id": "m"},
        "eval_library": {"name": "inspect", "version": "1"},
        "source_metadata": {},
        "evaluation_results": results,
    }
    (folder / "0000.json").write_text(json.dumps(stored | more, indent=1))
    return path


def test_a_line_without_an_epoch_is_the_first_trial_whether_or_not_another_repeats(tmp_path):
    once = [line("a", "exact", 1.0), line("b", "exact", 0.5)]
    for lines, expected in ((once, ["1", "1"]), ([*once, once[0]], ["1", "1", "2"])):
        [run] = read_log(write(tmp_path, lines, [result("lost", 0.5)]))
        assert sorted(sample.trial for sample in run.samples) == expected


def test_a_score_that_names_no_result_is_none(tmp_path):
    [run] = read_log(write(tmp_path), texts=True)
    rows = [(it.instance, it.trial, it.scores.get("exact"), it.failed) for it in run.samples]
    assert rows == [
        ("a", "1", 1.0, False),
        ("a", "2", 0.0, False),
        ("b", "1", 1.0, False),
        ("b", "2", None, True),
        ("c", "1", None, False),
    ]
    [mean] = run.means
    assert (mean.metric, mean.value, mean.over) == ("exact", 0.75, "items")
    assert run.notes == ("not computed again: lost",)
    first = run.samples[0]
    assert (first.question, first.response, first.target) == ("a?", "it is 4", "4")
    assert first.costs == {"tokens": 3.0, "seconds": 0.5}


def test_a_mean_over_lines_is_found_too(tmp_path):
    [run] = read_log(write(tmp_path, results=[result("exact", 2 / 3)]))
    assert run.means[0].over == "rows"


def test_a_dropped_line_is_caught_by_the_mean(tmp_path):
    with pytest.raises(IntegrityError, match=r"reports exact 0\.75, but its 2 scored rows"):
        read_log(write(tmp_path, LINES[1:]))


def test_a_line_that_is_missing_is_a_failed_sample(tmp_path):
    stored = {"format": "jsonl", "file_path": "x", "total_rows": 6, "hash_algorithm": "sha256"}
    stored["checksum"] = "0"
    [run] = read_log(write(tmp_path, detailed_evaluation_results=stored))
    assert (run.planned, run.failed) == (6, 2)
    assert run.notes[0] == "the checksum in the results is not that of the samples"


def test_results_that_are_no_means_are_not_computed_again(tmp_path):
    [run] = read_log(write(tmp_path, results=[result("exact", 0.1, metric_kind="f1")]))
    assert run.means == ()
    assert run.notes == ("not computed again: exact",)


def test_lines_of_old_versions_name_no_result(tmp_path):
    lines = [line("a", None, 1.0), line("b", None, 0.0), line("c", None, 0.0, error="down")]
    for it in lines:
        del it["evaluation_result_id"]
    old = result("x", 0.5)
    del old["evaluation_result_id"]
    [run] = read_log(write(tmp_path, lines, [old]))
    assert [it.scores for it in run.samples] == [{"sums": 1.0}, {"sums": 0.0}, {}]
    assert run.means[0].metric == "sums"


def test_lines_without_an_epoch_are_repeats_in_their_order(tmp_path):
    lines = [line("a", "exact", 1.0), line("b", "exact", 0.0), line("a", "exact", 0.0)]
    [run] = read_log(write(tmp_path, lines, [result("exact", 1 / 3)]))
    named = [(it.instance, it.trial) for it in run.samples]
    assert named == [("a", "1"), ("b", "1"), ("a", "2")]


def test_one_id_of_two_documents_is_two_instances(tmp_path):
    lines = [line("0", "x", 1.0, sample_hash="aa"), line("0", "y", 0.0, sample_hash="bb")]
    [run] = read_log(write(tmp_path, lines, []))
    assert [it.instance for it in run.samples] == ["0-aa", "0-bb"]


def test_an_epoch_may_ask_in_its_own_words(tmp_path):
    lines = [
        line("a", "exact", 1.0, epoch="1", sample_hash="aa"),
        line("a", "exact", 0.0, epoch="2", sample_hash="bb"),
    ]
    [run] = read_log(write(tmp_path, lines, []))
    assert [(it.instance, it.trial) for it in run.samples] == [("a", "1"), ("a", "2")]


def test_results_stand_for_the_samples(tmp_path):
    path = write(tmp_path)
    assert len(read_log(tmp_path / "0000.json")[0].samples) == 5
    assert len(read_log(tmp_path)) == 1
    path.unlink()
    with pytest.raises(SpecError, match="results without samples"):
        read_log(tmp_path / "0000.json")
    assert not is_log(tmp_path)


def test_samples_of_another_evaluation_are_refused(tmp_path):
    with pytest.raises(SpecError, match="the samples are not of evaluation"):
        read_log(write(tmp_path, [*LINES, line("d", "exact", 1.0, evaluation_id="other")]))


def test_a_wrong_type_is_named_with_its_line(tmp_path):
    with pytest.raises(SpecError, match="line 6: Expected `str`, got `int`"):
        read_log(write(tmp_path, [*LINES, line(3, "exact", 1.0)]))


SAMPLES = (
    Sample(instance="a", trial="1", scores={"exact": 1.0, "errors": 0.1}, question="1 + 1?",
           response="2", target="2", costs={"tokens": 3.0, "seconds": 0.5}, group="sums"),
    Sample(instance="a", trial="2", scores={"exact": None, "errors": 0.3}, question="1 + 1?"),
    Sample(instance="b", trial="1", scores={"exact": 0.0, "errors": None}, failed=True),
    Sample(instance="b", trial="2", scores={}, failed=True),
    Sample(instance="c", trial="1", scores={"exact": None, "errors": None}),
    Sample(instance="d", trial="1", scores={}),
)  # fmt: skip
RUN = LogRun(
    harness="inspect_ai",
    version="0.3",
    task="sums",
    model="lab/m 1",
    settings={"shots": "5"},
    scorer="match",
    samples=SAMPLES,
    means=(ReportedMean(metric="exact", value=0.5, over="items"),),
    lower=frozenset({"errors"}),
    planned=8,
    place="log.eval",
    files=(),
)


def stored(folder, run=RUN):
    for name, data in written_files(run).items():
        (folder / name).write_bytes(data)
    return folder


def test_a_run_that_is_written_reads_back_the_same(tmp_path):
    [run] = read_log(stored(tmp_path), texts=True)
    assert run.samples == SAMPLES
    assert run.means == RUN.means
    assert (run.lower, run.planned, run.failed) == (RUN.lower, RUN.planned, RUN.failed)
    assert (run.task, run.model, run.notes) == ("sums", "lab/m 1", ())
    assert run.settings == {"library": "inspect_ai 0.3", "shots": "5"}


def test_what_is_written_has_what_the_schema_requires(tmp_path):
    name, samples = written_files(RUN)
    assert samples == f"{name.removesuffix('.json')}_samples.jsonl"
    folder = stored(tmp_path)
    results = json.loads((folder / name).read_text())
    assert results.keys() >= {
        *("schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata"),
        *("model_info", "eval_library", "evaluation_results"),
    }
    for it in map(json.loads, (folder / samples).read_text().splitlines()):
        assert it["evaluation_id"] == results["evaluation_id"]
        assert it["output"] is not None
        assert isinstance(it["evaluation"]["score"], float)
        assert all(isinstance(value, str) for value in it["metadata"].values())
        assert (it["error"] is not None) == (it["sample_id"] == "b")
    assert "/lab/m_1/" in results["detailed_evaluation_results"]["file_path"]
    bounds = [it["score_details"].get("details") for it in results["evaluation_results"]]
    assert bounds[0] is None
    assert "not_reported" in bounds[1]


def test_a_written_line_that_is_dropped_is_caught(tmp_path):
    [path] = stored(tmp_path).glob("*_samples.jsonl")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(IntegrityError, match=r"reports exact 0\.5, but its 1 scored rows"):
        read_log(path)


def test_two_samples_of_one_instance_and_trial_are_not_written():
    twice = LogRun(harness="h", task="t", samples=SAMPLES[:1] * 2, place="log", files=())
    with pytest.raises(SpecError, match="two samples of instance 'a', trial 1"):
        written_files(twice)


def test_a_run_without_any_score_reads_back_without_any(tmp_path):
    bare = LogRun(harness="h", task="t", samples=SAMPLES[5:], finished=False, place="p", files=())
    [run] = read_log(stored(tmp_path, bare))
    assert (run.samples, run.means, run.finished) == (SAMPLES[5:], (), False)


@pytest.mark.parametrize(
    ("told", "tokens"), [("12", 12.0), (10**400, None), ("1e400", None), ([], None), ("?", None)]
)
def test_tokens_that_are_no_number_cost_nothing(tmp_path, told, tokens):
    usage = {"token_usage": {"total_tokens": told}}
    (run,) = read_log(write(tmp_path, lines=[*LINES[:-1], {**LINES[-1], **usage}]))
    (cost,) = [sample.costs.get("tokens") for sample in run.samples if sample.instance == "c"]
    assert cost == tokens


@pytest.mark.parametrize("told", [None, [], {"standard_error": 3, "confidence_interval": {}}])
def test_a_result_has_its_standard_error_and_its_interval(tmp_path, told):
    stored = result("exact", 0.75)
    ends = {"lower": 0.5, "upper": 0.9, "confidence_level": 0.95}
    known = {"standard_error": {"value": 0.1}, "confidence_interval": ends}
    stored["score_details"]["uncertainty"] = known
    [mean] = read_log(write(tmp_path, results=(stored,)))[0].means
    assert mean.errors == {"standard_error": 0.1}
    assert (mean.interval.low, mean.interval.high, mean.interval.level) == (0.5, 0.9, 0.95)
    stored["score_details"]["uncertainty"] = told
    [mean] = read_log(write(tmp_path, results=(stored,)))[0].means
    assert (mean.errors, mean.interval) == ({}, None)
