import json

import polars
import pytest

from assay.errors import SpecError, StorageError
from assay.logs.scores import load_scores

IDS = ("a", "b", "c")


@pytest.fixture
def written(tmp_path):
    def write(text, name="judge.jsonl"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_jsonl_csv_tsv_and_parquet_give_the_same_scores(written, tmp_path):
    rows = [{"id": name, "score": number} for name, number in zip(IDS, (0.5, -1, 2e3), strict=True)]
    polars.DataFrame(rows, strict=False).write_parquet(tmp_path / "judge.parquet")
    for path in (
        written(lines(*rows)),
        written("id,score\na,0.5\nb,-1\nc,2e3\n", "judge.csv"),
        written("score\tid\r\n0.5\ta\r\n-1\tb\r\n2e3\tc\r\n", "judge.tsv"),
        tmp_path / "judge.parquet",
    ):
        assert load_scores(path, ids=IDS) == {"a": 0.5, "b": -1.0, "c": 2000.0}


def test_any_order_and_other_columns_will_do(written):
    path = written(lines({"note": [1], "score": True, "id": "c"}, {"id": "a", "score": "0.25"}))
    assert load_scores(path, ids=IDS) == {"c": 1.0, "a": 0.25}


def test_a_line_without_a_score_leaves_its_record_unscored(written):
    path = written(lines({"id": "a", "score": None}, {"id": "b", "score": 1}))
    assert load_scores(path, ids=IDS) == {"b": 1.0}
    path = written("id,score\na,\nb,1\n", "judge.csv")
    assert load_scores(path, ids=IDS) == {"b": 1.0}


def test_without_ids_the_nth_line_is_the_nth_record(written):
    path = written("score\n3\n1\n2\n", "judge.csv")
    assert load_scores(path, ids=("1", "2", "3")) == {"1": 3.0, "2": 1.0, "3": 2.0}


def test_without_ids_a_benchmark_with_ids_is_not_guessed_at(written):
    with pytest.raises(SpecError, match="the benchmark have ids"):
        load_scores(written(lines({"score": 1}, {"score": 2})), ids=IDS)


def test_columns_may_have_other_names(written):
    path = written(lines({"nr": "a", "p_wrong": 0.5, "score": 9}))
    assert load_scores(path, ids=IDS, column="p_wrong", id_column="nr") == {"a": 0.5}
    with pytest.raises(SpecError, match="no column 'uid'"):
        load_scores(path, ids=IDS, id_column="uid")


def test_numbers_serve_as_ids(written):
    path = written(lines({"id": 7, "score": 1}, {"id": "8", "score": 2}))
    assert load_scores(path, ids=("7", "8")) == {"7": 1.0, "8": 2.0}


REFUSED = {
    "an unknown id": (lines({"id": "z", "score": 1}), "line 1: id 'z' is not in the benchmark"),
    "an id twice": (lines(*[{"id": "a", "score": 1}] * 2), "line 2: a second score for 'a'"),
    "no score": (lines({"id": "a", "p": 1}), "no column 'score'; the columns are 'id', 'p'"),
    "NaN": ('{"id": "a", "score": NaN}', "NaN is not JSON"),
    "NaN as text": (lines({"id": "a", "score": "nan"}), "expected a finite number, got 'nan'"),
    "infinity as text": (lines({"id": "a", "score": "-inf"}), "got '-inf'"),
    "a number too large": ('{"id": "a", "score": 1e999}', "too large"),
    "a whole number too large": (lines({"id": "a", "score": 10**400}), "a finite number"),
    "a word": (lines({"id": "a", "score": "high"}), "got 'high'"),
    "a list": (lines({"id": "a", "score": [1]}), "got a list"),
    "a mapping": (lines({"id": "a", "score": {"score": 1}}), "got an object"),
    "nothing": ("", "is empty"),
    "no score at all": (lines({"id": "a", "score": None}), "no scores"),
    "a list of numbers": ("[1, 2]", "element 1: expected an object, got 1"),
    "not UTF-8": (b'{"id": "a", "score": "\xff"}', "is not UTF-8"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_score_is_refused_with_its_place(written, name):
    text, words = REFUSED[name]
    path = written(text)
    with pytest.raises(SpecError) as caught:
        load_scores(path, ids=IDS)
    assert "judge.jsonl" in caught.value.message
    assert words in caught.value.message


def test_scores_in_a_file_may_be_percentages_or_have_decimal_commas(written, tmp_path):
    readings = {}
    rows = [{"id": "a", "score": "52.4%"}, {"id": "b", "score": "9 %"}, {"id": "c", "score": ""}]
    assert load_scores(written(lines(*rows)), ids=IDS, readings=readings) == {"a": 0.524, "b": 0.09}
    assert readings == {"score": "percentages, 52.4% is 0.524"}
    (tmp_path / "s.csv").write_text("id;score\na;0,447\nb;1\n")
    assert load_scores(tmp_path / "s.csv", ids=IDS) == {"a": 0.447, "b": 1.0}


def test_percentages_beside_other_scores_are_refused(written):
    rows = [{"id": "a", "score": "52.4%"}, {"id": "b", "score": 0.5}]
    with pytest.raises(SpecError, match=r"both percentages, such as '52.4%', and numbers"):
        load_scores(written(lines(*rows)), ids=IDS)
    with pytest.raises(SpecError, match="got '1,234'"):
        load_scores(written(lines({"id": "a", "score": "1,234"})), ids=IDS)


def test_faults_are_refused_together(written):
    rows = [{"id": "a", "score": "high"}, {"id": "z", "score": 1}, {"id": "b", "score": 1}]
    with pytest.raises(SpecError) as caught:
        load_scores(written(lines(*rows, rows[2])), ids=IDS)
    assert "line 1, field 'score'" in str(caught.value)
    assert "and 2 more faults" in caught.value.message
    assert [detail[:7] for detail in caught.value.details] == ["line 4:", "line 1,"]


def test_scores_by_line_pass_over_their_ids(written):
    path = written(lines({"id": "x", "score": 3}, {"id": "x", "score": 1}))
    assert load_scores(path, ids=("1", "2"), by_line=True) == {"1": 3.0, "2": 1.0}
    with pytest.raises(SpecError, match="id 'x' is not in the benchmark"):
        load_scores(path, ids=("1", "2"))


def test_nan_in_parquet_is_refused(tmp_path):
    frame = polars.DataFrame({"id": ["a", "b"], "score": [0.5, float("nan")]})
    frame.write_parquet(tmp_path / "judge.parquet")
    with pytest.raises(SpecError, match="row 2, field 'score': expected a finite number, got nan"):
        load_scores(tmp_path / "judge.parquet", ids=IDS)


def test_what_is_no_file_of_scores_is_refused(written, tmp_path):
    for path in (tmp_path / "nothere.jsonl", tmp_path, written("a", "judge.txt")):
        with pytest.raises(SpecError):
            load_scores(path, ids=IDS)
    with pytest.raises(StorageError):
        load_scores(tmp_path / ("x" * 300), ids=IDS)


def test_without_ids_the_place_counts_and_not_the_number(written):
    path = written("score\n3\n1\n", "judge.csv")
    with pytest.raises(SpecError, match="the benchmark have ids"):
        load_scores(path, ids=("2", "1"))
    assert load_scores(path, ids=("1", "2")) == {"1": 3.0, "2": 1.0}


def test_scores_are_read_from_other_forms_and_from_inside(written):
    rows = [{"meta": {"id": name}, "out": [{"s": 0.5}]} for name in IDS]
    path = written(json.dumps({"data": rows}), "judge.json")
    found = load_scores(path, ids=IDS, column="out.0.s", id_column="meta.id")
    assert found == dict.fromkeys(IDS, 0.5)
    with pytest.raises(SpecError, match=r"the columns are 'meta', 'out', 'meta\.id', 'out\.0'"):
        load_scores(path, ids=IDS)
    wide = written("id|score\na|1\n".encode("utf-16"), "judge.txt")
    assert load_scores(wide, ids=IDS, encoding="utf-16") == {"a": 1.0}
