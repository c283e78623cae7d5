"""The models of a method, opened where the method runs, and asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.errors import BadReply, ModelError
from assay.models.model import FINAL, Model, ask_each
from assay.models.recording import open_recording
from assay.models.reference import open_model
from assay.models.reference_facts import usual_jobs
from assay.models.replies import ChatReply, EmbeddingReply, LikelihoodReply, Reply
from assay.models.requests import Request

Answer = float | dict[str, str] | ModelError
"""What a method says of an item: a score, why it abstains, or the error of a call."""


@dataclass(frozen=True, kw_only=True)
class OpenModel:
    """A model, and how many calls it is sent at a time."""

    model: Model
    jobs: int

    def ask(self, requests: Iterable[Request]) -> list[Reply | ModelError]:
        """The reply to each request, or why there is none; what the next would meet is raised."""
        replies: list[Reply | ModelError] = []
        for reply in ask_each(self.model, requests, jobs=self.jobs):
            if isinstance(reply, FINAL):
                raise reply
            replies.append(reply)
        return replies


def open_models(references: Sequence[str]) -> tuple[OpenModel, ...]:
    """The models, all recorded into one file or replayed from it; they are closed by the end."""
    cassette = open_recording()
    return tuple(
        OpenModel(model=open_model(each, cassette=cassette), jobs=usual_jobs(each))
        for each in references
    )


def text_of(reply: Reply | ModelError) -> str | ModelError:
    """The text of a chat."""
    if isinstance(reply, ModelError):
        return reply
    return reply.text.strip() if isinstance(reply, ChatReply) else _other("a text")


def vector_of(reply: Reply | ModelError) -> tuple[float, ...] | ModelError:
    """The vector of an embedding."""
    if isinstance(reply, ModelError):
        return reply
    return reply.vector if isinstance(reply, EmbeddingReply) else _other("a vector")


def logprobs_of(reply: Reply | ModelError) -> tuple[float, ...] | ModelError:
    """The logarithms of the probability of each token."""
    if isinstance(reply, ModelError):
        return reply
    return reply.logprobs if isinstance(reply, LikelihoodReply) else _other("probabilities")


def abstention(reason: str) -> dict[str, str]:
    """The answer of a method that gives no score."""
    return {"abstain": reason}


def _other(expected: str) -> BadReply:
    return BadReply(f"the model gave something else than {expected}")
