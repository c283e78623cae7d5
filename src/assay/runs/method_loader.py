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
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from assay.errors import MethodError, MethodExited, MethodNotLoaded, MethodRaised

Predictor = Callable[..., object]
_PLAIN = frozenset({float, int, bool, str})
_BOTH = ("question", "response")
_SPREAD = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@runtime_checkable
class FittedMethod(Protocol):
    """A learner: `fit` takes examples and gives back the function to ask."""

    def fit(self, examples: Any) -> Any:  # noqa: ANN401 - theirs
        """Learn from examples."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A method as imported: a function to call with some arguments, or a learner to fit first.

    `positional` and `named` say what to hand over: `question`, `response`, or both. `isolated` says
    that this process is the method's own, so that even KeyboardInterrupt is its.
    """

    method: Any
    positional: tuple[str, ...]
    named: Mapping[str, str]
    learner: bool
    isolated: bool

    @property
    def asks_by_name(self) -> bool:
        """Whether a parameter is called `question` or `response`, or there are two of them."""
        return len(self.arguments) > 1 or any(k == v for k, v in self.named.items())

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the method is told of an item."""
        return tuple(sorted({*self.positional, *self.named.values()}))


@dataclass(frozen=True, kw_only=True)
class Modules:
    """What a process has imported: installed modules by their top name, others by file."""

    installed: tuple[str, ...]
    files: tuple[str, ...]


def load(kind: str, target: str, attribute: str) -> Loaded:
    """Import what a reference names; every way to fail is a MethodNotLoaded."""
    if kind == "registered":
        from assay.method.registry import REGISTERED

        return inspect_method(REGISTERED[target].method, isolated=True)
    module = guarded(lambda: _import(kind, target), MethodNotLoaded)
    if not hasattr(module, attribute):
        names = sorted(name for name in vars(module) if not name.startswith("_"))
        raise MethodNotLoaded(
            f"{target} has no attribute {attribute!r}; it has {', '.join(names[:12]) or 'none'}"
        )
    return inspect_method(getattr(module, attribute), isolated=True)


def inspect_method(method: Any, *, isolated: bool) -> Loaded:  # noqa: ANN401 - theirs
    """How a method wants to be called."""
    if isinstance(method, type) and hasattr(method, "fit"):
        method = guarded(method, MethodNotLoaded)
    if callable(getattr(method, "fit", None)):
        return Loaded(method=method, positional=(), named={}, learner=True, isolated=isolated)
    if not callable(method):
        raise MethodNotLoaded(f"got {type(method).__name__}, expected a function to call")
    positional, named = _binding(method)
    return Loaded(
        method=method, positional=positional, named=named, learner=False, isolated=isolated
    )


def fit(loaded: Loaded, examples: Sequence[Mapping[str, object]]) -> Loaded:
    """Fit a learner and give back what it returns, ready to be called."""
    predictor = guarded(lambda: loaded.method.fit(examples), MethodRaised)
    if not callable(predictor):
        got = type(predictor).__name__
        raise MethodNotLoaded(f"fit() returned {got}, expected a function to call")
    return inspect_method(predictor, isolated=loaded.isolated)


def call(loaded: Loaded, question: str, response: str | None) -> object:
    """One answer, or a MethodError that says what happened instead."""
    try:
        if loaded.positional == _BOTH:
            answer = loaded.method(question, response)
        else:
            given = {"question": question, "response": response}
            answer = loaded.method(
                *(given[value] for value in loaded.positional),
                **{name: given[value] for name, value in loaded.named.items()},
            )
        return answer if type(answer) in _PLAIN else _plain(answer)
    except KeyboardInterrupt as error:
        if not loaded.isolated:
            raise
        raise _translated(error, MethodRaised) from None
    except BaseException as error:
        raise _translated(error, MethodRaised) from None


def guarded(action: Callable[[], Any], kind: type[MethodError]) -> Any:  # noqa: ANN401 - theirs
    """Call the method's code; every exception becomes a MethodError."""
    try:
        return action()
    except BaseException as error:
        raise _translated(error, kind) from None


def _translated(error: BaseException, kind: type[MethodError]) -> MethodError:
    """An exception of the method (SystemExit, a class of its own) as a MethodError."""
    if isinstance(error, SystemExit):
        return MethodExited(f"raised SystemExit({error.code!r:.40}){_place(error)}")
    try:
        text = " ".join(str(error).split())[:300]
    except Exception:  # an exception whose text raises another
        text = "(no message)"
    return kind(f"{type(error).__name__}: {text}{_place(error)}")


def _plain(answer: object) -> object:
    """Numbers of numpy, torch and the like as numbers of Python, inside a mapping too."""
    if isinstance(answer, Mapping):
        return {key: _plain(value) for key, value in answer.items()}
    unwrap = getattr(answer, "item", None)
    if callable(unwrap):
        with suppress(TypeError, ValueError, RuntimeError):  # more than one number in it
            return unwrap()
    return answer


def loaded_modules(before: Collection[str] = ()) -> Modules:
    """What this process has imported: installed modules by their top name, others by file.

    The standard library and what is built into Python are left out, and so are the modules that
    were there `before`.
    """
    sites = (place for place in sys.path if place.endswith(("site-packages", "dist-packages")))
    installed = [os.path.realpath(place) + os.sep for place in sites]
    standard = os.path.realpath(os.path.dirname(os.__file__)) + os.sep  # noqa: PTH120
    names, files = set(), set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or name in before:
            continue
        real = os.path.realpath(file)
        place = next((place for place in installed if real.startswith(place)), None)
        if place is not None:  # a compiled module may go by another name than its package's
            names.add(real.removeprefix(place).partition(os.sep)[0].partition(".")[0])
        elif not real.startswith(standard):
            files.add(real)
    return Modules(installed=tuple(sorted(names)), files=tuple(sorted(files)))


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


def _binding(method: Predictor) -> tuple[tuple[str, ...], dict[str, str]]:
    """What to hand over: by name where parameters are called question or response, else in order.

    An optional parameter of another name (`temperature=0.7`) is left to its default.
    """
    try:
        parameters = list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return _BOTH, {}
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    ours = {p.name: p.name for p in parameters if p.kind not in _SPREAD and p.name in _BOTH}
    rest = [value for value in _BOTH if value not in ours]
    wanted = [p for p in plain if p.default is p.empty and p.name not in ours]
    unmet = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if not ours and not wanted and plain:
        wanted = plain[:1]
    spread = not ours and not plain and any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(wanted) > len(rest) or any(p.name not in ours for p in unmet):
        raise _uncallable(method)
    if spread or [p.name for p in plain[:2]] == list(_BOTH) or (not ours and len(wanted) == 2):
        return _BOTH, {}
    given = {**ours, **{p.name: value for p, value in zip(wanted, rest, strict=False)}}
    if not given:
        raise _uncallable(method)
    first = [p for p in plain if p.kind is p.POSITIONAL_ONLY and p.name in given]
    return tuple(given.pop(p.name) for p in first), given


def _uncallable(method: Predictor) -> MethodNotLoaded:
    return MethodNotLoaded(
        f"it takes {inspect.signature(method)}, expected (question) or (question, response)"
    )


def _place(error: BaseException) -> str:
    """Where in the method's own code the error came from."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    frames = [f for f in frames if not f.filename.startswith("<frozen")]
    if not frames:
        return ""
    last = frames[-1]
    return f" ({Path(last.filename).name}, line {last.lineno}, in {last.name})"
