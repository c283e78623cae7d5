"""Encodings are named by the user; an error names the likely one and the parameter."""

from pathlib import Path

import pytest

from assay.errors import SpecError
from assay.tables.rows import rows_of
from assay.tables.text import check_encoding

TEXT = "q,label\ncafé €,1\nnaïve,0\n"


def refused(data, name="f.csv", **how):
    with pytest.raises(SpecError) as caught:
        list(rows_of(Path(name), data, **how))
    return caught.value


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
@pytest.mark.parametrize("name", ["f.csv", "f.jsonl", "f"])
def test_wide_text_is_refused_with_its_encoding_and_read_with_it(encoding, name):
    data = TEXT.encode(encoding)
    error = refused(data, name)
    assert f"looks like {encoding.upper()}" in error.message
    assert f"`encoding={encoding}`" in error.hint
    _, first = next(rows_of(Path("f"), data, encoding=encoding))
    assert first["q"] == "café €"


def test_bytes_of_windows_are_refused_with_the_line_the_letter_and_the_encoding():
    error = refused(TEXT.encode("cp1252"))
    assert "f.csv, line 2: byte 3 (0xe9) is not UTF-8" in error.message
    assert "('é' in Windows' cp1252); also on 1 more line" in error.message
    assert "`encoding=cp1252`" in error.hint
    rows = [row for _, row in rows_of(Path("f.csv"), TEXT.encode("cp1252"), encoding="cp1252")]
    assert rows[0]["q"] == "café €"


def test_one_broken_byte_in_utf8_is_to_be_mended():
    data = (TEXT * 3).replace(",1", ",2", 1).encode().replace(b"na", b"\xff", 1)
    assert refused(data).hint == "The rest of the file is mostly UTF-8: correct this line."


def test_what_is_no_windows_text_names_others():
    assert "`encoding=shift_jis`" in refused("q,a\n表示,ソ\n".encode("shift_jis")).hint


@pytest.mark.parametrize(
    "name", ["", "nothing", "base64", "rot13", "idna", "punycode", "a\0b", "x" * 99]
)
def test_what_is_no_encoding_of_text_is_refused(name):
    with pytest.raises(SpecError, match="unknown text encoding"):
        check_encoding(name)


def test_a_wrong_encoding_is_refused_and_never_guessed_around():
    assert "cannot be read as utf-16" in refused(b"q,a\n1,2\n1", encoding="utf-16").message
    assert "cannot be read as ascii" in refused(TEXT.encode(), encoding="ascii").message


def test_a_byte_beyond_the_first_mebibyte_is_placed():
    data = b"q,label\n" + "é,1\n".encode() * 300_000 + b"\xff,0\n"
    assert "line 300002: byte 0 (0xff)" in refused(data).message
