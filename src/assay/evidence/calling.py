"""Loading a method and calling it: the part that the worker and the trusted path share.

Runs wherever the method runs, so it knows no labels, no classes and no original ids.
"""

import importlib
import importlib.util
import inspect
import os
import random
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import MethodError, MethodExited, MethodNotLoaded, MethodRaised

Predictor = Callable[..., object]
_PLAIN = frozenset({float, int, bool, str})


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A method as imported: a function to call, or a learner to fit first."""

    found: Any
    parameters: int
    learner: bool
    file: str | None


def load(kind: str, target: str, attribute: str) -> Loaded:
    """Import what a reference names; every way to fail is a MethodNotLoaded."""
    if kind == "registered":
        from assay.methods.registry import REGISTERED

        found: Any = REGISTERED[target].method
        file = None
    else:
        module = guarded(lambda: _import(kind, target), MethodNotLoaded)
        file = getattr(module, "__file__", None)
        if not hasattr(module, attribute):
            names = sorted(name for name in vars(module) if not name.startswith("_"))
            raise MethodNotLoaded(
                f"{target} has no attribute {attribute!r}; it has {', '.join(names[:12]) or 'none'}"
            )
        found = getattr(module, attribute)
    return inspect_method(found, file)


def inspect_method(found: Any, file: str | None = None) -> Loaded:  # noqa: ANN401 - theirs
    """How a method wants to be called."""
    if isinstance(found, type) and hasattr(found, "fit"):
        found = guarded(found, MethodNotLoaded)
    if callable(getattr(found, "fit", None)):
        return Loaded(found=found, parameters=0, learner=True, file=file)
    if not callable(found):
        raise MethodNotLoaded(f"got {type(found).__name__}, expected a function to call")
    return Loaded(found=found, parameters=_parameters(found), learner=False, file=file)


def fit(loaded: Loaded, examples: Sequence[Mapping[str, object]]) -> Loaded:
    """Fit a learner and give back what it returns, ready to be called."""
    predictor = guarded(lambda: loaded.found.fit(examples), MethodRaised)
    if not callable(predictor):
        got = type(predictor).__name__
        raise MethodNotLoaded(f"fit() returned {got}, expected a function to call")
    return Loaded(
        found=predictor, parameters=_parameters(predictor), learner=False, file=loaded.file
    )


def call(loaded: Loaded, question: str, response: str | None) -> object:
    """One answer, or a MethodError that says what happened instead."""
    try:
        if loaded.parameters == 1:
            answer = loaded.found(question)
        else:
            answer = loaded.found(question, response)
        return answer if type(answer) in _PLAIN else _plain(answer)
    except BaseException as error:
        raise _translated(error, MethodRaised) from None


def guarded(action: Callable[[], Any], kind: type[MethodError]) -> Any:  # noqa: ANN401 - theirs
    """Do something of theirs; whatever it raises becomes one of ours."""
    try:
        return action()
    except BaseException as error:
        raise _translated(error, kind) from None


def _translated(error: BaseException, kind: type[MethodError]) -> MethodError:
    """Whatever a method raises (KeyboardInterrupt, a class of its own) as one of ours."""
    if isinstance(error, SystemExit):
        return MethodExited(f"raised SystemExit({error.code!r:.40}){_place(error)}")
    text = " ".join(str(error).split())[:300]
    return kind(f"{type(error).__name__}: {text}{_place(error)}")


def _plain(answer: object) -> object:
    """Numbers of numpy, torch and the like as numbers of Python, inside a mapping too."""
    if isinstance(answer, Mapping):
        return {key: _plain(value) for key, value in answer.items()}
    unwrap = getattr(answer, "item", None)
    return unwrap() if callable(unwrap) and getattr(answer, "size", 1) == 1 else answer


def seed_everything(seed: int) -> None:
    """Seed the generators that a method may use without saying so."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _import(kind: str, target: str) -> Any:  # noqa: ANN401 - a module of theirs
    if kind == "module":
        sys.path.insert(0, os.getcwd())  # noqa: PTH109 - the import system wants a string
        return importlib.import_module(target)
    path = Path(target)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {path.name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _parameters(found: Predictor) -> int:
    """1 for (question), 2 for (question, response); anything else cannot be called."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return 2
    for count in (2, 1):
        try:
            signature.bind(*("text",) * count)
        except TypeError:
            continue
        return count
    raise MethodNotLoaded(f"it takes {signature}, expected (question) or (question, response)")


def _place(error: BaseException) -> str:
    """Where in the method's own code the error came from."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    frames = [f for f in frames if not f.filename.startswith("<frozen")]
    if not frames:
        return ""
    last = frames[-1]
    return f" ({Path(last.filename).name}, line {last.lineno}, in {last.name})"
