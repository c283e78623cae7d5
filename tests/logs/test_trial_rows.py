import json
import os

import polars
import pytest
from helpers.sides import read_two
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.benchmark.expression import parse_expression
from assay.logs.trial_rows import TrialColumns, read_rows
from assay.tables.source import TableSource


def read(path, text, **columns):
    data = text if isinstance(text, bytes) else text.encode()
    return read_rows(a_source(path, data), TrialColumns(**columns)).sides[None]


def a_source(path, data):
    return TableSource(place=str(path), name=str(path), files=((str(path), data),))


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_a_row_is_a_trial():
    (one,) = read(
        "a.jsonl",
        lines(
            {
                "instance": "q",
                "trial": 1,
                "grounded": True,
                "recall": 0.5,
                "tokens": 12,
                "note": "fine",
                "harness.model": "m",
                "harness": {"params": {"b": 1, "a": 2}, "profile": None},
                "scorer": "s",
                "run": "r",
                "artifact": "sha256:1",
                "status": "ok",
                "id": 7,
                "seed": 1,
            }
        ),
    )
    assert (one.instance, one.trial) == ("q", "1")
    assert one.dimensions == {"grounded": 1.0, "recall": 0.5, "tokens": 12.0}
    assert one.harness == {"model": "m", "params": "{a: 2, b: 1}"}
    assert (one.scorer, one.run, one.artifact, one.crashed) == ("s", "r", "sha256:1", False)


def test_csv_jsonl_tsv_and_parquet_give_the_same_trials(tmp_path):
    rows = [{"instance": f"q{i}", "trial": 1, "acc": i / 4, "harness.model": "m"} for i in range(4)]
    frame = polars.DataFrame(rows)
    frame.write_csv(tmp_path / "a.csv")
    frame.write_csv(tmp_path / "a.tsv", separator="\t")
    frame.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text(lines(*rows), encoding="utf-8")
    found = [
        read_two([tmp_path / f"a.{kind}"], [])[0][0].trials
        for kind in ("csv", "tsv", "parquet", "jsonl")
    ]
    assert all(one == found[0] for one in found)
    assert len(found[0]) == 4


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_marks_of_windows_are_read_over(end, mark):
    table = end.join(["instance,trial,acc", "q,1,0.5", ""]).encode()
    assert read("a.csv", mark + table) == read("a.csv", "instance,trial,acc\nq,1,0.5\n")
    row = (json.dumps({"instance": "q", "trial": 1, "acc": 0.5}) + end).encode()
    assert read("a.jsonl", mark + row) == read("a.csv", "instance,trial,acc\nq,1,0.5\n")


def test_whole_numbers_name_instances_alike_in_every_format():
    assert read("a.csv", "instance,acc\n7,1\n")[0].instance == "7"
    for written in (7, 7.0, "7"):
        assert read("a.jsonl", lines({"instance": written, "acc": 1}))[0].instance == "7"


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1", 1.0),
        (" 0.5 ", 0.5),
        ("1e-3", 0.001),
        ("True", 1.0),
        ("FALSE", 0.0),
        ("", None),
        (" ", None),
        ("nan", None),
        ("NA", None),
        ("n/a", None),
        ("null", None),
        ("None", None),
    ],
)
def test_cells_are_numbers_truths_or_gaps(cell, value):
    first, _ = read("a.csv", f"instance,acc\nq,{cell}\nr,1\n")
    assert first.dimensions == {"acc": value}


@pytest.mark.parametrize("cell", ["-", "?", "yes", "1_0", "٣", "0x1", '"0,5"', "1 2"])
def test_a_word_among_numbers_is_refused_and_not_dropped_with_its_column(cell):
    with pytest.raises(assay.SpecError, match="column 'acc' holds both numbers and"):
        read("a.csv", f"instance,acc,b\nq,{cell},1\nr,1,1\n")


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e400"])
def test_no_score_is_infinite(cell):
    with pytest.raises(assay.SpecError, match="is not a score"):
        read("a.csv", f"instance,acc\nq,{cell}\n")


def test_columns_of_words_are_no_dimensions():
    (one,) = read("a.csv", "instance,acc,note,empty\nq,1,good,\n")
    assert set(one.dimensions) == {"acc"}


