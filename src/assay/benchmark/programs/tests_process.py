"""The process of the tests: run them against a completion in another process.

This file is run alone, in a confined process: it may import the standard library and
`plain_values`. A name that the task requires refers to the completion's: calling it sends the
arguments and returns the plain value that came back. Every other name is the tests' or the task's,
never the completion's. All comparisons happen here, on plain values. An object that is not a plain
value can be called, passed back, listed, and asked for attributes, length and truth; it equals only
itself.

Arguments that are not plain values (a function defined by the tests) cannot be sent: then there is
no verdict. Nor is there one if the task does not define a name of its tests. An argument that
becomes too large to send after the completion has answered counts against the completion. A test
that looks at an argument after the call sees its own copy.
"""

import ast
import builtins
import json
import os
import symtable
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from assay.benchmark.programs.plain_values import (
    LONGEST,
    NotPlain,
    TooLarge,
    decode,
    encode,
    from_line,
    to_line,
)


class Ended(BaseException):
    """The tests can no longer give a verdict; `why` is the outcome."""

    def __init__(self, why: str) -> None:
        self.why = why


class Raised(Exception):
    """An exception of a class that only the completion has."""


class Completion:
    """The completion's process. Once it is `over`, it stays over, whatever the tests catch."""

    def __init__(self, channel: int) -> None:
        self.answers: IO[bytes] = os.fdopen(channel, "rb")
        self.requests = os.fdopen(os.dup(channel), "wb", buffering=0)
        self.objects: dict[int, Remote] = {}
        self.answered = False
        self.over: str | None = None

    def end(self, why: str) -> Ended:
        """End without a verdict."""
        self.over = self.over or why
        return Ended(self.over)

    def hear(self) -> Any:  # noqa: ANN401 - JSON
        """The next answer; an exception of the completion is raised here."""
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
        """Send a request, and return its answer."""
        if self.over is not None:
            raise Ended(self.over)
        try:
            self.requests.write(to_line(request))
        except OSError:
            raise self.end("crashed") from None
        except NotPlain as error:
            raise self.unsent(error) from None
        return self.hear()

    def unsent(self, error: Exception) -> Ended:
        """The outcome for an argument that could not be sent; large answers may have made it so."""
        large = isinstance(error, TooLarge | RecursionError)
        return self.end("crashed" if large and self.answered else "unverifiable")

    def value(self, *request: object) -> Any:  # noqa: ANN401 - a plain value, or a Remote
        """The value of an answer."""
        return self.decoded(self.ask(*request))

    def decoded(self, node: object) -> Any:  # noqa: ANN401 - a plain value, or a Remote
        """The value of a node."""
        try:
            value = decode(node, self.resolve)
        except (NotPlain, RecursionError):
            raise self.end("crashed") from None
        self.answered = self.answered or not isinstance(value, Remote)
        return value

    def node(self, value: object) -> Any:  # noqa: ANN401 - JSON
        """A value of the tests, to be sent."""
        try:
            return encode(value, _number)
        except (NotPlain, RecursionError) as error:
            raise self.unsent(error) from None

    def resolve(self, number: int) -> "Remote":
        """The Remote of a number, always the same."""
        return self.objects.setdefault(number, Remote(self, number))

    def named(self, name: str) -> Any:  # noqa: ANN401 - theirs
        """The value of a name of the completion."""
        node = self.ask("name", name)
        if node == {"missing": True}:
            raise LookupError
        return self.decoded(node)


class Remote:
    """An object in the completion's process."""

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
    """Python's exception of this name, or a new class of this name.

    One that ends an iteration would end the tests' own loops, and the rest of them would pass.
    """
    known = getattr(builtins, name, None)
    if known in (StopIteration, StopAsyncIteration):
        known = None
    if isinstance(known, type) and issubclass(known, Exception):
        with suppress(TypeError):  # it needs more arguments
            return known(text)
    return Raised(f"{name}: {text}")


def names_in(tests: str) -> tuple[set[str], set[str]]:
    """The global names that tests use, and those that they define; `*` for a star import."""
    nodes = [node for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.ImportFrom)]
    used: set[str] = set()
    defined = {"*" for node in nodes for alias in node.names if alias.name == "*"}
    module = symtable.symtable(tests, "tests", "exec")
    tables = [module]
    for table in tables:
        tables += table.get_children()
        for symbol in table.get_symbols():
            if table is module or symbol.is_global():
                if symbol.is_referenced():
                    used.add(symbol.get_name())
                if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
                    defined.add(symbol.get_name())
    return used, defined


def task_scope(tests: str, given: str, names: frozenset[str]) -> dict[str, Any] | None:
    """The names a task gives its tests; None if the tests cannot judge a completion.

    That is the case if the task's own code fails, if a name is neither the task's nor Python's nor
    required of the completion, or if the tests never use the completion.
    """
    scope: dict[str, Any] = {"__name__": "tests"}
    try:
        exec(compile(given, "given", "exec", dont_inherit=True), scope)  # noqa: S102 - the task's
    except BaseException:
        return None
    used, defined = names_in(tests)
    explained = "*" in defined or used <= {*defined, *scope, *names, *dir(builtins)}
    return scope if names & used and explained else None


def judged(completion: Completion, tests: str, given: str, names: frozenset[str]) -> str:
    """The verdict of the tests, which use the task's own code (`given`) unchanged."""
    scope = task_scope(tests, given, names)
    if scope is None:
        return "unverifiable"
    run = compile(tests, "tests", "exec", dont_inherit=True)
    try:
        completion.hear()  # its definitions have run
        for name in sorted(names):
            try:
                scope[name] = completion.named(name)
            except LookupError:
                scope.pop(name, None)
        exec(run, scope)  # noqa: S102 - what this process is for
    except MemoryError:
        return completion.over or "out-of-memory"
    except Ended as ended:
        return ended.why
    except BaseException:  # SystemExit too: leaving early is not passing
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
