"""The separator is told from the header and the first lines; strict errors stay."""

from pathlib import Path

import pytest

from assay.errors import SpecError
from assay.tables.csv_rows import separator_of
from assay.tables.rows import rows_of


def read(text, name="f.csv"):
    return [row for _, row in rows_of(Path(name), text.encode())]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["f.csv", "f.txt", "f.tsv", "f"])
def test_every_separator_is_told_whatever_the_ending(mark, name):
    text = f'q{mark}label\n"a, b; c | d"{mark}1\n"e\nf"{mark}0\n'
    assert read(text, name) == [{"q": "a, b; c | d", "label": "1"}, {"q": "e\nf", "label": "0"}]


def test_decimal_commas_do_not_mislead():
    assert read("id;score\na;0,5\nb;0,75\n")[0] == {"id": "a", "score": "0,5"}


def test_a_header_with_two_separators_is_refused_unless_the_ending_tells():
    text = "a,b;c\n1,2;3\n4,5;6\n"
    with pytest.raises(SpecError) as caught:
        read(text, "f.txt")
    assert "unclear: comma (2 columns) or semicolon (2 columns)" in caught.value.message
    assert read(text, "f.csv")[0] == {"a": "1", "b;c": "2;3"}


def test_ragged_lines_are_named_with_the_separator():
    with pytest.raises(SpecError) as caught:
        read("a;b\n1;2\n1;2;3\n1;2\n")
    assert "line 3: 3 cells, expected 2 as in the header" in caught.value.message
    assert "holds a semicolon or a line break" in caught.value.hint


def test_an_open_quote_and_a_column_twice_are_refused():
    for text, words in (('a,b\n"1,2\n', "not CSV"), ("a,a\n1,2\n", "column 'a' occurs twice")):
        with pytest.raises(SpecError, match=words):
            read(text)


def test_a_long_file_is_told_from_its_beginning():
    text = "a;b\n" + "x;y\n" * 100_000 + "1,2,3\n"
    assert separator_of(text.encode(), ".csv", "f") == ";"
    longest = "a|b\n" + "x" * 70_000 + "|y\n"
    assert separator_of(longest.encode(), "", "f") == "|"
