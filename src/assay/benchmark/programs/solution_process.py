"""The process of a completion: run its definitions, then answer calls to them.

This file is run alone, in a confined process: it may import the standard library and
`plain_values`. The completion shares this interpreter and can do anything to it. Only plain values
and object numbers leave the process, so all it can do is answer: no test, no expected value and no
verdict is ever here.

    ["name", NAME]                    what NAME is, or {"missing": true}
    ["call", NUMBER, [...], {...}]    ["get", NUMBER, NAME]     ["set", NUMBER, NAME, VALUE]
    ["list", NUMBER]                  ["true", NUMBER]          ["length", NUMBER]

Each is answered by {"ok": VALUE} or {"raised": [CLASS, TEXT]}.
"""

import os
import sys
from itertools import islice
from types import ModuleType
from typing import Any

from assay.benchmark.programs.plain_values import (
    LONGEST,
    NotPlain,
    decode,
    encode,
    from_line,
    to_line,
)

_MOST_LISTED = 1_000_000


class Served:
    """The names of a completion, and the objects that were sent by number."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.objects: list[object] = []
        self.numbers: dict[int, int] = {}

    def refer(self, value: object) -> dict[str, int]:
        """The number of an object; the same object has the same number."""
        number = self.numbers.setdefault(id(value), len(self.objects))
        if number == len(self.objects):
            self.objects.append(value)
        return {"object": number}

    def answer(self, verb: str, *words: Any) -> Any:  # noqa: ANN401 - JSON
        """Answer a request; any exception is the completion's."""
        if verb == "name":
            if words[0] not in self.scope:
                return {"missing": True}
            return encode(self.scope[words[0]], self.refer)
        target: Any = self.objects[words[0]]
        match verb:
            case "call":
                given = [decode(one, self.objects.__getitem__) for one in words[1]]
                named = {n: decode(v, self.objects.__getitem__) for n, v in words[2].items()}
                return encode(target(*given, **named), self.refer)
            case "get":
                return encode(getattr(target, words[1]), self.refer)
            case "set":
                return setattr(target, words[1], decode(words[2], self.objects.__getitem__))
            case "list":
                return encode(list(islice(target, _MOST_LISTED)), self.refer)
            case "true":
                return bool(target)
            case "length":
                return len(target)
        raise NotPlain(verb)


def main() -> None:
    """Serve the completion in one descriptor on another: REQUEST CHANNEL."""
    request, channel = map(int, sys.argv[1:3])
    del sys.argv[1:]
    with os.fdopen(request, "rb") as file:
        solution = file.read().decode("utf-8", "surrogatepass")
    os.set_inheritable(channel, False)
    asked, answers = os.fdopen(channel, "rb"), os.fdopen(os.dup(channel), "wb", buffering=0)
    module = ModuleType("completion")
    sys.modules["completion"] = module
    served = Served(vars(module))
    itself = os.getpid()
    reply: dict[str, Any] = {"ok": None}
    try:
        exec(compile(solution, "completion", "exec", dont_inherit=True), served.scope)  # noqa: S102
    except BaseException as error:
        reply = _raised(error)
    while True:
        if os.getpid() != itself:  # a fork of this process must not answer
            os._exit(0)
        answers.write(to_line(reply))
        line = asked.readline(LONGEST)
        if not line:
            os._exit(0)
        try:
            reply = {"ok": served.answer(*from_line(line))}
            to_line(reply)
        except BaseException as error:  # SystemExit too
            reply = _raised(error)


def _raised(error: BaseException) -> dict[str, Any]:
    try:
        text = str(error)[:300]
    except BaseException:
        text = ""
    return {"raised": [type(error).__name__[:100], text]}


if __name__ == "__main__":
    main()
