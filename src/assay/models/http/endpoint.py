"""A model at an address: every call with its retries, its waits and its errors."""

import http.client
import socket
import ssl
from http import HTTPStatus

import msgspec

from assay.errors import BadReply, ModelError, ModelRefused, ModelUnreachable
from assay.models.budget import CallBudget
from assay.models.http import forms, given
from assay.models.http.retries import (
    AGAIN,
    LONGEST_ASKED,
    MOST_TRIES,
    Clock,
    Throttle,
    asked_wait,
    backoff,
    reset_wait,
)
from assay.models.http.transport import Answered, Transport
from assay.models.model import Model
from assay.models.replies import ChatReply, EmbeddingReply, LikelihoodReply, Reply
from assay.models.requests import Chat, Embedding, Likelihood, Request

_FEWER_TOP = 5
"""Alternatives to ask for where a server refuses more."""
_MOST_TIMEOUTS = 2
_LONGEST_SAID = 300
_NOT_OFFERED = frozenset({400, 404, 405, 422, 501})
"""Statuses of a server that has no such endpoint, or not with these parameters."""


class Endpoint(Model):
    """A model behind an OpenAI-compatible endpoint: a hosted API, vLLM, llama.cpp, Ollama.

    `name` is the address and the model. What is refused for good fails at once; what may pass is
    asked again, up to six times, after a wait that doubles or that the server asks for.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        seconds: float,
        budget: CallBudget | None = None,
        name: str | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.name = name or f"{url}#{model}"
        self.model = model
        self.budget = budget or CallBudget()
        self._transport = Transport(url, key=key, seconds=seconds)
        self._seconds = seconds
        self._clock = clock or Clock()
        self._gate = Throttle(self._clock)
        self._limit_name = "max_tokens"
        self._most_top: int | None = None
        self._forces = False

    def ask(self, request: Request) -> Reply:  # type: ignore[override]
        """The reply to one request."""
        try:
            if isinstance(request, Chat):
                return self._chat(request)
            if isinstance(request, Embedding):
                return self._embed(request)
            return self._likelihood(request)
        except (BadReply, ModelRefused, ModelUnreachable) as error:
            raise self._named(error) from None

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def post(self, path: str, body: bytes, *, root: bool = False) -> bytes:
        """The body of a good answer; a call that fails is made again where that may help."""
        tries = timeouts = 0
        while True:
            self._gate.wait()
            tries += 1
            self.budget.begin()
            try:
                answer = self._transport.post(path, body, root=root)
            except TimeoutError:
                timeouts += 1
                why = f"no whole reply within {self._seconds:g} s"
                wait = None if timeouts >= _MOST_TIMEOUTS else backoff(tries)
            except (OSError, http.client.HTTPException) as error:
                why = self._transport.without_key(_said(error))
                wait = None if _is_for_good(error) else backoff(tries)
            else:
                spent = reset_wait(answer.headers)
                if spent is not None:
                    self._gate.shut(spent)
                if answer.status == HTTPStatus.OK:
                    return answer.body
                why, wait = self._judge(answer, tries)
            if wait is None or tries >= MOST_TRIES:
                raise ModelUnreachable(
                    why if tries == 1 else f"{why}; tried {tries} times",
                    hint="Check that the server runs and that its address is right.",
                )
            self._clock.pause(wait)

    def _judge(self, answer: Answered, tries: int) -> tuple[str, float]:
        """Why a call failed and how long to wait; a ModelRefused where waiting cannot help."""
        said, code = forms.fault(answer.body)
        said = self._transport.without_key(said)[:_LONGEST_SAID]
        why = f"the server answered {answer.status}" + (f": {said}" if said else "")
        if answer.status not in AGAIN or code == "insufficient_quota":
            raise _refused(why, answer.status)
        wait = asked_wait(answer.headers, self._clock.now())
        if wait is None:
            return why, backoff(tries)
        if wait > LONGEST_ASKED:
            asks = f"it asks for {wait:,.0f} s, at most {LONGEST_ASKED:.0f} s are waited for"
            raise _refused(f"{why}; {asks}", answer.status)
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._gate.shut(wait)
        return why, wait

    def _chat(self, chat: Chat) -> ChatReply:
        while True:
            top = chat.top if self._most_top is None else min(chat.top, self._most_top)
            limit_name = self._limit_name
            body = forms.chat_body(self.model, chat, top=top, limit_name=limit_name)
            try:
                data = self.post("chat/completions", body)
                break
            except ModelRefused as error:
                if not self._adapt(error.message, limit_name, top):
                    raise
        read: forms.Body = forms.read(data, forms.Body)
        used = self.budget.spend(forms.used(read.usage), sent=body, received=data)
        choice = read.only()
        if choice.message is None:
            raise BadReply("the reply has no message")
        return ChatReply(
            text=self._transport.without_key(forms.plain(choice.message.content or "")),
            finish=choice.finish_reason and forms.plain(choice.finish_reason),
            first=forms.first_tokens(choice) if chat.top else None,
            usage=used,
        )

    def _adapt(self, refusal: str, limit_name: str, top: int) -> bool:
        """Whether a refused request can be put in another way that this server takes.

        It goes by what was sent: another thread may have adapted meanwhile.
        """
        if "max_completion_tokens" in refusal and limit_name == "max_tokens":
            self._limit_name = "max_completion_tokens"
            return True
        if "top_logprobs" in refusal and top > _FEWER_TOP:
            self._most_top = _FEWER_TOP
            return True
        return False

    def _embed(self, request: Embedding) -> EmbeddingReply:
        body = msgspec.json.encode({"model": self.model, "input": request.text})
        data = self.post("embeddings", body)
        read: forms.Vectors = forms.read(data, forms.Vectors)
        used = msgspec.structs.replace(forms.used(read.usage), completion=0)
        self.budget.spend(used, sent=body, received=data)
        return EmbeddingReply(vector=read.only(), usage=used)

    def _likelihood(self, request: Likelihood) -> LikelihoodReply:
        if not self._forces:
            try:
                found = given.echoed(self, request)
            except ModelRefused as error:
                if error.status not in _NOT_OFFERED:
                    raise
                found = None
            if found is not None:
                return found
        reply = given.forced(self, request)
        self._forces = True
        return reply

    def _named(self, error: ModelError) -> ModelError:
        """The same error, with the name of the model."""
        named = type(error)(f"{self.name}: {error.message}", hint=error.hint)
        if isinstance(error, ModelRefused) and isinstance(named, ModelRefused):
            named.status = error.status
        return named


def _refused(why: str, status: int) -> ModelRefused:
    error = ModelRefused(why, hint=_hint(status))
    error.status = status
    return error


def _said(error: Exception) -> str:
    """A failed connection in words."""
    if isinstance(error, http.client.IncompleteRead):
        return "the reply ends in the middle"
    if isinstance(error, http.client.RemoteDisconnected):
        return "the server closed the connection without a reply"
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


def _is_for_good(error: Exception) -> bool:
    """Whether trying again gives the same: a wrong certificate, a host that does not exist."""
    unknown = isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME
    return unknown or isinstance(error, ssl.SSLCertVerificationError)


def _hint(status: int) -> str | None:
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "Set the variable that holds the key: ASSAY_API_KEY, or the one named by `key_env`."
    if status == HTTPStatus.NOT_FOUND:
        return "Check the address and the model's name: https://HOST/v1#MODEL."
    if 300 <= status < 400:
        return "Redirects are not followed. Give the address that it leads to."
    return None
