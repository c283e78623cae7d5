"""A model that can be asked: one protocol for HTTP, a local model, and a recording."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from types import TracebackType
from typing import Self, overload

from assay.errors import BudgetSpent, ModelError, ModelRefused, NotRecorded, SpecError
from assay.models.replies import ChatReply, EmbeddingReply, LikelihoodReply, Reply
from assay.models.requests import Chat, Embedding, Likelihood, Request

FINAL = (ModelRefused, BudgetSpent, NotRecorded)
"""What the next request would meet as well: a wrong key or name, a spent budget, a replay."""
_AHEAD = 4
"""Requests that wait for each call at a time, so that a slow one does not stop the others."""


class Model:
    """The base of every model.

    `name` says which one it is, as recordings and results show it; it holds no key. `ask` may be
    called from several threads. A model that cannot answer a kind of request raises a ModelError.
    """

    name: str

    @overload
    def ask(self, request: Chat) -> ChatReply: ...
    @overload
    def ask(self, request: Likelihood) -> LikelihoodReply: ...
    @overload
    def ask(self, request: Embedding) -> EmbeddingReply: ...
    @overload
    def ask(self, request: Request) -> Reply: ...
    def ask(self, request: Request) -> Reply:
        """The reply to one request."""
        raise NotImplementedError

    def close(self) -> None:
        """End connections and free memory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def ask_each(
    model: Model, requests: Iterable[Request], *, jobs: int = 1
) -> Iterator[Reply | ModelError]:
    """The reply to each request, in order, with `jobs` calls at a time.

    A request that fails gives its error as a value, and the others go on. Requests are drawn as
    they are needed, so that an endless stream of them takes no memory.
    """
    if jobs < 1:
        raise SpecError(f"{jobs} calls at a time: expected at least 1 (`jobs`)")
    if jobs == 1:
        for request in requests:
            yield _answer(model, request)
        return
    left = iter(requests)
    waiting: deque[Future[Reply | ModelError]] = deque()
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="model")
    try:
        for request in islice(left, jobs * _AHEAD):
            waiting.append(pool.submit(_answer, model, request))
        while waiting:
            reply = waiting.popleft().result()
            for request in islice(left, 1):
                waiting.append(pool.submit(_answer, model, request))
            yield reply
    finally:  # also when the caller stops listening
        pool.shutdown(wait=True, cancel_futures=True)


def _answer(model: Model, request: Request) -> Reply | ModelError:
    try:
        return model.ask(request)
    except ModelError as error:
        return error
