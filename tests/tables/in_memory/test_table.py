import datetime
import decimal
import enum
import gzip
import io
import json
import uuid
from pathlib import PurePosixPath

import numpy as np
import pandas
import polars
import pytest

import assay
from assay import SpecError
from assay.tables.in_memory.table import table_in_memory
from assay.tables.in_memory.values import label_texts

ROWS = [
    {"id": 1, "question": "Is it?", "label": True, "x": None},
    {"id": 2, "question": "Was it?", "label": False, "x": 2.5},
]


class FakeDataset:
    """As a Dataset of Hugging Face gives its rows."""

    column_names = ("id", "question", "label", "x")

    def __init__(self, rows):
        self.rows = rows

    def to_list(self):
        return self.rows

    def to_dict(self):
        raise AssertionError("gives columns, not rows")


class FakeArrow:
    """As a Table of Arrow gives its rows."""

    column_names = ("id", "question", "label", "x")

    def to_pylist(self):
        return ROWS


def rows_of(data, **named):
    return [row for _, row in table_in_memory(data, **named).rows()]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (ROWS, "rows"),
        (tuple(ROWS), "rows"),
        ((row for row in ROWS), "rows"),
        ({name: [row[name] for row in ROWS] for name in ROWS[0]}, "rows"),
        (pandas.DataFrame(ROWS, index=[7, 9]), "frame"),
        (polars.DataFrame(ROWS), "frame"),
        (polars.LazyFrame(ROWS), "frame"),
        (FakeDataset(ROWS), "dataset"),
        (FakeArrow(), "table"),
    ],
    ids=["list", "tuple", "iterator", "columns", "pandas", "polars", "lazy", "dataset", "arrow"],
)
def test_the_same_rows_are_the_same_bytes_whatever_holds_them(data, name):
    table = table_in_memory(data)
    assert table.files[0][1] == b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)
    assert (table.name, table.place) == (name, f"the {name}")
    labels = ["", ""] if table.index is None else [" (index 7)", " (index 9)"]
    assert (table.index is None) == (not isinstance(data, pandas.DataFrame))
    assert [place for place, _ in table.rows()] == [
        f"the {name}, row {number}{label}" for number, label in enumerate(labels, 1)
    ]


def test_what_is_missing_is_null():
    frame = pandas.DataFrame(
        {
            "float": [1.5, float("nan")],
            "integer": pandas.array([1, None], dtype="Int64"),
            "object": ["a", pandas.NA],
            "time": [pandas.Timestamp("2026-01-02"), pandas.NaT],
            "category": pandas.Categorical(["a", None]),
            "nested": [{"a": [1, None]}, [float("nan"), pandas.NA, np.datetime64("NaT")]],
        }
    )
    first, second = rows_of(frame)
    assert first == {
        "float": 1.5,
        "integer": 1,
        "object": "a",
        "time": "2026-01-02T00:00:00",
        "category": "a",
        "nested": {"a": [1, None]},
    }
    assert second == {**dict.fromkeys(first), "nested": [None, None, None]}


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.datetime64("2026-01-02"), "2026-01-02"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (decimal.Decimal("0.5"), 0.5),
        (decimal.Decimal("NaN"), None),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (Colour.RED, "red"),
        (("a", ("b",)), ["a", ["b"]]),
    ],
)
def test_a_value_becomes_what_json_has(value, plain):
    assert rows_of([{"a": value}]) == [{"a": plain}]


def deep():
    inner = []
    inner.append(inner)
    return inner


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"x", "row 1, column 'a': a value of type bytes"),
        (object(), "column 'a': a value of type object"),
        (float("inf"), "column 'a': inf is not a finite number"),
        ({1: 2}, "column 'a': a key is 1"),
        (deep(), "column 'a': nested deeper than 32 levels"),
        ("\ud800", "the rows, row 1: cannot be written as JSON"),
        ([10**5000], "the rows, row 1: cannot be written as JSON"),
    ],
)
def test_what_json_has_not_is_refused_with_its_row_and_column(value, said):
    with pytest.raises(SpecError, match=said):
        table_in_memory([{"a": value}])


class Broken:
    def to_dicts(self):
        raise ZeroDivisionError("theirs")


