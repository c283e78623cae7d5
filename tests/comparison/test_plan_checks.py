"""A plan names columns of the runs, and says what a name does not."""

import pytest

import assay
from assay.errors import SpecError

BEFORE = [{"instance": f"q{n}", "ok": n % 3 > 0, "usd": 0.1 + n % 4 / 50} for n in range(200)]
AFTER = [
    {**row, "usd": row["usd"] * (1.2 + n % 2 / 20), "ok": n % 4 > 0} for n, row in enumerate(BEFORE)
]
GATE = {"gated": True, "better": "lower", "range": [0, 1], "margin": 0.05}


def compared(**dimensions):
    return assay.compare(BEFORE, AFTER, config={"dimensions": dimensions})


@pytest.mark.parametrize("keys", [{}, {"gated": True}, {"counts": False}])
def test_a_misspelt_dimension_is_refused_with_the_nearest_column(keys):
    with pytest.raises(SpecError, match="no run has the dimension 'usdd'") as no:
        compared(ok={}, usdd=keys)
    assert "there are ok, usd" in no.value.message
    assert "Did you mean usd?" in no.value.hint


@pytest.mark.parametrize(
    "dimensions", [{"ok": {}, "cited": {"gated": True}}, {"cited": {}}], ids=str
)
def test_a_gate_or_all_that_counts_must_be_there_whatever_it_is_called(dimensions):
    with pytest.raises(SpecError, match="no run has the dimension 'cited'"):
        compared(**dimensions)


def test_a_plan_for_several_files_may_name_what_one_of_them_lacks():
    found = compared(ok={}, rating={"range": [1, 5]}, usd={"counts": False})
    said = {caveat.code: caveat.message for caveat in found.caveats}
    assert "rating" in said["absent"]


def test_the_older_rule_refuses_it_as_well():
    one = [[{**row, "instance": "q"} for row in rows[:4]] for rows in (BEFORE, AFTER)]
    with pytest.raises(SpecError, match="no run has the dimension 'usdd'"):
        assay.compare(*one, config={"dimensions": {"ok": {}, "usdd": {}}}, rule="adr-0031")


def test_a_dimension_that_one_side_lacks_still_blocks():
    after = [{name: row[name] for name in ("instance", "ok")} | {"f1": 1} for row in AFTER]
    found = assay.compare(BEFORE, after, config={"dimensions": {"ok": {}, "f1": {}}})
    assert found.blocked


def test_a_column_without_values_is_no_misspelling():
    sides = [[{**row, "f1": None} for row in rows] for rows in (BEFORE, AFTER)]
    found = assay.compare(*sides, config={"dimensions": {"ok": {}, "f1": {}}})
    assert "absent" in {caveat.code for caveat in found.caveats}


@pytest.mark.parametrize(
    ("gated", "lacking"),
    [(True, "better"), (True, "range"), (True, "margin"), (False, "better"), (False, "range")],
)
def test_a_cost_that_counts_states_its_direction_and_its_scale(gated, lacking):
    keys = {name: value for name, value in GATE.items() if name != lacking}
    with pytest.raises(SpecError, match=f"usd: a cost by its name, .* needs {lacking}\\n") as no:
        compared(ok={}, usd={**keys, "gated": gated})
    assert "[dimensions.usd]" in no.value.details
    assert "reported only" in no.value.hint


def test_a_fault_that_counts_states_its_direction():
    sides = [[{**row, "errors": 0.5} for row in rows] for rows in (BEFORE, AFTER)]
    with pytest.raises(SpecError, match=r"errors: by its name not known .* needs better"):
        assay.compare(*sides, config={"dimensions": {"ok": {}, "errors": {"gated": True}}})
    plan = {"dimensions": {"ok": {}, "errors": {"gated": True, "better": "lower"}}}
    assert assay.compare(*sides, config=plan).dimensions[1].better == "lower"


def test_what_does_not_count_keeps_the_direction_of_its_name():
    sides = [[{**row, "errors": n} for n, row in enumerate(rows)] for rows in (BEFORE, AFTER)]
    plan = {name: {"counts": False} for name in ("usd", "errors")}
    found = assay.compare(*sides, config={"dimensions": {"ok": {}, **plan}})
    assert [each.better for each in found.dimensions] == ["higher", "lower", None]
    assert "costs-more" in {caveat.code for caveat in found.caveats}


def test_the_lines_for_a_gated_cost_state_its_scale_and_leave_the_margin_to_the_user():
    with pytest.raises(SpecError, match="its gate needs a range and a margin") as no:
        assay.compare(BEFORE, AFTER, gate="usd")
    [range_line] = [line for line in no.value.details if line.startswith("range")]
    [margin] = [line for line in no.value.details if line.startswith('margin = "?"')]
    assert range_line.startswith("range = [0, 0.5]")
    assert "fill in" in margin and "the mean is 0.14" in margin


def test_a_value_that_is_not_filled_in_is_refused_by_its_key():
    with pytest.raises(SpecError, match="usd: margin is still to be filled in"):
        compared(ok={}, usd={**GATE, "margin": "?"})


def test_a_counted_cost_that_rises_inside_its_margin_is_said_to():
    found = compared(ok={}, usd=GATE)
    usd = next(each for each in found.dimensions if each.name == "usd")
    assert (usd.cls, usd.gate) == ("equivalent", "shown")
    assert "equivalent: worse, inside its margin, gate: shown" in str(found)
    assert "costs-more: The candidate is shown to cost more. In usd." in str(found)
    falls = assay.compare(AFTER, BEFORE, config={"dimensions": {"ok": {}, "usd": GATE}})
    assert "costs-more" not in {caveat.code for caveat in falls.caveats}
    assert "worse, inside" not in str(falls)


def test_gates_beside_a_plan_are_answered_with_the_lines_of_the_plan():
    with pytest.raises(SpecError, match="exclude each other") as no:
        assay.compare(BEFORE, AFTER, gate="ok", config={"dimensions": {"ok": {}}})
    assert no.value.details == ("[dimensions.ok]", "gated = true")
    assert '"ok": {"gated": True}' in str(no.value)
