import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.model_server import KEY, Answer, endpoint, refusal, said

from assay.errors import BadReply, BudgetSpent, ModelRefused, ModelUnreachable
from assay.models.budget import CallBudget
from assay.models.http.endpoint import Endpoint
from assay.models.requests import Chat, Embedding, Message, asked

QUESTION = asked("Is it so?", top=20)


def test_a_chat_is_sent_and_read():
    with endpoint(said("YES", usage=(7, 1)), key=KEY) as (model, server, _):
        chat = Chat(messages=(Message(role="user", content="Is it?"),), max_tokens=3, top=5, seed=4)
        reply = model.ask(chat)
    assert (reply.text, reply.finish, reply.usage.prompt) == ("YES", "stop", 7)
    ((path, _, body),) = server.asked
    assert path == "/v1/chat/completions"
    assert body == {
        "model": "m", "messages": [{"role": "user", "content": "Is it?"}], "max_tokens": 3,
        "temperature": 0.0, "seed": 4, "logprobs": True, "top_logprobs": 5,
    }  # fmt: skip


def test_a_chat_without_alternatives_asks_for_none():
    with endpoint(said()) as (model, server, _):
        assert model.ask(asked("a")).first is None
    assert not {"logprobs", "top_logprobs"} & set(server.asked[0][2])


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_asked_again(status):
    with endpoint(refusal(status), said("A")) as (model, server, clock):
        assert model.ask(QUESTION).text == "A"
    assert len(server.asked) == 2 and 0.5 <= clock.waits[0] <= 1.0


def test_six_failures_are_enough():
    with (
        endpoint(refusal(500, "out of order")) as (model, server, clock),
        pytest.raises(ModelUnreachable, match="500: out of order; tried 6 times"),
    ):
        model.ask(QUESTION)
    assert len(server.asked) == 6 and len(clock.waits) == 5
    assert all(
        low <= wait <= 2 * low for low, wait in zip((0.5, 1, 2, 4, 8), clock.waits, strict=True)
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry_after": "7"}, 7.0), ({"retry_after_ms": "1500"}, 1.5),
     ({"retry_after": "Sun, 09 Sep 2001 01:47:10 GMT"}, 30.0)],
)  # fmt: skip
def test_a_wait_that_the_server_asks_for_is_kept_to(headers, seconds):
    with endpoint(refusal(429, **headers), said()) as (model, _, clock):
        model.ask(QUESTION)
    assert clock.waits == [seconds]


def test_a_wait_over_the_limit_is_not_waited_for():
    with (
        endpoint(refusal(429, retry_after="3600")) as (model, server, clock),
        pytest.raises(ModelRefused, match="asks for 3,600 s, at most 120 s"),
    ):
        model.ask(QUESTION)
    assert len(server.asked) == 1 and clock.waits == []


def test_a_quota_that_is_used_up_is_not_asked_again():
    with (
        endpoint(refusal(429, "pay first", "insufficient_quota")) as (model, server, _),
        pytest.raises(ModelRefused, match="pay first"),
    ):
        model.ask(QUESTION)
    assert len(server.asked) == 1


def test_a_spent_limit_holds_the_next_call_back():
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}
    with endpoint(said(headers=headers), said()) as (model, _, clock):
        model.ask(QUESTION)
        assert clock.waits == []
        model.ask(QUESTION)
        assert clock.waits == [90.0]


def test_a_server_that_hangs_is_tried_twice():
    with (
        endpoint(Answer(way="hang"), seconds=0.2) as (model, server, _),
        pytest.raises(ModelUnreachable, match=r"no whole reply within 0\.2 s; tried 2 times"),
    ):
        model.ask(QUESTION)
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("way", "words"),
    [("cut", "the reply ends in the middle"), ("refuse", "closed the connection without a reply")],
)
def test_a_connection_that_breaks_is_asked_again(way, words):
    with endpoint(said(way=way), said("B")) as (model, _, _):
        assert model.ask(QUESTION).text == "B"
    with endpoint(said(way=way)) as (model, server, _):
        with pytest.raises(ModelUnreachable, match=words):
            model.ask(QUESTION)
        assert len(server.asked) == 6


def test_a_server_that_is_not_there_and_a_host_that_does_not_exist():
    with endpoint(said()) as (model, server, clock):
        server.end()
        with pytest.raises(ModelUnreachable, match="tried 6 times"):
            model.ask(QUESTION)
    with Endpoint("http://no-such-host.invalid/v1", "m", seconds=30.0, clock=clock) as model:
        before = len(clock.waits)
        with pytest.raises(ModelUnreachable) as caught:
            model.ask(QUESTION)
    if "tried" not in str(caught.value):  # a machine without any name server may hope for one
        assert len(clock.waits) == before


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "ASSAY_API_KEY"), (404, "name"), (400, None), (307, "Redirects")]
)
def test_what_is_refused_for_good_fails_at_once(status, hint):
    with (
        endpoint(refusal(status, "the model `m` does not exist")) as (model, server, _),
        pytest.raises(ModelRefused, match=f"#m: the server answered {status}: the mod") as got,
    ):
        model.ask(QUESTION)
    assert len(server.asked) == 1 and got.value.status == status
    assert (got.value.hint is None) if hint is None else (hint in got.value.hint)


