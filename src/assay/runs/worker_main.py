"""The process in which a method runs. It gets items without their labels.

`main` reads one JSON object a line from a private file descriptor and writes one to another, in
lockstep: {"n": number, "do": verb, "with": argument} is answered by {"n": the same, "ok": value}
or {"n": the same, "failed": [kind, message]}. Standard output and error belong to the method.

    load       [kind, target, attribute, seed]      -> [arguments, learner, by name, batch]
    branch                                          -> from here on a forked copy answers
    fit        [example, ...]                       -> whether what was fitted takes batches
    ask        [question, response]                 -> the answer
    ask_batch  [[question, ...], [response, ...]]   -> [{"ok": the answer} or {"failed": ...}, ...]
    modules                                         -> [installed modules, other files]
    forget                                          -> the copy ends, the original answers again

A learner is fitted in a forked copy of the worker, which ends with the labels it was given; so no
process ever holds the labels of items that it is asked about.
"""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from assay.errors import BadOutput, MethodError
from assay.runs import method_loader as calling

FORGOTTEN = 77
"""The exit code of a copy that was told to forget; any other is the method's doing."""
_UNWRITABLE = (TypeError, ValueError, RecursionError)


class Server:
    """Answers requests until its input ends."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self.requests = requests
        self.answers = answers
        self.loaded: calling.Loaded | None = None
        self.fitted: calling.Loaded | None = None
        self.branch = False
        self.seed: int | None = None
        self.before = frozenset(sys.modules)

    def serve(self) -> None:
        """One request, one answer, until the parent closes its end."""
        for line in self.requests:
            request = json.loads(line)
            verb, number = request["do"], request["n"]
            if verb == "branch" and self.fork():
                continue
            try:
                reply = {"n": number, "ok": self.handle(verb, request["with"])}
            except MethodError as error:
                reply = {"n": number, "failed": [error.kind, error.message]}
            self.send(reply)
            if self.branch and verb == "forget":
                os._exit(FORGOTTEN)

    def handle(self, verb: str, argument: Any) -> object:  # noqa: ANN401 - JSON
        """Do one request; a method's errors become a MethodError."""
        match verb:
            case "load":
                kind, target, attribute, seed = argument
                self.seed = seed
                calling.seed_everything(seed)
                self.loaded = calling.load(kind, target, attribute)
                calling.seed_everything(seed)
                loaded = self.loaded
                return [loaded.arguments, loaded.learner, loaded.asks_by_name, loaded.batch]
            case "fit" if self.loaded is not None:
                self.fitted = calling.fit(self.loaded, argument)
                return self.fitted.batch
            case "ask" | "ask_batch":
                asked = self.fitted or self.loaded
                if asked is not None and not asked.learner:
                    if verb == "ask":
                        return calling.call(asked, *argument)
                    return [_sendable(answer) for answer in calling.call_batch(asked, *argument)]
            case "modules":
                modules = calling.loaded_modules(self.before)
                return [modules.installed, modules.files]
            case "branch" | "forget":
                return True
        raise MethodError(f"the worker cannot {verb} now")

    def fork(self) -> bool:
        """In the copy, go on at once; in the original, wait for the copy's end, then say so."""
        copy = os.fork()
        if copy == 0:
            self.branch = True
            # What a copy compiles serves those after it, if it goes where only they look.
            sys.dont_write_bytecode = sys.pycache_prefix is None
            die_with_parent()
            if self.seed is not None:  # Python seeds `random` anew in a fork
                calling.seed_everything(self.seed)
            return False
        _, status = os.waitpid(copy, 0)
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            os.kill(os.getpid(), -code)
        if code != FORGOTTEN:
            os._exit(code)
        return True

    def send(self, reply: dict[str, Any]) -> None:
        """Write a reply; an answer that cannot be encoded is an error."""
        try:
            line = json.dumps(reply)
        except _UNWRITABLE:
            line = json.dumps({"n": reply["n"], **_unwritable(reply["ok"])})
        self.answers.write(line.encode() + b"\n")
        self.answers.flush()


def _sendable(answer: object) -> dict[str, object]:
    """One answer of a batch, encoded separately, so that a bad one does not affect the others."""
    if isinstance(answer, MethodError):
        return {"failed": [answer.kind, answer.message]}
    try:
        json.dumps(answer)
    except _UNWRITABLE:
        return _unwritable(answer)
    return {"ok": answer}


def _unwritable(answer: object) -> dict[str, object]:
    got = type(answer).__name__
    error = BadOutput(f"got {got}, expected a number, a class, or a mapping of the two")
    return {"failed": [error.kind, error.message]}


def shut_labels_away() -> None:
    """Refuse to open the bundled benchmarks from inside this interpreter.

    This stops a method that imports assay and asks it for the labels. It does not stop native code,
    other processes and a few ways of naming a file; that needs a stronger isolation level.
    """
    folder = Path(__file__).resolve().parent.parent / "benchmark" / "bundled"
    shut = {(file.stat().st_dev, file.stat().st_ino) for file in folder.glob("*.jsonl")}
    look, kinds = os.stat, (str, bytes, os.PathLike)

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], kinds):
            return
        try:
            status = look(arguments[0])
        except (OSError, ValueError):
            return
        if (status.st_dev, status.st_ino) in shut:
            raise PermissionError("a method may not open a bundled benchmark")

    sys.addaudithook(refuse)


def die_with_parent() -> None:
    """Ask the system to end this process when its parent is gone, where it can (Linux)."""
    if sys.platform == "linux":
        from assay.sandbox import syscalls

        with suppress(OSError):
            syscalls.die_with_parent()


def main() -> None:
    """Serve on the two file descriptors that end the command line."""
    requests, answers = (int(text) for text in sys.argv[-2:])
    sys.argv[1:] = []
    os.set_inheritable(requests, False)
    os.set_inheritable(answers, False)
    die_with_parent()
    shut_labels_away()
    with os.fdopen(requests, "rb") as incoming, os.fdopen(answers, "wb") as outgoing:
        Server(incoming, outgoing).serve()
