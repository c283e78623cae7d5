"""The same table in every form gives the same rows, and what is in no form says what it is."""

import bz2
import csv
import gzip
import io
import json
import lzma
import pickle
import zipfile
from pathlib import Path

import polars
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import SpecError
from assay.tables import compressed, json_rows, json_text, rows
from assay.tables.faults import Faults
from assay.tables.rows import rows_of

PACKS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}
ROWS = [{"id": "a", "n": 1, "doc": {"q": "Q?"}}, {"id": "b", "n": 2, "doc": {"q": "R?"}}]


def read(data, name="file", **how):
    return [row for _, row in rows_of(Path(name), data, **how)]


def places(data, name="file", **how):
    return [place for place, _ in rows_of(Path(name), data, **how)]


def refused(data, name="file", **how):
    with pytest.raises(SpecError) as caught:
        read(data, name, **how)
    return caught.value


def as_csv(table, separator):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(table[0]), delimiter=separator, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue().encode()


def as_frame(table, write):
    out = io.BytesIO()
    getattr(polars.DataFrame(table, schema=dict.fromkeys(table[0], polars.String)), write)(out)
    return out.getvalue()


def json_forms(table):
    lines = "".join(json.dumps(row) + "\n" for row in table).encode()
    yield ".jsonl", lines
    yield ".json", json.dumps(table).encode()
    yield ".json", json.dumps(table, indent=2).encode()
    yield "", json.dumps({"version": 1, "data": table}, ensure_ascii=False).encode()
    yield ".json", json.dumps({"rows": table, "tags": ["x"] * (len(table) + 1)}, indent=1).encode()
    yield ".json", json.dumps({name: [row[name] for row in table] for name in table[0]}).encode()


texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\ufeff"),
    min_size=1,
    max_size=8,
)
tables = st.lists(texts, min_size=2, max_size=4, unique=True).flatmap(
    lambda names: st.lists(
        st.fixed_dictionaries(dict.fromkeys(names, texts)), min_size=1, max_size=5
    )
)


@settings(max_examples=60, deadline=None)
@given(table=tables, pack=st.sampled_from([*PACKS, None]))
def test_the_same_table_in_every_form_gives_the_same_rows(table, pack):
    forms = [
        *json_forms(table),
        (".csv", as_csv(table, ",")),
        (".tsv", as_csv(table, "\t")),
        (".csv", b"\xef\xbb\xbf" + as_csv(table, ",")),
        ("", as_frame(table, "write_parquet")),
    ]
    for ending, data in forms:
        if pack is not None:
            data = PACKS[pack](data)
        assert read(data, f"file{ending}{pack or ''}") == table
        if ending not in (".csv", ".tsv"):
            assert read(data, "whatever") == table


plain = st.text("abcxyz 019", min_size=1, max_size=6).filter(str.strip)


@settings(max_examples=40, deadline=None)
@given(
    table=st.lists(
        st.fixed_dictionaries(dict.fromkeys(("id", "question", "label"), plain)), min_size=1
    ),
    separator=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-16", "cp1252", "utf-32", "latin-1", "shift_jis"]),
)
def test_separators_are_told_and_encodings_named(table, separator, encoding):
    data = as_csv(table, separator)
    assert read(data, "file") == read(data, "file.csv") == table
    wide = data.decode().encode(encoding)
    assert read(wide, "file", encoding=encoding) == table


def test_arrow_gives_the_same_rows_as_parquet():
    table = [{"id": "a", "q": "Q?"}, {"id": "b", "q": "R?"}]
    assert read(as_frame(table, "write_ipc_stream")) == table
    assert read(as_frame(table, "write_ipc"), "file.arrow") == table


def test_places_name_lines_elements_and_rows():
    lines = b'{"a": 1}\n\n{"a": 2}\n'
    assert places(lines, "f.jsonl") == ["f.jsonl, line 1", "f.jsonl, line 3"]
    array = json.dumps([{"a": 1}, {"a": 2}]).encode()
    assert places(array, "f.json") == ["f.json, element 1", "f.json, element 2"]
    wrapped = json.dumps({"data": [{"a": 1}]}).encode()
    assert places(wrapped, "f.json") == ["f.json, element 1 of 'data'"]
    assert places(b'{"a": [1, 2], "b": [3, 4]}', "f.json") == ["f.json, row 1", "f.json, row 2"]
    assert places(b"a;b\n1;2\n", "f") == ["f, line 2"]


