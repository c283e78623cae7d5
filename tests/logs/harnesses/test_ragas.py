import json

import pytest

from assay.errors import SpecError
from assay.logs.format_table import is_log, read_log
from assay.logs.means import mean_of

DATASET = "id,question,target\nq1,1 + 1?,2\nq2,1 + 2?,3\nq3,1 + 3?,4\n"
ROWS = (
    ("q2", "1 + 2?", "3", "3", "1.0", "pass", "0.5"),
    ("q1", "1 + 1?", "2", "5", "", "fail", "0.25"),
)
HEADER = "id,question,target,output,exact,verdict,latency"


def write(root, rows=ROWS, header=HEADER, dataset=DATASET):
    (root / "datasets").mkdir()
    (root / "experiments").mkdir()
    (root / "datasets" / "sums.csv").write_text(dataset)
    path = root / "experiments" / "one.csv"
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n")
    return path


def test_an_experiment_lacks_the_rows_that_failed(tmp_path):
    [run] = read_log(write(tmp_path), texts=True)
    assert (run.task, run.model, run.planned, run.failed) == ("sums", "one", 3, 1)
    assert [sample.instance for sample in run.samples] == ["q2", "q1"]
    assert [sample.scores for sample in run.samples] == [
        {"exact": 1.0, "verdict": 1.0},
        {"exact": None, "verdict": 0.0},
    ]
    assert run.samples[0].costs == {"latency": 0.5}
    assert (run.samples[1].question, run.samples[1].response) == ("1 + 1?", "5")
    assert run.means == ()


def test_repeats_are_trials_in_the_order_of_rows(tmp_path):
    [run] = read_log(write(tmp_path, (*ROWS, ROWS[0])))
    named = [(sample.instance, sample.trial) for sample in run.samples]
    assert named == [("q2", "1"), ("q1", "1"), ("q2", "2")]
    assert run.planned is None


def test_a_row_that_no_dataset_has_makes_it_another_table(tmp_path):
    planted = ("q9", "1 + 9?", "10", "10", "1.0", "pass", "0.5")
    path = write(tmp_path)
    assert is_log(path)
    path.write_text(path.read_text() + ",".join(planted) + "\n")
    assert not is_log(path)


def test_a_dataset_is_no_log_and_neither_is_a_table_elsewhere(tmp_path):
    path = write(tmp_path)
    assert not is_log(tmp_path / "datasets" / "sums.csv")
    moved = tmp_path / "one.csv"
    path.rename(moved)
    assert not is_log(moved)


def test_a_dataset_without_ids_pairs_by_the_first_column_that_tells_rows_apart(tmp_path):
    dataset = "kind,question\nsum,a\nsum,b\n"
    rows = [("sum", "b", "1"), ("sum", "a", "0")]
    [run] = read_log(write(tmp_path, rows, "kind,question,exact", dataset))
    assert [sample.instance for sample in run.samples] == ["b", "a"]


def test_a_number_may_be_written_in_another_way(tmp_path):
    path = write(tmp_path, [("1.0", "", "1")], "id,note,exact", "id,note\n1,\n2,nan\n")
    assert [sample.instance for sample in read_log(path)[0].samples] == ["1"]


def test_experiments_may_be_lines_of_json(tmp_path):
    for name, rows in (
        ("datasets/sums.jsonl", [{"id": 1, "question": "a"}, {"id": 2, "question": "b"}]),
        ("experiments/one.jsonl", [{"id": 2, "question": "b", "exact": 0.5}]),
    ):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [run] = read_log(path)
    assert (run.samples[0].instance, run.samples[0].scores, run.failed) == ("2", {"exact": 0.5}, 1)


def saved(folder, text):
    path = folder / "result.csv"
    path.write_text(text)
    return path


def test_a_result_of_evaluate_pairs_by_its_input(tmp_path):
    text = 'user_input,response,reference,faithfulness,note\n"a, b?",x,y,0.5,n\nc?,x,y,,n\n'
    [run] = read_log(saved(tmp_path, text), texts=True)
    assert [sample.instance for sample in run.samples] == ["a, b?", "c?"]
    assert [sample.scores for sample in run.samples] == [
        {"faithfulness": 0.5},
        {"faithfulness": None},
    ]
    assert mean_of(run.samples, "faithfulness", "rows") == 0.5
    assert run.samples[0].target == "y"


def test_one_input_with_two_references_is_two_instances(tmp_path):
    text = "user_input,response,reference,exact\na,x,1,1\na,x,2,0\n"
    [run] = read_log(saved(tmp_path, text))
    assert len({sample.instance for sample in run.samples}) == 2
    assert {sample.trial for sample in run.samples} == {"1"}


def test_results_of_old_versions_have_other_columns(tmp_path):
    text = "question,contexts,answer,ground_truth,faithfulness\na,[],x,y,1.0\n"
    [run] = read_log(saved(tmp_path, text), texts=True)
    assert run.samples[0].scores == {"faithfulness": 1.0}
    assert run.samples[0].response == "x"


@pytest.mark.parametrize(
    "text",
    [
        "question,answer,score\na,b,1\n",
        "instance,user_input,response,score\na,b,c,1\n",
        "user_input,score\na,1\n",
        "score,user_input,response\n1,a,b\n",
        "user_input,response\na,b\n",
        "",
        "\x00\x01",
    ],
)
def test_ordinary_tables_are_no_log(tmp_path, text):
    assert not is_log(saved(tmp_path, text))


def test_a_result_without_scores_says_so(tmp_path):
    with pytest.raises(SpecError, match="no column of scores; the columns are user_input"):
        read_log(saved(tmp_path, "user_input,response,grade\na,b,good\n"))
