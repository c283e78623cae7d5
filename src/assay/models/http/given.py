"""How probable a given text is, on servers that were made to generate.

The older completions endpoint repeats the prompt with its probabilities (`echo`). llama.cpp has no
`echo`; there each token of the text is forced by a bias, and the probability that it had before the
bias is read. That is one short call a token, on a cached prompt.
"""

from typing import Protocol

import msgspec

from assay.errors import BadReply, ModelRefused
from assay.models.budget import Budget
from assay.models.http import forms
from assay.models.replies import LikelihoodReply, Usage
from assay.models.requests import Likelihood

_FORCED = 1e9


class Posting(Protocol):
    """What posts: an endpoint."""

    name: str
    model: str
    budget: Budget

    def post(self, path: str, body: bytes, *, root: bool = False) -> bytes:
        """The body of a good answer."""


def echoed(endpoint: Posting, request: Likelihood) -> LikelihoodReply | None:
    """By repetition of the prompt; None where the server does not repeat it."""
    prompt = request.context + request.text
    asked = {
        "model": endpoint.model,
        "prompt": prompt,
        "max_tokens": 1,  # several servers refuse 0
        "temperature": 0,
        "echo": True,
        "logprobs": 1,
    }
    read: forms.Body = forms.read(
        endpoint.post("completions", msgspec.json.encode(asked)), forms.Body
    )
    usage = endpoint.budget.spend(forms.used(read.usage))
    choice = read.only()
    found = choice.logprobs
    if found is None or not found.tokens or not found.text_offset:
        return None
    if not (choice.text or "").startswith(prompt):
        return None
    logprobs = found.token_logprobs or []
    if not len(found.tokens) == len(logprobs) == len(found.text_offset):
        raise BadReply(f"{endpoint.name}: the reply has unequal numbers of tokens and logarithms")
    kept = [
        (forms.plain(token), logprob)
        for token, logprob, start in zip(found.tokens, logprobs, found.text_offset, strict=True)
        if start < len(prompt) and start + len(token) > len(request.context)
    ]
    return _reply(endpoint, kept, usage)


class _Tokens(msgspec.Struct):
    tokens: list[int]


class _Forced(msgspec.Struct):
    id: int
    token: str
    logprob: float | None


class _Completed(msgspec.Struct):
    completion_probabilities: list[_Forced] = []


def forced(endpoint: Posting, request: Likelihood) -> LikelihoodReply:
    """By forcing each token of the text (llama.cpp)."""
    try:
        tokens = _tokens(endpoint, request.context, start=True)
        wanted = _tokens(endpoint, request.text, start=False)
    except (ModelRefused, BadReply):
        raise BadReply(
            f"{endpoint.name} does not tell how probable a given text is",
            hint="That takes completions with `echo` (vLLM), or a llama.cpp server.",
        ) from None
    kept: list[tuple[str, float | None]] = []
    for token in wanted:
        asked = {
            "prompt": tokens,
            "n_predict": 1,
            "n_probs": 1,
            "temperature": 0,
            "samplers": [],
            "logit_bias": [[token, _FORCED]],
            "cache_prompt": True,
        }
        read: _Completed = forms.read(
            endpoint.post("completion", msgspec.json.encode(asked), root=True), _Completed
        )
        got = read.completion_probabilities[0] if read.completion_probabilities else None
        if got is None or got.id != token:
            raise BadReply(f"{endpoint.name}: the server did not take a token that was forced")
        kept.append((forms.plain(got.token), got.logprob))
        tokens = [*tokens, token]
    usage = endpoint.budget.spend(Usage(prompt=len(tokens), completion=len(wanted)))
    return _reply(endpoint, kept, usage)


def _tokens(endpoint: Posting, text: str, *, start: bool) -> list[int]:
    asked = msgspec.json.encode({"content": text, "add_special": start, "parse_special": False})
    read: _Tokens = forms.read(endpoint.post("tokenize", asked, root=True), _Tokens)
    return read.tokens


def _reply(
    endpoint: Posting, kept: list[tuple[str, float | None]], usage: Usage
) -> LikelihoodReply:
    """The tokens with their logarithms; the first of all may have none, and is left out."""
    known = [(token, logprob) for token, logprob in kept if logprob is not None]
    if not known or any(not logprob <= 0.0 for _, logprob in known):
        raise BadReply(f"{endpoint.name}: the reply has no logarithms of the text's tokens")
    return LikelihoodReply(
        tokens=tuple(token for token, _ in known),
        logprobs=tuple(logprob for _, logprob in known),
        usage=usage,
    )
