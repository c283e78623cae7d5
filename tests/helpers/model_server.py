"""A small OpenAI-compatible server on this machine, which says what a test tells it to say."""

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from assay.models.http.endpoint import Endpoint
from assay.models.http.retries import Clock
from assay.models.model import Model
from assay.models.replies import ChatReply, Usage

KEY = "sk-planted/0123456789abcdefghij"
"""A secret: it must be found nowhere."""


@dataclass(frozen=True)
class Answer:
    """What is sent back, and how.

    `way`: whole; whole and then closed unannounced (`leave`); cut off in the middle (`cut`); a byte
    at a time (`drip`); nothing, and closed (`refuse`); nothing at all (`hang`).
    """

    body: object = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    way: str = "whole"

    @property
    def data(self):
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def said(text="YES", *, logprobs=None, usage=(3, 1), **more):
    """A good chat."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    if logprobs is not None:
        choice["logprobs"] = logprobs
    counted = {"prompt_tokens": usage[0], "completion_tokens": usage[1]} if usage else None
    return Answer({"choices": [choice], "usage": counted}, **more)


def refusal(status, message="no", code=None, **headers):
    """An error in the usual form."""
    body = {"error": {"message": message, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body, status=status, headers=named)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that goes away is what some tests are about."""


class ModelServer:
    """Gives its answers in turn and the last one for ever; a function answers by what is asked.

    `asked` are the requests: path, headers and body.
    """

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []
        self.connections = 0
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def end(self):
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path, headers, body):
        with self._lock:
            self.asked.append((path, headers, body))
            first = self.answers[0]
            if len(self.answers) > 1:
                del self.answers[0]
        return first(path, body) if callable(first) else first

    def _handler(server):  # noqa: N805 - the handler has a self of its own
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                server.connections += 1

            def log_message(self, *words):
                pass

            def do_CONNECT(self):
                server.asked.append((self.path, dict(self.headers), None))
                self.send_error(403)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.give(server.answer(self.path, dict(self.headers), body))

            def give(self, answer):
                if answer.way == "hang":
                    server.over.wait(60)
                if answer.way in ("hang", "refuse"):
                    self.close_connection = True
                    return
                data = answer.data
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.write(data, answer.way)
                if answer.way in ("cut", "leave"):
                    self.close_connection = True

            def write(self, data, way):
                if way == "drip":
                    for byte in data:
                        self.wfile.write(bytes([byte]))
                        if server.over.wait(0.02):
                            break
                else:
                    self.wfile.write(data[: len(data) // 2] if way == "cut" else data)

        return Handler


@contextmanager
def serving(*answers):
    server = ModelServer(*answers)
    try:
        yield server
    finally:
        server.end()


class Spoken(Model):
    """A model in memory: what it says to each request is a function's, and it counts its calls."""

    name = "spoken"

    def __init__(self, say=lambda request: "YES"):
        self.say = say
        self.calls = 0
        self.closed = False
        self._lock = threading.Lock()

    def ask(self, request):
        with self._lock:
            self.calls += 1
        return ChatReply(text=self.say(request), finish="stop", first=None, usage=Usage())

    def close(self):
        self.closed = True


class FakeClock(Clock):
    """A clock on which waits take no time and are written down."""

    def __init__(self):
        self.time = 1_000_000_000.0
        self.waits = []

    def now(self):
        return self.time

    def steady(self):
        return self.time

    def pause(self, seconds):
        self.waits.append(seconds)
        self.time += seconds


@contextmanager
def endpoint(*answers, seconds=30.0, path="", **settings):
    """An endpoint, its server, and the clock of its waits."""
    clock = FakeClock()
    with (
        serving(*answers) as server,
        Endpoint(server.url + path, "m", seconds=seconds, clock=clock, **settings) as model,
    ):
        yield model, server, clock
