import json
import os
from pathlib import Path

import polars
import pytest

from assay.benchmark.benchmark import Benchmark, Columns, Item
from assay.benchmark.load import load_benchmark
from assay.digests import digest
from assay.errors import SpecError, StorageError

ROWS = [
    {"id": "a", "question": "Q1?", "response": "yes", "label": 1, "group": "g"},
    {"id": "b", "question": "Q2?", "response": "", "label": 0, "group": "g"},
]


@pytest.fixture
def written(tmp_path):
    def write(text: str | bytes, name: str = "file.jsonl"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_jsonl_csv_and_parquet_give_the_same_items(written, tmp_path):
    jsonl = load_benchmark(written(lines(ROWS)))
    csv = load_benchmark(
        written("id,question,response,label,group\r\na,Q1?,yes,1,g\r\nb,Q2?,,0,g\r\n", "file.csv")
    )
    polars.DataFrame(ROWS).write_parquet(tmp_path / "file.parquet")
    parquet = load_benchmark(tmp_path / "file.parquet")
    assert jsonl.items == csv.items == parquet.items
    assert len({jsonl.digest, csv.digest, parquet.digest}) == 3
    assert jsonl.grouped


def test_the_digest_is_of_exact_bytes(written):
    text = lines(ROWS)
    assert load_benchmark(written(text)).digest == digest(text.encode())
    assert load_benchmark(written(text + "\n")).digest != digest(text.encode())


def test_columns_are_named_by_flags(written):
    path = written(lines([{"q": "Q?", "a": "A", "verdict": "wrong", "n": 3}]))
    columns = Columns(question="q", response="a", label="verdict", positive="wrong", id="n")
    (item,) = load_benchmark(path, columns=columns).items
    assert (item.id, item.question, item.response, item.label) == ("3", "Q?", "A", True)


def test_a_positive_expression_makes_labels_of_classes(written):
    path = written(lines([{"question": "Q?", "class": c} for c in ("truth", "folklore")]))
    found = load_benchmark(path, columns=Columns(positive="class != truth"))
    assert [item.label for item in found.items] == [False, True]
    assert [item.label for item in load_benchmark(path).items] == [None, None]


def test_records_without_ids_are_numbered(written):
    found = load_benchmark(written(lines([{"question": "Q?", "label": True}] * 2)))
    assert [item.id for item in found.items] == ["1", "2"]


def test_quoted_commas_and_line_breaks_in_csv_are_text(written):
    path = written('question,response,label\n"a, b","c\nd",1\n"e ""f""",g,0\n', "file.csv")
    first, second = load_benchmark(path).items
    assert (first.question, first.response, second.question) == ("a, b", "c\nd", 'e "f"')


OK = '{"question": "Q?", "label": 1}\n'
BAD = {
    "no question": (OK + '{"label": 1}', "line 2: no column 'question'; the columns are 'label'"),
    "a null question": (
        '{"question": null, "label": 1}',
        "line 1, field 'question': expected text, got null",
    ),
    "a list as question": ('{"question": ["Q"], "label": 1}', "got a list"),
    "an empty question": ('{"question": " ", "label": 1}', "field 'question': is empty"),
    "no label": ('{"question": "Q"}', "neither a label nor a class"),
    "an odd label": (
        '{"question": "Q", "label": "maybe"}',
        "expected 0, 1, true or false, got 'maybe'",
    ),
    "a label of 2": ('{"question": "Q", "label": 2}', "got '2'"),
    "an id twice": (
        '{"id":1,"question":"Q","label":1}\n' * 2,
        "line 2: id '1' is also that of line 1",
    ),
    "an id of ours": (
        '{"id":"second/1","question":"Q","label":1}',
        "must not begin with 'second/'",
    ),
    "nothing": ("", "the file is empty"),
    "an array of lists": ("[[1], [2]]", "element 1: expected an object, got a list"),
    "a number a line": ("1\n2\n", "line 1: expected an object, got 1"),
    "a broken line": (OK + '{"question": "Q"', "line 2, column"),
    "a key twice": ('{"question": "Q", "question": "R", "label": 1}', "occurs twice in one object"),
    "NaN": ('{"question": "Q", "label": NaN}', "NaN is not JSON"),
    "latin-1": (b'{"question": "caf\xe9", "label": 1}', "line 1: byte 17 (0xe9) is not UTF-8"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_slightly_wrong_is_refused_with_the_place(name, written):
    text, words = BAD[name]
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(text))
    assert "file.jsonl" in caught.value.message
    assert words in caught.value.message


BAD_CSV = {
    "a missing cell": ("question,label\nQ,1\nR\n", "line 3: 1 cell, expected 2 as in the header"),
    "a column twice": ("question,question\nQ,R\n", "line 1: column 'question' occurs twice"),
    "an open quote": ('question,label\n"Q,1\n', "not CSV"),
    "no rows": ("question,label\n", "no records"),
    "other names": ("q,label\nQ,1\n", "line 2: no column 'question'; the columns are 'q', 'label'"),
}


@pytest.mark.parametrize("name", BAD_CSV)
def test_a_csv_that_is_slightly_wrong_is_refused_with_the_place(name, written):
    text, words = BAD_CSV[name]
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(text, "file.csv"))
    assert words in caught.value.message


def test_a_column_error_names_the_flag(written):
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(lines([{"zz": "Q?", "label": 1}])))
    assert caught.value.hint.startswith(
        "Which column holds the question? Name it: `question=COLUMN`. A file without questions:"
    )


