"""A model at an address: every call with its retries, its waits and its errors."""

import http.client
import time
from http import HTTPStatus

import msgspec

from assay.errors import BadReply, ModelRefused, ModelUnreachable
from assay.models.budget import Budget
from assay.models.http import forms, given
from assay.models.http.retries import (
    AGAIN,
    LONGEST_ASKED,
    MOST_TRIES,
    Gate,
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
        budget: Budget | None = None,
        name: str | None = None,
    ) -> None:
        self.name = name or f"{url}#{model}"
        self.model = model
        self.budget = budget or Budget()
        self._transport = Transport(url, key=key, seconds=seconds)
        self._key = key
        self._seconds = seconds
        self._gate = Gate()
        self._limit_name = "max_tokens"
        self._most_top: int | None = None
        self._forced = False

    def ask(self, request: Request) -> Reply:  # type: ignore[override]
        """The reply to one request."""
        if isinstance(request, Chat):
            return self._chat(request)
        if isinstance(request, Embedding):
            return self._embed(request)
        return self._likelihood(request)

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
                why = _said(error)
                wait = backoff(tries)
            else:
                spent = reset_wait(answer.headers)
                if spent is not None:
                    self._gate.shut(spent)
                if answer.status == HTTPStatus.OK:
                    return answer.body
                why, wait = self._judge(answer, tries)
            if wait is None or tries >= MOST_TRIES:
                raise ModelUnreachable(
                    f"{self.name}: {why}; tried {tries} times"
                    if tries > 1
                    else f"{self.name}: {why}",
                    hint="Check that the server runs and that its address is right.",
                )
            time.sleep(wait)

    def _judge(self, answer: Answered, tries: int) -> tuple[str, float | None]:
        """Why a call failed and how long to wait; a ModelRefused where waiting cannot help."""
        said, code = forms.fault(answer.body)
        if self._key:
            said = said.replace(self._key, "[key]")
        why = f"the server answered {answer.status}" + (f": {said}" if said else "")
        if answer.status not in AGAIN or code == "insufficient_quota":
            raise ModelRefused(f"{self.name}: {why}", hint=_hint(answer.status))
        wait = asked_wait(answer.headers)
        if wait is None:
            return why, backoff(tries)
        if wait > LONGEST_ASKED:
            raise ModelRefused(
                f"{self.name}: {why}; it asks for {wait:.0f} s, at most {LONGEST_ASKED:.0f} s are"
                " waited for"
            )
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._gate.shut(wait)
        return why, wait

    def _chat(self, chat: Chat) -> ChatReply:
        while True:
            top = chat.top if self._most_top is None else min(chat.top, self._most_top)
            body = forms.chat_body(self.model, chat, top=top, limit_name=self._limit_name)
            try:
                data = self.post("chat/completions", body)
                break
            except ModelRefused as error:
                if not self._adapt(error.message, chat):
                    raise
        read: forms.Body = forms.read(data, forms.Body)
        used = self.budget.spend(forms.used(read.usage))
        choice = read.only()
        if choice.message is None:
            raise BadReply(f"{self.name}: the reply has no message")
        return ChatReply(
            text=forms.plain(choice.message.content or ""),
            finish=choice.finish_reason,
            first=forms.first_tokens(choice) if chat.top else None,
            usage=used,
        )

    def _adapt(self, refusal: str, chat: Chat) -> bool:
        """Whether the request can be put in another way that this server takes."""
        if "max_completion_tokens" in refusal and self._limit_name == "max_tokens":
            self._limit_name = "max_completion_tokens"
            return True
        if "top_logprobs" in refusal and chat.top > _FEWER_TOP and self._most_top is None:
            self._most_top = _FEWER_TOP
            return True
        return False

    def _embed(self, request: Embedding) -> EmbeddingReply:
        body = msgspec.json.encode({"model": self.model, "input": request.text})
        read: forms.Vectors = forms.read(self.post("embeddings", body), forms.Vectors)
        return EmbeddingReply(vector=read.only(), usage=self.budget.spend(forms.used(read.usage)))

    def _likelihood(self, request: Likelihood) -> LikelihoodReply:
        if not self._forced:
            try:
                found = given.echoed(self, request)
            except ModelRefused:
                found = None
            if found is not None:
                return found
            self._forced = True
        return given.forced(self, request)


def _said(error: Exception) -> str:
    """A failed connection in words."""
    if isinstance(error, http.client.IncompleteRead):
        return "the reply ends in the middle"
    if isinstance(error, http.client.RemoteDisconnected):
        return "the server closed the connection without a reply"
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


def _hint(status: int) -> str | None:
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "Set the variable that holds the key: ASSAY_API_KEY, or the one named by `key_env`."
    if status == HTTPStatus.NOT_FOUND:
        return "Check the address and the model's name: https://HOST/v1#MODEL."
    return None
