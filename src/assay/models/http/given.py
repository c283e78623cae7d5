"""How probable a given text is, on servers that were made to generate.

The older completions endpoint repeats the prompt with its probabilities (`echo`). llama.cpp has no
`echo`; there each token of the text is forced by a bias, and the probability that it had before the
bias is read. That is one short call a token, on a cached prompt.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

import msgspec

from assay.errors import BadReply, ModelRefused
from assay.models.budget import CallBudget
from assay.models.http import forms
from assay.models.replies import LikelihoodReply, Usage
from assay.models.requests import Likelihood

_FORCED = 1e9
_WHOLE_VOCABULARY = 1 << 20


class Posting(Protocol):
    """What posts: an endpoint."""

    model: str
    budget: CallBudget

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
    body = msgspec.json.encode(asked)
    data = endpoint.post("completions", body)
    read: forms.Body = forms.read(data, forms.Body)
    usage = endpoint.budget.spend(forms.used(read.usage), sent=body, received=data)
    found = read.only().logprobs
    if found is None or not found.tokens:
        return None
    logprobs = found.token_logprobs or []
    if len(found.tokens) != len(logprobs):
        raise BadReply("the reply has unequal numbers of tokens and logarithms")
    start = "".join(found.tokens).find(prompt)  # not at 0 after a token that marks the beginning
    if start < 0:
        return None
    begin, end = start + len(request.context), start + len(prompt)
    ends = list(accumulate(map(len, found.tokens)))
    kept = [
        (forms.plain(token), logprob)
        for token, logprob, last in zip(found.tokens, logprobs, ends, strict=True)
        if last > begin and last - len(token) < end
    ]
    if start == 0 and not request.context:
        kept = kept[1:]  # the first token of all comes after nothing, so it has no probability
    return _reply(kept, usage)


class _Tokens(msgspec.Struct):
    tokens: list[int]


class _GivenToken(msgspec.Struct):
    id: int
    token: str
    logprob: float | None


class _Forced(_GivenToken):
    top_logprobs: list[_GivenToken] = []


class _Completed(msgspec.Struct):
    completion_probabilities: list[_Forced] = []


def forced(endpoint: Posting, request: Likelihood) -> LikelihoodReply:
    """By forcing each token of the text (llama.cpp)."""
    try:
        tokens = _tokens(endpoint, request.context, start=True)
        wanted = _tokens(endpoint, request.text, start=False)
    except (ModelRefused, BadReply) as error:
        raise BadReply(
            f"the server does not tell how probable a given text is ({error.message})",
            hint="That takes completions with `echo` (vLLM), or a llama.cpp server.",
        ) from None
    kept: list[tuple[str, float | None]] = []
    for token in wanted:
        got = _forced(endpoint, tokens, token) or _listed(endpoint, tokens, token)
        kept.append((forms.plain(got.token), got.logprob))
        tokens = [*tokens, token]
    return _reply(kept, Usage(prompt=len(tokens), completion=len(wanted)))


def _forced(endpoint: Posting, tokens: Sequence[int], token: int) -> _GivenToken | None:
    """A token with its probability after others; None for the beginning of a character."""
    completed = _complete(endpoint, tokens, take=token, n_probs=1)
    if completed is not None and completed.id != token:
        raise BadReply("the server did not take a token that was forced")
    return completed


def _listed(endpoint: Posting, tokens: Sequence[int], token: int) -> _GivenToken:
    """The same from the list of all tokens. The one that is taken has to be a whole character."""
    whole = _tokens(endpoint, "a", start=False)[-1]
    completed = _complete(endpoint, tokens, take=whole, n_probs=_WHOLE_VOCABULARY)
    for each in completed.top_logprobs if completed is not None else ():
        if each.id == token:
            return each
    raise BadReply("the server does not tell how probable a part of a character is")


def _complete(
    endpoint: Posting, tokens: Sequence[int], *, take: int, n_probs: int
) -> _Forced | None:
    asked = {
        "prompt": tokens,
        "n_predict": 1,
        "n_probs": n_probs,
        "temperature": 0,
        "samplers": [],
        "logit_bias": [[take, _FORCED]],
        "cache_prompt": True,
    }
    body = msgspec.json.encode(asked)
    data = endpoint.post("completion", body, root=True)
    read: _Completed = forms.read(data, _Completed)
    endpoint.budget.spend(Usage(prompt=len(tokens), completion=1), sent=body, received=data)
    return read.completion_probabilities[0] if read.completion_probabilities else None


def _tokens(endpoint: Posting, text: str, *, start: bool) -> list[int]:
    asked = msgspec.json.encode({"content": text, "add_special": start, "parse_special": False})
    read: _Tokens = forms.read(endpoint.post("tokenize", asked, root=True), _Tokens)
    return read.tokens


def _reply(kept: Sequence[tuple[str, float | None]], usage: Usage) -> LikelihoodReply:
    """The tokens with their logarithms. With one missing, the text would look more probable."""
    logprobs = [forms.logarithm(token, logprob) for token, logprob in kept]
    known = [logprob for logprob in logprobs if logprob is not None]
    if not known or len(known) < len(kept):
        raise BadReply(f"the reply has {len(known)} logarithms of the text's {len(kept)} tokens")
    return LikelihoodReply(
        tokens=tuple(token for token, _ in kept), logprobs=tuple(known), usage=usage
    )
