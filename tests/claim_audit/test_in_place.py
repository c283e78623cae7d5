import json

import pytest

from assay.claim_audit.agreement import agrees
from assay.claim_audit.collect import read_texts
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import claims_in, parse_comment

V = 'package_version_equals path="pyproject.toml"'
J = 'json_path_equals path="r.json" key_path="auc"'


def found_in(text, suffix=".md"):
    return claims_in(Document(text, "x", suffix))


def refused(text, suffix=".md"):
    one = found_in(text, suffix)[-1]
    assert one.claim.printed is None
    return one.claim.refused or ""


def printed(text, suffix=".md"):
    return [one.claim.printed for one in found_in(text, suffix)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (f"The AUC is 0.894 <!-- claim: {J} -->.", "0.894"),
        (f"The AUC is **0.894** <!-- claim: {J} -->.", "0.894"),
        (f"0.894 [0.830, 0.945] <!-- claim: {J} -->", "0.894 [0.830, 0.945]"),
        (f"thirteen findings <!-- claim: {J} -->", "thirteen"),
        (f"in 86.4 % of cases <!-- claim: {J} -->", "86.4 %"),
        (f"first 3, then 4 <!-- claim: {J} -->", "4"),
        (f"3 of 4 <!-- claim: {J} says=3 -->", "3"),
        (f"it was 0.894\n<!-- claim: {J} --> in all", "0.894"),
        (f"2 <!-- claim: {J} -->and more words <!-- claim: {J} says=2 -->", "2"),
    ],
)
def test_a_claim_covers_the_last_number_before_it(text, number):
    assert printed(text)[-1] == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (f"The AUC is 0.999 on D1 <!-- claim: {J} -->", "0.999"),
        (f"GPT-4 has an F1 of 0.7 on F1 <!-- claim: {J} -->", "0.7"),
        (f"twenty-five files <!-- claim: {J} -->", "twenty-five"),
        (f"5 million rows <!-- claim: {J} -->", "5 million"),
        (f"it changes by \u20130.042 <!-- claim: {J} -->", "\u20130.042"),
        (f"Twenty-six <!-- claim: {J} --> tests", "Twenty-six"),
        (f"one hundred and twenty records <!-- claim: {J} -->", "one hundred and twenty"),
        (f"two and three <!-- claim: {J} -->", "three"),
        (f"0.796-0.932 <!-- claim: {J} -->", "0.932"),
        (f"from 1-5 <!-- claim: {J} -->", "5"),
        (f"on D5, 16 <!-- claim: {J} --> of them", "16"),
        (f"in 2019, 86 % <!-- claim: {J} -->", "86 %"),
        (f"0.894 [0.830, 0.945] on it <!-- claim: {J} -->", "0.894 [0.830, 0.945]"),
        (f"Version 3.1.2 <!-- claim: {V} -->", "3.1.2"),
        (f"We release v3.1.2rc1 <!-- claim: {V} -->", "3.1.2rc1"),
    ],
)
def test_a_claim_covers_the_number_before_it(text, number):
    assert printed(text)[-1] == number


def test_rewrapping_the_lines_changes_nothing():
    text = f"The AUC on the benchmark is 0.894 <!-- claim: {J} -->, and that is all."
    wrapped = text.replace(" ", "\n")
    first, second = found_in(text), found_in(wrapped)
    assert first[0].claim.printed == second[0].claim.printed == "0.894"
    assert first[0].claim.args == second[0].claim.args


def test_latex_has_it_behind_a_percent_sign_and_an_escaped_one_is_a_percentage():
    assert printed(f"The AUC is 0.894. % claim: {J}\n", ".tex") == ["0.894"]
    assert printed("It is 86\\% claim: that\n", ".tex") == []


def test_a_percentage_of_latex_and_the_comment_before_are_read_as_they_are():
    text = f"It is 86.4\\% % claim: {J.replace('auc', 'd1')}\n% claim: {J} says=86.4\\%\n"
    assert printed(f"It is 86.4\\% % claim: {J}\n", ".tex") == ["86.4%"]
    assert printed(text, ".tex")[0] == "86.4%"


@pytest.mark.parametrize(
    ("suffix", "comment"), [(".md", "<!-- {} -->"), (".tex", "% {}\n"), (".rst", "\n.. {}\n")]
)
def test_a_second_comment_covers_the_number_of_the_text_and_not_of_the_first(suffix, comment):
    first, second = comment.format(f'claim: {J} says="3"'), comment.format("claim: x at=7")
    text = f"3 of 13 {first}{second}"
    found = found_in(text, suffix)
    assert [text[one.start : one.end] for one in found] == ["3", "13"]
    assert [one.start for one in found] == [0, 5]


