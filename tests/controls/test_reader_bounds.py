"""Small files that stand for large ones are refused before they are unpacked."""

import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import polars
import pytest
from helpers.command import command
from helpers.parquet_files import a_file, closed, encoded, page, plain, shared

import assay
from assay.benchmark.load import load_benchmark
from assay.bounds import MAX_COLUMNS, MAX_LINE_BYTES, MAX_ROWS
from assay.errors import AssayError, SpecError
from assay.tables import frames, parquet, rows

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux unpacks on trial")
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
    monkeypatch.setattr(frames, "MAX_UNPACKED_BYTES", 1 << 26)
    fault = frames.fault_on_trial(bomb.read_bytes(), "read_parquet")  # as where it announces less
    assert "67,108,864 bytes unpacked" in fault


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
            list(rows.bounded(parquet.parquet_rows(bytes(changed), "file"), "file"))
        except AssayError:
            refused += 1
    assert refused > 50


def test_every_cut_of_a_file_is_refused(tmp_path):
    data = written(tmp_path, frame(5)).read_bytes()
    for end in range(0, len(data), 7):
        with pytest.raises(SpecError, match="not Parquet"):
            parquet.check_parquet(data[:end], where="file")


SHARED = page(shared(100_000, 3000), 3000, encoding=7)
SMALL = encoded(page(plain([b"ab"]), 1)[0]) + plain([b"ab"])
LARGE = encoded(SHARED[0]) + SHARED[1]
SECOND_VERSION = {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0}


def two_places(body, *, dictionary, pages):
    """A column that has its pages in one place, and a dictionary that may be in another."""
    size = len(LARGE)
    column = {6: size, 7: size, 9: pages, 11: dictionary}
    return a_file([], values=3000, body=body, column=column)


FILLED = SMALL * (len(LARGE) // len(SMALL) + 1)
SHARING = {
    "plainly": a_file([SHARED], values=3000),
    "with the header of another version": a_file(
        [({**SHARED[0], 8: SECOND_VERSION}, SHARED[1])], values=3000
    ),
    "with the header of a dictionary": a_file(
        [({**SHARED[0], 7: {1: 0, 2: 0}}, SHARED[1])], values=3000
    ),
    "in the place of a dictionary that comes after the pages": two_places(
        b"PAR1" + FILLED + LARGE, dictionary=4 + len(FILLED), pages=4
    ),
    "in the place of a dictionary at the beginning": two_places(
        LARGE + FILLED, dictionary=0, pages=len(LARGE)
    ),
}


@pytest.mark.parametrize("how", SHARING)
def test_texts_stored_by_what_they_share_are_refused(how):
    """Texts of 300 MB in a hundred kilobytes, which polars would unpack."""
    assert len(SHARING[how]) < 350_000
    with pytest.raises(SpecError, match=r"DELTA_BYTE_ARRAY|not Parquet"):
        parquet.check_parquet(SHARING[how], where="file")


def test_a_file_that_was_written_by_hand_is_read():
    found = parquet.parquet_rows(a_file([page(plain([b"ab", b"cd"]), 2)], values=2), "file")
    assert [row["question"] for _, row in found] == ["ab", "cd"]


MALFORMED = {
    "lists in lists": closed(b"PAR1", b"\x19" + b"\x19" * 5000),
    "structs in structs": closed(b"PAR1", b"\x1c" * 5000),
    "no place of its pages": a_file([page(b"", 0)], values=0, column={9: 0}),
    "a place below 0": a_file([page(b"", 0)], values=0, column={9: -4}),
    "no place at all": a_file([page(b"", 0)], values=0, column={9: None}),
    "a page of no kind": a_file([page(plain([b"ab"]), 1, _1=7)], values=1),
    "a page whose kind is a list": a_file([page(plain([b"ab"]), 1, _1=[0])], values=1),
    "a page without its header": a_file([({1: 0, 2: 0, 3: 0}, b"")], values=1),
    "another beginning": a_file([page(plain([b"ab"]), 1)], values=1, body=b"XXXX"),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_metadata_that_cannot_be_read_are_refused(what):
    with pytest.raises(SpecError, match="not Parquet"):
        parquet.check_parquet(MALFORMED[what], where="file")


def test_so_are_metadata_of_too_many_values(monkeypatch):
    """Sixteen megabytes of empty structs took 24 s and 1.2 GB."""
    many = b"\x19\xfc" + b"\x80\x80\x80\x01" + b"\0" * (1 << 21) + b"\0"
    with pytest.raises(SpecError, match="not Parquet"):
        parquet.check_parquet(closed(b"PAR1", many), where="file")
    monkeypatch.setattr(parquet, "_MOST_VALUES", 200)
    empty = page(b"", 0)
    parquet.check_parquet(a_file([empty] * 5, values=0), where="file")
    with pytest.raises(SpecError, match="not Parquet"):
        parquet.check_parquet(a_file([empty] * 500, values=0), where="file")


@LINUX
def test_a_trial_finds_the_packages_that_we_have_found(tmp_path):
    """As those that `pip install --user` puts into the user's own folder."""
    python = getattr(sys, "_base_executable", sys.executable)
    site = Path(polars.__file__).parents[1]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    place = tmp_path / "user/lib" / version
    place.mkdir(parents=True)
    (place / "site-packages").symlink_to(site)
    written(tmp_path, frame(3, answers=["one", "two"]))
    body = (
        "import site, sys\n"
        "if not site.ENABLE_USER_SITE: sys.exit(9)\n"
        "from assay.benchmark.load import load_benchmark\n"
        "print(len(load_benchmark('data.parquet').items))\n"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(assay.__file__).parents[1]),
        "PYTHONUSERBASE": str(tmp_path / "user"),
    }
    done = subprocess.run(
        [python, "-c", body],
        check=False,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode == 9:
        pytest.skip("this interpreter has no folder of the user's")
    assert (done.stdout, done.stderr) == ("3\n", "")


@LINUX
def test_a_trial_that_fails_says_why(monkeypatch):
    monkeypatch.setattr(frames, "_TRIAL", "raise ImportError('no polars')")
    assert "ImportError: no polars" in frames.fault_on_trial(b"", "read_parquet")


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
