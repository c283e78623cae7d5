"""Shares on one side and per cent on the other are refused; what only differs much is not."""

import pytest

import assay
from assay.comparison.sides.scales import refuse_two_scales
from assay.errors import IncomparableRuns
from assay.logs.trial import Trial


def trials(values, name="score"):
    return [Trial(instance=f"q{n}", dimensions={name: value}) for n, value in enumerate(values)]


def refused(first, second, name="score"):
    try:
        refuse_two_scales(("old", trials(first, name)), ("new", trials(second, name)))
    except IncomparableRuns as error:
        return error.message
    return None


@pytest.mark.parametrize(
    ("shares", "points"),
    [
        ([0.0, 1.0, 1.0], [0.0, 100.0, 100.0]),
        ([0.2, 0.5, 0.9], [31.0, 48.5, 92.0]),
        ([0.0, 1.0], [40.0, 70.0]),
        ([0.01, 0.02], [1.5, 2.0]),
    ],
)
def test_per_cent_beside_shares_is_refused_whichever_side_it_is(shares, points):
    for first, second in ((shares, points), (points, shares)):
        said = refused(first, second)
        assert "is one side in per cent?" in said
        assert "in old and" in said and "in new" in said


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([0.2, 0.9], [0.1, 1.0]),
        ([20.0, 90.0], [10.0, 100.0]),
        ([1.0, 1.0, 1.0], [3.0, 4.0, 5.0]),  # grades from 1 to 5
        ([0.0, 1.0, 1.0], [8.0, 9.0, 10.0]),  # from 0 to 10
        ([0.0, 0.0], [40.0, 60.0]),  # nothing but 0 is on every scale
        ([0.001, 0.002], [40.0, 60.0]),  # 30,000 times as large
        ([0.5, 1.0], [200.0, 700.0]),
        ([-0.5, 0.5], [20.0, 60.0]),
        ([None, None], [20.0, 60.0]),
    ],
)
def test_other_differences_are_no_scales(first, second):
    assert refused(first, second) is None


def test_a_cost_may_differ_by_so_much():
    assert refused([0.2, 0.5], [30.0, 50.0], "seconds") is None
    assert refused([0.2, 0.5], [30.0, 50.0], "accuracy") is not None


def rows(times, **more):
    return [{"instance": f"q{n}", "ok": (n % 3 > 0) * times, **more} for n in range(30)]


PLAN = {"dimensions": {"ok": {"range": [0, 100]}}}


@pytest.mark.parametrize("config", [None, PLAN], ids=["no plan", "plan"])
def test_a_comparison_over_two_scales_is_refused_with_both_ranges(config):
    with pytest.raises(IncomparableRuns, match="'ok' is 0 and 1 in old and 0 and 100 in new") as no:
        assay.compare({"old": rows(1), "new": rows(100)}, config=config)
    assert "divide per cent by 100" in no.value.hint and "`allow=scale`" in no.value.hint


def test_sides_that_do_differ_by_so_much_may_be_compared():
    found = assay.compare(rows(1), rows(100), config=PLAN, allow="scale")
    assert (found.verdict, found.settings.plan.allow) == ("ratify", ("scale",))
    in_the_plan = {**PLAN, "policy": {"allow": ["scale"]}}
    assert assay.compare(rows(1), rows(100), config=in_the_plan) == found


def test_only_what_counts_in_a_plan_is_looked_at():
    sides = rows(1, extra=0.5), [{**row, "extra": 60} for row in rows(1)]
    plan = {"dimensions": {"ok": {}, "extra": {"counts": False}}}
    assert assay.compare(*sides, config=plan).verdict == "inconclusive"
    with pytest.raises(IncomparableRuns, match="extra"):
        assay.compare(*sides)


def test_a_pilot_over_two_scales_is_refused():
    with pytest.raises(IncomparableRuns, match="is one side in per cent"):
        assay.power(pilot=(rows(1), rows(100)))