@pytest.mark.parametrize(
    "nearer",
    ["9GPUs", "90s", "9h30", "9th", "`9`", "9/10", "½", "none of", "no", "half", "twice",
     "both", "a couple", "“9 ever”", "ninefold", "nineteenth", "2019", "0,9", "9 ± 1", "2^3", "9½",
     "minus nine", "half a dozen", "nine and a half", "1'840", "~~9~~", "9<sup>2</sup>"],
)  # fmt: skip
def test_a_nearer_number_that_cannot_be_read_is_not_passed_over(nearer):
    (one,) = found_in(f"It uses 8 GPUs here but {nearer} <!-- claim: {J} --> there.")
    assert one.claim.printed is None and one.claim.refused


@pytest.mark.parametrize(
    "passed",
    ["[12]", "[^1]", "(Section 3.2)", "(see Table 4)", "in 2024", "(2024)", "at top-5", "for GPT-4",
     "of Llama 2 7B", "(p. 4)", "on Kestrel-7B", "vs. the baseline", "and have no score", "."],
)  # fmt: skip
def test_references_years_and_names_behind_a_number_are_passed_over(passed):
    assert printed(f"It uses 8 GPUs {passed} <!-- claim: {J} --> there.") == ["8"]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Published 2024-03-18", "2024-03-18"),
        ("in the year 2023", "2023"),
        ("The top-5 are kept", "5"),
        ("> quoted: 0.9", "0.9"),
        ("It is 0.9.\n\n", "0.9"),
        ("from 0.796-0.932", "0.932"),
    ],
)
def test_a_date_a_rank_and_a_quotation_are_read_where_nothing_else_stands(text, stated):
    assert printed(f"{text} <!-- claim: {J} -->") == [stated]


@pytest.mark.parametrize(
    ("text", "says", "stated"),
    [
        ("A third of them", "third", "A third"),
        ("A single test", "single", "single"),
        ("It ranks 4th", "4th", "4th"),
        ("The first level", "first", "first"),
        ("84.7 % against 90 %", "84.7", "84.7 %"),
        ("84.7&nbsp;% against 90 %", "84.7%", "84.7\u00a0%"),
        ("0.796-0.932 and 3", "0.796", "0.796"),
        ("0.696 \u00b1 0.007", "0.696 \u00b1", "0.696"),
        ("0.696 \u00b1 0.007", "\u00b1 0.007", "0.007"),
    ],
)
def test_a_comment_may_name_the_number_that_it_means(text, says, stated):
    assert printed(f'{text} <!-- claim: {J} says="{says}" -->') == [stated]


@pytest.mark.parametrize(
    ("text", "says"),
    [("\u22120.442", "0.442"), ("3/4", "4"), ("5 \u00b1 4", "4"), ("4 million", "4"),
     ("half a million", "half"), ("1,840", "840"), ("0.8471", "0.847"), ("4 \u00d7 10^6", "4"),
     ("0.696 \u00b1 0.007", "0.007 \u00b1")],
)  # fmt: skip
def test_a_comment_cannot_name_a_part_of_a_number(text, says):
    assert refused(f'{text} against 9 <!-- claim: {J} says="{says}" -->')


@pytest.mark.parametrize(
    ("text", "op"),
    [("fewer than 4", "<"), ("more than 4", ">"), ("at most 4", "<="), ("at least 4", ">="),
     ("not 4", "!="), ("has over 4", ">"), ("is under 4", "<"), ("up to 4", "<="),
     ("4 or more", ">="), ("no fewer than 4", ">="), ("\u2264 4", "<=")],
)  # fmt: skip
def test_words_that_make_a_bound_and_the_operator_must_agree(text, op):
    if op in ("<", ">", "!="):
        assert f'say op="{op}"' in refused(f"It {text} <!-- claim: {J} -->")
    else:  # equality says more
        assert printed(f"It {text} <!-- claim: {J} -->") == ["4"]
    other = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "<"}[op]
    assert f'say op="{op}"' in refused(f'It {text} <!-- claim: {J} op="{other}" -->')
    assert printed(f'It {text} <!-- claim: {J} op="{op}" -->') == ["4"]


@pytest.mark.parametrize("text", ["averaged over 4", "a mean over 4", "nearly 4", "if or not 4",
                                  "it is below. 4"])  # fmt: skip
def test_words_that_make_no_bound_are_left(text):
    assert printed(f"It {text} <!-- claim: {J} -->") == ["4"]


def test_a_number_in_a_comment_must_not_contradict_the_text():
    assert "the text says '0.999'" in refused(f'It is 0.999 <!-- claim: {J} expected="0.847" -->')
    assert printed(f'It is 0.85 <!-- claim: {J} expected="0.847" -->') == [None]


