"""The number that stands before a comment is the one that is checked, or the claim is refused.

Each family has true readings beside wrong ones that are planted: an earlier number, a neighbour's
cell, a footnote, the end of a difference, the minutes of an hour.
"""

import json

import pytest

import assay
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in
from assay.claim_audit.texts.mentions import mentions_in

J = 'json_path_equals path="r.json" key_path="auc"'
COMMENTS = {".tex": " % claim: {}\n", ".rst": "\n\n.. claim: {}\n\n"}
REFUSED = None


def the_claim(text, suffix=".md", more=""):
    """The claim that stands at the `@` of a text."""
    comment = COMMENTS.get(suffix, " <!-- claim: {} -->").format(J + more)
    (one,) = claims_in(Document(text.replace("@", comment), f"x{suffix}", suffix))
    return one.claim


def reads(text, suffix=".md", more=""):
    claim = the_claim(text, suffix, more)
    assert (claim.printed is None) is (claim.refused is not None)
    return claim.printed


@pytest.mark.parametrize("suffix", [".md", ".html", ".tex", ".rst"])
@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("2.5 TB of text", "2.5"),
        ("2.5 Tokens of text", "2.5"),
        ("12.4 F1", "12.4"),
        ("1.3 TB", "1.3"),
        ("3.5 GPU-hours", "3.5"),
        ("16 GPUs", "16"),
        ("13", "13"),
        ("0.95 AUC", "0.95"),
    ],
)
def test_a_wrapped_line_may_begin_with_a_number(suffix, line, number):
    assert reads(f"We trained for 9.75 hours with\n{line}@ there", suffix) == number


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("We ran 8 jobs.\n\n## 2.5 Results @", ".md"),
        ("<h2>2.5 Results</h2><p>Text @</p>", ".html"),
        ("We ran 8.\n\\section{2.5 Results}@", ".tex"),
        ("2.5 Results\n-----------\n\nText@", ".rst"),
        ("1. We ran 8 jobs\n2. and more @", ".md"),
        ("We ran 8 jobs, then\n13. Then @ more", ".md"),
        ("We ran 8 jobs and 013 @", ".md"),
        ("We ran 8 jobs, ca.14 @", ".md"),
        ("We ran 8 jobs at AUC/0.95 @", ".md"),
        ("We ran 8 jobs to step 500 @", ".md"),
        ("We ran 8 jobs on 13-K @", ".md"),
        ("In 2019, a half @", ".md"),
    ],
)
def test_an_earlier_number_is_not_taken_for_what_is_passed_over(text, suffix):
    assert reads(text, suffix) is REFUSED


def test_a_section_has_its_number_in_a_heading_alone():
    text = "# 2.5 Results\n\nWe read\n2.5 TB.\n\n1. one\n2. two\n\nIt has\n3. Then"
    kinds = [one.kind for one in mentions_in(Document(text, "x", ".md"))]
    assert kinds == ["section", "figure", "section", "count", "section", "count", "count"]


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("It has >13@", ".md"),
        ("n > 13@", ".md"),
        ("n>13@", ".md"),
        ("n &gt; 13@", ".md"),
        ("n &gt;13@", ".html"),
        ("$n > 13$@", ".md"),
        ("$> 13$@", ".tex"),
        ("$n \\gt 13$@", ".tex"),
        ("It has\n> 13@", ".tex"),
        ("It has \u226b 13@", ".md"),
    ],
)
def test_a_sign_is_a_bound(text, suffix):
    assert reads(text, suffix) is REFUSED
    assert reads(text, suffix, ' op="<"') is REFUSED
    assert reads(text, suffix, ' op=">"') == "13"


@pytest.mark.parametrize(
    "text", ["It goes 8 -> 13@", "It goes 8 => 13@", "> 13@ of them", "> They say\n> 13@"]
)
def test_an_arrow_and_the_mark_of_a_quotation_are_no_bounds(text):
    assert reads(text) == "13"


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("at or below 88", "<="),
        ("at or above 88", ">="),
        ("less than or equal to 88", "<="),
        ("not above 88", "<="),
        ("never exceeded 88", "<="),
        ("upwards of 88", ">="),
    ],
)
def test_words_of_two_parts_are_bounds(text, op):
    assert reads(f"It is {text}@", more=f' op="{op}"') == "88"
    assert reads(f"It is {text}@", more=f' op="{ {"<=": ">", ">=": "<"}[op] }"') is REFUSED


