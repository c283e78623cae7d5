"""The process of the tests: runs them against a completion that lives in another process.

This file is run by itself, in a confined process: it may import the standard library and
`plain_values`. A name that the task asks for stands for the completion's: calling it sends the
arguments and gives the plain value that came back. All comparing is done here, on plain values.
What is no plain value can be called, handed back, listed, and asked for attributes, its length and
its truth; it is equal to nothing but itself.

Arguments that are no plain values (a function that the tests define) cannot be sent: then there is
no verdict. A test that looks at an argument after the call sees its own copy.
"""

import ast
import builtins
import importlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from assay.benchmark.programs.plain_values import (
    LONGEST,
    NotPlain,
    decode,
    encode,
    from_line,
    to_line,
)


class Ended(BaseException):
    """No verdict can come of these tests any more; `why` is the outcome."""

    def __init__(self, why: str) -> None:
        self.why = why


class Raised(Exception):
    """An exception of a class that only the completion has."""


class Completion:
    """The other process. Once it is `over`, it stays over, whatever the tests catch."""

    def __init__(self, channel: int) -> None:
        self.answers: IO[bytes] = os.fdopen(channel, "rb")
        self.requests = os.fdopen(os.dup(channel), "wb", buffering=0)
        self.objects: dict[int, Remote] = {}
        self.over: str | None = None

    def end(self, why: str) -> Ended:
        """Note that there will be no verdict."""
        self.over = self.over or why
        return Ended(self.over)

    def hear(self) -> Any:  # noqa: ANN401 - JSON
        """The next answer; what the completion raised is raised here."""
        try:
            reply = from_line(self.answers.readline(LONGEST))
        except (NotPlain, OSError):
            raise self.end("crashed") from None
        match reply:
            case {"ok": node}:
                return node
            case {"raised": [str() as name, str() as text]}:
                raise _exception(name, text)
        raise self.end("crashed")

    def ask(self, *request: object) -> Any:  # noqa: ANN401 - JSON
        """Send a request, and hear its answer."""
        if self.over is not None:
            raise Ended(self.over)
        try:
            self.requests.write(to_line(request))
        except OSError:
            raise self.end("crashed") from None
        except NotPlain:
            raise self.end("unverifiable") from None
        return self.hear()

    def value(self, *request: object) -> Any:  # noqa: ANN401 - a plain value, or a Remote
        """The value of an answer."""
        return self.decoded(self.ask(*request))

    def decoded(self, node: object) -> Any:  # noqa: ANN401 - a plain value, or a Remote
        """The value of a node."""
        try:
            return decode(node, self.resolve)
        except (NotPlain, RecursionError):
            raise self.end("crashed") from None

    def node(self, value: object) -> Any:  # noqa: ANN401 - JSON
        """A value of the tests, to be sent."""
        try:
            return encode(value, _number)
        except (NotPlain, RecursionError):
            raise self.end("unverifiable") from None

    def resolve(self, number: int) -> "Remote":
        """The one Remote of a number."""
        return self.objects.setdefault(number, Remote(self, number))

    def named(self, name: str, *, own: bool) -> Any:  # noqa: ANN401 - theirs
        """What a name of the completion is; unless it is its `own`, only what both can import."""
        match self.ask("name", name, own):
            case {"missing": True}:
                raise LookupError
            case {"import": [str() as module, *names]} if not own:
                return _import(module, *names)
            case node if own:
                return self.decoded(node)
        raise self.end("crashed")


class Remote:
    """An object of the completion's."""

    __slots__ = ("_completion", "_number")

    def __init__(self, completion: Completion, number: int) -> None:
        object.__setattr__(self, "_completion", completion)
        object.__setattr__(self, "_number", number)

    def __call__(self, *given: object, **named: object) -> Any:  # noqa: ANN401, D102 - theirs
        node = self._completion.node
        arguments = [node(one) for one in given], {key: node(one) for key, one in named.items()}
        return self._completion.value("call", self._number, *arguments)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - theirs
        return self._completion.value("get", self._number, name)

    def __setattr__(self, name: str, value: object) -> None:
        self._completion.ask("set", self._number, name, self._completion.node(value))

    def __iter__(self) -> Iterator[Any]:
        listed = self._completion.value("list", self._number)
        if not isinstance(listed, list):
            raise self._completion.end("crashed")
        return iter(listed)

    def __bool__(self) -> bool:
        return bool(self._completion.value("true", self._number))

    def __len__(self) -> int:
        length = self._completion.value("length", self._number)
        if not isinstance(length, int):
            raise self._completion.end("crashed")
        return length


def _number(value: object) -> dict[str, int]:
    if isinstance(value, Remote):
        return {"object": value._number}
    raise NotPlain(type(value).__name__)


def _exception(name: str, text: str) -> Exception:
    """The exception of this name that Python has, or one of this name only."""
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, Exception):
        with suppress(TypeError):  # it wants more than a text
            return known(text)
    return Raised(f"{name}: {text}")


def _import(module: str, *names: object) -> Any:  # noqa: ANN401 - from the standard library
    """What the standard library has; the completion's word decides only whether it is there."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        raise LookupError
    try:
        found: Any = importlib.import_module(module)
        for name in names:
            found = getattr(found, str(name))
    except (ImportError, AttributeError):
        raise LookupError from None
    return found


def free_names(tests: str) -> set[str]:
    """The names that tests use and neither define nor have from Python."""
    used: set[str] = set()
    bound = set(dir(builtins))
    for node in ast.walk(ast.parse(tests)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    return used - bound


def judged(completion: Completion, tests: str, given: str, names: frozenset[str]) -> str:
    """The verdict of the tests. They see what stood before the completion (`given`) as it was."""
    scope: dict[str, Any] = {"__name__": "tests"}
    run = compile(tests, "tests", "exec", dont_inherit=True)
    try:
        completion.hear()  # it has defined what it defines
        exec(compile(given, "given", "exec", dont_inherit=True), scope)  # noqa: S102 - see above
        free = free_names(tests)
        for name in sorted({*free, *names} - (scope.keys() - names)):
            try:
                scope[name] = completion.named(name, own=name in (names or free))
            except LookupError:
                scope.pop(name, None)
        exec(run, scope)  # noqa: S102 - what this process is for
    except MemoryError:
        return completion.over or "out-of-memory"
    except Ended as ended:
        return ended.why
    except BaseException:  # SystemExit too: to leave the tests early is not to pass them
        return completion.over or "failed"
    return completion.over or "passed"


def main() -> None:
    """Judge by the tests in one descriptor, send the verdict: REQUEST CHANNEL VERDICT."""
    request, channel, verdict = map(int, sys.argv[1:4])
    del sys.argv[1:]
    with os.fdopen(request, "rb") as file:
        asked = json.load(file)
    outcome = judged(Completion(channel), asked["tests"], asked["given"], frozenset(asked["names"]))
    os.write(verdict, f"{outcome}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    main()