@pytest.mark.parametrize("unit", ["ms", "s", "µs", "min", "GB", "MiB", "kHz", "px", "pp", "tok/s"])
def test_a_unit_may_be_glued_to_a_number(unit):
    assert printed(f"It took 8 runs and 12.6{unit} <!-- claim: {J} --> there.") == [f"12.6{unit}"]
    (one,) = found_in(f"It took 8 runs and 12{unit} <!-- claim: {J} --> there.")
    assert agrees(one.claim.printed, 12) and not agrees(one.claim.printed, 13)


def test_what_stands_in_code_is_no_claim():
    fenced = f"```markdown\nThe AUC is 0.894 <!-- claim: {J} -->\n```\n"
    assert printed(f"{fenced}Or `5 <!-- claim: {J} -->` so, 7 <!-- claim: {J} -->.") == ["7"]


def test_a_statement_needs_no_number_and_covers_none():
    (one,) = found_in('The AUC is 0.999 <!-- claim: git_tag_exists tag="v1" -->.')
    assert (one.claim.printed, one.claim.affirms, one.start == one.end) == (None, True, True)


def test_claims_of_two_files_of_one_name_have_ids_of_their_own():
    ids = {claims_in(Document(f"5 <!-- claim: {J} -->", f"{folder}/README.md", ".md"))[0].claim.id
           for folder in "ab"}  # fmt: skip
    assert len(ids) == 2


def test_restructured_text_has_it_in_a_comment():
    text = (
        f"The AUC is 0.894 here.\n\n.. claim: json_path_equals path=r.json\n   key_path=auc\n\n{J}"
    )
    assert printed(text, ".rst") == ["0.894"]


def test_a_notebook_has_it_in_its_markdown_cells():
    cells = [
        {"cell_type": "code", "source": f"# 1 <!-- claim: {J} -->"},
        {"cell_type": "markdown", "source": ["The AUC ", f"is 0.894 <!-- claim: {J} -->"]},
    ]
    (text,) = read_texts(json.dumps({"cells": cells}).encode(), "n.ipynb")
    assert [one.claim.printed for one in text.covered] == ["0.894"]
    assert text.covered[0].claim.place == "n.ipynb, cell 2, line 1"


def test_a_claim_that_expects_something_needs_no_number():
    text = '<!-- claim: git_tag_exists tag="v1" expected=true id=7 -->'
    (one,) = found_in(text)
    assert (one.claim.id, one.claim.expected, one.claim.printed) == ("7", True, None)


def test_arguments_are_values_of_toml():
    checker, args = parse_comment(
        'derived_equals operation=points of=[{checker="json_path_equals", args={path="r.json",'
        ' key_path="a"}}, 2] value=3.5 ok=true names=["a", "b"]',
        "x",
    )
    assert checker == "derived_equals"
    assert args["of"] == [{"checker": "json_path_equals",
                           "args": {"path": "r.json", "key_path": "a"}}, 2]  # fmt: skip
    assert (args["value"], args["ok"], args["names"]) == (3.5, True, ["a", "b"])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"no figure <!-- claim: {J} -->", "no number that can be read stands before the claim"),
        (f"3 <!-- claim: {J} says=4 -->", "no '4' stands before"),
        ("3 <!-- claim: -->", "expected the name of a checker"),
        ("3 <!-- claim: x path = -->", "expected key=value"),
        ('3 <!-- claim: x path="a -->', "is not a value"),
        ("3 <!-- claim: x stray -->", "expected key=value"),
        (f"3 <!-- claim {J} -->", "write `claim:`"),
        ('3 <!-- claim: x path="a" path="b" -->', "is given twice"),
        (
            f"It is 0.9. There is no other <!-- claim: {J} -->",
            "no number that can be read stands before",
        ),
        (f"It is 0.899 <!-- claim: {J} says=0.89 -->", "no '0.89' stands before"),
        (f'5 <!-- claim: {J} confidence="high" predicted="holds" -->', "confidence"),
        ("3 <!-- claim: x predicted=maybe -->", "Invalid enum value"),
        ("3 <!-- claim: x control=yes -->", "Expected `bool`"),
        (f"5 <!-- claim: {J} confidence=7 predicted=holds -->", "expected 0 to 1"),
    ],
)
def test_a_claim_that_cannot_be_read_is_kept_with_its_line_and_why(text, what):
    one = found_in("\n" + text)[-1]
    assert what in one.claim.refused
    assert one.claim.place == "x, line 2"


def test_one_claim_that_cannot_be_read_does_not_hide_the_others():
    found = found_in(f"<!-- claim: -->\n\n3 <!-- claim: {J} -->\n5 \u00b1 4 <!-- claim: {J} -->")
    assert [one.claim.printed for one in found] == [None, "3", None]
