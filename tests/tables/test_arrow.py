"""Arrow is unpacked on trial: a hostile file neither crashes nor fills the memory."""

import io

import polars
import pytest

from assay.errors import SpecError
from assay.tables import frames
from assay.tables.arrow import arrow_rows


def stream(frame, **how):
    out = io.BytesIO()
    frame.write_ipc_stream(out, **how)
    return out.getvalue()


def refused(data):
    with pytest.raises(SpecError) as caught:
        list(arrow_rows(data, "f.arrow"))
    return caught.value.message


def test_nested_values_are_read():
    frame = polars.DataFrame({"q": ["a"], "l": [["x", "y"]], "s": [{"n": 1, "t": None}]})
    for compression in ("uncompressed", "zstd", "lz4"):
        found = list(arrow_rows(stream(frame, compression=compression), "f"))
        assert found == [("f, row 1", {"q": "a", "l": ["x", "y"], "s": {"n": 1, "t": None}})]


HOSTILE = {
    "one text that many rows show": polars.select(polars.repeat("x" * 2**19, 20_000).alias("t")),
    "nulls in a list": polars.DataFrame(
        {"t": polars.Series([[None] * 3_000_000], dtype=polars.List(polars.Null))}
    ),
    "rows of nothing": polars.DataFrame({"t": polars.Series([None] * 2_000_001)}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_small_file_that_stands_for_a_large_one_is_refused(name, monkeypatch):
    monkeypatch.setattr(frames, "MAX_CELLS", 2_000_000)
    data = stream(HOSTILE[name], compression="zstd")
    assert len(data) < 3_000_000
    assert "more than 2,000,000 rows" in refused(data)


def test_a_bomb_in_a_compressed_buffer_is_refused():
    zeros = polars.DataFrame({"t": polars.zeros(100_000_000, dtype=polars.Int64, eager=True)})
    data = stream(zeros, compression="zstd")
    assert len(data) < 1_000_000
    assert "unreadable Arrow" in refused(data)


def test_what_is_cut_or_garbled_is_refused():
    data = stream(polars.DataFrame({"q": ["a", "b"], "n": [1, 2]}))
    assert "unreadable Arrow" in refused(data[: len(data) // 2])
    assert "unreadable Arrow" in refused(data[:40] + b"\xff" * 40 + data[80:])
    assert "unreadable Arrow" in refused(b"\xff\xff\xff\xff" + b"\xff" * 64)
    assert "unreadable Arrow" in refused(b"ARROW1\0\0" + bytes(64))
