"""Whether an answer equals its target, in any spelling, and whether it only holds it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dual_condition.answered import shown_answers
from assay.dual_condition.system.answer_forms import forms_of, holds, plain_answer


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        ("1,530", "1530"),
        ("1 530", "1530.0"),
        ("1\u202f530", "1530"),
        ("1,234,567.50", "1234567.5"),
        ("\u22125", "-5"),
        ("50 %", "0.5"),
        ("12.5%", ".125"),
        ("1e3", "1000"),
        ("3 x 10^-5", "0.00003"),
        ("42.", "42"),
        (" Paris\n", "paris"),
        ("True", "1"),
        ("-0.0", "0"),
        ("$1,530", "$1,530"),
    ],
)
def test_an_answer_is_right_in_any_spelling_of_its_number(answer, target):
    assert plain_answer(answer) == plain_answer(target)


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        ("1,53", "1.53"),
        ("0,123", "123"),
        ("$5", "5"),
        ("5 ms", "5 s"),
        ("5 M", "5 k"),
        ("no", "0"),
        ("none", "0"),
        ("half", "0.5"),
        ("50 %", "50"),
        ("1.1.0", "1.1"),
        ("12345678901234567890", "12345678901234567891"),
        ("nan", "inf"),
    ],
)
def test_what_only_looks_alike_is_wrong(answer, target):
    assert plain_answer(answer) != plain_answer(target)


@given(st.integers(-(10**12), 10**12))
def test_thousands_separators_change_no_value(number):
    plain = plain_answer(str(number))
    assert plain == plain_answer(f"{number:,}") == plain_answer(f"{number:,}".replace(",", " "))


@given(st.text(max_size=60))
def test_every_text_equals_itself_in_other_case_and_space(text):
    assert plain_answer(f"  {text}\n") == plain_answer(text)


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        ("The answer is 42.", "42"),
        ("$2,646", "2646"),
        ("It is New  York, I think", "new york"),
        ("about 50 percent", "0.5"),
    ],
)
def test_an_answer_can_hold_its_target_without_equalling_it(answer, target):
    assert holds(answer, target)
    assert plain_answer(answer) != plain_answer(target)


@pytest.mark.parametrize(
    ("answer", "target"),
    [("The answer is 420.", "42"), ("York New", "New York"), ("Parisian", "Paris"), ("x", "?")],
)
def test_a_part_of_a_word_or_number_is_not_held(answer, target):
    assert not holds(answer, target)


def test_the_first_wrong_answers_are_those_that_hold_their_targets():
    targets = {"a": "1", "b": "2", "c": "3", "d": "4"}
    forms = forms_of({"a": "9", "b": "2", "c": "it is 3", "d": "x" * 500}, targets)
    assert forms.holding == 1
    assert [(each.id, each.holds) for each in forms.wrong] == [
        ("c", True),
        ("a", False),
        ("d", False),
    ]
    assert len(forms.wrong[-1].answer) == 60
    assert [each.id for each in shown_answers([forms, forms])] == ["c", "a", "d"]
