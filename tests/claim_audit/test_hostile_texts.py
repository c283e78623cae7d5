"""Texts that are made to be misread: nothing but what a reader sees is checked, and in time."""

import pytest

import assay
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in
from assay.claim_audit.texts.mentions import mentions_in
from assay.claim_audit.texts.printed_intervals import parse_spread
from assay.claim_audit.texts.printed_tables import parse_table, tables_in

J = '<!-- claim: json_path_equals path="r.json" key_path="auc" -->'
L = '<!-- claim: log_metric_equals path="r.json" metric="auc" -->'
T = '<!-- claim: table_equals path="t.csv" -->'
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def printed(text, suffix=".md"):
    return [one.claim.printed for one in claims_in(Document(text, "x", suffix))]


def audited(folder, text):
    (folder / "t.csv").write_text("a,b\n1,2\n")
    (folder / "r.json").write_text('{"auc": 0.894}')
    page = folder / "page.md"
    page.write_bytes(text.encode())
    return assay.claims(page, root=folder)


@pytest.mark.parametrize(
    "number",
    [
        "٠٫٨٩٤",  # the comma of Arabic: 894 is a part
        "0.8\u200b94",  # a space without width
        "0.8\u00ad94",  # a soft hyphen
        "0.8\u206094",
        "\u202e498.0\u202c",  # shown as 0.894
        "\u2067498.0\u2069",
        "\u202d0.894",
        "\u202ereally 498.0",
        "\u2067really 498.0\u2069",
    ],
)
@pytest.mark.parametrize("says", ["", ' says="498.0"'])
def test_a_number_that_a_page_shows_otherwise_is_not_read(number, says):
    (one,) = claims_in(Document(f"It is {number} {J[:-4]}{says} -->\n", "x", ".md"))
    assert one.claim.refused is not None and one.claim.printed is None


def test_a_mark_that_turns_the_writing_is_said_to_be_why():
    (one,) = claims_in(Document(f"\u202eIt is 498.0 {J}\n", "x", ".md"))
    assert "turns the direction of the writing" in one.claim.refused


def test_marks_in_another_line_do_no_harm():
    assert printed(f"\u202ea\u202c\nIt is 0.894 {J}\n") == ["0.894"]
    assert printed(f"It is ０.８９４ {J}\n") == ["０.８９４"]  # wide digits are digits


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_is_read_whatever_ends_its_lines(end, tmp_path):
    text = f"{TABLE}\n{T}\n".replace("\n", end)
    assert audited(tmp_path, text).verdict == "holds"
    assert audited(tmp_path, text.replace("| 2 |", "| 3 |")).verdict == "fails"
    fenced = f"```csv\na,b\n1,2\n```\n\n{T}\n".replace("\n", end)
    assert audited(tmp_path, fenced).verdict == "holds"
    assert len(list(tables_in(Document(text + fenced, "x", ".md")))) == 2


def test_a_stale_table_with_carriage_returns_is_mended(tmp_path):
    text = f"{TABLE}\n{T}\n".replace("\n", "\r\n")
    audited(tmp_path, text.replace("| 2 |", "| 3 |"))
    assay.fix_claims(tmp_path / "page.md", root=tmp_path, write=True)
    assert (tmp_path / "page.md").read_bytes() == text.encode()


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_a_line_feed_ends_a_row(mark):
    """Other marks are shown inside the cell, so they must not make a row of their own."""
    assert len(parse_table(f"| a | b |\n|---|---|\n| 1 | 2 |{mark}| 9 | 9 |\n")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "<pre>0.111 {}</pre>",
        "<PRE class='x'>\n0.111 {}\n</pre >",
        "<code>0.111 {}</code>",
        "````\n```\n0.111 {}\n````",
        "~~~\n```\n0.111 {}\n~~~",
        "> ```\n> 0.111 {}\n> ```",
        "```\n0.111 {}",
        "    0.111 {}",
    ],
)
@pytest.mark.parametrize("suffix", [".md", ".html"])
def test_what_a_page_shows_as_code_is_no_claim(text, suffix):
    assert printed(f"{text.format(J)}\n\nIt is 0.894 {J}", suffix)[-1:] in ([], ["0.894"])
    assert "0.111" not in printed(f"{text.format(J)}\n", suffix)


