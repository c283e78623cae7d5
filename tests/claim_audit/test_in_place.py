import json

import pytest

from assay.claim_audit.collect import claims_of
from assay.claim_audit.in_place import claims_in, parse_comment
from assay.errors import SpecError

J = 'json_path_equals path="r.json" key_path="auc"'


def printed(text, suffix=".md"):
    return [one.claim.printed for one in claims_in(text, "x", suffix)]


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
def test_a_claim_covers_the_number_before_it(text, number):
    assert printed(text)[-1] == number


def test_rewrapping_the_lines_changes_nothing():
    text = f"The AUC on the benchmark is 0.894 <!-- claim: {J} -->, and that is all."
    wrapped = text.replace(" ", "\n")
    first, second = claims_in(text, "x", ".md"), claims_in(wrapped, "x", ".md")
    assert first[0].claim.printed == second[0].claim.printed == "0.894"
    assert first[0].claim.args == second[0].claim.args


def test_latex_has_it_behind_a_percent_sign_and_an_escaped_one_is_a_percentage():
    assert printed(f"The AUC is 0.894. % claim: {J}\n", ".tex") == ["0.894"]
    assert printed("It is 86\\% claim: that\n", ".tex") == []


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
    found = claims_of(json.dumps({"cells": cells}).encode(), "n.ipynb")
    assert [one.printed for one in found.claims] == ["0.894"]
    assert found.claims[0].place == "n.ipynb, cell 2, line 1"


def test_a_claim_that_expects_something_needs_no_number():
    text = '<!-- claim: git_tag_exists tag="v1" expected=true id="tag" -->'
    (one,) = claims_in(text, "x", ".md")
    assert (one.claim.id, one.claim.expected, one.claim.printed) == ("tag", True, None)


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
        (f"no figure <!-- claim: {J} -->", "no number before the claim"),
        (f"3 <!-- claim: {J} says=4 -->", "no '4' before"),
        ("3 <!-- claim: -->", "expected the name of a checker"),
        ("3 <!-- claim: x path = -->", "expected key=value"),
        ('3 <!-- claim: x path="a -->', "is not a TOML value"),
        ("3 <!-- claim: x stray -->", "expected key=value"),
    ],
)
def test_a_claim_that_cannot_be_read_is_refused_with_its_line(text, what):
    with pytest.raises(SpecError, match="x, line 2") as error:
        claims_in("\n" + text, "x", ".md")
    assert what in error.value.message


def test_every_fault_of_a_text_is_named_at_once():
    with pytest.raises(SpecError) as error:
        claims_in("<!-- claim: -->\n\n3 <!-- claim: x y -->", "x", ".md")
    assert len([error.value.message, *error.value.details]) >= 2
