"""References to methods: `file.py:function`, `module:function`, `likelihood:MODEL`, a bundled name.

A reference is only parsed here. Importing its target runs untrusted code, and happens in a worker.
"""

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from assay.benchmark.benchmark import Task
from assay.errors import SpecError, storage
from assay.method.baselines import (
    CharTfidf,
    Majority,
    SurfaceModel,
    WordTfidf,
    auxiliary_copy,
    constant,
    hash_random,
    question_length,
    token_overlap,
)
from assay.method.model_based.reference import model_method, placed_models, read_models
from assay.method.model_based.table import MODEL_METHODS, ModelMethod
from assay.models.reference_facts import split_references
from assay.surface.features import ORACLES, Pair
from assay.wording import did_you_mean


@dataclass(frozen=True, kw_only=True)
class MethodRef:
    """A reference to a method: a file or module and a function, a bundled name, or models.

    Over models, `attribute` is the method's name and `target` the list of models, with whole paths.
    """

    text: str
    kind: Literal["registered", "file", "module", "callable", "model"]
    target: str
    attribute: str


def parse_method(
    text: str, *, registered: Collection[str], folder: Path | None = None
) -> MethodRef:
    """Parse a reference; `registered` are the bundled names.

    Weights of a model are looked for in `folder`, by default the present one.
    """
    if text in registered:
        return MethodRef(text=text, kind="registered", target=text, attribute="")
    name, _, models = text.partition(":")
    if name in MODEL_METHODS and not _is_own_module(text):
        read_models(MODEL_METHODS[name], models)
        target = placed_models(models, Path() if folder is None else folder)
        return MethodRef(text=text, kind="model", target=target, attribute=name)
    if split_references(models) and not name.endswith(".py") and not _is_own_module(text):
        raise _unknown_over_models(name)
    target, _, attribute = text.rpartition(":")
    if text.endswith(".py") or not target:
        if text.endswith(".py"):
            raise SpecError(
                f"method {text!r} names a file but no function",
                hint=f"Add the function, for example {text}:detect",
            )
        raise _unknown(text, registered)
    if not attribute.isidentifier():
        raise _unknown(text, registered)
    if target.endswith(".py"):
        path = Path(target)
        with storage(target):
            exists = path.is_file()
        if not exists or not target.isprintable():
            raise SpecError(f"method {text!r:.200}: no file {target!r:.200}")
        return MethodRef(text=text, kind="file", target=str(path.resolve()), attribute=attribute)
    if not all(part.isidentifier() for part in target.split(".")):
        raise _unknown(text, registered)
    if target in {name.partition(":")[0] for name in registered}:
        raise _unknown(text, registered)
    method = MethodRef(text=text, kind="module", target=target, attribute=attribute)
    if did_you_mean(text, registered) and source_file(method) is None:
        raise _unknown(text, registered)
    return method


def source_file(method: MethodRef) -> Path | None:
    """The file of a reference, found without importing it."""
    if method.kind == "file":
        return Path(method.target)
    if method.kind != "module":
        return None
    places: list[str] | None = [str(Path.cwd()), *sys.path]
    spec = None
    for part in method.target.split("."):
        spec = PathFinder.find_spec(part, places) if places is not None else None
        if spec is None:
            return None
        locations = spec.submodule_search_locations
        places = None if locations is None else list(locations)
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def _is_own_module(text: str) -> bool:
    """Whether a reference means a module of the user's that is named like one of our methods."""
    target, _, attribute = text.rpartition(":")
    parts = (*target.split("."), attribute)
    if model_method(text) is not None or not all(part.isidentifier() for part in parts):
        return False
    own = MethodRef(text=text, kind="module", target=target, attribute=attribute)
    return source_file(own) is not None


def _unknown_over_models(name: str) -> SpecError:
    """The models are not repeated: an address may hold a password."""
    near = did_you_mean(name, MODEL_METHODS, most=1)
    return SpecError(
        f"no method {name!r:.100} over models: there are {', '.join(MODEL_METHODS)}",
        hint=f"{near} " if near else "`assay methods` lists them.",
    )


def _unknown(text: str, registered: Collection[str]) -> SpecError:
    near = did_you_mean(text, registered, most=1)
    hint = f"{near} " if near else ""
    if not near and ":" not in text and "." in text:
        hint = f"Perhaps {':'.join(text.rsplit('.', 1))}? "
    return SpecError(
        f"no method {text!r}: not a registered name, file.py:function or package.module:function",
        hint=hint + "`assay methods` lists the registered ones.",
    )


_DETECT: tuple[Task, ...] = ("detection",)
_CLASSIFY: tuple[Task, ...] = ("classification",)


@dataclass(frozen=True, kw_only=True)
class Registered:
    """A bundled method: its class, its tasks (the first is its main one), and its description."""

    name: str
    method_class: str
    tasks: tuple[Task, ...]
    about: str
    method: object


def inverse(oracle: Pair) -> Pair:
    """The method with its ranking reversed."""
    return lambda question, response: -oracle(question, response)


def _oracles() -> Iterator[Registered]:
    for name, oracle in ORACLES.items():
        about = (oracle.__doc__ or "").splitlines()[0]
        name = f"oracle:{name}"
        yield _oracle(name, about, oracle)
        yield _oracle(f"{name}:inverse", f"{name} with its ranking reversed.", inverse(oracle))


def _oracle(name: str, about: str, method: Pair) -> Registered:
    return Registered(name=name, method_class="surface", tasks=_DETECT, about=about, method=method)


_OURS: Mapping[str, tuple[str, tuple[Task, ...], object, str]] = {
    "auxiliary-copy": (
        "surface",
        _DETECT,
        auxiliary_copy,
        "The question opens with an auxiliary verb, plus the share of copied words.",
    ),
    "constant": ("uninformed", _DETECT + _CLASSIFY, constant, "The same answer to everything."),
    "hash-random": (
        "uninformed",
        _CLASSIFY + _DETECT,
        hash_random,
        "A score and a class from the hash of the question.",
    ),
    "majority": (
        "uninformed",
        _CLASSIFY,
        Majority,
        "The most frequent class of the training folds.",
    ),
    "question-length": (
        "surface",
        _CLASSIFY,
        question_length,
        "A class from the number of words in the question.",
    ),
    "surface-model": (
        "surface",
        _DETECT,
        SurfaceModel,
        "All surface features together, learnt out of fold.",
    ),
    "tfidf:word": (
        "lexical",
        _CLASSIFY + _DETECT,
        WordTfidf,
        "Word TF-IDF and logistic regression, out of fold.",
    ),
    "tfidf:char": (
        "lexical",
        _CLASSIFY + _DETECT,
        CharTfidf,
        "Character TF-IDF and logistic regression, out of fold.",
    ),
    "token-overlap": (
        "lexical",
        _DETECT,
        token_overlap,
        "(1 - hedge density) x (1 - novelty density): restating is suspicious.",
    ),
}
_SHIPPED = (
    Registered(name=name, method_class=kind, tasks=tasks, about=about, method=method)
    for name, (kind, tasks, method, about) in _OURS.items()
)
REGISTERED: Mapping[str, Registered] = MappingProxyType(
    {method.name: method for method in (*_SHIPPED, *_oracles())}
)


def bundled(text: str) -> Registered | ModelMethod | None:
    """The method of ours that a reference names; None for code of the user's own."""
    return REGISTERED.get(text) or model_method(text)


def listed() -> Mapping[str, Registered | ModelMethod]:
    """Every bundled method by its name; one over models by the form of its reference."""
    return {**REGISTERED, **{method.form: method for method in MODEL_METHODS.values()}}
