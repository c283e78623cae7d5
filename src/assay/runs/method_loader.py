"""Load and call a method, both in a worker and in this process.

Runs where the method runs, so it has no labels, classes or original ids.
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

from assay.errors import (
    AssayError,
    BadOutput,
    MethodError,
    MethodExited,
    MethodNotLoaded,
    MethodRaised,
)
from assay.runs import event_loop
from assay.runs.event_loop import EventLoop
from assay.runs.method_signature import Predictor, bind, read_signature
from assay.wording import counted, did_you_mean, some

_PLAIN = frozenset({float, int, bool, str})


@runtime_checkable
class FittedMethod(Protocol):
    """A learner: `fit` takes examples and returns the function to ask."""

    def fit(self, examples: Any) -> Any:  # noqa: ANN401 - theirs
        """Learn from examples."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """An imported method: a function of question and response, or a learner to fit first.

    `batch` says that it takes lists and returns a list of answers. `arguments` are what it gets of
    an item: `question`, `response`, or both; `asks_by_name` says that a parameter has such a name,
    or that there are two. `isolated` says that this is the method's own process, so that even a
    KeyboardInterrupt is the method's. Awaitable answers are awaited on `loop`.
    """

    method: Any
    learner: bool
    isolated: bool
    loop: EventLoop
    ask: Predictor
    batch: bool = False
    arguments: tuple[str, ...] = ()
    asks_by_name: bool = False


@dataclass(frozen=True, kw_only=True)
class Modules:
    """What a process has imported: installed modules by their top name, others by file."""

    installed: tuple[str, ...]
    files: tuple[str, ...]


def load(kind: str, target: str, attribute: str) -> Loaded:
    """Import a reference; every failure is a MethodNotLoaded."""
    if kind == "registered":
        from assay.method.registry import REGISTERED

        return inspect_method(REGISTERED[target].method, isolated=True)
    if kind == "model":
        from assay.method.model_based.table import MODEL_METHODS
        from assay.models.reference_facts import split_references

        make, models = MODEL_METHODS[attribute].make, split_references(target)
        return inspect_method(guarded(lambda: make(models), MethodNotLoaded), isolated=True)
    module = guarded(lambda: _import(kind, target), MethodNotLoaded)
    if not hasattr(module, attribute):
        names = _methods_in(module)
        near = did_you_mean(attribute, names, most=1)
        meant = f"; {near[0].lower()}{near[1:]}" if near else ""
        raise MethodNotLoaded(
            f"{target} has no attribute {attribute!r}; its functions are"
            f" {some(names, most=12) or 'none'}{meant}"
        )
    return inspect_method(getattr(module, attribute), isolated=True, name=attribute)


def _methods_in(module: Any) -> list[str]:  # noqa: ANN401 - a module of theirs
    """What may be a method: functions and learners, those that the module defines if there are."""
    found = {
        name: value
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and (callable(value) or hasattr(value, "fit"))
    }
    own = [
        name
        for name, value in found.items()
        if getattr(value, "__module__", None) == module.__name__
    ]
    return own or list(found)


def inspect_method(
    method: Any,  # noqa: ANN401 - theirs
    *,
    isolated: bool,
    name: str = "",
    loop: EventLoop | None = None,
) -> Loaded:
    """How a method, which goes by this name, wants to be called."""
    if isinstance(method, type) and hasattr(method, "fit"):
        method = guarded(method, MethodNotLoaded)
    loop = loop or EventLoop(own_thread=not isolated)
    if callable(getattr(method, "fit", None)):
        _refuse_estimator(method)
        return Loaded(method=method, learner=True, isolated=isolated, loop=loop, ask=_unfitted)
    if not callable(method):
        raise MethodNotLoaded(f"got {type(method).__name__}, expected a function to call")
    if isinstance(method, type) and any("__call__" in vars(base) for base in method.__mro__):
        own = method.__name__
        raise MethodNotLoaded(
            f"got the class {own}, expected a function; an object of it can be called: {own}()"
        )
    signature = read_signature(method, name)
    return Loaded(
        method=method,
        learner=False,
        isolated=isolated,
        loop=loop,
        ask=bind(method, signature),
        batch=signature.batch,
        arguments=signature.arguments,
        asks_by_name=signature.asks_by_name,
    )


def _refuse_estimator(method: Any) -> None:  # noqa: ANN401 - theirs
    """Refuse an estimator of scikit-learn, whose `fit` takes X and y, and say what to write."""
    predicts = [name for name in ("predict_proba", "predict") if hasattr(method, name)]
    try:
        takes = list(inspect.signature(method.fit).parameters)
    except (TypeError, ValueError):
        return
    if not predicts or (len(takes) < 2 and "y" not in takes):
        return
    call = "predict_proba([response])[0][1]" if predicts[0] == "predict_proba" else "predict(...)"
    raise MethodNotLoaded(
        f"got {type(method).__name__}, an estimator with fit(X, y), expected a function. Fitted"
        f" already: def detect(question, response): return model.{call}. To fit it out of fold:"
        " a class whose fit(examples) returns such a function; an example is a dictionary with"
        " question, response and target"
    )


def fit(loaded: Loaded, examples: Sequence[Mapping[str, object]]) -> Loaded:
    """Fit a learner and return the fitted function."""
    predictor = guarded(lambda: _fitted(loaded, examples), MethodRaised)
    if not callable(predictor):
        got = type(predictor).__name__
        raise MethodNotLoaded(f"fit() returned {got}, expected a function to call")
    return inspect_method(predictor, isolated=loaded.isolated, loop=loaded.loop)


def _fitted(loaded: Loaded, examples: Sequence[Mapping[str, object]]) -> object:
    """What `fit` returns; an example that it takes for an object is said to be a dictionary."""
    try:
        return loaded.method.fit(examples)
    except AttributeError as error:
        if isinstance(error.obj, dict) and examples and error.name in examples[0]:
            error.args = (f"{error}; an example is a dictionary: example[{error.name!r}]",)
        raise


def call(loaded: Loaded, question: str, response: str | None) -> object:
    """One answer, or a MethodError."""
    if loaded.batch:
        (only,) = call_batch(loaded, [question], [response])
        if isinstance(only, MethodError):
            raise only
        return only
    try:
        answer = loaded.ask(question, response)
        return answer if type(answer) in _PLAIN else _plain(_awaited(loaded, answer))
    except BaseException as error:
        raise _blamed(loaded, error) from None


def call_batch(
    loaded: Loaded, questions: Sequence[str], responses: Sequence[str | None]
) -> list[object]:
    """An answer for each item, or a MethodError of the whole batch.

    An exception in the place of an answer is the failure of that item alone.
    """
    try:
        answers = _awaited(loaded, loaded.ask(list(questions), list(responses)))
        if not isinstance(answers, list | tuple) and callable(getattr(answers, "tolist", None)):
            answers = answers.tolist()  # type: ignore[attr-defined]  # numpy, torch, pandas
        expected = f"expected a list of {counted(len(questions), 'answer')}, one for each item"
        if not isinstance(answers, list | tuple):
            raise BadOutput(f"got {type(answers).__name__}, {expected}")
        if len(answers) != len(questions):
            raise BadOutput(f"got {counted(len(answers), 'answer')}, {expected}")
        return [
            _translated(answer, MethodRaised) if isinstance(answer, Exception) else _plain(answer)
            for answer in answers
        ]
    except BadOutput:
        raise
    except BaseException as error:
        raise _blamed(loaded, error) from None


def _awaited(loaded: Loaded, answer: object) -> object:
    """The result of a coroutine; other values unchanged."""
    if hasattr(type(answer), "__await__"):
        return loaded.loop.run(answer)  # type: ignore[arg-type]
    return answer


def _blamed(loaded: Loaded, error: BaseException) -> BaseException:
    """A method's exception as a MethodError; in our own process an interrupt is the user's."""
    if isinstance(error, KeyboardInterrupt) and not loaded.isolated:
        return error
    return _translated(error, MethodRaised)


def guarded(action: Callable[[], Any], kind: type[MethodError]) -> Any:  # noqa: ANN401 - theirs
    """Call the method's code; every exception becomes a MethodError."""
    try:
        return action()
    except BaseException as error:
        raise _translated(error, kind) from None


def _translated(error: BaseException, kind: type[MethodError]) -> MethodError:
    """An exception of the method (SystemExit, a class of its own) as a MethodError."""
    if isinstance(error, AssayError) and not isinstance(error, MethodError):  # ours says it all
        return kind(" ".join(filter(None, (f"{error.message}.", error.hint))))
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
    """Seed the global random generators that a method may use."""
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


def _unfitted(*_: object) -> object:
    raise MethodError("a learner is fitted before it is asked")


def _place(error: BaseException) -> str:
    """Where in the method's own code the error came from."""
    ours = (__file__, event_loop.__file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename not in ours]
    frames = [f for f in frames if not f.filename.startswith("<frozen")]
    if not frames:
        return ""
    last = frames[-1]
    return f" ({Path(last.filename).name}, line {last.lineno}, in {last.name})"
