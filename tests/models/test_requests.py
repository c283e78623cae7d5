import pytest

from assay.errors import SpecError
from assay.models.requests import Chat, Embedding, Likelihood, Message, asked, call_bytes

REQUESTS = [
    asked("a"), asked("b"), asked("a", max_tokens=2), asked("a", top=1), asked("a", system="s"),
    Chat(messages=(Message(role="user", content="a"),), max_tokens=1, seed=1),
    Chat(messages=(Message(role="user", content="a"),), max_tokens=1, repeat=1),
    Chat(messages=(Message(role="user", content="a"),), max_tokens=1, temperature=0.5),
    Likelihood(context="a", text="b"), Likelihood(context="ab", text=""), Embedding(text="a"),
]  # fmt: skip


def test_whatever_changes_a_reply_is_another_call():
    calls = {call_bytes(model, request) for model in ("m", "n") for request in REQUESTS}
    assert len(calls) == 2 * len(REQUESTS)
    assert call_bytes("m", asked("a")) == call_bytes("m", REQUESTS[0])


def test_a_question_is_one_message_after_that_of_the_system():
    roles = [message.role for message in asked("a", system="s").messages]
    assert roles == ["system", "user"] and len(asked("a").messages) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda half: asked(half),
        lambda half: asked("a", system=half),
        lambda half: Embedding(text=half),
        lambda half: Likelihood(context=half, text="a"),
        lambda half: Likelihood(context="a", text=half),
    ],
)
def test_half_of_a_character_is_refused_before_it_is_sent(make):
    with pytest.raises(SpecError, match="surrogate"):
        make("\ud83d")