def test_a_column_that_usually_holds_the_question_is_proposed(written):
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(lines([{"prompt": "Q?", "label": 1}])))
    assert caught.value.hint.startswith("Did you mean `question=prompt`?")


def test_a_url_is_not_fetched():
    with pytest.raises(SpecError, match="is a URL, and nothing is fetched"):
        load_benchmark("https://example.org/rows.jsonl")


def test_other_files_and_missing_ones_are_refused(written, tmp_path):
    with pytest.raises(SpecError, match=r"neither JSON nor a table.* it begins with 'x'"):
        load_benchmark(written("x", "file.txt"))
    with pytest.raises(SpecError, match="neither a bundled name"):
        load_benchmark(tmp_path / "absent.jsonl")
    with pytest.raises(SpecError, match="not Parquet"):
        load_benchmark(written("x", "file.parquet"))


def test_what_is_not_a_regular_file_is_refused_and_never_waited_for(tmp_path):
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(SpecError, match="no data files in this folder"):
        load_benchmark(tmp_path / "folder.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path / "pipe.jsonl", Path("/dev/zero")):
        with pytest.raises(SpecError, match="not a regular file"):
            load_benchmark(path)


def test_a_name_too_long_for_the_disk_is_an_error_of_ours():
    with pytest.raises(StorageError, match="File name too long"):
        load_benchmark("x" * 5000 + ".jsonl")


def test_equal_questions_form_groups_where_none_is_named(written):
    rows = [{"question": f"Q{i % 15}", "response": str(i), "label": i % 2} for i in range(30)]
    found = load_benchmark(written(lines(rows)))
    assert (found.grouping, found.grouped) == ("question", True)
    assert found.items[0].unit == found.items[15].unit != found.items[1].unit
    fixed = [{**row, "question": "Rate this."} for row in rows]
    found = load_benchmark(written(lines(fixed)))
    assert (found.grouping, found.grouped, found.repeated_questions) == (None, False, 29)
    named = [{**row, "group": str(i)} for i, row in enumerate(rows)]
    assert load_benchmark(written(lines(named))).grouping == "named"


def test_an_empty_group_is_no_group(written):
    path = written("question,label,group\nQ,1,a\nR,0,a\nS,0,\nT,1, \n", "file.csv")
    assert [item.group for item in load_benchmark(path).items] == ["a", "a", None, None]


def test_labels_as_pandas_writes_them(written):
    path = written("question,label\nQ,1.0\nR,0.0\n", "file.csv")
    assert [item.label for item in load_benchmark(path).items] == [True, False]


def test_a_positive_value_that_never_occurs_is_a_misspelling(written):
    path = written("question,label\nQ,yes\nR,no\n", "file.csv")
    with pytest.raises(SpecError, match="no record has the value 'Yes'"):
        load_benchmark(path, columns=Columns(label="label", positive="Yes"))


def test_other_separators_are_recognised(written):
    path = written("question;response;label\nQ;a;1\n", "file.csv")
    assert load_benchmark(path).items[0].response == "a"
    tabs = load_benchmark(written("question\tlabel\nQ\t1\n", "file.tsv"))
    assert tabs.items[0].question == "Q"


def test_a_column_of_nearly_that_name_is_suggested(written):
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(lines([{"Question": "Q?", "label": 1}])))
    assert caught.value.hint.startswith("Did you mean 'Question'?")


def test_columns_of_a_bundled_benchmark_are_not_named():
    with pytest.raises(SpecError, match="darkcore is bundled"):
        load_benchmark("darkcore", columns=Columns(label="x"))


def test_a_benchmark_cannot_be_its_own_second_corpus():
    with pytest.raises(SpecError, match="cannot be its own second corpus"):
        load_benchmark("darkcore", second="darkcore")


def test_many_columns_are_listed_in_part_and_soon(written):
    header = ",".join(f"c{i}" for i in range(20_000))
    with pytest.raises(SpecError) as caught:
        load_benchmark(written(f"{header}\n{header}\n", "file.csv"))
    assert len(caught.value.message) < 500


def test_a_benchmark_made_in_memory_is_checked_too():
    with pytest.raises(SpecError, match="neither a label nor a class"):
        Item(id="1", question="Q")
    item = Item(id="1", question="Q", label=True)
    with pytest.raises(SpecError, match="occurs 2 times"):
        Benchmark(name="b", digest="d", items=(item, item))


def test_without_polars_the_extra_is_named(written, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(SpecError) as caught:
        load_benchmark(written("PAR1", "file.parquet"))
    assert caught.value.hint == "pip install 'assay-eval[parquet]'"