@pytest.mark.parametrize("text", ["Over the 240@ items the mean", "Averaged over 240@ items"])
def test_over_is_a_place_before_an_article(text):
    assert reads(text) == "240"


@pytest.mark.parametrize(
    ("text", "suffix", "number"),
    [
        ("1-0.9", ".md", REFUSED),
        ("5-4", ".md", REFUSED),
        ("1\u22120.9", ".md", REFUSED),
        ("$3-4$", ".md", REFUSED),
        ("$3-4$", ".tex", REFUSED),
        ("3-4", ".md", "4"),
        ("3--4", ".tex", "4"),
        ("0.7\u20130.9", ".md", "0.9"),
        ("10:13", ".md", REFUSED),
        ("3:14", ".md", REFUSED),
        ("March 13", ".md", REFUSED),
        ("13 March", ".md", REFUSED),
        ("Eq. (13)", ".md", REFUSED),
        ("line 13", ".md", REFUSED),
        ("Decoder 13", ".md", "13"),
        ("2024-03-18", ".md", "2024-03-18"),
    ],
)
def test_a_range_ascends_and_a_part_of_a_date_states_nothing(text, suffix, number):
    assert reads(f"It is {text}@", suffix) == number


def test_a_date_right_before_a_comment_is_read():
    assert reads("Version 0.4.2, released 2024-03-08@") == "2024-03-08"


@pytest.mark.parametrize(
    ("text", "suffix", "number"),
    [
        ("| 0.9 | high@ |", ".md", REFUSED),
        ("| 0.9 | \u2013@ |", ".md", REFUSED),
        ("| 0.9 |@ |", ".md", REFUSED),
        ("| a | 0.9 |@", ".md", "0.9"),
        ("| a | 0.9@ | b |", ".md", "0.9"),
        ("<td>0.9</td><td>n/a@</td>", ".html", REFUSED),
        ("<td>0.9</td><td>@</td>", ".html", REFUSED),
        ("<tr><td>a</td><td>0.9</td></tr>@", ".html", "0.9"),
        ("a & 0.9 & -- \\\\@", ".tex", REFUSED),
        ("a & 0.9 & \\\\@", ".tex", REFUSED),
        ("a & 0.9 \\\\ \\hline@", ".tex", "0.9"),
    ],
)
def test_a_cell_without_a_number_does_not_take_its_neighbours(text, suffix, number):
    assert reads(text, suffix) == number


@pytest.mark.parametrize(
    ("text", "suffix", "number"),
    [
        ("0.9\\footnote{Over five seeds.}.@", ".tex", "0.9"),
        ("0.9\\thanks{Of 7} by A@", ".tex", "0.9"),
        ("0.9\\marginpar{8}@", ".tex", "0.9"),
        ("0.9\\footnote{a {b 4} \\} 5}@", ".tex", "0.9"),
        ("None\\footnote{It was 0.8.} here@", ".tex", REFUSED),
        ("0.9\\footnote{x}\\,\\%@", ".tex", REFUSED),
        ("0.9\\footnote{It is 0.8@} x", ".tex", "0.8"),
        ("0.9^[over 5 seeds]@", ".md", "0.9"),
        ("0.9[^1] %@", ".md", REFUSED),
        ("0.9 <span hidden>0.8</span>@", ".md", "0.9"),
        ("<p hidden>It is 0.9@</p>", ".html", REFUSED),
        ("<script>0.9@</script>", ".html", REFUSED),
        ("<div style='display: none'><div>0.9@</div></div>", ".html", REFUSED),
        ("\\begin{comment}\n0.9@\\end{comment}", ".tex", REFUSED),
        ("\\iffalse 0.9@\\fi", ".tex", REFUSED),
    ],
)
def test_a_note_is_a_text_of_its_own_and_what_is_not_shown_is_none(text, suffix, number):
    assert reads(text, suffix) == number


