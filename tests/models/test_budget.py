import math

import pytest

from assay.errors import BudgetSpent, SpecError
from assay.models.budget import CallBudget
from assay.models.replies import Usage


def spend(budget, prompt, completion):
    budget.begin()
    budget.spend(Usage(prompt=prompt, completion=completion), sent=b"12", received=b"345")


def test_calls_are_limited():
    budget = CallBudget(calls=2)
    budget.begin()
    budget.begin()
    with pytest.raises(BudgetSpent, match="2 of 2 calls"):
        budget.begin()
    assert budget.calls == 2


def test_tokens_are_limited_from_both_sides():
    budget = CallBudget(tokens=10)
    spend(budget, 6, 3)
    spend(budget, 1, 0)
    with pytest.raises(BudgetSpent, match="10 of 10 tokens"):
        budget.begin()


def test_money_is_limited_at_the_price_of_each_side():
    budget = CallBudget(money=1.0, price=(0.5, 2.0))
    spend(budget, 1_000_000, 0)
    assert budget.money == 0.5
    spend(budget, 0, 250_000)
    with pytest.raises(BudgetSpent, match=r"1\.0 of 1\.0 money"):
        budget.begin()


def test_without_limits_everything_is_counted():
    budget = CallBudget()
    spend(budget, 3, 4)
    spend(budget, None, None)
    assert (budget.calls, budget.prompt_tokens, budget.completion_tokens) == (2, 5, 7)
    assert budget.money == 0.0


def test_nothing_may_be_asked_of_an_empty_budget():
    with pytest.raises(BudgetSpent):
        CallBudget(calls=0).begin()


@pytest.mark.parametrize(
    "limits",
    [{"calls": -1}, {"tokens": -1}, {"money": math.nan, "price": (1, 1)}, {"money": 1.0},
     {"money": math.inf, "price": (1, 1)}, {"money": 1, "price": (1, math.nan)},
     {"money": 1, "price": (-1, 1)}],
)  # fmt: skip
def test_a_limit_that_would_never_stop_anything_is_refused(limits):
    with pytest.raises(SpecError):
        CallBudget(**limits)
