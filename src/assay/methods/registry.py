"""The names under which our own methods can be tried."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.benchmark.task import Task
from assay.methods.baselines import Majority, constant, hash_random, question_length
from assay.methods.overlap import auxiliary_copy, token_overlap
from assay.methods.surface_model import SurfaceModel
from assay.methods.tfidf import CharTfidf, WordTfidf
from assay.surface.features import ORACLES, Pair

_DETECT: tuple[Task, ...] = ("detection",)
_CLASSIFY: tuple[Task, ...] = ("classification",)


@dataclass(frozen=True, kw_only=True)
class Registered:
    """A method of ours: the tasks it can do (the first is its own), and what it is."""

    name: str
    tasks: tuple[Task, ...]
    about: str
    method: object


def inverse(oracle: Pair) -> Pair:
    """The same method with its ranking turned round."""
    return lambda question, response: -oracle(question, response)


def _oracles() -> Iterator[Registered]:
    for name, oracle in ORACLES.items():
        about = (oracle.__doc__ or "").splitlines()[0]
        for suffix, method, text in (
            ("", oracle, about),
            (":inverse", inverse(oracle), f"oracle:{name} the other way round."),
        ):
            yield Registered(
                name=f"oracle:{name}{suffix}", tasks=_DETECT, about=text, method=method
            )


_OURS = (
    Registered(
        name="auxiliary-copy",
        tasks=_DETECT,
        about="The question opens with an auxiliary verb, plus the share of copied words.",
        method=auxiliary_copy,
    ),
    Registered(
        name="constant",
        tasks=_DETECT + _CLASSIFY,
        about="The same answer to everything.",
        method=constant,
    ),
    Registered(
        name="hash-random",
        tasks=_CLASSIFY + _DETECT,
        about="A score and a class from the hash of the question.",
        method=hash_random,
    ),
    Registered(
        name="majority",
        tasks=_CLASSIFY,
        about="The most frequent class of the training folds.",
        method=Majority,
    ),
    Registered(
        name="question-length",
        tasks=_CLASSIFY,
        about="A class from the number of words in the question.",
        method=question_length,
    ),
    Registered(
        name="surface-model",
        tasks=_DETECT,
        about="All surface features together, learnt out of fold.",
        method=SurfaceModel,
    ),
    Registered(
        name="tfidf:word",
        tasks=_CLASSIFY + _DETECT,
        about="Word TF-IDF and logistic regression, out of fold.",
        method=WordTfidf,
    ),
    Registered(
        name="tfidf:char",
        tasks=_CLASSIFY + _DETECT,
        about="Character TF-IDF and logistic regression, out of fold.",
        method=CharTfidf,
    ),
    Registered(
        name="token-overlap",
        tasks=_DETECT,
        about="(1 - hedge density) x (1 - novelty density): restating is suspicious.",
        method=token_overlap,
    ),
)
REGISTERED: Mapping[str, Registered] = MappingProxyType(
    {method.name: method for method in (*_OURS, *_oracles())}
)