@pytest.mark.parametrize(
    "text",
    ["It is 0.9 % TODO % claim: {}\n", "% it is 0.9 % claim: {}\n", "It is 0.9 % see claim: {}\n"],
)
def test_a_claim_that_does_not_begin_its_comment_is_told(text):
    (one,) = claims_in(Document(text.format(J), "x", ".tex"))
    assert one.claim.checker == "json_path_equals"
    assert "does not begin its comment" in one.claim.refused
    assert claims_in(Document("It is 0.9 % as we claim: more\n", "x", ".tex")) == []


@pytest.mark.parametrize(
    "text",
    [
        "We never used 8@",
        "without 8@",
        "instead of 8@",
        "It has no longer 8@",
        "There aren't 8@",
        "It isn\u2019t 8@",
        "It failed to reach 8@",
        "It cannot be 8@",
        "neither 3 nor 8@",
        "It is wrong that there were 8@",
        "We did not use 8@",
    ],
)
def test_a_number_that_is_denied_needs_an_operator(text):
    assert "say op=" in the_claim(text).refused
    assert reads(text, more=' op="=="') == reads(text, more=' op="!="') == "8"


@pytest.mark.parametrize(
    "text",
    [
        "Not all 8@ agree",
        "We did not change the 8@ items",
        "It was not scored in 8@ cases",
        "It does not help, and 8@ are left",
        "Not only 8@",
        "It is not known why 8@ are left",
    ],
)
def test_a_negation_of_something_else_does_no_harm(text):
    assert reads(text) == "8"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8@ \u00d7 A100", "8"),
        ("8\u00d7A100@", "8\u00d7"),
        ("8@ \u00d7 n", REFUSED),
        ("8@ \u00d7 3", REFUSED),
        ("\u25bc 0.9@", REFUSED),
        ("(\u2212) 0.9@", REFUSED),
        ("0.9@ (%)", REFUSED),
        ("13@ Mrd.", REFUSED),
        ("0.7@ Prozent", REFUSED),
        ("log 13@", REFUSED),
        ("\u201c0.9\u201d@", "0.9"),
    ],
)
def test_what_touches_a_number(text, number):
    assert reads(text) == number


def test_a_claim_may_name_a_number_with_its_unit_in_its_sentence():
    text = "It takes 12.63 ms per item, and the other 913.4 ms@"
    assert reads(text, more=' says="12.63 ms"') == "12.63"
    assert reads(text, more=' says="12.63 s"') is REFUSED
    assert reads("We had 13 then. We have 14 now@", more=' says="13"') is REFUSED


def test_what_is_expected_must_not_contradict_a_number_with_its_error():
    assert "the text says '14 \u00b1 1'" in the_claim("14 \u00b1 1@", more=' expected="13"').refused


@pytest.mark.parametrize(
    ("key", "text", "verdict"),
    [
        ("latency_ms", "12.6 s", "unverifiable"),
        ("latency_ms", "12.6 ms", "holds"),
        ("mem_gb", "12.6 MB", "unverifiable"),
        ("cost_usd", "\u20ac12.6", "unverifiable"),
        ("latency", "12.6 s", "holds"),
        ("min", "12.6 s", "holds"),
        ("n_s", "12.6 items", "holds"),
    ],
)
def test_the_unit_of_a_name_and_the_printed_one_must_agree(tmp_path, key, text, verdict):
    (tmp_path / "r.json").write_text(json.dumps({key: 12.6}))
    claim = f'json_path_equals path="r.json" key_path="{key}"'
    page = tmp_path / "page.md"
    page.write_text(f"It is {text} <!-- claim: {claim} -->.")
    assert assay.claims(page).claims[0].verdict == verdict
    page.write_text(f"It is {text} <!-- claim: {claim} scale=1.0 -->.")
    assert assay.claims(page).claims[0].verdict == "holds"
    row = {"id": "a", "checker": "json_path_equals", "args": {"path": "r.json", "key_path": key}}
    (tmp_path / "c.json").write_text(json.dumps([{**row, "expected": text}]))
    assert assay.claims(tmp_path / "c.json").claims[0].verdict == verdict
