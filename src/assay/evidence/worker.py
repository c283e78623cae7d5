"""The process in which a method runs. It is told items and nothing about them.

`main` reads one JSON object a line from a private file descriptor and writes one to another, in
lockstep. Standard output and error belong to the method and carry nothing of ours.

    {"load": [kind, target, attribute, seed]}  -> {"loaded": [parameters, learner, file]}
    {"branch": true}                           -> {"branched": true}, from a forked copy
    {"fit": [example, ...]}                    -> {"fitted": true}
    {"ask": [question, response]}              -> {"answer": ...}
    {"forget": true}                           -> {"forgotten": true}: the copy is gone

A learner is fitted in a forked copy of the worker, which dies with what it was told; so no
process ever holds the labels of items that it is asked about. Any failure is answered with
{"failed": [kind, message]} and the worker goes on.
"""

import json
import os
import sys
from pathlib import Path
from typing import IO, Any

from assay.errors import BadOutput, MethodError
from assay.evidence import calling


class Server:
    """Answers requests until its input ends."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self.requests = requests
        self.answers = answers
        self.loaded: calling.Loaded | None = None
        self.fitted: calling.Loaded | None = None
        self.branch = False

    def serve(self) -> None:
        """One request, one answer, until the parent closes its end."""
        for line in self.requests:
            request, argument = next(iter(json.loads(line).items()))
            try:
                answer = self.handle(request, argument)
            except MethodError as error:
                answer = {"failed": [error.kind, error.message]}
            self.send(answer)
            if self.branch and request == "forget":
                os._exit(0)

    def handle(self, request: str, argument: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Do one thing; what a method does wrong comes out as a MethodError."""
        match request:
            case "load":
                kind, target, attribute, seed = argument
                calling.seed_everything(seed)
                self.loaded = calling.load(kind, target, attribute)
                calling.seed_everything(seed)
                found = self.loaded
                return {"loaded": [found.parameters, found.learner, found.file]}
            case "branch":
                return self.fork()
            case "fit" if self.loaded is not None:
                self.fitted = calling.fit(self.loaded, argument)
                return {"fitted": True}
            case "ask":
                asked = self.fitted or self.loaded
                if asked is not None and not asked.learner:
                    return {"answer": calling.call(asked, *argument)}
            case "forget":
                return {"forgotten": True}
        raise MethodError(f"the worker cannot {request} now")

    def fork(self) -> dict[str, Any]:
        """Serve from a copy; come back when it has been told to forget."""
        copy = os.fork()
        if copy == 0:
            self.branch = True
            return {"branched": True}
        _, status = os.waitpid(copy, 0)
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            os.kill(os.getpid(), -code)
        if code > 0:
            os._exit(code)
        return {}

    def send(self, answer: dict[str, Any]) -> None:
        """Write an answer, unless the copy has already written it."""
        if not answer:
            return
        try:
            line = json.dumps(answer, allow_nan=True)
        except (TypeError, ValueError, RecursionError):
            got = type(answer.get("answer")).__name__
            error = BadOutput(f"got {got}, expected a number, a class, or a mapping of the two")
            line = json.dumps({"failed": [error.kind, error.message]})
        self.answers.write(line.encode() + b"\n")
        self.answers.flush()


def shut_labels_away() -> None:
    """Refuse to open the bundled benchmarks from inside this interpreter.

    A fence against a method that imports assay and asks it for the labels, not a wall: native
    code and other processes are not seen. Stronger levels of confinement hold those.
    """
    folder = str(Path(__file__).resolve().parent.parent / "data") + os.sep

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
            path = os.fsdecode(arguments[0])
            if path.endswith(".jsonl") and os.path.realpath(path).startswith(folder):
                raise PermissionError("a method may not open a bundled benchmark")

    sys.addaudithook(refuse)


def main() -> None:
    """Serve on the two file descriptors that end the command line."""
    requests, answers = (int(text) for text in sys.argv[-2:])
    sys.argv[1:] = []
    os.set_inheritable(requests, False)
    os.set_inheritable(answers, False)
    shut_labels_away()
    with os.fdopen(requests, "rb") as incoming, os.fdopen(answers, "wb") as outgoing:
        Server(incoming, outgoing).serve()