def test_what_begins_like_code_is_none():
    assert printed(f"<preface> It is 0.894 {J} <pre>") == ["0.894"]


def test_a_comment_in_a_comment_ends_where_the_page_ends_it():
    assert printed(f"0.894 <!-- <!-- claim: x --> {J}") == ["0.894"]
    assert printed(f"0.894 <!-- no end {J[4:-3]}") == []


@pytest.mark.parametrize("path", ["../t.csv", "/etc/passwd", "out/t.csv", "loop.csv"])
def test_a_table_or_a_log_outside_of_the_root_is_not_read(path, tmp_path):
    root, beside = tmp_path / "root", tmp_path / "beside"
    root.mkdir(), beside.mkdir()
    for folder in (beside, tmp_path):
        (folder / "t.csv").write_text("a,b\n1,2\n")
    (root / "out").symlink_to(beside)
    (root / "loop.csv").symlink_to("loop.csv")
    args = f'{{path={path!r}, rows=[["a", "b"], ["1", "2"]]}}'
    (root / "c.toml").write_text(f"[[claim]]\nid='a'\nchecker='table_equals'\nargs={args}\n")
    assert assay.claims(root / "c.toml", root=root).claims[0].verdict == "unverifiable"
    scan = root / "page.md"
    scan.write_text(TABLE)
    assert assay.scan_claims(scan, root=root).tables == ()


LONG = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "0.7" + " " * LONG + f"± 0.2 {L}",
        "0.7 ± " * (LONG // 10) + f"0.2 {L}",
        "0.7 (SE 0." * (LONG // 10) + L,
        "0.7 with a standard error of " * (LONG // 10) + L,
        "```csv\na,b\n" * LONG + T,
        '```csv\na,b\n"' + "x," * LONG + f"\n```\n{T}",
        "|" * LONG + f"\n{T}",
        "|---|---|\n" * LONG + T,
        "|" + "-" * LONG + "x\n|" + " " * LONG + f"x\n{T}",
        "<pre>" * LONG + f"0.7 {L}",
        "<!-- " * LONG + J,
        "^[" * LONG + f"0.7 {J}",
        "<p hidden>" * LONG + f"0.7 {J}",
        "1. 2.5 A\n" * LONG + f"0.7 {J}",
        "> " * LONG + f"> 0.7 {J}",
        f"0.7^[a 5] {J} | " * (LONG // 20),
        "not " * LONG + f"0.7 {J}",
    ],
    ids=range(17),
)
def test_patterns_take_time_in_proportion_to_a_text(text):
    document = Document(text, "x", ".md")
    list(tables_in(document))
    mentions_in(document)
    claims_in(document)


@pytest.mark.parametrize(
    "text",
    ["\\footnote{" * LONG, "\\footnote{a} 5 % claim: x\n" * (LONG // 20), "\\iffalse " * LONG,
     "\\begin{comment}" * LONG, "a & 5 & " * LONG],
    ids=range(5),
)  # fmt: skip
def test_patterns_of_latex_do_too(text):
    document = Document(
        f"{text} 0.7 % claim: json_path_equals path='r' key_path='a'\n", "x", ".tex"
    )
    mentions_in(document)
    claims_in(document)


@pytest.mark.parametrize("text", ["0.7 ± " + "9" * 150, "± ± ±", "0.7 (SE " + "(" * 150, "0.7 ±"])
def test_what_is_no_number_with_an_error_is_none(text):
    assert parse_spread(text) is None


def test_a_quotation_in_a_pdf_is_found_across_its_lines(repository):
    claim = "[[claim]]\nid='a'\nchecker='file_at_path_contains'\nargs={path='paper.pdf', substring="
    for words, verdict in (("What  was\\nfound", "holds"), ("What was lost", "fails")):
        (repository / "c.toml").write_text(f'{claim}"{words}"}}\n')
        (found,) = assay.claims(repository / "c.toml").claims
        assert (found.verdict, found.vacuous) == (verdict, False)
