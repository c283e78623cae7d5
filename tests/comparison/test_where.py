import json

import pytest
from helpers.inspect_logs import samples, write_eval
from hypothesis import given
from hypothesis import strategies as st

from assay import SpecError
from assay.comparison.sides.read import read_sides
from assay.comparison.sides.reader import SideReading
from assay.tables.nested import same_word


def counts(path, where):
    (side,) = read_sides([("a", [path])], SideReading(where=where))
    return sum(len(read.trials) for read in side.reads)


@pytest.fixture
def files(tmp_path):
    rows = [
        {"instance": f"q{at}", "acc": 1, "flagged": at % 2 == 0, "fold": at % 4, "split": "Test"}
        for at in range(8)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cells = [",".join(str(row[name]) for name in rows[0]) for row in rows]
    (tmp_path / "a.csv").write_text("\n".join([",".join(rows[0]), *cells, ""]))
    return [tmp_path / "a.jsonl", tmp_path / "a.csv"]


@pytest.mark.parametrize("truth", ["true", "True", "TRUE", '"true"'])
def test_a_boolean_is_one_in_every_spelling(files, truth):
    for path in files:
        assert counts(path, f"flagged == {truth}") == 4
        assert counts(path, f"flagged != {truth}") == 4


def test_numbers_are_compared_by_size(files):
    for path in files:
        assert counts(path, "fold >= 2") == 4
        assert counts(path, "fold < 1 or fold > 2.5") == 4


def test_a_column_without_numbers_is_refused_where_size_is_asked_for(files):
    for path in files:
        with pytest.raises(SpecError, match="no row or log has a number as split"):
            counts(path, "split < 3 or fold == 1")
        with pytest.raises(SpecError, match="no row satisfies"):
            counts(path, "split < 3")


@pytest.mark.parametrize("one", ["1", "1.0", "1.", "+1", "1e0"])
def test_a_number_is_compared_as_a_number(files, one):
    for path in files:
        assert counts(path, f"fold == {one}") == 2
        assert counts(path, f"fold != {one}") == 6


@pytest.mark.parametrize("where", ["split == test", "split != test", "split == test or fold == 1"])
def test_a_word_that_no_row_has_is_refused_with_the_one_that_was_meant(files, where):
    for path in files:
        with pytest.raises(SpecError) as error:
            counts(path, where)
        assert "split holds 'Test'; did you mean 'Test'?" in str(error.value.hint)


def test_a_filter_that_keeps_no_row_says_what_its_columns_hold(files):
    for path in files:
        with pytest.raises(SpecError, match="no row satisfies") as error:
            counts(path, "fold == 2 and flagged == false")
        assert "fold holds '0', '1', '2', '3'" in str(error.value.hint)


def test_a_word_may_occur_on_one_side_alone(tmp_path):
    for name, split in (("a", "broken"), ("b", "fine")):
        (tmp_path / f"{name}.csv").write_text(f"instance,acc,split\nq,1,{split}\np,1,fine\n")
    named = [(name, [tmp_path / f"{name}.csv"]) for name in "ab"]
    sides = read_sides(named, SideReading(where="split != broken"))
    assert [len(side.reads[0].trials) for side in sides] == [1, 2]


def test_an_empty_word_asks_for_rows_that_have_something(files):
    assert counts(files[0], 'split != ""') == 8


def test_a_log_says_what_it_can_be_chosen_by(tmp_path):
    path = write_eval(tmp_path / "a.eval", samples(["C"] * 4), model="m/a")
    with pytest.raises(
        SpecError, match=r"no 'category' in a log; there are model, .*task"
    ) as error:
        counts(path, "category == x")
    assert "as a whole" in str(error.value.hint)
    with pytest.raises(SpecError, match="no row or log has 'm/b' as model") as error:
        counts(path, "model == m/b")
    assert "did you mean 'm/a'?" in str(error.value.hint)


@given(st.integers(-(10**9), 10**9))
def test_whole_numbers_are_the_same_with_and_without_a_fraction(number):
    assert same_word(str(number), f"{number}.0") and same_word(f"{number}.0", str(number))
    assert not same_word(str(number), str(number + 1))


@pytest.mark.parametrize(
    ("one", "other"),
    [("007", "7"), ("1", "true"), ("yes", "Yes"), ("nan", "NaN"), ("1_0", "10"), ("", "0")],
)
def test_names_are_compared_letter_by_letter(one, other):
    assert not same_word(one, other) and not same_word(other, one)
    assert same_word(one, one)