def test_a_key_that_a_line_lacks_is_a_gap():
    first, second = read(
        "a.jsonl", lines({"instance": "q", "acc": 1, "b": 0}, {"instance": "r", "acc": 1})
    )
    assert first.dimensions["b"] == 0.0
    assert second.dimensions["b"] is None


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", "", "is empty"),
        ("a.csv", "", "is empty"),
        ("a.csv", "instance,acc\n", "no rows"),
        ("a.jsonl", "[1]", "element 1: expected an object, got 1"),
        ("a.jsonl", "1\n", "expected an object"),
        ("a.jsonl", "{'instance': 1}", "not JSON"),
        (
            "a.jsonl",
            lines({"id": "q", "acc": 1}),
            "no column 'instance'; the columns are 'id', 'acc'",
        ),
        ("a.csv", "Instance,acc\nq,1\n", "no column 'instance'; the columns are 'Instance', 'acc'"),
        ("a.csv", "instance;acc\nq;1;2\n", "3 cells, expected 2"),
        ("a.csv", "instance,acc,acc\nq,1,1\n", "occurs twice"),
        ("a.csv", "instance,acc\nq,1,1\n", "3 cells"),
        ("a.csv", "instance,acc\n,1\n", "no instance"),
        ("a.csv", "instance,note\nq,good\n", "no column holds numbers"),
        ("a.jsonl", lines({"instance": "q", "scores": {"acc": "x"}}), "no column holds numbers"),
        ("a.jsonl", lines({"instance": None, "acc": 1}), "no instance"),
        ("a.jsonl", lines({"instance": [1], "acc": 1}), "cannot name an instance"),
        ("a.jsonl", lines({"instance": True, "acc": 1}), "cannot name an instance"),
        ("a.jsonl", lines({"instance": 1.5, "acc": 1}), "cannot name an instance"),
        ("a.jsonl", '{"instance": "q", "acc": NaN}', "NaN is not JSON"),
        ("a.jsonl", '{"instance": "q", "acc": 1e400}', "too large to hold"),
        ("a.jsonl", '{"instance": "q", "acc": 1' + "0" * 400 + "}", "too large to hold"),
        ("a.jsonl", '{"instance": "q", "acc": 1, "acc": 0}', "occurs twice"),
        ("a.jsonl", '{"instance": "' + "x" * (1 << 20) + '"}', "at most 1,048,576 allowed"),
        ("a.csv", 'instance,acc\n"' + "x" * (1 << 21) + '",1\n', "field larger"),
        ("a.csv", b"instance,acc\n\xff,1\n", "not UTF-8"),
        ("a.json", "{}", "one JSON object that holds no array of objects"),
        ("a.parquet", "PAR1", "not Parquet"),
    ],
    ids=lambda text: str(text)[:40],
)
def test_rows_that_cannot_be_read_are_refused_and_say_why(name, text, said):
    with pytest.raises(assay.SpecError) as error:
        read(name, text)
    assert said in error.value.message
    assert error.value.message.startswith(name)


@given(st.binary(max_size=80), st.sampled_from(["a.jsonl", "a.csv", "a.tsv"]))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_trials_or_a_refusal(data, name):
    try:
        assert read(name, data)
    except assay.SpecError as error:
        assert error.message


def test_columns_may_be_called_otherwise():
    (one,) = read(
        "a.csv",
        "case,rep,acc,trial\nq,3,1,9\n",
        instance="case",
        trial="rep",
    )
    assert (one.instance, one.trial, one.dimensions) == ("q", "3", {"acc": 1.0})


def test_a_column_of_runs_that_numbers_the_trials_is_no_id():
    rows = read("a.csv", "instance,run,acc\nq,1,1\nr,1,1\n", trial="run")
    assert [(one.trial, one.run) for one in rows] == [("1", None)] * 2


def test_only_the_columns_that_were_named_are_read():
    (one,) = read("a.csv", "instance,acc,b,note\nq,1,0,x\n", dimensions=("b",))
    assert one.dimensions == {"b": 0.0}
    with pytest.raises(assay.SpecError, match="no column 'c'"):
        read("a.csv", "instance,acc\nq,1\n", dimensions=("c",))
    with pytest.raises(assay.SpecError, match="expected numbers, got 'x'"):
        read("a.csv", "instance,note\nq,x\n", dimensions=("note",))


@pytest.mark.parametrize(
    ("status", "error", "crashed"),
    [
        ("ok", "", False),
        ("", "", False),
        ("crashed", "", True),
        ("Timed out", "", True),
        ("timed_out", "", True),
        ("killed", "", True),
        ("ok", "ValueError: no", True),
        ("ok", "None", False),
        ("ok", "false", False),
        ("ok", "0", False),
    ],
)
def test_a_run_crashed_where_its_status_or_its_error_says_so(status, error, crashed):
    (one,) = read("a.csv", f"instance,acc,status,error\nq,1,{status},{error}\n")
    assert one.crashed is crashed


def test_a_rate_of_errors_that_is_asked_for_is_a_score_and_no_crash():
    (one,) = read("a.csv", "instance,error\nq,0.25\n", dimensions=("error",))
    assert one.dimensions == {"error": 0.25}
    assert not one.crashed


