import math

import pytest
from helpers.model_server import Answer, endpoint, said

from assay.errors import BadReply
from assay.models.replies import TokenOption
from assay.models.requests import asked

QUESTION = asked("Is it so?", top=20)


def option(token, logprob, data=...):
    return {
        "token": token,
        "logprob": logprob,
        "bytes": list(token.encode()) if data is ... else data,
    }


def chosen(*options):
    return {"content": [{**options[0], "top_logprobs": list(options)}]}


def first(logprobs):
    with endpoint(said(logprobs=logprobs)) as (model, _, _):
        return model.ask(QUESTION).first


def test_alternatives_are_given_the_likeliest_first():
    found = first(chosen(option("NO", -1.0), option("YES", -0.5)))
    assert found == (
        TokenOption(text="YES", logprob=-0.5, data=b"YES"),
        TokenOption(text="NO", logprob=-1.0, data=b"NO"),
    )


def test_fewer_alternatives_than_asked_are_given_as_they_are():
    assert [each.text for each in first(chosen(option("YES", -0.1)))] == ["YES"]


def test_bytes_may_be_null_and_a_token_may_be_empty():
    found = first(chosen(option("YES", -0.1, None), option("", -3.0, None), option("", -4.0, None)))
    assert [(each.text, each.data) for each in found] == [("YES", None), ("", None), ("", None)]


def test_a_chosen_token_that_is_not_listed_is_added_and_one_that_is_counts_once():
    listed = [option("YES", -0.1), option("NO", -2.4)]
    also = {**option("MAYBE", -9.0), "top_logprobs": listed}
    assert [each.text for each in first({"content": [also]})] == ["YES", "NO", "MAYBE"]
    assert len(first(chosen(*listed))) == 2


def test_a_token_in_the_middle_of_a_character_keeps_its_bytes():
    found = first(chosen(option("\ufffd", -0.1, [0xF0, 0x9F]), option("\ufffd", -0.2, [0xE2])))
    assert [each.data for each in found] == [b"\xf0\x9f", b"\xe2"]


def test_a_first_token_that_the_server_held_back_gives_no_alternatives():
    """As llama.cpp replies: what stands first are the alternatives of the second token."""
    second = {"id": 131, "token": "\u0740", "bytes": [0xDD, 0x80], "logprob": -2.6}
    listed = [{"id": 131, "token": "\ufffd", "bytes": [0x80], "logprob": -2.6}]
    assert first({"content": [{**second, "top_logprobs": listed}]}) is None


@pytest.mark.parametrize("unknown", [-9999.0, -math.inf, None])
def test_an_alternative_of_unknown_probability_is_left_out(unknown):
    assert [each.text for each in first(chosen(option("YES", -0.1), option("NO", unknown)))] == [
        "YES"
    ]


@pytest.mark.parametrize(
    "logprobs",
    [None, {}, {"content": []}, {"content": None}, {"tokens": [], "token_logprobs": []},
     chosen(option("YES", None))],
)  # fmt: skip
def test_a_server_that_gives_no_probabilities_gives_none(logprobs):
    assert first(logprobs) is None


@pytest.mark.parametrize("wrong", [0.5, math.nan, math.inf])
def test_a_logarithm_that_can_be_none_is_refused(wrong):
    with pytest.raises(BadReply, match="'NO' has the logarithm"):
        first(chosen(option("YES", -0.1), option("NO", wrong)))


def test_a_logarithm_over_zero_by_rounding_is_zero():
    assert first(chosen(option("YES", 1e-5)))[0].logprob == 0.0


@pytest.mark.parametrize("wrong", [[256], [-1]])
def test_bytes_that_are_no_bytes_are_refused(wrong):
    with pytest.raises(BadReply, match="no bytes"):
        first(chosen(option("YES", -0.1, wrong)))


def test_the_older_form_of_completions_is_read():
    logprobs = {
        "tokens": ["NO"],
        "token_logprobs": [-0.2],
        "top_logprobs": [{"YES": -1.9, "NO": -0.2}],
    }
    assert [(each.text, each.logprob) for each in first(logprobs)] == [("NO", -0.2), ("YES", -1.9)]
    bare = {"tokens": ["NO"], "token_logprobs": [-0.2], "top_logprobs": None}
    assert [each.text for each in first(bare)] == ["NO"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "one"}}, ": one"), ({"error": "two"}, ": two"),
        ({"message": "three"}, ": three"), ({"detail": [{"msg": "four"}]}, "four"),
        (b"five", ": five"), (b"", "answered 400$"), ({"error": None}, "answered 400$"),
        ({"error": {"message": "six", "code": 6, "type": None}}, ": six"),
    ],
)  # fmt: skip
def test_a_refusal_is_told_in_the_servers_words_whatever_form_they_have(body, words):
    with (
        endpoint(Answer(body, status=400)) as (model, _, _),
        pytest.raises(Exception, match=words),
    ):
        model.ask(QUESTION)