FOREIGN = {
    "html": (b"\n<!DOCTYPE html><html>", "an HTML page", "Download the file itself"),
    "pdf": (b"%PDF-1.7\n", "a PDF", "Find the data"),
    "pickle": (pickle.dumps(ROWS), "a Python pickle, which Assay never opens", "load it yourself"),
    "sqlite": (b"SQLite format 3\0" + bytes(80), "a SQLite database", "sqlite3 -header -csv"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer", "git lfs pull"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel .xls", "save the sheet as CSV"),
    "binary": (bytes(range(64)) * 4, "binary data that begin with 00 01 02", "Load it with"),
    "empty": (b"", "is empty", "completely"),
    "blank": (b" \n\n", "is empty", "completely"),
    "prose": (b"Dear reader, hello\nthis is prose\n", "neither JSON nor a table", "Save it as .js"),
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("ending", ["", ".txt", ".parquet", ".gz"])
def test_a_file_of_another_kind_says_what_it_seems_to_be(name, ending):
    data, seems, remedy = FOREIGN[name]
    if ending == ".gz":
        data = gzip.compress(data)
    error = refused(data, f"file{ending}")
    if ending == ".parquet" and name == "prose":
        assert "not Parquet: it begins with" in error.message
        return
    assert error.message.startswith(f"file{ending}: ")
    assert seems in error.message
    assert remedy in error.hint


def test_workbooks_and_archives_are_told_apart():
    for member, seems in (("xl/workbook.xml", "an Excel workbook"), ("a.csv", "a zip archive")):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(member, "x")
        assert seems in refused(out.getvalue(), "file.xlsx").message


def test_nothing_is_ever_unpickled(monkeypatch):
    monkeypatch.setattr(pickle, "loads", lambda *_: pytest.fail("it was opened"))
    assert "may run any code" in refused(pickle.dumps(ROWS), "rows.pkl").message


@pytest.mark.parametrize("pack", PACKS.values(), ids=list(PACKS))
def test_a_bomb_of_each_kind_is_refused_within_its_bound(pack, monkeypatch):
    monkeypatch.setattr(compressed.unpacked, "__kwdefaults__", {"most": 1 << 20})
    bomb = pack(b'{"a": 1}\n' * (1 << 18))
    assert len(bomb) < 50_000
    assert "more than 1,048,576 bytes unpacked" in refused(bomb, "f.jsonl").message


def test_what_is_packed_twice_or_cut_off_is_refused():
    packed = gzip.compress(b'{"a": 1}\n')
    assert "compressed twice" in refused(gzip.compress(packed)).message
    assert "are cut off" in refused(packed[:-9]).message


def test_the_ending_breaks_ties_and_no_more():
    array = json.dumps(ROWS).encode()
    for name in ("f.csv", "f.jsonl", "f.parquet", "f.txt", "f"):
        assert read(array, name) == ROWS
    one = b'{"q": "Q?", "parts": [{"a": 1}, {"a": 2}]}\n'
    assert read(one, "f.jsonl") == [json.loads(one)]
    assert read(one, "f.json") == [{"a": 1}, {"a": 2}]
    assert read(b'{"q": "Q?", "label": 1}\n', "f") == [{"q": "Q?", "label": 1}]
    assert read(b"score\n1\n2\n", "f.csv") == [{"score": "1"}, {"score": "2"}]
    assert read(b"[id],q\n1,2\n", "f.csv") == [{"[id]": "1", "q": "2"}]


def test_lines_are_lines_also_where_the_first_is_broken():
    data = b'{"a": 1\n{"a": 2}\n{"a": 3}\n'
    faults = Faults("f")
    assert read(data, "f", faults=faults) == [{"a": 2}, {"a": 3}]
    assert faults.count == 1


def test_rows_and_cells_are_bounded_in_the_new_forms(monkeypatch):
    array, columns = json.dumps(ROWS).encode(), b'{"a": [1, 2, 3], "b": [1, 2, 3]}'
    monkeypatch.setattr(rows, "MAX_ROWS", 1)
    assert "more than 1 rows" in refused(array).message
    monkeypatch.setattr(rows, "MAX_ROWS", 9)
    monkeypatch.setattr(json_rows, "MAX_ROWS", 1)
    assert "more than 1 rows" in refused(array).message
    monkeypatch.setattr(json_rows, "MAX_CELLS", 5)
    assert "more than 5 values" in refused(columns).message
    monkeypatch.setattr(json_rows, "MAX_UNPACKED_BYTES", 10)
    assert "one object a line" in refused(array).hint or "(.jsonl)" in refused(array).hint


def test_elements_across_windows_are_read_whole(monkeypatch):
    monkeypatch.setattr(json_text, "_WINDOW", 64)
    monkeypatch.setattr(json_text, "MAX_LINE_BYTES", 40)
    table = [{"n": number, "t": "x" * (number % 20)} for number in range(300)]
    assert read(json.dumps(table).encode()) == table
    columns = {"a": [number * 1.5e3 for number in range(300)], "b": list(range(300))}
    found = read(json.dumps(columns).encode())
    assert [row["a"] for row in found] == columns["a"]
    assert [row["b"] for row in found] == columns["b"]
    long = refused(json.dumps([{"a": "x" * 45}]).encode())
    assert "element 1: 54 characters, at most 40 allowed" in long.message
    assert "longer than" in refused(json.dumps([{"a": "x" * 500}, {"a": 1}]).encode()).message
