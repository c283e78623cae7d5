"""The forms of an OpenAI-compatible endpoint: bodies out, replies in.

Servers agree on the names and differ in the rest: `bytes` may be null, a token may be empty, the
probabilities may be in the older form of completions, an impossible token may have the logarithm
-9999 or minus infinity.
"""

import json
import math
from threading import Lock
from typing import Any

import msgspec

from assay.errors import BadReply
from assay.models.replies import TokenOption, Usage
from assay.models.requests import Chat

_IMPOSSIBLE = -9000.0
"""Logarithms under this stand for "not known" or zero; such a token says nothing."""
_MOST_OVER = 1e-3
"""How far over 0 a logarithm may be by rounding."""
_LONGEST_TEXT = 200
_LONGEST_FAULT = 1 << 16


class _Alternative(msgspec.Struct):
    id: int | None = None
    token: str = ""
    logprob: float | None = None
    bytes: list[int] | None = None


class _Token(_Alternative):
    top_logprobs: list[_Alternative] | None = None


class Logprobs(msgspec.Struct):
    """Probabilities, in the newer form (`content`) or the older one of completions."""

    content: list[_Token] | None = None
    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    top_logprobs: list[dict[str, float | None] | None] | None = None


class _Message(msgspec.Struct):
    content: str | None = None


class Choice(msgspec.Struct):
    """One of the replies in a body."""

    message: _Message | None = None
    finish_reason: str | None = None
    logprobs: Logprobs | None = None


class Counted(msgspec.Struct):
    """The tokens of a call."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Body(msgspec.Struct):
    """The body of a chat or of a completion."""

    choices: list[Choice] = []
    usage: Counted | None = None

    def only(self) -> Choice:
        """The one choice that was asked for."""
        if not self.choices:
            raise BadReply("the reply has no choices")
        return self.choices[0]


class _Vector(msgspec.Struct):
    embedding: list[float] = []


class Vectors(msgspec.Struct):
    """The body of an embedding."""

    data: list[_Vector] = []
    usage: Counted | None = None

    def only(self) -> tuple[float, ...]:
        """The one vector that was asked for."""
        if len(self.data) != 1 or not self.data[0].embedding:
            raise BadReply(f"the reply has {len(self.data)} vectors, expected 1 that is not empty")
        vector = tuple(self.data[0].embedding)
        if not all(map(math.isfinite, vector)):
            raise BadReply("the vector holds a number that is not finite")
        return vector


def used(counted: Counted | None) -> Usage:
    """The tokens that a call took, as far as the server counts them."""
    counted = counted or Counted()
    if min(counted.prompt_tokens or 0, counted.completion_tokens or 0) < 0:
        raise BadReply("the reply counts fewer tokens than none")
    return Usage(prompt=counted.prompt_tokens, completion=counted.completion_tokens)


def chat_body(model: str, chat: Chat, *, top: int, limit_name: str) -> bytes:
    """The body that asks for a chat."""
    asked: dict[str, Any] = {
        "model": model,
        "messages": chat.messages,
        limit_name: chat.max_tokens,
        "temperature": chat.temperature,
        "seed": chat.seed + chat.repeat,
    }
    if top:
        asked |= {"logprobs": True, "top_logprobs": top}
    return msgspec.json.encode(asked)


_ready: set[type[Any]] = set()
_first = Lock()


def _make_ready(kind: type[Any]) -> None:
    """Let one thread look at a struct's fields before others do.

    msgspec (0.22) reads them at the first use, and two threads that do so at once can crash the
    process.
    """
    if kind not in _ready:
        with _first:
            msgspec.json.Decoder(kind)
            _ready.add(kind)


def read(data: bytes, kind: type[Any]) -> Any:  # noqa: ANN401 - an instance of the kind
    """A body of JSON in the form of a struct, or a BadReply that names the fault.

    Infinity and NaN are no JSON; servers written in Python send them all the same.
    """
    _make_ready(kind)
    try:
        return msgspec.convert(json.loads(data.decode("utf-8")), kind)
    except msgspec.ValidationError as error:
        raise BadReply(f"the reply has another form: {error}") from None
    except (ValueError, RecursionError):
        start = data[:60].decode("utf-8", "backslashreplace")
        raise BadReply(f"the reply is not JSON; it begins with {start!r}") from None


def first_tokens(choice: Choice) -> tuple[TokenOption, ...] | None:
    """The most probable first tokens, the likeliest first; None if the server gives none.

    llama.cpp leaves out a token that is the beginning of a character. Then the token after it
    stands first, with the bytes of both, and its alternatives are not those of the first.
    """
    found = choice.logprobs
    if found is None:
        return None
    if found.content:
        chosen: _Alternative = found.content[0]
        listed = found.content[0].top_logprobs or []
        if any(chosen.id == each.id is not None and chosen.bytes != each.bytes for each in listed):
            return None
    elif found.tokens and found.token_logprobs:
        chosen = _Alternative(token=found.tokens[0], logprob=found.token_logprobs[0])
        pairs = (found.top_logprobs or [None])[0] or {}
        listed = [_Alternative(token=token, logprob=logprob) for token, logprob in pairs.items()]
    else:
        return None
    if not any((each.token, each.bytes) == (chosen.token, chosen.bytes) for each in listed):
        listed = [*listed, chosen]  # it may be none of the most probable ones
    known = [option for option in map(_option, listed) if option is not None]
    return tuple(sorted(known, key=lambda option: -option.logprob)) or None


def _option(each: _Alternative) -> TokenOption | None:
    """A token and its logarithm; None where the server does not know it."""
    logprob = logarithm(each.token, each.logprob)
    if logprob is None:
        return None
    try:
        data = None if each.bytes is None else bytes(each.bytes)
    except ValueError:
        raise BadReply(f"the token {each.token!r:.40} has bytes that are no bytes") from None
    return TokenOption(text=plain(each.token)[:_LONGEST_TEXT], logprob=logprob, data=data)


def logarithm(token: str, logprob: float | None) -> float | None:
    """The logarithm of a token's probability; None where the server does not know it."""
    if logprob is None or logprob <= _IMPOSSIBLE:
        return None
    if math.isnan(logprob) or logprob > _MOST_OVER:
        raise BadReply(f"the token {token!r:.40} has the logarithm {logprob}, expected <= 0")
    return min(logprob, 0.0)


def plain(text: str) -> str:
    """A text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


class _Fault(msgspec.Struct):
    message: str | None = None
    code: str | int | None = None
    type: str | None = None


class _Refusal(msgspec.Struct):
    error: _Fault | str | None = None
    message: str | None = None
    detail: Any = None


def fault(data: bytes) -> tuple[str, str]:
    """What a server says was wrong, and its code for it; in whatever form it says so."""
    data = data[:_LONGEST_FAULT]
    try:
        told = read(data, _Refusal)
    except BadReply:
        return plain(data.decode("utf-8", "replace")), ""
    if isinstance(told.error, _Fault):
        return plain(told.error.message or ""), str(told.error.code or told.error.type or "")
    said = told.error or told.message or (str(told.detail) if told.detail else "")
    return plain(str(said)), ""
