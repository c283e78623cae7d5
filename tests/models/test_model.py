import threading
from itertools import count

import pytest
from helpers.model_server import Spoken

from assay.errors import BudgetSpent, ModelRefused, SpecError, StorageError
from assay.models.model import ask_each
from assay.models.requests import asked


def prompt(request):
    return request.messages[-1].content


def numbered(drawn=None):
    for number in count():
        if drawn is not None:
            drawn.append(number)
        yield asked(str(number))


@pytest.mark.parametrize("jobs", [1, 4])
def test_replies_come_in_the_order_of_the_requests(jobs):
    later = threading.Event()

    def slow_first(request):
        if prompt(request) == "0" and jobs > 1:
            assert later.wait(30)
        later.set()
        return prompt(request)

    requests = [asked(str(number)) for number in range(50)]
    replies = [reply.text for reply in ask_each(Spoken(slow_first), requests, jobs=jobs)]
    assert replies == [str(number) for number in range(50)]


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_request_that_fails_is_a_value_and_the_others_go_on(jobs):
    def refuse_the_second(request):
        if prompt(request) == "1":
            raise ModelRefused("no")
        return prompt(request)

    requests = [asked(str(number)) for number in range(3)]
    first, second, third = ask_each(Spoken(refuse_the_second), requests, jobs=jobs)
    assert (first.text, third.text) == ("0", "2") and isinstance(second, ModelRefused)


@pytest.mark.parametrize("jobs", [1, 3])
def test_requests_are_drawn_as_they_are_needed_and_a_caller_may_stop(jobs):
    drawn, model = [], Spoken(prompt)
    replies = ask_each(model, numbered(drawn), jobs=jobs)
    assert [next(replies).text for _ in range(5)] == ["0", "1", "2", "3", "4"]
    replies.close()
    assert len(drawn) <= 5 + 4 * jobs
    asked_by_then = model.calls
    assert asked_by_then <= len(drawn)
    assert not [each for each in threading.enumerate() if each.name.startswith("model")]
    assert model.calls == asked_by_then


@pytest.mark.parametrize("jobs", [1, 3])
def test_so_many_calls_are_under_way_at_once_and_no_more(jobs):
    together, under_way, most = threading.Barrier(jobs, timeout=30), [], []

    def meet(request):
        under_way.append(1)
        most.append(len(under_way))
        together.wait()
        under_way.pop()
        return "a"

    assert (
        len(list(ask_each(Spoken(meet), [asked(str(n)) for n in range(2 * jobs)], jobs=jobs)))
        == 2 * jobs
    )
    assert max(most) == jobs


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_is_no_failure_of_the_model_is_raised(jobs):
    def break_off(request):
        raise StorageError("the disk is full")

    with pytest.raises(StorageError):
        list(ask_each(Spoken(break_off), [asked("a")] * 5, jobs=jobs))


def test_a_spent_budget_fails_every_request_left():
    def spent(request):
        raise BudgetSpent("spent")

    assert len(list(ask_each(Spoken(spent), [asked("a")] * 3, jobs=2))) == 3


def test_no_calls_at_a_time_are_refused():
    with pytest.raises(SpecError, match="jobs=0"):
        next(ask_each(Spoken(), [asked("a")], jobs=0))


def test_a_model_is_closed_at_the_end_of_a_block():
    with Spoken() as model:
        assert not model.closed
    assert model.closed
