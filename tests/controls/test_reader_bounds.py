"""Small files that stand for large ones are refused before they are unpacked."""

import io
import json
import random

import polars
import pytest
from helpers.command import command

from assay.benchmark import parquet, rows
from assay.benchmark.load import load_benchmark
from assay.bounds import MAX_COLUMNS, MAX_LINE_BYTES, MAX_ROWS
from assay.errors import AssayError, SpecError

ROW = {"question": "q", "response": "r", "label": 1}


def written(folder, frame, **how):
    frame.write_parquet(folder / "data.parquet", **how)
    return folder / "data.parquet"


def frame(count, **columns):
    return polars.DataFrame(
        {name: [value] * count for name, value in {**ROW, **columns}.items()},
    )


@pytest.fixture
def unread(monkeypatch):
    """No row may be made of such a file."""

    def refuse(*_, **__):
        raise AssertionError("it was unpacked")

    monkeypatch.setattr(polars, "read_parquet", refuse)


def test_rows_that_are_stored_once_and_repeated_are_counted_before(tmp_path, unread):
    bomb = written(tmp_path, frame(MAX_ROWS + 1))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(SpecError, match=r"2,000,001 rows, at most 2,000,000"):
        load_benchmark(bomb)


def test_so_are_columns(tmp_path, unread):
    wide = polars.DataFrame({f"c{number}": [1] for number in range(MAX_COLUMNS + 1)})
    with pytest.raises(SpecError, match="10,001 columns"):
        load_benchmark(written(tmp_path, wide))


def test_so_are_values_in_lists(tmp_path, unread):
    values = polars.DataFrame({"question": [[0] * 1000]}).lazy()
    many = polars.concat([values] * 25).collect()
    many = polars.concat([many] * 1000)
    with pytest.raises(SpecError, match="25,000,000 values"):
        load_benchmark(written(tmp_path, many))


def test_a_long_text_that_is_repeated_is_measured_and_never_written_out(tmp_path, monkeypatch):
    monkeypatch.setattr(
        polars.DataFrame, "iter_rows", lambda *_, **__: pytest.fail("it was written out")
    )
    bomb = written(tmp_path, frame(1000, response="x" * 1_000_000))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(SpecError, match="bytes unpacked"):
        load_benchmark(bomb)
    with pytest.raises(SpecError, match=r"column 'response': a cell of 1,048,577 bytes"):
        load_benchmark(written(tmp_path, frame(2, response="x" * (MAX_LINE_BYTES + 1))))


def test_texts_in_lists_are_unpacked_on_trial(tmp_path, monkeypatch):
    fine = written(tmp_path, frame(3, answers=["one", "two"]))
    assert len(load_benchmark(fine, columns=None).items) == 3
    monkeypatch.setattr(parquet, "MAX_UNPACKED_BYTES", 1 << 26)
    bomb = written(tmp_path, frame(50, answers=["x" * 1000] * 20_000))
    assert bomb.stat().st_size < 1_000_000
    with pytest.raises(SpecError, match="bytes unpacked"):  # as it announces
        load_benchmark(bomb)
    with pytest.raises(SpecError, match="lists of texts"):  # as where it announces less
        parquet._unpack_on_trial(bomb.read_bytes(), "file")


def test_headers_that_announce_less_than_their_pages_are_not_believed(tmp_path):
    """Whatever byte of the metadata is changed, the file is read or refused, and never crashes."""
    data = bytearray(written(tmp_path, frame(50, answers=[1, 2])).read_bytes())
    draw = random.Random(0)  # noqa: S311 - seeded changes, not a secret
    refused = 0
    for _ in range(400):
        changed = bytearray(data)
        for _ in range(draw.randrange(1, 4)):
            changed[draw.randrange(4, len(data))] = draw.randrange(256)
        try:
            list(rows._bounded(rows._parquet_rows(bytes(changed), "file"), "file"))
        except AssayError:
            refused += 1
    assert refused > 50


def test_every_cut_of_a_file_is_refused(tmp_path):
    data = written(tmp_path, frame(5)).read_bytes()
    for end in range(0, len(data), 7):
        with pytest.raises(SpecError, match="not Parquet"):
            parquet.check_parquet(data[:end], where="file")


def test_texts_stored_by_what_they_share_are_refused():
    """The header of a page in that encoding: n texts of almost the same n letters."""
    page = bytes([0x15, 0, 0x15, 0, 0x15, 0, 0x2C, 0x15, 2, 0x15, 14, 0, 0])
    column = {5: 1, 6: 0, 7: len(page), 9: 4}
    with pytest.raises(SpecError, match="DELTA_BYTE_ARRAY"):
        parquet._add_column(parquet._Announced(), b"PAR1" + page, column, "file")


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_rows_and_cells_are_bounded_in_every_format(tmp_path, monkeypatch, ending):
    path = tmp_path / f"data.{ending}"
    table = polars.DataFrame([ROW] * 12)
    lines = "".join(json.dumps(ROW) + "\n" for _ in range(12))
    data = {"jsonl": lines, "csv": table.write_csv()}.get(ending)
    path.write_text(data) if data else table.write_parquet(path)
    assert len(load_benchmark(path).items) == 12
    for module in (rows, parquet):
        monkeypatch.setattr(module, "MAX_ROWS", 11)
    with pytest.raises(SpecError, match="rows"):
        load_benchmark(path)
    monkeypatch.setattr(rows, "MAX_ROWS", 12)
    monkeypatch.setattr(parquet, "MAX_ROWS", 12)
    monkeypatch.setattr(rows, "MAX_CELLS", 35)
    with pytest.raises(SpecError, match="cells"):
        load_benchmark(path)
    monkeypatch.setattr(rows, "MAX_CELLS", 36)
    monkeypatch.setattr(rows, "MAX_COLUMNS", 2)
    with pytest.raises(SpecError, match="3 columns"):
        load_benchmark(path)


def test_the_command_refuses_a_bomb_with_exit_2(tmp_path):
    written(tmp_path, frame(MAX_ROWS + 1))
    done = command(tmp_path, "confounds", "data.parquet")
    assert done.returncode == 2
    assert "rows, at most" in done.stderr
    assert io.StringIO(done.stdout).read() == ""
