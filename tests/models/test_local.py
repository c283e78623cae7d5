import socket
import sys

import numpy as np
import pytest
from helpers.tiny_model import BEGIN, TOKENS, log_probabilities, tokens_of, write_model

from assay.errors import ModelError, ModelRefused, ModelUnreachable, SpecError
from assay.models.budget import CallBudget
from assay.models.http.endpoint import Endpoint
from assay.models.local import Local
from assay.models.reference import model_name, open_model
from assay.models.requests import Embedding, Likelihood, asked

CLOSE = 1e-3


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("weights") / "tiny.gguf")


@pytest.fixture(scope="module")
def model(weights):
    with Local(weights, threads=1, seconds=600.0) as opened:  # more threads wait for one another
        yield opened


def options(reply):
    return {each.data: each.logprob for each in reply.first}


def piece_bytes(token):
    if token.startswith("<0x"):
        return bytes([int(token[3:5], 16)])
    return b"" if token.startswith("<") else token.replace("\u2581", " ").encode()


@pytest.mark.parametrize("prompt", ["abc def", "x", "a \u00e9 b"])
def test_the_probabilities_are_the_models_own(model, prompt):
    reply = model.ask(asked(prompt, top=len(TOKENS)))
    own = log_probabilities([BEGIN, *tokens_of(prompt)])[-1]
    assert reply.usage.prompt == 1 + len(tokens_of(prompt))
    given = sorted((each.logprob for each in reply.first), reverse=True)
    assert np.allclose(given, np.sort(own)[::-1], atol=CLOSE)
    likeliest = {piece_bytes(TOKENS[number]) for number in own.argsort()[-5:]}
    assert {each.data for each in reply.first[:5]} == likeliest


def test_over_http_it_says_the_same_as_in_this_process(model):
    address = f"http://127.0.0.1:{model._transport.address.port}/v1"
    own_key = model._transport._headers["Authorization"].removeprefix("Bearer ")
    question = asked("abc def", top=20)
    with Endpoint(address, "tiny", key=own_key, seconds=60.0) as other:
        first, second = options(model.ask(question)), options(other.ask(question))
        assert list(first) == list(second)
        assert np.allclose([*first.values()], [*second.values()], atol=CLOSE)
        text = Likelihood(context="ab", text="cd")
        assert np.allclose(model.ask(text).logprobs, other.ask(text).logprobs, atol=CLOSE)


@pytest.mark.parametrize(
    ("context", "text"), [("abc", " y\u00e9"), ("", "YNO"), ("q", "\U0001f600"), ("ab c", "d?")]
)
def test_how_probable_a_text_is_agrees_with_the_model(model, context, text):
    reply = model.ask(Likelihood(context=context, text=text))
    before = [BEGIN, *tokens_of(context)]
    wanted = tokens_of(text)
    own = log_probabilities([*before, *wanted])
    expected = [own[len(before) + at - 1][token] for at, token in enumerate(wanted)]
    assert np.allclose(reply.logprobs, expected, atol=CLOSE)
    assert len(reply.tokens) == len(wanted)


def test_a_first_token_that_begins_a_character_gives_no_alternatives(model):
    """llama.cpp holds it back, and with it its probabilities."""
    for prompt in "abcdefghijklmnopqrstuvwxyz":
        own = log_probabilities([BEGIN, *tokens_of(prompt)])[-1]
        if 0xC2 <= max(piece_bytes(TOKENS[own.argmax()]), default=0) <= 0xF4:
            break
    else:
        pytest.fail("no prompt after which a character begins")
    assert [model.ask(asked(prompt, top=5, max_tokens=n)).first for n in (1, 4)] == [None, None]


def test_other_weights_have_another_name(weights, tmp_path):
    other = write_model(tmp_path / "tiny.gguf", seed=2)
    assert model_name(f"local:{weights}") != model_name(f"local:{other}")
    copy = tmp_path / "folder" / "tiny.gguf"
    copy.parent.mkdir()
    copy.write_bytes(weights.read_bytes())
    assert model_name(f"local:{copy}") == model_name(f"local:{weights}")
    assert model_name(f"local:{copy}").startswith("local:tiny.gguf@sha256:")


def test_a_budget_holds_for_a_local_model(weights):
    budget = CallBudget(tokens=5)
    with Local(weights, threads=1, seconds=600.0, budget=budget) as model:
        model.ask(asked("abc"))
    assert budget.prompt_tokens == 4 and budget.completion_tokens == 1


def test_closing_it_ends_its_server(weights):
    model = Local(weights, threads=1, seconds=60.0)
    there = ("127.0.0.1", model._transport.address.port)
    socket.create_connection(there).close()
    model.close()
    with pytest.raises(ConnectionError):
        socket.create_connection(there)


def test_its_server_answers_this_process_alone(model):
    address = f"http://127.0.0.1:{model._transport.address.port}/v1"
    with (
        Endpoint(address, "tiny", key=None, seconds=60.0) as other,
        pytest.raises(ModelRefused, match="401"),
    ):
        other.ask(asked("abc"))


def test_what_it_cannot_do_is_told(model):
    with pytest.raises(ModelRefused, match="embeddings"):
        model.ask(Embedding(text="a"))
    with pytest.raises((ModelRefused, ModelUnreachable), match=r"context|exceed"):
        model.ask(asked("abc " * 2000))


def test_a_file_that_is_no_model_is_refused(tmp_path):
    for data, error in ((b"text", SpecError), (b"", SpecError), (b"GGUF" + bytes(100), ModelError)):
        path = tmp_path / "wrong.gguf"
        path.write_bytes(data)
        with pytest.raises(error, match=r"wrong\.gguf: (not a GGUF file|cannot be loaded)"):
            open_model(f"local:{path}")


def test_without_its_package_it_says_what_to_install(weights, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelError, match="xllamacpp") as caught:
        open_model(f"local:{weights}")
    assert "pip install xllamacpp" in caught.value.hint
