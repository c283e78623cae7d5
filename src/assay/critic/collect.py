"""Ask a model about every answer, in every wording, several calls at a time.

What cannot change from item to item (a wrong key, a wrong name, a spent budget, an unrecorded call)
ends the critique at once. Other failures leave their item without a score, and are counted; ten in
a row end it, since a server that is gone would fail every item that is left.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from assay.critic.judge import JudgedAnswer
from assay.critic.spec import Wording
from assay.critic.tokens import judge
from assay.errors import ModelError, ModelRefused
from assay.models.model import FINAL, Model, ask_each
from assay.models.replies import Reply
from assay.models.requests import Chat, asked

TOP = 20
"""First tokens to ask for: the most that hosted models list."""
LOCAL_TOP = 200
"""First tokens to ask of a model on this machine, where a long list costs little."""
GIVE_UP_AFTER = 10


class ShownAnswer(NamedTuple):
    """An answer to judge: with its question, or with a passage that it is to be faithful to."""

    id: str
    response: str
    question: str = ""
    passage: str = ""


def critique_each(
    model: Model,
    pairs: Sequence[ShownAnswer],
    wordings: Sequence[Wording],
    *,
    jobs: int,
    top: int = TOP,
    min_mass: float,
    on_item: Callable[[], None] = lambda: None,
) -> Iterator[JudgedAnswer]:
    """The judgements of each answer, in order."""
    replies = ask_each(model, _requests(pairs, wordings, top), jobs=jobs)
    failed = 0
    for pair in pairs:
        answers = list(islice(replies, len(wordings)))
        judged = _judged(pair, answers, wordings, min_mass)
        failed = failed + 1 if judged.error is not None else 0
        if failed >= GIVE_UP_AFTER:
            raise _first_error(answers)
        yield judged
        on_item()


def _requests(
    pairs: Sequence[ShownAnswer], wordings: Sequence[Wording], top: int
) -> Iterator[Chat]:
    for pair in pairs:
        for wording in wordings:
            prompt = wording.prompt(
                question=pair.question, response=pair.response, passage=pair.passage
            )
            yield asked(prompt, top=top)


def _judged(
    pair: ShownAnswer,
    answers: Sequence[Reply | ModelError],
    wordings: Sequence[Wording],
    min_mass: float,
) -> JudgedAnswer:
    judgements = []
    for answer, wording in zip(answers, wordings, strict=True):
        if isinstance(answer, FINAL):
            raise answer
        if isinstance(answer, ModelError):
            return JudgedAnswer(id=pair.id, error=answer.message)
        first = getattr(answer, "first", None)
        if first is None:
            raise ModelRefused(
                "the model's server gives no probabilities of tokens, and a critique reads them",
                hint="Use a server that takes `logprobs`, such as vLLM or llama.cpp, or `local`.",
            )
        judgements.append(judge(first, wrong=wording.wrong, min_mass=min_mass))
    return JudgedAnswer(id=pair.id, judgements=tuple(judgements))


def _first_error(answers: Sequence[Reply | ModelError]) -> ModelError:
    return next(answer for answer in answers if isinstance(answer, ModelError))
