"""Run a completion and then its tests, and send the verdict on a private descriptor.

This file is run by itself (`python -c`), in a confined process: it may import the standard library
only. The verdict counts only behind a secret word, which is read before the completion runs, from a
file that is emptied at once. Printing, exiting early and raising anything do not reveal that word.
Code in the same interpreter can still search its memory for it: see docs/explanation/trust.md.
"""

import builtins
import json
import os
import sys
from types import ModuleType


def main() -> None:
    """Judge the program in one descriptor, and send the verdict on another: REQUEST VERDICT."""
    request, verdict = map(int, sys.argv[1:3])
    del sys.argv[1:]
    with os.fdopen(request, "r+b") as file:
        asked = json.load(file)
        file.truncate(0)
    # Taken before the completion can put others in their place.
    write, leave, who, itself = os.write, os._exit, os.getpid, os.getpid()
    word = asked.pop("word")
    outcome = _judged(asked["solution"], asked["tests"], frozenset(asked["names"]))
    if who() == itself:  # a copy that the completion made of this process has no say
        write(verdict, f"{word} {outcome}\n".encode())
    leave(0)


def _judged(solution: str, tests: str, names: frozenset[str]) -> str:
    """The verdict: the tests run after the completion, with builtins of their own.

    They see what the completion defines. A name of a builtin stays the builtin, unless the task
    asks for it.
    """
    module = ModuleType("completion")
    sys.modules["completion"] = module
    scope, own = vars(module), dict(vars(builtins))
    run = exec  # before the completion can replace it
    try:
        then = compile(tests, "tests", "exec", dont_inherit=True)
        run(compile(solution, "completion", "exec", dont_inherit=True), scope)
        known = {name: value for name, value in scope.items() if name in names or name not in own}
        run(then, {**known, "__builtins__": own})
    except MemoryError:
        return "out-of-memory"
    except BaseException:  # SystemExit too: to leave the tests early is not to pass them
        return "failed"
    return "passed"


if __name__ == "__main__":
    main()
