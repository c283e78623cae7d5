import pytest

from assay.claim_audit.agreement import agrees


@pytest.mark.parametrize(
    ("claimed", "observed"),
    [
        (0.894, 0.8938),
        ("0.894", "0.8938"),
        ("thirteen", 13),
        ("1.2.3", "1.2.3"),
        (True, True),
        (None, None),
        (["a", 2], ["a", 2]),
        ({"a": 1}, {"a": 1.0}),
        ("0.894 [0.830, 0.945]", {"auc": 0.8938, "low": 0.83, "high": 0.945}),
        ("0.9 [0.8, 0.9]", {"value": 0.894, "interval": [0.83, 0.945]}),
        ("1,000", 1000),
        ("86.5 % [79.6, 93.2]", {"value": 0.8649, "low": 0.7963, "high": 0.9318}),
        ("86.5 % [79.6 %, 93.2 %]", {"value": 0.8649, "low": 0.7963, "high": 0.9318}),
    ],
)
def test_these_agree(claimed, observed):
    assert agrees(claimed, observed)
    assert not agrees(claimed, observed, "!=")


@pytest.mark.parametrize(
    ("claimed", "observed"),
    [
        (0.894, 0.8931),
        ("0.894", -0.8938),
        ("ten", 13),
        ("1.2.3", "1.2.4"),
        (1, True),
        (True, 1),
        (None, 0),
        (["a", 2], [2, "a"]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ("0.894 [0.830, 0.940]", {"auc": 0.8938, "low": 0.83, "high": 0.945}),
        ("0.894 [0.830, 0.945]", 0.894),
        ("0.9", {"low": 0.83, "high": 0.945}),
        ("86.4 %", 86.4),
        ("abc", 3),
        ("86.5 % [79.6, 92.3]", {"value": 0.8649, "low": 0.7963, "high": 0.9318}),
    ],
)
def test_these_do_not(claimed, observed):
    assert not agrees(claimed, observed)


@pytest.mark.parametrize(
    ("operator", "bound", "holds"),
    [("<=", "5 %", True), ("<", 0.043, False), (">=", "4 %", True), (">", "0.043", False)],
)
def test_a_bound_is_compared_as_a_number(operator, bound, holds):
    assert agrees(bound, 0.043, operator) is holds


def test_a_bound_on_what_is_no_number_never_holds():
    assert not agrees("5 %", "many", "<=")
    assert not agrees("many", 3, ">=")
