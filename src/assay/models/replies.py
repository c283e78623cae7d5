"""What a model replies. A probability that the model did not give is missing, never made up."""

import msgspec


class TokenOption(msgspec.Struct, frozen=True, kw_only=True):
    """A token that could have come first, and the logarithm of its probability.

    `data` are its bytes, where the model gives them: a token can be half of a character.
    """

    text: str
    logprob: float
    data: bytes | None = None


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens that a call took; None where the model does not count them."""

    prompt: int | None = None
    completion: int | None = None


class ChatReply(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="chat"):
    """A text, why it ended, and the most probable first tokens (None if there are none)."""

    text: str
    finish: str | None
    first: tuple[TokenOption, ...] | None
    usage: Usage


class LikelihoodReply(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="likelihood"
):
    """The tokens of a text and the logarithm of each one's probability after those before it.

    A first token that comes after nothing at all has no probability and is left out.
    """

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    usage: Usage


class EmbeddingReply(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="embedding"):
    """The vector of a text."""

    vector: tuple[float, ...]
    usage: Usage


Reply = ChatReply | LikelihoodReply | EmbeddingReply
