import csv
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt  # rich brings it

from assay.report.escaping import csv_line, markdown, markdown_table
from assay.wording import printable

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HEADERS = ("one", "two")

NASTY = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="|`*_~[]()<>!#&;\\\"',=+-@\n\r\t\u202e\u2028 ab1.:/", max_size=30),
    st.lists(
        st.sampled_from(["<b>", "</td>", "&lt;", "&#124;", "[a](b)", "![a](b)", "\\|", "**", "``"]),
        max_size=6,
    ).map("".join),
)


def shown(page):
    """The cells of a page's only table as a reader sees them: plain text, or it is not plain."""
    tokens = READER.parse(page)
    assert tokens[0].type == "table_open"
    assert tokens[-1].type == "table_close"
    found = []
    for token in tokens:
        if token.type == "inline":
            assert {child.type for child in token.children} <= {"text", "text_special"}
            found.append("".join(child.content for child in token.children))
        elif token.type == "tr_open":
            found.append([])
    rows = []
    for one in found:
        if isinstance(one, list):
            rows.append(one)
        else:
            rows[-1].append(one)
    return rows


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "\\| b",
        "`code`",
        "``",
        "*a* __b__ ~~c~~",
        "<b>bold</b>",
        "<script>alert(1)</script>",
        "<!-- hidden -->",
        "<http://x.example>",
        "[a](http://x.example)",
        "![a](http://x.example/a.png)",
        "[a]: http://x.example",
        "&lt;b&gt; &#124; &amp;",
        "# no heading",
        "- no list",
        "> no quote",
        "\\",
        "",
    ],
)
def test_a_markdown_cell_shows_the_text_itself(text):
    page = markdown_table(HEADERS, [(text, "next")])
    assert shown(page) == [["one", "two"], [text, "next"]]


@settings(deadline=None)
@given(st.lists(st.tuples(NASTY, NASTY), max_size=4))
@example([("", " #")])
def test_whatever_is_in_a_cell_the_table_keeps_its_form_and_shows_it(rows):
    page = markdown_table(HEADERS, rows)
    assert page.count("\n") == 2 + len(rows)
    assert page.replace("\n", "").isprintable()
    expected = [[printable(cell).strip(" ") for cell in row] for row in rows]
    assert shown(page) == [list(HEADERS), *expected]


@settings(deadline=None)
@given(NASTY)
def test_a_markdown_text_is_one_line_without_markup_behind_its_first_word(text):
    safe = markdown(text)
    assert safe.isprintable()
    _, inline, _ = READER.parse(f"Said: {safe}")
    assert {child.type for child in inline.children} <= {"text", "text_special"}
    found = "".join(child.content for child in inline.children)
    assert found.rstrip(" ") == f"Said: {printable(text)}".rstrip(" ")


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        (" =", r" \="),
        ("a\nb", r"a\\x0ab"),
        ("a\r\n| b |", r"a\\x0d\\x0a\| b \|"),
        ("\u202egnp.exe", r"\\x202egnp.exe"),
        ("\u2066x\u2069", r"\\x2066x\\x2069"),
        ("\x1b[31mred", r"\\x1b\[31mred"),
        ("\x00", r"\\x00"),
        ("\u2028", r"\\x2028"),
        ("\ud800", r"\\xd800"),
        ("é≥漢", "é≥漢"),
    ],
)
def test_what_cannot_be_seen_is_shown_by_its_number(text, safe):
    assert markdown(text) == safe


def read(line):
    (row,) = csv.reader(io.StringIO(line, newline=""), strict=True)
    return row


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        '=HYPERLINK("http://x.example","a")',
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "=",
        "-",
        "--1",
        "+cmd|' /C calc'!A0",
        " =1+1",
        "   @x",
        "＝1+1",
        "＋1+1",
        "－1+1",
        "＠x",
    ],
)
def test_a_formula_is_defused(text):
    assert read(csv_line([text, "next"])) == [f"'{text}", "next"]


@pytest.mark.parametrize("text", ["\t=1+1", "\r=1+1", "\n=1+1", "\x00=1", "\u202e=1"])
def test_a_formula_behind_a_control_character_is_text(text):
    (cell,) = read(csv_line([text]))
    assert cell == printable(text)
    assert cell.startswith("\\x")


@pytest.mark.parametrize(
    "number", ["0", "-1", "+1", "-0.25", "1e-05", "-1e-300", "0.1", repr(1 / 3)]
)
def test_a_number_stays_a_number(number):
    (cell,) = read(csv_line([number]))
    assert cell == number
    assert float(cell) == float(number)


@settings(deadline=None)
@given(st.floats(allow_nan=False))
def test_every_figure_is_read_back_exactly(figure):
    (cell,) = read(csv_line([repr(figure)]))
    assert float(cell) == figure


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain\n"),
        ("a,b", '"a,b"\n'),
        ('say "x"', '"say ""x"""\n'),
        ('"', '""""\n'),
        ('=a,"b"', '"\'=a,""b"""\n'),
        ("two\nlines", "two\\x0alines\n"),
    ],
)
def test_csv_quotes_what_needs_quotes(text, line):
    assert csv_line([text]) == line


@settings(deadline=None)
@given(st.lists(NASTY, min_size=2, max_size=5))
def test_every_line_is_read_back_as_the_cells_it_was_made_of(cells):
    line = csv_line(cells)
    assert line.count("\n") == 1
    assert line[:-1].isprintable()
    for text, found in zip(cells, read(line), strict=True):
        assert found in (printable(text), f"'{printable(text)}")
        if found.lstrip(" ")[:1] in tuple("=+-@＝＋－＠"):
            float(found)  # nothing but a number begins like a formula


@settings(deadline=None)
@given(st.lists(st.lists(NASTY, min_size=3, max_size=3), max_size=4))
def test_lines_make_a_file_of_as_many_rows(rows):
    page = "".join(csv_line(row) for row in rows)
    found = list(csv.reader(io.StringIO(page, newline=""), strict=True))
    assert [len(row) for row in found] == [3] * len(rows)
