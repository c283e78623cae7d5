import math

import pytest
from helpers.model_server import Answer, endpoint, refusal

from assay.errors import BadReply, ModelRefused
from assay.models.requests import Likelihood

BOTH = Likelihood(context="The sky", text=" is blue")


def repeated(tokens, logprobs, **more):
    found = {"tokens": tokens, "token_logprobs": logprobs, **more}
    return Answer({"choices": [{"text": "".join(tokens), "logprobs": found}]})


SAID = repeated(["The", " sky", " is", " blue", "."], [None, -1.0, -2.0, -3.0, -0.1])


def test_a_server_that_repeats_the_prompt_tells_how_probable_it_is():
    with endpoint(SAID) as (model, server, _):
        reply = model.ask(BOTH)
    assert (reply.tokens, reply.logprobs) == ((" is", " blue"), (-2.0, -3.0))
    ((path, _, body),) = server.asked
    assert path == "/v1/completions" and body["prompt"] == "The sky is blue" and body["echo"]


def test_a_token_that_marks_the_beginning_shifts_nothing():
    tokens = ["<s>", "The", " sky", " is", " blue", "."]
    with endpoint(repeated(tokens, [None, -4.0, -1.0, -2.0, -3.0, -0.1])) as (model, _, _):
        assert model.ask(BOTH).logprobs == (-2.0, -3.0)
        assert model.ask(Likelihood(context="", text="The sky")).logprobs == (-4.0, -1.0)


def test_a_token_across_the_border_belongs_to_the_text():
    with endpoint(repeated(["The", " sky is", " blue"], [None, -5.0, -1.0])) as (model, _, _):
        assert model.ask(BOTH).tokens == (" sky is", " blue")


def test_the_first_token_after_nothing_is_left_out():
    with endpoint(SAID) as (model, _, _):
        assert model.ask(Likelihood(context="", text="The sky")).tokens == (" sky",)


@pytest.mark.parametrize("missing", [None, -9999.0, -math.inf])
def test_a_text_with_a_token_of_unknown_probability_is_refused(missing):
    tokens = ["The", " sky", " is", " blue"]
    with (
        endpoint(repeated(tokens, [None, -1.0, missing, -3.0])) as (model, _, _),
        pytest.raises(BadReply, match="1 logarithms of the text's 2 tokens"),
    ):
        model.ask(BOTH)


@pytest.mark.parametrize(
    ("logprobs", "words"),
    [([None, -1.0, 0.5, -3.0], "logarithm 0.5"), ([None, -1.0, -2.0], "unequal numbers")],
)
def test_logarithms_that_can_be_none_are_refused(logprobs, words):
    with (
        endpoint(repeated(["The", " sky", " is", " blue"], logprobs)) as (model, _, _),
        pytest.raises(BadReply, match=words),
    ):
        model.ask(BOTH)


NUMBERS = {"The": 1, " sky": 2, " is": 3, " blue": 4, "a": 5, "\u00e9": (6, 7)}


class LlamaCpp:
    """Answers as llama.cpp does: no `echo`; what begins a character has no probabilities."""

    def __init__(self, *, takes=True, partial=(6,), listed=True):
        self.takes, self.partial, self.listed = takes, partial, listed
        self.forced = []

    def __call__(self, path, body):
        if path == "/v1/completions":
            return refusal(400, "Only no echo is supported")
        if path == "/tokenize":
            text, numbers = body["content"], [0] if body["add_special"] else []
            for piece, number in NUMBERS.items():
                if piece in text:
                    numbers += number if isinstance(number, tuple) else (number,)
            return Answer({"tokens": numbers})
        ((taken, _),) = body["logit_bias"]
        self.forced.append((body["prompt"], taken, body["n_probs"]))
        if taken in self.partial:
            return Answer({"content": "\ufffd"})
        taken = taken if self.takes else 99
        every = [self.chance(number) for number in range(9)] if self.listed else []
        return Answer({"completion_probabilities": [{**self.chance(taken), "top_logprobs": every}]})

    def chance(self, number):
        return {"id": number, "token": f"t{number}", "logprob": -float(number)}


def test_a_server_without_echo_is_made_to_say_each_token():
    server = LlamaCpp()
    with endpoint(server) as (model, asked, _):
        reply = model.ask(BOTH)
        assert (reply.tokens, reply.logprobs) == (("t3", "t4"), (-3.0, -4.0))
        assert server.forced == [([0, 1, 2], 3, 1), ([0, 1, 2, 3], 4, 1)]
        model.ask(BOTH)
    assert [path for path, _, _ in asked.asked].count("/v1/completions") == 1


def test_the_beginning_of_a_character_is_found_among_all_tokens():
    server = LlamaCpp()
    with endpoint(server) as (model, _, _):
        assert model.ask(Likelihood(context="The", text="\u00e9")).logprobs == (-6.0, -7.0)
    assert [taken for _, taken, _ in server.forced] == [6, 5, 7]
    with (
        endpoint(LlamaCpp(listed=False)) as (model, _, _),
        pytest.raises(BadReply, match="part of a character"),
    ):
        model.ask(Likelihood(context="The", text="\u00e9"))


def test_a_token_that_was_not_taken_is_noticed():
    with (
        endpoint(LlamaCpp(takes=False)) as (model, _, _),
        pytest.raises(BadReply, match="did not take a token"),
    ):
        model.ask(BOTH)


def test_a_server_that_does_neither_says_so():
    with (
        endpoint(refusal(404, "no such thing")) as (model, _, _),
        pytest.raises(BadReply, match=r"does not tell .* \(the server answered 404: no such"),
    ):
        model.ask(BOTH)


def test_an_odd_text_does_not_change_how_the_next_one_is_asked():
    with endpoint(repeated(["other"], [None]), refusal(404), SAID) as (model, _, _):
        with pytest.raises(BadReply):
            model.ask(BOTH)
        assert model.ask(BOTH).logprobs == (-2.0, -3.0)


def test_a_wrong_key_is_told_as_such():
    with (
        endpoint(refusal(401, "wrong key")) as (model, server, _),
        pytest.raises(ModelRefused, match="wrong key"),
    ):
        model.ask(BOTH)
    assert len(server.asked) == 1
