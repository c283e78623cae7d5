"""What must not change a verdict: copies and mirror images of a column, order, names, units."""

import numpy as np
import pytest

from assay import Trial
from assay.comparison.judge.compare import compare
from assay.comparison.spec import Dimension, Dimensions
from assay.stats.arrays import by_content

DESIGNS = ("pairs", "runs", "instances")
KINDS = ("shares", "grades", "scores", "inflated")


def drawn(kind, rng, shape, shift):
    if kind == "shares":
        return (rng.random(shape) < 0.5 + shift).astype(float)
    if kind == "grades":
        return np.clip(np.round(4 * (rng.random(shape) + shift)) / 4, 0, 1)
    scores = np.clip(rng.normal(0.5 + shift, 0.2, shape), 0, 1)
    return (
        np.where(rng.random(shape) < 0.3, np.round(scores), scores)
        if kind == "inflated"
        else scores
    )


def ids(design, row):
    if design == "pairs":
        return f"i{row}", None
    if design == "runs":
        return "only", str(row)
    return f"i{row // 3}", str(row % 3)


def sides(kind, design, seed):
    rng = np.random.default_rng(seed)
    size = 36
    shift = (0.0, 0.1, 0.25)[seed % 3]
    columns = [drawn(kind, rng, (size, 2), by) for by in (0.0, shift)]
    return [
        [(*ids(design, row), {"a": a, "b": b}) for row, (a, b) in enumerate(side.tolist())]
        for side in columns
    ]


def made(both, **how):
    arms = [
        [Trial(instance=i, trial=t, dimensions=values) for i, t, values in side] for side in both
    ]
    return compare(baseline=arms[0], candidate=arms[1], resamples=499, **how)


def told(found):
    """Everything that is said of the two columns, and of both."""
    rows = {
        row.name: (row.baseline, row.candidate, row.low, row.high, row.p, row.cls, row.gate)
        for row in found.dimensions
        if row.name in ("a", "b")
    }
    return found.verdict, found.because, rows, found.balance, found.needed_pairs, found.looks


def equal(one, other):
    assert one[:2] == other[:2]
    assert one[4:] == other[4:]
    assert one[2].keys() == other[2].keys()
    for name, row in one[2].items():
        assert row[5:] == other[2][name][5:]
        assert row[:5] == pytest.approx(other[2][name][:5], abs=1e-9)
    for field in ("value", "low", "high", "p"):
        ours, theirs = (getattr(told[3], field) for told in (one, other))
        assert ours == theirs or ours == pytest.approx(theirs, abs=1e-9)


def with_values(both, change):
    return [[(i, t, change(values)) for i, t, values in side] for side in both]


COPIES = {
    "copy": lambda values: {**values, "c": values["a"]},
    "two copies": lambda values: {**values, "c": values["a"], "d": values["a"]},
    "mirror": lambda values: {**values, "c": 1.0 - values["b"]},
    "copy and mirror": lambda values: {**values, "c": 1.0 - values["b"], "d": values["b"]},
}


@pytest.mark.parametrize("how", [{}, {"gated": "a"}, {"sequential": True, "unit": "run"}])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("design", DESIGNS)
def test_a_column_written_again_or_turned_round_changes_nothing(kind, design, how):
    for seed, change in enumerate(COPIES.values()):
        both = sides(kind, design, seed)
        again = made(with_values(both, change), **how)
        (words,) = (one.message for one in again.caveats if one.code == "columns-left-out")
        assert "is a copy of" in words or "reversed" in words
        equal(told(made(both, **how)), told(again))


@pytest.mark.parametrize("how", [{}, {"sequential": True, "unit": "run"}])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("design", DESIGNS)
def test_the_order_of_rows_and_the_names_of_instances_change_nothing(kind, design, how):
    for seed in range(3):
        both = sides(kind, design, seed)
        rng = np.random.default_rng(seed)
        moved = [[side[k] for k in rng.permutation(len(side))] for side in both]
        if design == "runs" and not how:  # the runs of an instance pair by their names alone
            moved = both
        name = {f"i{k}": f"x{rng.integers(10**9)}" for k in range(36)} | {"only": "other"}
        renamed = [[(name[i], t, values) for i, t, values in side] for side in moved]
        equal(told(made(both, **how)), told(made(renamed, **how)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("design", DESIGNS)
def test_the_units_of_a_score_change_nothing_where_its_range_is_said(kind, design):
    both = sides(kind, design, 1)
    plain = Dimensions(dimensions=(Dimension(name="a"), Dimension(name="b")))
    scaled = Dimensions(
        dimensions=(
            Dimension(name="a", range=(-3.0, 7.0), margin=0.5),
            Dimension(name="b", range=(0.0, 100.0), margin=5.0, better="lower"),
        )
    )
    turned = with_values(both, lambda v: {"a": 10 * v["a"] - 3.0, "b": 100.0 * (1.0 - v["b"])})
    one, other = made(both, dimensions=plain), made(turned, dimensions=scaled)
    assert one.verdict is other.verdict
    assert one.balance.p == pytest.approx(other.balance.p)
    assert [row.p for row in one.dimensions] == pytest.approx([row.p for row in other.dimensions])


def test_what_an_instance_brings_is_left_out_and_a_plan_keeps_it():
    both = sides("scores", "pairs", 2)
    brought = [
        [(i, t, {**values, "difficulty": float(k % 2)}) for k, (i, t, values) in enumerate(side)]
        for side in both
    ]
    found = made(brought)
    (words,) = (one.message for one in found.caveats if one.code == "columns-left-out")
    assert "difficulty is the same on both sides for every instance" in words
    equal(told(made(both)), told(found))
    names = ("a", "b", "difficulty")
    plan = Dimensions(dimensions=tuple(Dimension(name=name) for name in names))
    assert [row.name for row in made(brought, dimensions=plan).dimensions] == list(names)
    assert "difficulty" in [row.name for row in made(brought, gated="difficulty").dimensions]


def test_columns_that_nothing_changed_are_not_all_left_out():
    (side, _) = sides("shares", "pairs", 0)
    found = made([side, side])
    assert "columns-left-out" not in [one.code for one in found.caveats]
    assert [row.name for row in found.dimensions] == ["a", "b"]


def test_a_score_that_is_always_the_same_is_no_copy():
    both = with_values(sides("shares", "pairs", 0), lambda v: {**v, "c": 1.0, "d": 1.0})
    assert "columns-left-out" not in [one.code for one in made(both).caveats]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("design", DESIGNS)
def test_interval_p_value_and_class_say_the_same(kind, design):
    for seed in range(12):
        found = made(sides(kind, design, seed))
        rows = [(row.low, row.high, row.p, row.cls) for row in found.dimensions]
        for low, high, p, cls in rows:
            assert (low > 0.0 or high < 0.0) == (p <= 0.05)
            assert cls == "equivalent" or (cls != "unclear") == (p <= 0.05)
        tilt = found.balance
        assert (tilt.low > 0.0 or tilt.high < 0.0) == (tilt.p <= 0.05)
        if found.verdict == "inconclusive" and found.needed_pairs is not None:
            shown = tilt.p <= 0.05 or any(p <= 0.05 for _, _, p, _ in rows)
            assert shown or found.needed_pairs >= 0.9 * 36 / (3 if design == "instances" else 1)


def test_rows_by_content_are_in_one_order_whatever_they_were_in():
    rows = np.random.default_rng(0).integers(0, 3, (20, 3)).astype(float)
    moved = rows[np.random.default_rng(1).permutation(20)]
    assert (rows[by_content(rows)] == moved[by_content(moved)]).all()
