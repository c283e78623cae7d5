"""The process of the tests: runs them against a completion that lives in another process.

This file is run by itself, in a confined process: it may import the standard library and
`plain_values`. A name that the task asks for stands for the completion's: calling it sends the
arguments and gives the plain value that came back. Every other name is the tests' own or the
task's, never the completion's. All comparing is done here, on plain values.
What is no plain value can be called, handed back, listed, and asked for attributes, its length and
its truth; it is equal to nothing but itself.

Arguments that are no plain values (a function that the tests define) cannot be sent: then there is
no verdict. Nor is there one where the task does not say what a name of its tests is. An argument
that is too large to be sent, after the completion has answered, counts as its doing. A test that
looks at an argument after the call sees its own copy.
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
        self.answered = False
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
        except NotPlain as error:
            raise self.unsent(error) from None
        return self.hear()

    def unsent(self, error: Exception) -> Ended:
        """Why an argument could not be sent: the tests made it, of what the completion answered."""
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
        """The one Remote of a number."""
        return self.objects.setdefault(number, Remote(self, number))

    def named(self, name: str) -> Any:  # noqa: ANN401 - theirs
        """What a name of the completion is."""
        node = self.ask("name", name)
        if node == {"missing": True}:
            raise LookupError
        return self.decoded(node)


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
    """The exception of this name that Python has, or one of this name only.

    One that ends an iteration would end the tests' own, and what was left of them would pass.
    """
    known = getattr(builtins, name, None)
    if known in (StopIteration, StopAsyncIteration):
        known = None
    if isinstance(known, type) and issubclass(known, Exception):
        with suppress(TypeError):  # it wants more than a text
            return known(text)
    return Raised(f"{name}: {text}")


def names_in(tests: str) -> tuple[set[str], set[str]]:
    """The global names that tests use, and those that they define; `*` where they import all."""
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
    """What a task gives its tests; None where they cannot be put to a completion.

    That is where the task's own code fails, where a name is neither the task's, nor Python's, nor
    asked of the completion, and where the completion is never asked.
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
    """The verdict of the tests. They see the task's own code (`given`) as it is."""
    scope = task_scope(tests, given, names)
    if scope is None:
        return "unverifiable"
    run = compile(tests, "tests", "exec", dont_inherit=True)
    try:
        completion.hear()  # it has defined what it defines
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
