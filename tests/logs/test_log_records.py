import json

import pytest
from helpers.inspect_logs import sample, samples, write_eval

from assay import SpecError, confounds
from assay.benchmark.benchmark import Columns
from assay.benchmark.load import load_benchmark, read_fields
from assay.benchmark.subset import subset_bytes
from assay.logs.log_records import read_log_records, read_log_scores
from assay.runs.log_run import run_of_log

MIXED = ["C", "I"] * 10


def scored(name, values, epochs=1):
    """A sample with several scorers: a word or a number of each."""
    made = [sample(name, epoch) for epoch in range(1, epochs + 1)]
    scores = {scorer: {"value": value, "history": []} for scorer, value in values.items()}
    return [{**one, "scores": scores} for one in made]


def several(tmp_path, **columns):
    """A log with one scorer a column of values."""
    rows = zip(*columns.values(), strict=True)
    made = [
        one
        for at, values in enumerate(rows)
        for one in scored(f"q{at}", dict(zip(columns, values, strict=True)))
    ]
    return write_eval(tmp_path / "several.eval", made, status="error")


def test_a_log_is_a_benchmark_whose_positives_are_what_the_harness_counts_as_right(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(MIXED))
    found = load_benchmark(path)
    assert [item.label for item in found.items] == [value == "C" for value in MIXED]
    first = found.items[0]
    assert (first.id, first.question, first.response) == ("q0", "What is q0?", "x")
    assert found.changes == {
        "log-labels": "match of inspect_ai 0.3.285, task facts; 1 counts as right, positive is 1."
    }
    assert found.named_columns == " (label=match)"
    assert read_fields(found) == {}


def test_positive_can_be_turned_round_and_is_said(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(MIXED))
    found = load_benchmark(path, columns=Columns(positive="0"))
    assert [item.label for item in found.items] == [value == "I" for value in MIXED]
    assert found.changes["log-labels"].endswith("positive is 0.")


def test_failed_and_unscored_samples_are_left_out_and_counted(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples([*MIXED, None, float("nan")]))
    found = load_benchmark(path)
    assert len(found.items) == 20 and [one.id for one in found.left_out] == ["q20", "q21"]
    assert "2 of 22: 2 with no label" in found.changes["left-out"]
    assert found.digest != load_benchmark(write_eval(tmp_path / "b.eval", samples(MIXED))).digest


def test_epochs_are_records_of_one_group(tmp_path):
    found = load_benchmark(write_eval(tmp_path / "a.eval", samples(MIXED, 2)))
    assert len(found.items) == 40 and found.grouping == "named"
    assert found.items[20].id == "q0, epoch 2" and found.items[20].group == "q0"


def test_models_of_a_folder_are_sources(tmp_path):
    for model in ("one", "two"):
        write_eval(tmp_path / f"{model}.eval", samples(MIXED), model=f"m/{model}")
    found = load_benchmark(tmp_path)
    assert {item.source for item in found.items} == {"m/one", "m/two"}
    assert found.items[0].id == "q0, m/one" and len(found.items) == 40
    write_eval(tmp_path / "copy.eval", samples(MIXED), model="m/two")
    with pytest.raises(SpecError, match="two samples have the id 'q0, m/two'") as error:
        load_benchmark(tmp_path)
    assert "Name one of the files" in error.value.hint


def test_a_folder_with_several_tasks_asks_which(tmp_path):
    for task in ("facts", "sums"):
        write_eval(tmp_path / f"{task}.eval", samples(MIXED), task=task)
    with pytest.raises(SpecError, match="expected runs of one task, got 2: facts, sums") as error:
        load_benchmark(tmp_path)
    assert error.value.hint == "Choose one: `split=facts`."
    assert len(load_benchmark(tmp_path, columns=Columns(split="sums")).items) == 20
    with pytest.raises(SpecError, match="no run of task 'other'"):
        load_benchmark(tmp_path, columns=Columns(split="other"))


def test_the_label_must_be_one_metric_of_0_and_1(tmp_path):
    path = several(tmp_path, exact="CI" * 5, strict="IC" * 5, brevity=[0.5] * 10)
    with pytest.raises(
        SpecError, match="2 metrics are 0 or 1, expected one: exact, strict"
    ) as error:
        load_benchmark(path)
    assert error.value.hint == "Which metric is the label? Name it: `label=exact`."
    assert load_benchmark(path, columns=Columns(label="strict")).items[0].label is False
    with pytest.raises(
        SpecError, match="no metric 'other' in this log; the metrics are exact, strict"
    ):
        load_benchmark(path, columns=Columns(label="other"))
    with pytest.raises(SpecError, match=r"has 1 value: '0\.5' \(10\); expected 0, 1"):
        load_benchmark(path, columns=Columns(label="brevity"))
    path = several(tmp_path, brevity=[0.5] * 10, speed=[0.25] * 10)
    with pytest.raises(SpecError, match=r"the metrics are brevity \(0.5\), speed \(0.25\)"):
        load_benchmark(path)