def test_a_harness_that_is_one_word_is_kept():
    (one,) = read("a.csv", "instance,acc,harness\nq,1,v2\n")
    assert one.harness == {"harness": "v2"}


def test_a_pipe_that_is_called_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(assay.SpecError, match="not a regular file"):
        read_two([tmp_path / "a.jsonl"], [])


def test_the_same_file_twice_is_the_same_run(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("instance,acc\nq,1\n", encoding="utf-8")
    (tmp_path / "b.csv").symlink_to(path)
    (tmp_path / "c.csv").hardlink_to(path)
    for other in ("a.csv", "b.csv", "c.csv"):
        with pytest.raises(assay.errors.IncomparableRuns):
            read_two([path], [tmp_path / other])


def test_objects_inside_a_row_are_columns_with_a_dot():
    row = {"instance": "q", "score": {"correct": True, "inner": {"deep": 0.5}}, "harness": {"a": 1}}
    (one,) = read("a.jsonl", lines(row))
    assert one.dimensions == {"score.correct": 1.0, "score.inner.deep": 0.5}
    assert one.harness == {"a": "1"}


def test_a_model_is_part_of_the_harness_whatever_its_column_is_called():
    (one,) = read("a.csv", "instance,acc,model\nq,1,small\n")
    assert one.harness == {"model": "small"}
    assert set(one.dimensions) == {"acc"}


def test_trials_are_read_from_other_forms_and_from_inside():
    rows = [{"doc": {"q": f"q{i}"}, "scores": [{"v": i / 2}]} for i in range(3)]
    found = read("a", json.dumps(rows), instance="doc.q", dimensions=("scores.0.v",))
    assert [(one.instance, one.dimensions) for one in found] == [
        (f"q{i}", {"scores.0.v": i / 2}) for i in range(3)
    ]
    assert read("a", "instance;acc\nq;1\n".encode("utf-16"), encoding="utf-16")[0].instance == "q"
    with pytest.raises(
        assay.SpecError, match=r"the columns are 'doc\.q', 'scores', 'scores\.0', 'sc"
    ):
        read("a", json.dumps(rows))


def test_every_fault_of_a_file_of_trials_is_told_at_once():
    table = "instance,acc\nq,1\n,1\nr,1,1\n,0\n"
    with pytest.raises(assay.SpecError, match="line 4: 3 cells"):
        read("a.csv", table)
    with pytest.raises(assay.SpecError) as caught:
        read("a.csv", table.replace("r,1,1", "r,1"))
    assert "a.csv, line 3: no instance, and 1 more fault" in caught.value.message
    assert caught.value.details == ("line 5: no instance",)


ROWS = lines(
    *(
        {"instance": f"q{n}", "flagged": n % 3 == 0, "fold": float(n % 2), "acc": 0.5}
        for n in range(6)
    )
)


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("flagged == true", ["q0", "q3"]),
        ("flagged != true", ["q1", "q2", "q4", "q5"]),
        ("flagged == false and fold == 1", ["q1", "q5"]),
        ("fold != 1", ["q0", "q2", "q4"]),
    ],
)
def test_a_filter_compares_cells_as_people_write_them(where, kept):
    found = parse_expression(where, fields=None)
    trials = read_rows(a_source("a.jsonl", ROWS.encode()), TrialColumns(), where=found).sides[None]
    assert [trial.instance for trial in trials] == kept


def test_sides_are_called_as_people_write_cells():
    for by, names in (("flagged", {"true", "false"}), ("fold", {"0", "1"})):
        read_by = read_rows(a_source("a.jsonl", ROWS.encode()), TrialColumns(), by=by)
        assert set(read_by.sides) == names


def test_columns_that_split_or_filter_are_no_dimensions_unless_asked_for():
    where = parse_expression("fold == 1", fields=None)

    def names(**columns):
        found = read_rows(
            a_source("a.jsonl", ROWS.encode()), TrialColumns(**columns), by="flagged", where=where
        )
        return {
            name for trials in found.sides.values() for one in trials for name in one.dimensions
        }

    assert names() == {"acc"}
    assert names(dimensions=("acc", "fold", "flagged")) == {"acc", "fold", "flagged"}


def test_percentages_among_words_are_no_scores():
    with pytest.raises(assay.SpecError, match="acc: words: 87%, high"):
        read("a.csv", "instance,acc\nq,87%\np,high\n")


def test_a_file_with_no_number_but_those_it_is_filtered_by_has_no_scores():
    text = lines({"instance": "q", "fold": 1, "note": "x"})
    where = parse_expression("fold == 1", fields=None)
    with pytest.raises(assay.SpecError, match="no column holds numbers"):
        read_rows(a_source("a.jsonl", text.encode()), TrialColumns(), where=where)
