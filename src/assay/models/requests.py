"""What can be asked of a model, and the bytes that stand for a request.

A request holds everything that its reply depends on, apart from the model. Its digest names a
recorded call, so equal requests are one call: `repeat` tells apart those that are asked again on
purpose.
"""

import msgspec

from assay.digests import digest
from assay.errors import SpecError


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a chat."""

    role: str
    content: str

    def __post_init__(self) -> None:
        _check(self.role, self.content)


class Chat(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="chat"):
    """A reply to messages; with `top`, also the most probable first tokens.

    `max_tokens=1` asks for a judgement alone: only the first token is wanted.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    top: int = 0
    seed: int = 0
    repeat: int = 0


class Likelihood(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="likelihood"):
    """How probable a text is, token for token, after a context. No chat template is applied."""

    context: str
    text: str

    def __post_init__(self) -> None:
        _check(self.context, self.text)


class Embedding(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="embedding"):
    """The vector of a text."""

    text: str

    def __post_init__(self) -> None:
        _check(self.text)


def _check(*texts: str) -> None:
    """Refuse what can be neither sent nor stored."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise SpecError(f"half of a surrogate pair in a text: {text!a:.60}") from None


Request = Chat | Likelihood | Embedding


def asked(prompt: str, *, max_tokens: int = 1, top: int = 0, system: str = "") -> Chat:
    """A chat with one question, at temperature 0."""
    first = (Message(role="system", content=system),) if system else ()
    question = Message(role="user", content=prompt)
    return Chat(messages=(*first, question), max_tokens=max_tokens, top=top)


def call_bytes(model: str, request: Request) -> bytes:
    """A call to a model as one line of JSON: what a recording stores and digests."""
    return msgspec.json.encode({"model": model, "request": request})


def call_digest(model: str, request: Request) -> str:
    """The name of a call in a recording."""
    return digest(call_bytes(model, request))
