"""Runs a completion and then its tests, and tells the verdict where only the asker listens.

This file is run by itself (`python -c`), in a process that was set apart: it may import the
standard library only. The verdict counts only behind a word that the asker made up, which is read
before the completion runs, from a file that is emptied at once. Printing, exiting early and raising
anything do not give that word away. Code in the same interpreter can still search its memory for
it: see docs/explanation/trust.md.
"""

import builtins
import json
import os
import sys
from types import ModuleType


def main() -> None:
    """Judge the program in one descriptor, and tell the verdict on another: REQUEST VERDICT."""
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
    """How it went: the tests run after the completion, with builtins of their own.

    What the completion defines is theirs to use. A name of a builtin stays the builtin, unless it
    is among the names that the task asks for.
    """
    module = ModuleType("completion")
    sys.modules["completion"] = module
    scope, own = vars(module), dict(vars(builtins))
    run = exec  # this one, whatever the completion calls by its name later
    try:
        then = compile(tests, "tests", "exec", dont_inherit=True)
        run(compile(solution, "completion", "exec", dont_inherit=True), scope)
        known = {name: one for name, one in scope.items() if name in names or name not in own}
        run(then, {**known, "__builtins__": own})
    except MemoryError:
        return "out-of-memory"
    except BaseException:  # SystemExit too: whoever leaves the tests early has not passed them
        return "failed"
    return "passed"


if __name__ == "__main__":
    main()
