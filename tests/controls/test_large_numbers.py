"""No number makes a fault of our own: it is refused by name, or computed with."""

import json
import math
from contextlib import suppress

import pytest
from helpers.command import command
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.bounds import LARGEST_NUMBER
from assay.comparison.judge.compare import compare
from assay.comparison.power import pairs_for_gate, power_of_scores, smallest_effect
from assay.comparison.spec import Dimension
from assay.dual_condition.system.item_files import _parsed_scores
from assay.errors import AssayError, SpecError
from assay.logs.trial import Trial
from assay.study.submissions.spec import parse_prereg

HUGE = [9e119, -9e119, 1e308, -1e308, 1.7976931348623157e308, 10**59, 10**300, 10**400]
TINY = [5e-324, -5e-324, 1e-200, 1e-160, 1e-100, 1e-60]
numbers = (
    st.sampled_from([*HUGE, *TINY])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(min_value=-(10**400), max_value=10**400)
)


def trials(costs, *, paired):
    return [
        Trial(
            instance=f"i{number if paired else number % 3}",
            trial=str(number) if paired else None,
            dimensions={"score": float(number % 3 == 0), "cost_usd": cost, "mystery": -cost},
        )
        for number, cost in enumerate(costs)
    ]


@settings(max_examples=150)
@pytest.mark.filterwarnings("error")
@given(
    st.lists(numbers, min_size=6, max_size=12),
    st.lists(numbers, min_size=6, max_size=12),
    st.booleans(),
    st.booleans(),
)
def test_any_costs_are_compared_or_refused(first, second, paired, sequential):
    try:
        made = compare(
            baseline=trials(first, paired=paired),
            candidate=trials(second, paired=paired),
            resamples=49,
            sequential=sequential,
        )
    except AssayError:
        return
    for result in made.dimensions:
        for name in ("baseline", "candidate", "delta", "low", "high", "p"):
            value = getattr(result, name)
            assert value is None or math.isfinite(value)


@settings(max_examples=300)
@given(numbers, numbers, numbers, numbers)
def test_any_dimension_is_made_or_refused(low, high, margin, weight):
    try:
        made = Dimension(name="d", range=(low, high), margin=margin, weight=weight)
    except SpecError:
        return
    assert 0.0 < made.scaled_margin < 1.0
    assert math.isfinite(math.log1p(-made.scaled_margin))


@settings(max_examples=200)
@given(numbers, numbers)
def test_any_power_is_found_or_refused(effect, spread):
    for ask in (
        lambda: power_of_scores(effect, abs(spread)),
        lambda: smallest_effect(20, spread=abs(spread)),
        lambda: pairs_for_gate(0.95, margin=abs(effect)),
    ):
        with suppress(SpecError):
            ask()


@pytest.mark.parametrize("cost", HUGE)
def test_the_command_names_the_run_whose_cost_cannot_be_compared(tmp_path, cost):
    for name in ("a", "b"):
        rows = [{"instance": f"i{n}", "score": n % 2, "cost_usd": 1 + n} for n in range(12)]
        rows[3]["cost_usd"] = cost
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = command(tmp_path, "compare", "--baseline", "a.jsonl", "--candidate", "b.jsonl")
    if abs(cost) <= LARGEST_NUMBER:
        assert done.returncode in (0, 1)
    else:
        assert done.returncode == 2
        assert "line 4" in done.stderr


def test_a_seed_below_0_is_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"instance": "i", "score": 1}\n' * 2)
    words = ("--baseline", "a.jsonl", "--candidate", "a.jsonl", "--allow", "harness")
    assert command(tmp_path, "compare", *words, "--seed", "-1").returncode in (2, 3)
    with pytest.raises(SpecError, match="seed -1"):
        compare(
            baseline=trials([1.0] * 6, paired=True),
            candidate=trials([2.0] * 6, paired=True),
            seed=-1,
        )


def test_a_score_of_a_system_with_too_many_digits_is_no_score():
    line = b'{"id": "1", "score": ' + b"1" * 400 + b"}\n"
    with pytest.raises(SpecError, match="too large"):
        _parsed_scores(line)


@pytest.mark.parametrize(
    "name", ["memory_bytes", "cpu_seconds", "processes", "file_bytes", "item_seconds"]
)
@pytest.mark.parametrize("number", ["1" + "0" * 400, "1" + "0" * 4000, "-1" + "0" * 400])
def test_a_limit_of_any_length_is_refused_by_name(name, number):
    text = f'method = "m.py:f"\ntask = "detection"\n{name} = {number}\n'
    with pytest.raises(SpecError, match=name):
        parse_prereg(text.encode(), where="prereg.toml")