def test_partial_scores_are_left_out_only_where_that_is_said(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples([*MIXED, "P"]))
    with pytest.raises(SpecError, match=r"no metric of this log is always 0 or 1.*0\.5"):
        load_benchmark(path)
    named = Columns(label="match", unknown="exclude")
    assert len(load_benchmark(path, columns=named).items) == 20


def test_a_log_without_questions_or_scores_says_what_it_lacks(tmp_path):
    made = [{**one, "input": None} for one in samples(MIXED)]
    with pytest.raises(SpecError, match="this log of inspect_ai holds no questions"):
        load_benchmark(write_eval(tmp_path / "a.eval", made))
    unscored = samples([float("nan")] * 4)
    with pytest.raises(SpecError, match="no sample in this log of inspect_ai has a score"):
        load_benchmark(write_eval(tmp_path / "b.eval", unscored, status="error"))


def test_a_file_with_a_question_and_a_label_of_its_own_is_no_log(tmp_path):
    keys = ("eval", "status", "plan")  # those by which a log of inspect_ai is known
    rows = [{"question": f"q{at}", "label": at % 2, **dict.fromkeys(keys, "x")} for at in range(12)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert read_log_records(path, label=None, task=None) is None
    assert load_benchmark(path).labelled_by is None


def test_naming_the_question_reads_the_rows_of_a_log_as_they_are(tmp_path):
    rows = [
        {"doc_id": at, "doc": {"question": f"q{at}"}, "target": "x", "resps": [["x"]],
         "filtered_resps": ["x"], "acc": at % 2}
        for at in range(12)
    ]  # fmt: skip
    path = tmp_path / "samples_facts_2026.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert load_benchmark(path).labelled_by is not None
    plain = load_benchmark(path, columns=Columns(question="doc.question", label="acc"))
    assert plain.labelled_by is None and [item.label for item in plain.items] == [False, True] * 6


def test_a_subset_of_a_log_is_written_as_lines(tmp_path):
    found = load_benchmark(write_eval(tmp_path / "a.eval", samples(MIXED)))
    lines = subset_bytes(found, ["q1", "q2"], "small.jsonl").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["q1", "q2"]
    with pytest.raises(SpecError, match="is a log, so its subset is written as one JSON object"):
        subset_bytes(found, ["q1"], "small.eval")


def test_an_audit_says_what_the_labels_are(tmp_path):
    found = confounds(load_benchmark(write_eval(tmp_path / "a.eval", samples(MIXED))), joint=False)
    assert "log-labels" in {caveat.code for caveat in found.caveats}


def test_scores_of_a_log_pair_with_the_records_of_the_same_log(tmp_path):
    path = several(tmp_path, exact="CI" * 5, grade=[at / 10 for at in range(10)])
    ids = load_benchmark(path, columns=Columns(label="exact")).all_ids
    found = read_log_scores(path, ids=ids, metric="grade")
    assert [dict(one) for one in found.by_epoch] == [{f"q{at}": at / 10 for at in range(10)}]
    with pytest.raises(SpecError, match="2 metrics, expected one: exact, grade") as error:
        read_log_scores(path, ids=ids, metric=None)
    assert error.value.hint == "Which metric is the method's score? Name it: `score=exact`."


def test_each_epoch_scores_the_records_of_a_benchmark(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(["C", "I", None], 2))
    found = read_log_scores(path, ids=["q0", "q1", "q2", "q3"], metric=None)
    assert [dict(one) for one in found.by_epoch] == [{"q0": 1.0, "q1": 0.0}] * 2
    with pytest.raises(SpecError, match="sample 'q2' is not in the benchmark"):
        read_log_scores(path, ids=["q0", "q1"], metric=None)


def test_scores_are_those_of_one_run(tmp_path):
    for name in ("a", "b"):
        write_eval(tmp_path / f"{name}.eval", samples(MIXED), model=name)
    with pytest.raises(SpecError, match="2 runs, expected one: facts, a, facts, b"):
        read_log_scores(tmp_path, ids=["q0"], metric=None)


def test_a_run_of_a_log_leaves_records_unscored_and_never_zero(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(["C", None, "I"], 2))
    benchmark = tmp_path / "b.jsonl"
    rows = [{"id": f"q{at}", "question": "?", "label": at % 2} for at in range(4)]
    benchmark.write_text("\n".join(map(json.dumps, rows)))
    run = run_of_log(path, load_benchmark(benchmark))
    assert run.seeds == 2 and run.isolation == "elsewhere"
    outputs = [(record.item, record.output) for record in run.records if record.seed == 0]
    assert outputs == [("q0", 1.0), ("q1", None), ("q2", 0.0), ("q3", None)]
    many = write_eval(tmp_path / "many.eval", samples(["C", "I"], 6))
    with pytest.raises(SpecError, match="6 epochs, but a run has at most 5 seeds"):
        run_of_log(many, load_benchmark(benchmark))


def test_the_question_of_an_archive_cannot_be_named(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(MIXED))
    with pytest.raises(SpecError, match="a log, whose questions are known") as error:
        load_benchmark(path, columns=Columns(question="input"))
    assert error.value.hint == "Leave out `question=input`."
