from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tables.numbers.printed_numbers import (
    PATTERN,
    bare_number,
    parse_count,
    parse_printed,
    spelled,
)


@pytest.mark.parametrize(
    ("text", "value", "place"),
    [
        ("0.864", "0.864", "0.001"),
        (".86", "0.86", "0.01"),
        ("13", "13", "1"),
        ("10,852", "10852", "1"),
        ("86.4 %", "0.864", "0.001"),
        ("5%", "0.05", "0.01"),
        ("\u2212.57", "-0.57", "0.01"),
        ("+0.082", "0.082", "0.001"),
        ("2e-16", "2e-16", "1e-16"),
        ("1.2k", "1200", "100"),
        ("2.5x", "2.5", "0.1"),
        ("thirteen", "13", "1"),
        ("Twenty-five", "25", "1"),
        ("one hundred and five", "105", "1"),
        ("a dozen", "12", "1"),
        ("half", "0.5", "0.1"),
        ("86.4 per cent", "0.864", "0.001"),
        ("86 percent", "0.86", "0.01"),
        ("86.4\\%", "0.864", "0.001"),
        ("86.4\\,\\%", "0.864", "0.001"),
        ("1{,}284", "1284", "1"),
        ("48\\,210", "48210", "1"),
        ("\u20130.042", "-0.042", "0.001"),
    ],
)
def test_a_printed_number_says_its_value_and_its_last_place(text, value, place):
    printed = parse_printed(text)
    assert (printed.value, printed.last_place) == (Decimal(value), Decimal(place))


@pytest.mark.parametrize("text", ["", "none of it", "1.2.3", "0x10", "1_000", "x", "-", "1" * 50])
def test_what_is_no_number_is_none(text):
    assert parse_printed(text) is None


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0.796-0.932", ["0.796", "0.932"]),
        ("0.796\u20130.932", ["0.796", "0.932"]),
        ("top-5", ["5"]),
        ("it is -0.5", ["-0.5"]),
        ("$-0.5$", ["-0.5"]),
        ("7 percentage points", ["7"]),
    ],
)
def test_a_dash_between_numbers_is_no_sign(text, numbers):
    assert [one[0].strip() for one in PATTERN.finditer(text)] == numbers


@pytest.mark.parametrize("value", [True, None, float("nan"), float("inf"), [1]])
def test_a_value_that_is_no_number_is_none(value):
    assert parse_printed(value) is None


@pytest.mark.parametrize(
    ("text", "admitted", "refused"),
    [
        ("0.86", [0.86, 0.8551, 0.855, 0.865], [0.8549, 0.8651, -0.86]),
        ("0.860", [0.8604], [0.8606, 0.8594]),
        ("13", [13, 13.4], [12, 14, 13.6]),
        ("86.4 %", [0.8641], [86.4, 0.8646]),
    ],
)
def test_it_admits_what_rounds_to_it_and_nothing_else(text, admitted, refused):
    printed = parse_printed(text)
    assert all(printed.admits(number) for number in admitted)
    assert not any(printed.admits(number) for number in refused)


@given(st.decimals(min_value=-1000, max_value=1000, places=3))
def test_a_number_moved_by_one_place_no_longer_admits_it(value):
    printed = parse_printed(f"{value:f}")
    for step in (1, -1):
        moved = parse_printed(printed.moved(step))
        assert not moved.admits(value)
        assert moved.admits(value + step * printed.last_place)


@given(st.integers(min_value=0, max_value=99))
def test_a_count_in_words_is_read_back(number):
    assert parse_count(spelled(number, "x")) == number


def test_a_decimal_comma_is_no_thousands_separator():
    assert parse_printed("0,123") is None
    assert parse_printed("1,234").value == 1234


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,530", "1530"), (" 5 % ", "0.05"), ("2 x 10^3", "2000"), ("$5", None), ("5 ms", None),
     ("2k", None), ("five", None), ("0,5", None), ("1" * 41, None)],
)  # fmt: skip
def test_a_bare_number_has_neither_a_currency_nor_a_unit(text, value):
    assert bare_number(text) == (None if value is None else Decimal(value))
