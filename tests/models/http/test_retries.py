import threading

import pytest
from helpers.model_server import FakeClock

from assay.models.http.retries import LONGEST_ASKED, Throttle, asked_wait, backoff, reset_wait

NOW = 1_445_412_400.0  # 07:26:40 GMT on 21 October 2015


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 80.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "Wed, 99 Oct 99999 07:28:00 GMT"}, None),
    ],
)
def test_a_server_says_how_long_to_wait_in_several_ways(headers, seconds):
    assert asked_wait(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1s", 1.0), ("6m0s", 360.0), ("120ms", 0.12), ("1h2m3.5s", 3723.5), ("2", 2.0),
     ("", None), ("tomorrow", None), ("-1s", None), ("1m30ms", 60.03)],
)  # fmt: skip
def test_a_spent_limit_is_waited_for_in_the_servers_units(text, seconds):
    headers = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": text}
    assert reset_wait(headers) == seconds


def test_a_limit_that_is_not_spent_is_not_waited_for():
    headers = {"x-ratelimit-remaining-tokens": "10", "x-ratelimit-reset-tokens": "6m0s"}
    assert reset_wait(headers) is None
    both = {**headers, "x-ratelimit-remaining-requests": " 0", "x-ratelimit-reset-requests": "1s"}
    assert reset_wait(both) == 1.0


def test_waits_double_up_to_a_limit_and_half_of_each_is_chance():
    assert [backoff(tries, lambda: 1.0) for tries in (1, 2, 3, 4, 50)] == [1, 2, 4, 8, 30]
    assert [backoff(tries, lambda: 0.0) for tries in (1, 2, 3)] == [0.5, 1, 2]
    assert len({backoff(3) for _ in range(20)}) > 1


def test_a_gate_holds_every_thread_until_the_longest_wait_is_over():
    clock = FakeClock()
    gate = Throttle(clock)
    gate.shut(20.0)
    gate.shut(5.0)
    waiting = threading.Thread(target=gate.wait)
    waiting.start()
    waiting.join(30)
    assert sum(clock.waits) == 20.0
    gate.wait()
    assert sum(clock.waits) == 20.0


def test_a_gate_is_shut_no_longer_than_a_server_may_ask_for():
    clock = FakeClock()
    gate = Throttle(clock)
    gate.shut(1e9)
    gate.wait()
    assert sum(clock.waits) == LONGEST_ASKED
