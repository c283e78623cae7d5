import pytest

from assay.benchmark.expression import parse_expression
from assay.errors import SpecError

RECORD = {"id": "7", "class": "folklore", "label": "1", "source": "quiz night", "group": None}
HOLDS = {
    "class != truth": True,
    "class == folklore": True,
    "class==folklore": True,
    "label == 0": False,
    "class == truth or label == 1": True,
    "class == truth and label == 1 or id == 7": True,
    "label == 1 and class == truth": False,
    "source == 'quiz night'": True,
    'source != "quiz night"': False,
    "label >= 1": True,
    "label>1": False,
    "id < 10 and id <= 7.0": True,
    "class > 3": False,
    "class < 3": False,
}


@pytest.mark.parametrize("text", HOLDS)
def test_expressions_hold_as_they_read(text):
    assert parse_expression(text).holds(RECORD) is HOLDS[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "class",
        "class =",
        "class = truth",
        "class == ",
        "== truth",
        "class == a b",
        "class == a and",
        "class == a or",
        "class == a xor label == 1",
        "class == 'a",
        "__class__ == x",
        "id == 1 or or id == 2",
        "id >= seven",
        "id => 7",
        "id < ",
    ],
)
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(SpecError):
        parse_expression(text)


def test_a_field_that_a_record_lacks_is_named():
    with pytest.raises(SpecError, match="record 7 has no group"):
        parse_expression("group == a").holds(RECORD)


@pytest.mark.parametrize(("text", "got"), [("", "nothing"), ("class", "'class'")])
def test_what_is_no_comparison_is_named_and_an_example_given(text, got):
    with pytest.raises(SpecError, match=f"expected a comparison, got {got}") as caught:
        parse_expression(text)
    assert "class != truth" in caught.value.hint