def breaking():
    yield ROWS[0]
    raise KeyError("gone")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "no rows are given"),
        ({}, "no rows are given"),
        (pandas.DataFrame({"a": []}), "no rows in the frame"),
        (polars.DataFrame({"a": []}), "no rows in the frame"),
        ("rows", "got str, which holds no rows"),
        (3, "got int, which holds no rows"),
        (None, "got NoneType, which holds no rows"),
        (pandas.Series([1]), "got Series, which holds no rows"),
        (np.zeros((2, 2)), "got ndarray, which holds no rows"),
        (pandas.DataFrame, "cannot be read: TypeError"),
        ([1, 2], "row 1: expected a mapping of columns to values, got int"),
        ([*ROWS, None], "row 3: expected a mapping of columns to values, got NoneType"),
        ({"a": [1], "b": [1, 2]}, "columns of different lengths: 'a' has 1, 'b' has 2"),
        (ROWS[0], "column 'id' is int, expected a list of values"),
        (pandas.DataFrame([[1, 2]]), "row 1: a column is named 0 .int., expected text"),
        (pandas.DataFrame([[1, 2]], columns=["a", "a"]), "column 'a' occurs 2 times"),
        (Broken(), "the rows cannot be read: ZeroDivisionError: theirs"),
        (breaking(), "the rows cannot be read: KeyError: 'gone'"),
    ],
)
def test_what_holds_no_rows_is_refused(data, said):
    with pytest.raises(SpecError, match=said):
        table_in_memory(data)


def test_a_mapping_of_datasets_needs_a_split():
    both = {"train": FakeDataset(ROWS), "test": FakeDataset(ROWS[:1])}
    with pytest.raises(SpecError, match="2 splits: train, test") as refused:
        table_in_memory(both)
    assert refused.value.hint == "Choose one: `split=train`."
    assert rows_of(both, split="test") == ROWS[:1]
    assert rows_of({"train": FakeDataset(ROWS)}) == ROWS
    with pytest.raises(SpecError, match="no split 'dev'; 2 splits"):
        table_in_memory(both, split="dev")
    with pytest.raises(SpecError, match="rows in memory have no splits"):
        table_in_memory(ROWS, split="train")


def test_rows_are_bounded_as_files_are(monkeypatch):
    monkeypatch.setattr("assay.tables.in_memory.table.MAX_ROWS", 2)
    assert len(rows_of(ROWS)) == 2
    with pytest.raises(SpecError, match="more than 2 rows"):
        table_in_memory({"a": number} for number in iter(int, 1))
    with pytest.raises(SpecError, match="row 1: 2,097,161 bytes, at most"):
        rows_of([{"a": "x" * (1 << 21)}])


def test_rows_in_memory_have_no_encoding():
    with pytest.raises(SpecError, match="in memory, where a text has no encoding"):
        table_in_memory(ROWS).rows(encoding="cp1252")


def lines_of(data):
    return [row for _, row in table_in_memory(data).rows()]


def test_open_files_are_read_text_or_binary(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("q;label\na;0\nb;1\n", encoding="utf-8")
    expected = [{"q": "a", "label": "0"}, {"q": "b", "label": "1"}]
    with path.open(encoding="utf-8") as text, path.open("rb") as binary:
        assert lines_of(text) == lines_of(binary) == expected
    packed = gzip.compress(path.read_bytes())
    assert lines_of(io.BytesIO(packed)) == expected
    with gzip.open(io.BytesIO(packed)) as handle:
        assert lines_of(handle) == expected
    with pytest.raises(SpecError, match=r"the open file mine\.csv cannot be read: ValueError"):
        table_in_memory(text)


def test_record_arrays_named_tuples_and_frames_as_dictionaries_are_rows():
    frame = pandas.DataFrame({"q": ["a", "b"], "label": [0, 1]})
    expected = frame.to_dict(orient="records")
    assert lines_of(frame.to_records(index=False)) == expected
    assert lines_of(list(frame.itertuples(index=False))) == expected
    assert lines_of(frame.to_dict()) == expected
    with pytest.raises(SpecError, match="got ndarray, which holds no rows"):
        table_in_memory(np.ones(3))


def test_a_column_in_the_index_is_pointed_out():
    frame = pandas.DataFrame({"question": ["a", "b"], "label": [0, 1], "uid": ["x", "y"]})
    assert table_in_memory(frame.set_index(["uid", "label"])).levels == ("uid", "label")
    told = "is in the index, which is not read: give frame.reset_index()."
    for call in (
        lambda: assay.confounds(frame.set_index("uid"), id="uid", joint=False),
        lambda: assay.confounds(frame.set_index("label"), joint=False),
        lambda: assay.compare(frame.set_index("uid"), frame, instance="uid"),
        lambda: assay.load_trials(frame.set_index("label"), instance="uid", dimension="label"),
    ):
        with pytest.raises(assay.SpecError, match="the columns are") as refused:
            call()
        assert told in refused.value.hint


def test_equal_labels_are_equal_texts_whatever_their_type():
    days = pandas.date_range("2024-01-01", periods=2)
    index = [1, np.int64(1), 1.0, "1", (1, "a"), days[0], pandas.Period("2024-01", "M")]
    texts = label_texts(index)
    assert texts[0] == texts[1] == texts[2] == "1"
    assert texts[3:5] == ('"1"', '[1, "a"]')
    assert texts[5:] == ('"2024-01-01T00:00:00"', '"2024-01"')