@pytest.mark.parametrize("before", [0, 270, 290, 65_510])
def test_a_key_that_a_refusal_repeats_is_in_no_error_not_even_in_part(before):
    for body in ({"error": {"message": "x" * before + KEY}}, b"x" * (before % 300) + KEY.encode()):
        with (
            endpoint(Answer(body, status=401), key=KEY) as (model, _, _),
            pytest.raises(ModelRefused) as caught,
        ):
            model.ask(QUESTION)
        assert KEY[:10] not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>busy</html>", "not JSON; it begins with '<html>busy"),
        (b'{"choices": [' + b"[" * 10_000 + b"]" * 10_000 + b"]}", "not JSON|another form"),
        (b"\xff\xfe", "not JSON"),
        (b'{"choices": []}', "no choices"),
        (b"{}", "no choices"),
        (b"[]", "another form"),
        (b'{"choices": [{}]}', "no message"),
        (b'{"choices": 3}', "another form"),
        (b'{"choices": [{"message": {}}], "usage": {"prompt_tokens": -1}}', "fewer tokens"),
        (b"1" * 5000, "not JSON"),
    ],
)
def test_a_body_that_is_no_reply_is_refused(body, words):
    with (
        endpoint(Answer(body)) as (model, server, _),
        pytest.raises(BadReply, match=f"#m: .*({words})"),
    ):
        model.ask(QUESTION)
    assert len(server.asked) == 1


def test_halves_of_characters_are_replaced_so_that_a_file_can_hold_the_reply():
    body = rb'{"choices": [{"message": {"content": "\ud83d!"}, "finish_reason": "\ud83d"}]}'
    with endpoint(Answer(body)) as (model, _, _):
        reply = model.ask(QUESTION)
    assert (reply.text, reply.finish) == ("?!", "?")


def newer_only(path, body):
    if "max_tokens" in body:
        return refusal(400, "use max_completion_tokens instead")
    return said("N")


def at_most_five(path, body):
    return refusal(400, "top_logprobs must be at most 5") if body["top_logprobs"] > 5 else said("F")


def test_a_server_with_the_newer_name_of_the_limit_is_asked_by_it_from_then_on():
    with endpoint(newer_only) as (model, server, _):
        assert [model.ask(QUESTION).text for _ in range(2)] == ["N", "N"]
    assert ["max_tokens" in body for _, _, body in server.asked] == [True, False, False]


def test_a_server_that_gives_fewer_alternatives_is_asked_for_fewer():
    with endpoint(at_most_five) as (model, server, _):
        assert [model.ask(QUESTION).text for _ in range(2)] == ["F", "F"]
    assert [body["top_logprobs"] for _, _, body in server.asked] == [20, 5, 5]


def test_threads_that_are_refused_at_once_all_adapt():
    together = threading.Barrier(4, timeout=30)

    def first_together(path, body):
        if "max_tokens" in body:
            together.wait()
        return newer_only(path, body)

    with endpoint(first_together) as (model, _, _), ThreadPoolExecutor(4) as pool:
        assert [each.text for each in pool.map(model.ask, [QUESTION] * 4)] == ["N"] * 4


def test_a_server_that_refuses_its_own_remedy_is_not_asked_for_ever():
    for words in ("max_completion_tokens", "top_logprobs"):
        with (
            endpoint(refusal(400, words)) as (model, server, _),
            pytest.raises(ModelRefused),
        ):
            model.ask(QUESTION)
        assert len(server.asked) == 2


def test_an_embedding_is_asked_for_and_read():
    answer = Answer({"data": [{"embedding": [0.5, -1]}], "usage": {"prompt_tokens": 2}})
    with endpoint(answer) as (model, server, _):
        reply = model.ask(Embedding(text="a"))
        assert model.budget.prompt_tokens == 2 and model.budget.completion_tokens == 0
    assert reply.vector == (0.5, -1.0)
    assert server.asked[0][0] == "/v1/embeddings"
    assert server.asked[0][2] == {"model": "m", "input": "a"}


@pytest.mark.parametrize(
    "data",
    [b'{"data": []}', b'{"data": [{"embedding": []}]}', b'{"data": [{"embedding": [NaN]}]}',
     b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}', b'{"data": [{"embedding": [1e999]}]}'],
)  # fmt: skip
def test_a_vector_that_is_none_is_refused(data):
    with endpoint(Answer(data)) as (model, _, _), pytest.raises(BadReply, match="vector"):
        model.ask(Embedding(text="a"))


def test_every_try_counts_as_a_call():
    budget = CallBudget(calls=3)
    with (
        endpoint(refusal(500), budget=budget) as (model, server, _),
        pytest.raises(BudgetSpent, match="3 of 3 calls"),
    ):
        model.ask(QUESTION)
    assert len(server.asked) == budget.calls == 3


def test_tokens_that_a_server_does_not_count_are_counted_by_bytes():
    budget = CallBudget(tokens=50)
    with endpoint(said(usage=None), budget=budget) as (model, server, _):
        assert model.ask(QUESTION).usage.prompt is None
        with pytest.raises(BudgetSpent):
            model.ask(QUESTION)
    assert budget.prompt_tokens > 50 and len(server.asked) == 1
